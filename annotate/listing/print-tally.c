/* SPDX-License-Identifier: MIT */
/* Prints the counts of a tally as tables or JSON lines. */
#include "annotate/listing/tally.h"

#include <inttypes.h>

#include "annotate/events/names.h"
#include "base/json-writer.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "decode/commands.h"

static void sum_rows(const struct kt_tally_rows *rows, struct kt_tally_row *sum)
{
	*sum = (struct kt_tally_row){0};
	for (size_t i = 0; i < rows->n; i++) {
		sum->doorbells += rows->rows[i].doorbells;
		sum->entries += rows->rows[i].entries;
		sum->words += rows->rows[i].words;
		sum->methods += rows->rows[i].methods;
		sum->unnamed += rows->rows[i].unnamed;
	}
}

/* Returns the number of a class's methods that have a public name. */
static uint64_t count_named(const struct kt_tally_row *row)
{
	uint64_t named = row->methods;

	for (unsigned i = 0; row->by_offset && i < KT_METHOD_OFFSETS; i++) {
		named -= row->by_offset[i];
	}
	return named;
}

/* --- text --- */

/* Prints part / all as a percentage, rounded down so that 100.0 % means all. */
static void print_share(FILE *out, uint64_t part, uint64_t all)
{
	uint64_t permille = all ? part * 1000 / all : 1000;

	fprintf(out, " %3" PRIu64 ".%" PRIu64 "%%\n", permille / 10, permille % 10);
}

#define NUMBERS_END 73 /* width in columns of a name and its numbers */

static void print_numbers(FILE *out, const struct kt_tally_row *row)
{
	fprintf(out, " %9" PRIu64 " %8" PRIu64 " %11" PRIu64 " %9" PRIu64 " %7" PRIu64,
		row->doorbells, row->entries, 4 * row->words, row->methods, row->unnamed);
}

static void print_head(FILE *out, const char *what, const char *more)
{
	fprintf(out, "%s%-24s %9s %8s %11s %9s %7s%s%s\n", kt_colors_of(out)->bold, what,
		"doorbells", "entries", "bytes", "methods", "unnamed", more,
		kt_colors_of(out)->plain);
}

static void print_text(const struct kt_tally *t)
{
	struct kt_wrap line = kt_wrap_line(t->out, 4);
	struct kt_tally_row sum;
	uint64_t all_named = 0;
	char name[64];
	char buffer[16];

	print_head(t->out, "channel", "");
	for (size_t i = 0; i < t->channels.n; i++) {
		const struct kt_tally_row *row = &t->channels.rows[i];

		snprintf(name, sizeof(name), "0x%" PRIx32, row->channel);
		fprintf(t->out, "%-24s", name);
		print_numbers(t->out, row);
		line.column = NUMBERS_END;
		kt_wrap_put(&line, "  %s, %s/%" PRIu32,
			    kt_class_label(row->class_number, buffer),
			    row->process ? row->process : "?", row->pid);
		kt_wrap_end(&line);
	}
	sum_rows(&t->channels, &sum);
	fprintf(t->out, "%-24s", "all channels");
	print_numbers(t->out, &sum);
	fputs("\n\n", t->out);

	print_head(t->out, "class", "  named");
	for (size_t i = 0; i < t->classes.n; i++) {
		const struct kt_tally_row *row = &t->classes.rows[i];
		uint64_t named = count_named(row);

		fprintf(t->out, "%-24s", kt_class_label(row->class_number, buffer));
		print_numbers(t->out, row);
		print_share(t->out, named, row->methods);
		all_named += named;
	}
	sum_rows(&t->classes, &sum);
	fprintf(t->out, "%-24s %9s %8s %11" PRIu64 " %9" PRIu64 " %7" PRIu64, "all classes",
		"", "", 4 * sum.words, sum.methods, sum.unnamed);
	print_share(t->out, all_named, sum.methods);
	putc('\n', t->out);

	for (size_t i = 0; i < t->classes.n; i++) {
		const struct kt_tally_row *row = &t->classes.rows[i];

		for (unsigned j = 0; row->by_offset && j < KT_METHOD_OFFSETS; j++) {
			if (row->by_offset[j]) {
				fprintf(t->out, "unnamed: %s 0x%04x: %" PRIu64 "\n",
					kt_class_label(row->class_number, buffer), 4 * j,
					row->by_offset[j]);
			}
		}
	}
	for (int kind = KT_COMMAND_NONE + 1; kind < KT_COMMAND_KINDS; kind++) {
		if (t->commands[kind] == 0) {
			continue;
		}
		fprintf(t->out, "command %s: %" PRIu64, kt_command_name(kind),
			t->commands[kind]);
		if (kind == KT_COMMAND_COPY || kind == KT_COMMAND_INLINE) {
			fprintf(t->out, ", %" PRIu64 " bytes", t->command_bytes[kind]);
		}
		putc('\n', t->out);
	}
}

/* --- JSON --- */

static void print_numbers_json(struct kt_json_writer *w, const struct kt_tally_row *row)
{
	KT_JSON(w, KT_U64("doorbells", row->doorbells), KT_U64("entries", row->entries),
		KT_U64("bytes", 4 * row->words), KT_U64("methods", row->methods),
		KT_U64("unnamed", row->unnamed));
}

static void print_json(const struct kt_tally *t)
{
	struct kt_json_writer w = {.out = t->out, .compact = true};
	char buffer[16];

	for (size_t i = 0; i < t->channels.n; i++) {
		const struct kt_tally_row *row = &t->channels.rows[i];

		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_STR("type", "channel"),
			KT_STR("process", row->process ? row->process : "?"),
			KT_U64("pid", row->pid), KT_U64("life", row->instance),
			KT_HEX("client", row->client), KT_HEX("channel", row->channel),
			KT_STR("class", kt_class_label(row->class_number, buffer)));
		print_numbers_json(&w, row);
		kt_json_end(&w);
	}
	for (size_t i = 0; i < t->classes.n; i++) {
		const struct kt_tally_row *row = &t->classes.rows[i];

		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_STR("type", "class"),
			KT_STR("class", kt_class_label(row->class_number, buffer)));
		print_numbers_json(&w, row);
		KT_JSON(&w, KT_U64("named", count_named(row)));
		kt_json_object(&w, "unnamed_methods");
		for (unsigned j = 0; row->by_offset && j < KT_METHOD_OFFSETS; j++) {
			if (row->by_offset[j]) {
				snprintf(buffer, sizeof(buffer), "0x%04x", 4 * j);
				KT_JSON(&w, KT_U64(buffer, row->by_offset[j]));
			}
		}
		kt_json_end(&w);
		kt_json_end(&w);
	}
	for (int kind = KT_COMMAND_NONE + 1; kind < KT_COMMAND_KINDS; kind++) {
		if (t->commands[kind] > 0) {
			KT_OBJECT(&w, NULL, KT_STR("type", "command"),
				  KT_STR("kind", kt_command_name(kind)),
				  KT_U64("count", t->commands[kind]),
				  KT_U64("bytes", t->command_bytes[kind]));
		}
	}
}

void kt_print_tally(const struct kt_tally *t)
{
	(t->json ? print_json : print_text)(t);
}
