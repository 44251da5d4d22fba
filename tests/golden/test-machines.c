/* SPDX-License-Identifier: MIT */
/*
 * test-machines TRACE... : checks for every trace, two alphabets and k = 0 to 40 that the
 * machine which the engine infers equals, in every member, that of the reference, which
 * follows the definition.
 */
#include <stdio.h>

#include <ktail/ktail.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/read/trace.h"
#include "tests/engine/oracle/reference.h"

#define K_LAST 40

static int compare(const kt_words *words, const char *path)
{
	struct reference *reference = reference_new(words);
	size_t states = 0;
	int wrong = 0;

	for (uint64_t k = 0; k <= K_LAST && !wrong; k++) {
		struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
		struct kt_fsm *fsm = NULL;
		char text[512] = "";

		options.k = k;
		wrong = kt_infer(&fsm, words, &options) != KT_OK ||
			!same_machine(fsm, reference_infer(reference, k), text,
				      sizeof(text));
		if (wrong) {
			printf("FAILED: %s, k = %llu: %s\n", path, (unsigned long long)k,
			       fsm ? text : kt_error_message());
		}
		states = fsm ? fsm->n_states : 0;
		kt_fsm_free(fsm);
	}
	printf("%s: %llu letters, %zu states at k = %d\n", path,
	       (unsigned long long)kt_words_total(words), states, K_LAST);
	reference_free(reference);
	return wrong;
}

static int check(const char *path, const kt_alphabet *alphabet)
{
	struct kt_trace_options options = {.alphabet = alphabet};
	kt_trace *trace = NULL;
	kt_words *words = NULL;
	int wrong = kt_trace_open(&trace, path, &options) != KT_OK ||
		    kt_words_new(&words) != KT_OK || kt_trace_append(trace, words) != KT_OK;

	if (wrong) {
		printf("FAILED: %s: %s\n", path, kt_error_message());
	} else {
		wrong = compare(words, path);
	}
	kt_words_free(words);
	kt_trace_free(trace);
	return wrong;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"table1", "rm"};
	int failures = argc < 2;

	for (size_t a = 0; a < sizeof(names) / sizeof(names[0]); a++) {
		kt_alphabet *alphabet = NULL;

		if (kt_alphabet_open(&alphabet, names[a]) != KT_OK) {
			printf("FAILED: %s\n", kt_error_message());
			return 1;
		}
		for (int i = 1; i < argc; i++) {
			failures += check(argv[i], alphabet);
		}
		kt_alphabet_free(alphabet);
	}
	return failures != 0;
}
