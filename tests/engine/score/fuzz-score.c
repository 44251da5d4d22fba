/* SPDX-License-Identifier: MIT */
/*
 * Scores of any two machines. First byte: the number of walks, their length, and whether
 * they follow counts; second: the number of states minus 1 of the first machine (low half)
 * and of the second; third: their starts. Then, for each state and letter, a byte with the
 * count (high 2 bits) and the target: if there is no such state, there is no transition.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#define LETTERS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "not so: %s\n", what);
		abort();
	}
}

/*
 * The letters are a to c or, if `first` is 1, b to d, so that two machines may number the
 * same letter differently.
 */
static struct kt_fsm *read_machine(const uint8_t *data, size_t size, uint32_t n_states,
				   uint32_t start, uint32_t first)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct kt_fsm *fsm = NULL;

	must(kt_fsm_new(&fsm) == KT_OK, "memory");
	fsm->n_states = n_states;
	fsm->start = start % n_states;
	fsm->states = calloc(n_states, sizeof(*fsm->states));
	fsm->letters = calloc(LETTERS, sizeof(*fsm->letters));
	fsm->transitions = calloc(n_states * LETTERS, sizeof(*fsm->transitions));
	for (uint32_t i = 0; i < LETTERS; i++) {
		fsm->letters[fsm->n_letters++] = strdup(names[first + i]);
	}
	for (uint32_t i = 0; i < n_states * LETTERS && i < size; i++) {
		if ((data[i] & 63) < n_states) {
			fsm->transitions[fsm->n_transitions++] =
				(struct kt_fsm_transition){.from = i / LETTERS,
							   .letter = i % LETTERS,
							   .to = data[i] & 63,
							   .count = data[i] >> 6};
		}
	}
	return fsm;
}

static void check_walks(const struct kt_score_walks *walks, enum kt_answer included)
{
	double p = walks->words_expected;

	must(walks->words.part <= walks->words.whole, "words");
	must(walks->letters.part <= walks->letters.whole, "letters");
	must(walks->words.low <= walks->words.value, "low");
	must(walks->words.high >= walks->words.value, "high");
	must(walks->stuck <= walks->words.whole, "stuck");
	must(p > -1e-9 && p < 1 + 1e-9, "expected words");
	must(walks->letters_expected > -1e-9 && walks->letters_expected < 1 + 1e-9,
	     "expected letters");
	if (included == KT_ANSWER_YES) {
		must(walks->words.value == 1 && fabs(p - 1) < 1e-9, "included");
	}
	if (p < 1e-9) {
		must(walks->words.part == 0, "never");
	}
}

static void check_fates(const struct kt_fsm *fsm, const kt_score *score,
			const struct kt_score_transitions *counted,
			enum kt_score_fate (*fate)(const kt_score *, size_t),
			enum kt_answer included)
{
	uint64_t n[KT_SCORE_UNREACHABLE + 1] = {0};

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		n[fate(score, i)]++;
	}
	must(counted->partly == n[KT_SCORE_PARTLY], "partly");
	must(counted->covered.part == n[KT_SCORE_COVERED] + n[KT_SCORE_PARTLY], "covered");
	must(counted->covered.whole == fsm->n_transitions - n[KT_SCORE_UNREACHABLE], "all");
	must((included == KT_ANSWER_YES) ==
		     (n[KT_SCORE_COVERED] == fsm->n_transitions - n[KT_SCORE_UNREACHABLE]),
	     "inclusion");
}

static void check(const struct kt_fsm *machine, const struct kt_fsm *truth,
		  const struct kt_score_options *options)
{
	const struct kt_score_figures *f;
	kt_score *score = NULL;

	must(kt_score_new(&score, machine, truth, options) == KT_OK, "score");
	f = kt_score_figures(score);
	check_walks(&f->precision, f->language.precise);
	check_walks(&f->recall, f->language.recalls);
	check_fates(machine, score, &f->machine, kt_score_machine_fate,
		    f->language.precise);
	check_fates(truth, score, &f->truth, kt_score_truth_fate, f->language.recalls);
	must(f->language.equal == (f->language.exact.part == f->language.exact.whole),
	     "equality and exact pairs");
	must(f->language.equal == (f->language.precise == KT_ANSWER_YES &&
				   f->language.recalls == KT_ANSWER_YES),
	     "equality and inclusion");
	must(!f->language.equal || f->exactness.value == 1, "equality and exactness");
	kt_score_free(score);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_score_options options = KT_SCORE_OPTIONS_INIT;
	struct kt_fsm *machine;
	struct kt_fsm *truth;
	uint32_t n;

	if (size < 3) {
		return 0;
	}
	options.walks = 1 + (data[0] & 7);
	options.length = data[0] >> 3 & 15;
	options.choice = data[0] >> 7 ? KT_SCORE_COUNTS : KT_SCORE_UNIFORM;
	options.seed = size;
	n = 1 + (data[1] & 15);
	machine = read_machine(data + 3, size - 3, n, data[2] & 15, 0);
	n *= LETTERS;
	n = n < size - 3 ? n : (uint32_t)size - 3;
	truth = read_machine(data + 3 + n, size - 3 - n, 1 + (data[1] >> 4), data[2] >> 4,
			     data[2] & 1);
	check(machine, truth, &options);
	check(machine, machine, &options);
	kt_fsm_free(machine);
	kt_fsm_free(truth);
	return 0;
}
