/* SPDX-License-Identifier: MIT */
/*
 * Scoring machines and reading held-out words report each failed allocation, leak nothing
 * and do not crash.
 */
#include "tests/engine/memory/memory-trials.h"

/* Scores the machine for k against that for k + 1, then against itself. */
static int score(void *context)
{
	const struct kt_memory_case *c = context;
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	struct kt_infer_options infer_options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *machines[2] = {NULL, NULL};
	kt_score *score = NULL;
	kt_words *words;
	int code = kt_memory_words(&words, c->kinds);

	options.walks = 2;
	options.length = 20;
	for (int i = 0; !code && i < 2; i++) {
		infer_options.k = c->k + (uint64_t)i;
		code = kt_infer(&machines[i], words, &infer_options);
	}
	for (int i = 1; !code && i >= 0; i--) {
		code = kt_score_new(&score, machines[0], machines[i], &options);
		if (code && score) {
			code = KT_E_INTERNAL;
		}
		kt_score_free(score);
		score = NULL;
	}
	kt_fsm_free(machines[0]);
	kt_fsm_free(machines[1]);
	kt_words_free(words);
	return code;
}

static int cross_validate(void *context)
{
	const struct kt_memory_case *c = context;
	struct kt_cross_options options = KT_CROSS_OPTIONS_INIT;
	kt_cross *cross = NULL;
	kt_words *words;
	int code = kt_memory_words(&words, c->kinds);

	options.hi = c->k;
	code = code ? code : kt_cross_new(&cross, words, &options);
	if (code && cross) {
		code = KT_E_INTERNAL;
	}
	kt_cross_free(cross);
	kt_words_free(words);
	return code;
}

int main(void)
{
	struct kt_memory_case cases[] = {
		{"score", score, 30, 1, KT_MACHINE_CHAINS},
		{"score", score, 300, 2, KT_MACHINE_CHAINS},
		{"cross-validate", cross_validate, 30, 3, KT_MACHINE_CHAINS},
		{"cross-validate", cross_validate, 300, 2, KT_MACHINE_CHAINS},
	};

	return !kt_memory_good(cases, sizeof(cases) / sizeof(*cases));
}
