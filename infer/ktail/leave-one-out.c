/* SPDX-License-Identifier: MIT */
#include "infer/ktail/leave-one-out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/ktail/copy-words.h"

/* --- order of the rows --- */

struct word_ref {
	const kt_words *words; /* Weak */
	size_t i;
	struct kt_word_info info;
	uint64_t n;
};

/* Orders by name, length, truncation, and letters. */
static int compare_word_refs(const void *left, const void *right)
{
	const struct word_ref *a = left;
	const struct word_ref *b = right;
	int order = strcmp(a->info.name, b->info.name);

	if (order == 0) {
		order = (a->n > b->n) - (a->n < b->n);
	}
	if (order == 0) {
		order = a->info.cut_begin - b->info.cut_begin;
	}
	if (order == 0) {
		order = a->info.cut_end - b->info.cut_end;
	}
	for (uint64_t i = 0; order == 0 && i < a->n; i++) {
		uint32_t x = 0;
		uint32_t y = 0;

		if (kt_words_read(a->words, a->i, i, 1, &x) ||
		    kt_words_read(b->words, b->i, i, 1, &y)) {
			return 0;
		}
		if (x != y) {
			return strcmp(kt_words_letter_name(a->words, x),
				      kt_words_letter_name(b->words, y));
		}
	}
	return order;
}

/* --- the table --- */

static int choose(struct kt_left_out *row, const kt_words *words,
		  const struct kt_sweep_options *options)
{
	struct kt_curve curve;
	int code;

	KT_TRY_END(kt_curve_make(&curve, words, options));
	row->row = curve.points[curve.choice.point].row;
	row->convincing = curve.choice.kind == KT_CHOICE_PLATEAU;
	if (row->convincing) {
		size_t last = curve.plateaus[curve.choice.plateau].last;

		row->to = curve.points[last].row.k;
	}
end:
	kt_curve_clear(&curve);
	return code;
}

int kt_leave_one_out(struct kt_leave_one_out *out, const kt_words *words,
		     const struct kt_sweep_options *options)
{
	size_t n = kt_words_count(words);
	struct word_ref *word_refs = calloc(n + 1, sizeof(*word_refs));
	kt_words *rest = NULL;
	int code;

	*out = (struct kt_leave_one_out){0};
	out->rows = calloc(n + 1, sizeof(*out->rows));
	if (!word_refs || !out->rows) {
		code = kt_no_memory("leave a word out");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		word_refs[i].words = words;
		word_refs[i].i = i;
		KT_TRY_END(kt_words_get(words, i, &word_refs[i].info, &word_refs[i].n));
	}
	qsort(word_refs, n, sizeof(*word_refs), compare_word_refs);
	out->n = n + 1;
	KT_TRY_END(choose(&out->rows[0], words, options));
	for (size_t i = 0; i < n; i++) {
		struct kt_left_out *row = &out->rows[i + 1];

		row->events = word_refs[i].n;
		row->none_left = n == 1;
		row->word = strdup(word_refs[i].info.name);
		if (!row->word) {
			code = kt_no_memory("leave a word out");
			goto end;
		}
		if (row->none_left) {
			continue;
		}
		KT_TRY_END(kt_words_new(&rest));
		KT_TRY_END(kt_copy_words(rest, words, word_refs[i].i, NULL, NULL));
		KT_TRY_END(choose(row, rest, options));
		kt_words_free(rest);
		rest = NULL;
	}
end:
	kt_words_free(rest);
	free(word_refs);
	return code;
}

void kt_leave_one_out_clear(struct kt_leave_one_out *table)
{
	for (size_t i = 0; i < table->n; i++) {
		free(table->rows[i].word);
	}
	free(table->rows);
	*table = (struct kt_leave_one_out){0};
}

/* --- writing --- */

/* Writes a name, with control characters replaced: a file name may contain any byte. */
static void write_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		putc(c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

static void write_rows(FILE *out, const struct kt_leave_one_out *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct kt_left_out *row = &table->rows[i];

		if (table->group) {
			write_name(out, table->group);
			putc('\t', out);
		}
		write_name(out, row->word ? row->word : "-");
		fprintf(out, "\t%" PRIu64, row->events);
		if (row->none_left) {
			fputs("\t\t\t\t\t\t\n", out);
			continue;
		}
		fprintf(out, "\t%" PRIu64 "\t", row->row.k);
		if (row->convincing) {
			fprintf(out, "%" PRIu64, row->to);
		}
		fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\n",
			row->row.states, row->row.transitions, row->row.complex,
			row->convincing ? "yes" : "no");
	}
}

static int write_tsv(FILE *out, const void *result)
{
	const struct kt_leave_one_outs *all = result;

	fputs(all->tables[0].group ? "group\t" : "", out);
	fputs("without\tevents\tk\tto\tstates\ttransitions\tcomplex\tconvincing\n", out);
	for (size_t i = 0; i < all->n; i++) {
		write_rows(out, &all->tables[i]);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write table as TSV") : KT_OK;
}

static int write_csv(FILE *out, const void *result)
{
	return kt_output_convert_tsv(out, result, write_tsv, kt_table_print_csv, NULL);
}

static int write_text(FILE *out, const void *result)
{
	return kt_output_convert_tsv(out, result, write_tsv, kt_table_print_whole, NULL);
}

static int write_json(FILE *out, const void *result)
{
	static const char *const numbers[] = {"events",      "k",       "to", "states",
					      "transitions", "complex", NULL};

	return kt_output_convert_tsv(out, result, write_tsv, kt_table_print_json, numbers);
}

static const struct kt_output_format formats[] = {
	{".tsv", NULL, write_tsv},  {".csv", NULL, write_csv}, {".json", NULL, write_json},
	{".txt", NULL, write_text}, {NULL, NULL, NULL},
};

const struct kt_output_kind kt_output_leave_one_out = {
	.what = "table",
	.formats = formats,
};
