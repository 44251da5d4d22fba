/* SPDX-License-Identifier: MIT */
/* Statistics as tables, or as JSON lines. */
#include "annotate/listing/tally.h"

#include <inttypes.h>

#include "annotate/events/names.h"
#include "base/json-string.h"
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

/* Methods of a class that have a public name. */
static uint64_t count_named(const struct kt_tally_row *row)
{
	uint64_t named = row->methods;

	for (unsigned i = 0; row->by_offset && i < KT_METHOD_OFFSETS; i++) {
		named -= row->by_offset[i];
	}
	return named;
}

/* --- text --- */

/* Rounded down: 100.0 % are all. */
static void print_share(FILE *out, uint64_t part, uint64_t all)
{
	uint64_t permille = all ? part * 1000 / all : 1000;

	fprintf(out, " %5" PRIu64 ".%" PRIu64 "%%\n", permille / 10, permille % 10);
}

static void print_numbers(FILE *out, const struct kt_tally_row *row)
{
	fprintf(out, " %9" PRIu64 " %9" PRIu64 " %12" PRIu64 " %10" PRIu64 " %8" PRIu64,
		row->doorbells, row->entries, 4 * row->words, row->methods, row->unnamed);
}

static void print_head(FILE *out, const char *what, const char *more)
{
	fprintf(out, "%-24s %9s %9s %12s %10s %8s%s\n", what, "doorbells", "entries",
		"bytes", "methods", "unnamed", more);
}

static void print_text(const struct kt_tally *t)
{
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
		fprintf(t->out, "  %s, %s/%" PRIu32 "\n",
			kt_class_label(row->class_number, buffer),
			row->process ? row->process : "?", row->pid);
	}
	sum_rows(&t->channels, &sum);
	fprintf(t->out, "%-24s", "all channels");
	print_numbers(t->out, &sum);
	fputs("\n\n", t->out);

	print_head(t->out, "class", "    named");
	for (size_t i = 0; i < t->classes.n; i++) {
		const struct kt_tally_row *row = &t->classes.rows[i];
		uint64_t named = count_named(row);

		fprintf(t->out, "%-24s", kt_class_label(row->class_number, buffer));
		print_numbers(t->out, row);
		print_share(t->out, named, row->methods);
		all_named += named;
	}
	sum_rows(&t->classes, &sum);
	fprintf(t->out, "%-24s %9s %9s %12" PRIu64 " %10" PRIu64 " %8" PRIu64,
		"all classes", "", "", 4 * sum.words, sum.methods, sum.unnamed);
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

static void print_numbers_json(FILE *out, const struct kt_tally_row *row)
{
	fprintf(out,
		",\"doorbells\":%" PRIu64 ",\"entries\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"methods\":%" PRIu64 ",\"unnamed\":%" PRIu64,
		row->doorbells, row->entries, 4 * row->words, row->methods, row->unnamed);
}

void kt_print_tally(const struct kt_tally *t)
{
	char buffer[16];

	if (!t->json) {
		print_text(t);
		return;
	}
	for (size_t i = 0; i < t->channels.n; i++) {
		const struct kt_tally_row *row = &t->channels.rows[i];

		fputs("{\"type\":\"channel\",\"process\":", t->out);
		kt_json_string(t->out, row->process ? row->process : "?");
		fprintf(t->out,
			",\"pid\":%" PRIu32 ",\"life\":%" PRIu64 ",\"client\":\"0x%" PRIx32
			"\",\"channel\":\"0x%" PRIx32 "\",\"class\":\"%s\"",
			row->pid, row->life, row->client, row->channel,
			kt_class_label(row->class_number, buffer));
		print_numbers_json(t->out, row);
		fputs("}\n", t->out);
	}
	for (size_t i = 0; i < t->classes.n; i++) {
		const struct kt_tally_row *row = &t->classes.rows[i];
		const char *comma = "";

		fprintf(t->out, "{\"type\":\"class\",\"class\":\"%s\"",
			kt_class_label(row->class_number, buffer));
		print_numbers_json(t->out, row);
		fprintf(t->out, ",\"named\":%" PRIu64 ",\"unnamed_methods\":{",
			count_named(row));
		for (unsigned j = 0; row->by_offset && j < KT_METHOD_OFFSETS; j++) {
			if (row->by_offset[j]) {
				fprintf(t->out, "%s\"0x%04x\":%" PRIu64, comma, 4 * j,
					row->by_offset[j]);
				comma = ",";
			}
		}
		fputs("}}\n", t->out);
	}
	for (int kind = KT_COMMAND_NONE + 1; kind < KT_COMMAND_KINDS; kind++) {
		if (t->commands[kind] > 0) {
			fprintf(t->out,
				"{\"type\":\"command\",\"kind\":\"%s\",\"count\":%" PRIu64
				",\"bytes\":%" PRIu64 "}\n",
				kt_command_name(kind), t->commands[kind],
				t->command_bytes[kind]);
		}
	}
}
