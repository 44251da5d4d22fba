/* SPDX-License-Identifier: MIT */
/*
 * Reducing words and machines and comparing two machines report each failed allocation,
 * leak nothing and do not crash.
 */
#include <stdio.h>

#include "tests/engine/memory/memory-trials.h"

static FILE *nowhere; /* /dev/null, with a static buffer, so that stdio allocates none */

/* Compares two machines, writes the difference, and reduces the old machine. */
static int diff_machines(const struct kt_fsm *old, const struct kt_fsm *new)
{
	const char *const letters[] = {"1", "2"};
	struct kt_reduction reduction = {letters, 2, false};
	struct kt_fsm *reduced = NULL;
	kt_diff *diff = NULL;
	bool cut = false;
	int code = kt_diff_new(&diff, old, new, NULL);

	code = code ? code : kt_diff_write_json(diff, nowhere);
	kt_diff_free(diff);
	code = code ? code
		    : kt_reduce_machine(&reduced, &cut, old, &reduction, 10000, NULL);
	kt_fsm_free(reduced);
	return code;
}

static int diff(void *context)
{
	const struct kt_memory_case *c = context;
	const char *const letters[] = {"1", "2"};
	const struct kt_reduction reduction = {letters, 2, true};
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *old = NULL;
	struct kt_fsm *new = NULL;
	kt_words *words;
	kt_words *reduced = NULL;
	int code = kt_memory_words(&words, c->kinds);

	code = code ? code : kt_reduce_words(&reduced, words, &reduction);
	options.k = c->k;
	code = code ? code : kt_infer(&old, words, &options);
	options.k = c->k + 1;
	code = code ? code : kt_infer(&new, reduced, &options);
	code = code ? code : diff_machines(old, new);
	kt_fsm_free(old);
	kt_fsm_free(new);
	kt_words_free(words);
	kt_words_free(reduced);
	return code;
}

int main(void)
{
	static char buffer[4096];
	struct kt_memory_case cases[] = {
		{"diff", diff, 30, 1, KT_MACHINE_CHAINS},
		{"diff", diff, 30, 2, KT_MACHINE_CHAINS},
	};
	bool good;

	nowhere = fopen("/dev/null", "w");
	if (!nowhere) {
		return 1;
	}
	setvbuf(nowhere, buffer, _IOFBF, sizeof(buffer));
	good = kt_memory_good(cases, sizeof(cases) / sizeof(*cases));
	fclose(nowhere);
	return !good;
}
