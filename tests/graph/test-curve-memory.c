/* SPDX-License-Identifier: MIT */
/* Building a curve reports each failed allocation, igraph's included, and leaks nothing. */
#include <ktail/ktail.h>

#include "infer/graph/curve.h"
#include "tests/refuse.h"

static int add_letter(kt_words *words, char letter)
{
	uint32_t number;
	int code = kt_words_letter(&number, words, &letter, 1);

	return code ? code : kt_words_append(words, &number, 1);
}

static int add_word(kt_words *words, const char *letters)
{
	struct kt_word_info info = KT_WORD_INFO_INIT;
	int code = kt_words_begin(words, &info);

	for (; *letters && !code; letters++) {
		code = add_letter(words, *letters);
	}
	return code;
}

static int make_curve(void *context)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_curve curve = {0};
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	(void)context;
	options.lo = 0;
	options.hi = 8;
	code = code ? code : add_word(words, "iwdpwdpqqqwdpwwdpwdpx");
	code = code ? code : add_word(words, "iwdpabcabcabcwdpqqdpx");
	code = code ? code : kt_curve_make(&curve, words, &options);
	if (!code && (curve.n_points != 9 || !curve.points[3].measures.components)) {
		code = KT_E_INTERNAL;
	}
	kt_curve_clear(&curve);
	kt_words_free(words);
	return code;
}

int main(void)
{
	const struct kt_trial trial = {"make curve", make_curve, NULL, false, 0};

	/* The first call is not part of the trial, because igraph keeps memory from it. */
	return make_curve(NULL) != KT_OK || kt_refuse_each(&trial) < 100;
}
