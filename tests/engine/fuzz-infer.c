/* SPDX-License-Identifier: MIT */
/*
 * Compares the engine with the reference for any input. First byte: k (6 bits), whether an
 * additional first word contains all letters, so that a symbol takes two bytes, and whether
 * to begin with the prefix tree. Words follow, separated by 0xff. A word's first byte says
 * at which ends it is cut and how many events were lost; every other byte is a letter,
 * numbered below 128 or from 256 on.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/engine/oracle/reference.h"

#define LETTERS_MAX 300 /* limit of bytes of input, because the reference is slow */
#define KINDS       384 /* greater than all letters of the input */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "%s\n", kt_error_message());
		abort();
	}
}

static void append(kt_words *words, unsigned number)
{
	char name[8];
	uint32_t letter;
	int length = snprintf(name, sizeof(name), "%03u", number);

	must(kt_words_letter(&letter, words, name, (size_t)length));
	must(kt_words_append(words, &letter, 1));
}

static void begin(kt_words *words, unsigned flags)
{
	struct kt_word_info info = KT_WORD_INFO_INIT;

	info.cut_begin = flags & 1;
	info.cut_end = flags & 2;
	info.lost = flags >> 2 & 3;
	must(kt_words_begin(words, &info));
}

static kt_words *read_words(const uint8_t *data, size_t size, bool wide)
{
	bool open = false;
	kt_words *words;

	must(kt_words_new(&words));
	if (wide) {
		begin(words, 0);
		for (unsigned i = 0; i < KINDS; i++) {
			append(words, i);
		}
	}
	for (size_t i = 0; i < size; i++) {
		if (open && data[i] != 0xff) {
			append(words, (data[i] & 1) * 256 + data[i] / 2);
			continue;
		}
		i += open;
		begin(words, i < size ? data[i] : 0);
		open = true;
	}
	return words;
}

static void check(const struct kt_fsm *fsm, const struct kt_fsm *expected, const char *what)
{
	char text[200];

	if (!same_machine(fsm, expected, text, sizeof(text))) {
		fprintf(stderr, "k %llu: %s and reference: %s\n",
			(unsigned long long)expected->k, what, text);
		abort();
	}
}

/*
 * Compares a sweep that begins with the k of the options and ends at most three below it.
 */
static void check_sweep(const kt_words *words, struct reference *reference,
			const struct kt_infer_options *one)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_row row;
	struct kt_fsm *fsm;
	kt_sweep *sweep;
	bool more = true;

	options.machine = one->machine;
	options.hi = one->k;
	options.lo = one->k > 3 ? one->k - 3 : 0;
	must(kt_sweep_new(&sweep, words, &options));
	for (must(kt_sweep_next(&more, &row, sweep)); more;
	     must(kt_sweep_next(&more, &row, sweep))) {
		size_t complex;

		must(kt_sweep_machine(&fsm, sweep));
		check(fsm, reference_infer(reference, row.k), "sweep");
		must(kt_fsm_count_complex(fsm, &complex));
		if (row.states != fsm->n_states || row.transitions != fsm->n_transitions ||
		    row.complex != complex) {
			abort();
		}
		kt_fsm_free(fsm);
	}
	kt_sweep_free(sweep);
}

/* Compares with the machine inferred from the words' k-grams, merged as a single part. */
static void check_kgrams(const kt_words *words, const struct kt_fsm *expected)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	kt_kgrams *kgrams = NULL;
	kt_kgrams *merged = NULL;
	struct kt_fsm *fsm = NULL;

	/* A machine for k can also be inferred from k-grams counted for a larger k. */
	options.k = expected->k + expected->n_words % 3;
	must(kt_kgrams_count(&kgrams, words, &options));
	must(kt_kgrams_merge(&merged, (const kt_kgrams *[]){kgrams}, 1));
	must(kt_kgrams_infer(&fsm, merged, expected->k));
	check(fsm, expected, "statistics");
	kt_fsm_free(fsm);
	kt_kgrams_free(merged);
	kt_kgrams_free(kgrams);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct reference *reference;
	struct kt_fsm *fsm = NULL;
	kt_words *words;

	if (size < 2 || size > LETTERS_MAX) {
		return 0;
	}
	options.k = data[0] & 63;
	options.machine = data[0] & 128 ? KT_MACHINE_PTA : KT_MACHINE_CHAINS;
	words = read_words(data + 1, size - 1, data[0] & 64);
	must(kt_infer(&fsm, words, &options));
	reference = reference_new_from(words, options.machine);
	check(fsm, reference_infer(reference, options.k), "engine");
	check_sweep(words, reference, &options);
	if (options.machine == KT_MACHINE_CHAINS) {
		check_kgrams(words, fsm);
	}
	reference_free(reference);
	kt_fsm_free(fsm);
	kt_words_free(words);
	return 0;
}
