/* SPDX-License-Identifier: MIT */
/*
 * For any input, the engine and the oracle read the same word by the same machine. First
 * byte: the number of states minus 1 (4 bits), whether the word's beginning is truncated (1
 * bit) and the number of letters minus 1 (3 bits). Then, for each state and letter, a byte
 * with the target (5 bits): if there is no such state, there is no transition. Then the
 * word.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/engine/oracle/check-oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "%s: %s\n", what, kt_error_message());
		abort();
	}
}

/* The bytes that next() has not returned yet; after the last one it returns zeros. */
struct input {
	const uint8_t *data;
	size_t size;
};

static uint8_t next(struct input *in)
{
	uint8_t byte = in->size ? *in->data : 0;

	in->data += in->size > 0;
	in->size -= in->size > 0;
	return byte;
}

static struct kt_fsm *read_machine(struct input *in, uint32_t n_states, uint32_t n_letters)
{
	struct kt_fsm *fsm;

	must(kt_fsm_new(&fsm) == KT_OK, "make machine");
	fsm->states = calloc(n_states, sizeof(*fsm->states));
	fsm->letters = calloc(n_letters, sizeof(*fsm->letters));
	fsm->transitions = calloc(n_states * n_letters, sizeof(*fsm->transitions));
	fsm->n_states = n_states;
	for (; fsm->n_letters < n_letters; fsm->n_letters++) {
		char name[] = {(char)('a' + fsm->n_letters), '\0'};

		fsm->letters[fsm->n_letters] = strdup(name);
	}
	for (uint32_t i = 0; i < n_states * n_letters; i++) {
		uint8_t to = next(in) & 31;

		if (to < n_states) {
			fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
				.from = i / n_letters, .letter = i % n_letters, .to = to};
		}
	}
	return fsm;
}

static void read_letter(struct check_oracle *oracle, kt_check_word *word, uint32_t letter)
{
	bool fits;

	must(check_oracle_same_states(oracle, word), "states");
	must(check_oracle_same_expected(oracle, word), "expected");
	must(kt_check_feed(&fits, word, letter) == KT_OK, "feed");
	must(fits == check_oracle_feed(oracle, letter), "fits");
	if (!fits) {
		must(kt_check_skip(word, letter) == KT_OK, "skip");
		check_oracle_skip(oracle, letter);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct check_oracle oracle;
	struct input in = {data, size};
	uint8_t shape = next(&in);
	uint32_t n_letters = 1 + (shape >> 5);
	struct kt_fsm *fsm = read_machine(&in, 1 + (shape & 15), n_letters);
	kt_check_word *word;
	kt_check *check;

	must(kt_check_new(&check, fsm) == KT_OK, "make ready");
	must(kt_check_begin(&word, check, shape & 16) == KT_OK, "begin");
	check_oracle_begin(&oracle, fsm, shape & 16);
	while (in.size > 0) {
		read_letter(&oracle, word, next(&in) % (n_letters + 1));
	}
	must(check_oracle_same_states(&oracle, word), "states in the end");
	kt_check_end(word);
	kt_check_free(check);
	kt_fsm_free(fsm);
	return 0;
}
