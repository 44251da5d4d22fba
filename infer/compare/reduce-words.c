/* SPDX-License-Identifier: MIT */
#include <ktail/reduce.h>

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "infer/compare/reduce-run.h"

#define OMITTED UINT32_MAX

struct reducing {
	kt_words *out;         /* Weak */
	const kt_words *words; /* Weak */
	uint32_t *number; /* Owned by this: of each letter its new number, or OMITTED */
	uint32_t run;     /* the letter of runs, or OMITTED */
};

static int reduce_word(struct reducing *r, size_t i)
{
	struct kt_word_info info;
	uint32_t piece[1024];
	uint32_t last = OMITTED; /* the letter in front */
	uint64_t n = 0;

	KT_TRY(kt_words_get(r->words, i, &info, &n));
	KT_TRY(kt_words_begin(r->out, &info));
	for (uint64_t at = 0; at < n;) {
		size_t some = n - at < 1024 ? (size_t)(n - at) : 1024;
		size_t kept = 0;

		KT_TRY(kt_words_read(r->words, i, at, some, piece));
		at += some;
		for (size_t j = 0; j < some; j++) {
			uint32_t letter = r->number[piece[j]];

			if (letter != OMITTED && (letter != r->run || last != r->run)) {
				piece[kept++] = letter;
			}
			last = letter;
		}
		KT_TRY(kt_words_append(r->out, piece, kept));
	}
	return KT_OK;
}

int kt_reduce_words(kt_words **out, const kt_words *words,
		    const struct kt_reduction *reduction)
{
	struct reducing r = {.words = words};
	size_t n_letters = kt_words_letter_count(words);
	char *run = NULL;
	int code;

	*out = NULL;
	KT_TRY(kt_reduce_name_run(&run, reduction));
	KT_TRY_END(kt_words_new(out));
	r.out = *out;
	r.run = OMITTED;
	r.number = calloc(n_letters + 1, sizeof(*r.number));
	if (!r.number) {
		code = kt_no_memory("reduce letters");
		goto end;
	}
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)i);
		bool less = kt_reduce_is_among(name, run, reduction);

		r.number[i] = OMITTED;
		if (less && !reduction->omit) {
			KT_TRY_END(kt_words_letter(&r.run, *out, run, strlen(run)));
			r.number[i] = r.run;
		} else if (!less) {
			KT_TRY_END(kt_words_letter(&r.number[i], *out, name, strlen(name)));
		}
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		KT_TRY_END(reduce_word(&r, i));
	}
end:
	free(r.number);
	free(run);
	if (code) {
		kt_words_free(*out);
		*out = NULL;
	}
	return code;
}
