/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/utf8.h"
#include "infer/engine/word-set.h"
#include "infer/merge/kgram-set.h"

static int write_text(FILE *out, const char *text, const char *what)
{
	size_t length = strlen(text);
	json_t *string;
	size_t n;
	int failed;

	for (size_t i = 0; i < length; i += n) {
		n = kt_utf8_sequence(text + i, length - i);
		if (n == 0) {
			return kt_error(KT_E_MALFORMED, "write statistics: %s is no UTF-8",
					what);
		}
	}
	string = json_string(text);
	failed = !string || json_dumpf(string, out, JSON_ENCODE_ANY) != 0;
	json_decref(string);
	return failed && !ferror(out) ? kt_no_memory("write statistics")
				      : KT_OK; /* a failed stream is seen at the end */
}

static const char *boolean(bool value)
{
	return value ? "true" : "false";
}

/* One string for many numbers: a tenth of what as many JSON values take to read. */
static void write_letters(const kt_kgrams *kgrams, size_t string, FILE *out)
{
	const struct kt_word *word = &kgrams->strings->words[string];

	putc('"', out);
	for (uint64_t i = 0; i < word->n; i++) {
		fprintf(out, i ? " %" PRIu32 : "%" PRIu32,
			kt_word_set_letter(kgrams->strings, word->begin + i));
	}
	putc('"', out);
}

/* Equal counts in a row are written once: "3*120" for 120 of them. */
static void write_counts(const uint64_t *counts, uint64_t n, FILE *out)
{
	uint64_t run;

	putc('"', out);
	for (uint64_t i = 0; i < n; i += run) {
		for (run = 1; i + run < n && counts[i + run] == counts[i]; run++) {
		}
		fprintf(out, i ? " %" PRIu64 : "%" PRIu64, counts[i]);
		if (run > 1) {
			fprintf(out, "*%" PRIu64, run);
		}
	}
	putc('"', out);
}

int kt_kgrams_write(const kt_kgrams *kgrams, FILE *out)
{
	const uint64_t *counts = kgrams->counts;
	size_t n_strings = kt_words_count(kgrams->strings);

	fprintf(out,
		"{ \"format\": \"" KT_KGRAMS_FORMAT "\", \"k\": %" PRIu64
		", \"machine\": \"chains\", \"word\": ",
		kgrams->k);
	KT_TRY(write_text(out, kgrams->word, "the unit of words"));
	fprintf(out, ",\n  \"alphabet\": %s,\n  \"letters\": [",
		kgrams->alphabet_json ? kgrams->alphabet_json : "null");
	for (uint32_t i = 0; i < kt_words_letter_count(kgrams->strings); i++) {
		fputs(i ? ", " : "", out);
		KT_TRY(write_text(out, kt_words_letter_name(kgrams->strings, i),
				  "a letter"));
	}
	fputs("],\n  \"words\": [", out);
	for (size_t i = 0; i < kgrams->n_words; i++) {
		const struct kt_kgram_word *word = &kgrams->words[i];

		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
		KT_TRY(write_text(out, word->name, "a word's name"));
		fprintf(out,
			", \"events\": %" PRIu64 ", \"lost\": %" PRIu64
			", \"cut_begin\": %s, \"cut_end\": %s, \"hash\": \"%s\", "
			"\"first\": %" PRIu32 ", \"last\": %" PRIu32 "}",
			word->n, word->lost, boolean(word->cut_begin),
			boolean(word->cut_end), word->hash, word->first, word->last);
	}
	fputs(kgrams->n_words ? "\n  ],\n" : "],\n", out);

	fputs("  \"pieces\": [", out);
	for (size_t i = kgrams->n_paths; i < n_strings; i++) {
		fputs(i > kgrams->n_paths ? ",\n    " : "\n    ", out);
		write_letters(kgrams, i, out);
	}
	fputs(n_strings > kgrams->n_paths ? "\n  ],\n" : "],\n", out);
	fputs("  \"windows\": [", out);
	for (size_t i = 0; i < kgrams->n_paths; i++) {
		uint64_t n = kgrams->strings->words[i].n - kgrams->k;

		fputs(i ? ",\n    {\"letters\": " : "\n    {\"letters\": ", out);
		write_letters(kgrams, i, out);
		fputs(", \"counts\": ", out);
		write_counts(counts, n, out);
		putc('}', out);
		counts += n;
	}
	fputs(kgrams->n_paths ? "\n  ]\n}\n" : "]\n}\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write statistics") : KT_OK;
}
