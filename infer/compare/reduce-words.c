/* SPDX-License-Identifier: MIT */
#include <ktail/reduce.h>

#include <stdlib.h>
#include <string.h>

#include "infer/compare/reduce-run.h"

#define OMITTED UINT32_MAX

struct reducing {
	kt_words *out;         /* Weak */
	const kt_words *words; /* Weak */
	uint32_t *number; /* Owned by this: of each letter its new number, or OMITTED */
	uint32_t run;     /* the letter of runs, or OMITTED */
};

static int number_letters(struct reducing *r, const char *run,
			  const struct kt_reduction *reduction)
{
	size_t n_letters = kt_words_letter_count(r->words);
	int code = KT_OK;

	r->number = calloc(n_letters + 1, sizeof(*r->number));
	if (!r->number) {
		return kt_reduce_no_memory();
	}
	r->run = OMITTED;
	for (size_t i = 0; !code && i < n_letters; i++) {
		const char *name = kt_words_letter_name(r->words, (uint32_t)i);
		bool less = kt_reduce_is_among(name, run, reduction);

		r->number[i] = OMITTED;
		if (less && !reduction->omit) {
			code = kt_words_letter(&r->run, r->out, run, strlen(run));
			r->number[i] = r->run;
		} else if (!less) {
			code = kt_words_letter(&r->number[i], r->out, name, strlen(name));
		}
	}
	return code;
}

/* Letters in place; *last: the one in front, carried from piece to piece. */
static size_t squeeze(uint32_t *piece, size_t n, const struct reducing *r, uint32_t *last)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t letter = r->number[piece[i]];

		if (letter != OMITTED && (letter != r->run || *last != r->run)) {
			piece[kept++] = letter;
		}
		*last = letter;
	}
	return kept;
}

static int reduce_word(struct reducing *r, size_t i)
{
	struct kt_word_info info;
	uint32_t piece[1024];
	uint32_t last = OMITTED;
	uint64_t n = 0;
	int code = kt_words_get(r->words, i, &info, &n);

	code = code ? code : kt_words_begin(r->out, &info);
	for (uint64_t at = 0; !code && at < n;) {
		size_t some = n - at < 1024 ? (size_t)(n - at) : 1024;

		code = kt_words_read(r->words, i, at, some, piece);
		at += some;
		if (!code) {
			some = squeeze(piece, some, r, &last);
			code = kt_words_append(r->out, piece, some);
		}
	}
	return code;
}

int kt_reduce_words(kt_words **out, const kt_words *words,
		    const struct kt_reduction *reduction)
{
	struct reducing r = {.words = words};
	char *run = NULL;
	int code = kt_reduce_name_run(&run, reduction);

	*out = NULL;
	code = code ? code : kt_words_new(out);
	r.out = *out;
	code = code ? code : number_letters(&r, run, reduction);
	for (size_t i = 0; !code && i < kt_words_count(words); i++) {
		code = reduce_word(&r, i);
	}
	free(r.number);
	free(run);
	if (code) {
		kt_words_free(*out);
		*out = NULL;
	}
	return code;
}
