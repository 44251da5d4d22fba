/* SPDX-License-Identifier: MIT */
/*
 * Inferring a machine, reading words by it and sweeping all k report each failed
 * allocation, leak nothing and do not crash.
 */
#include "tests/engine/memory/memory-trials.h"

/* Reads all words, and begins a word that may be in any state. */
static int read_back(const struct kt_fsm *fsm, const kt_words *words)
{
	uint64_t fitting[2];
	const uint32_t *letters;
	kt_check_word *word = NULL;
	kt_check *reader = NULL;
	size_t n;
	int code = kt_check_new(&reader, fsm);

	code = code ? code : kt_check_words(fitting, reader, words);
	code = code ? code : kt_check_begin(&word, reader, true);
	code = code ? code : kt_check_expected(&letters, &n, word);
	kt_check_end(word);
	kt_check_free(reader);
	return code;
}

static int infer(void *context)
{
	const struct kt_memory_case *c = context;
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;
	kt_words *words;
	int code = kt_memory_words(&words, c->kinds);

	options.k = c->k;
	options.machine = c->machine;
	options.alphabet_json = "{}";
	code = code ? code : kt_infer(&fsm, words, &options);
	if (code && fsm) {
		code = KT_E_INTERNAL; /* kt_infer() failed, but returned a machine */
	}
	code = code ? code : read_back(fsm, words);
	kt_fsm_free(fsm);
	kt_words_free(words);
	return code;
}

/*
 * Gets a sweep's current machine, in a second attempt if the first ran out of memory: the
 * failed attempt must not affect the machine.
 */
static int take_machine(const struct kt_sweep_row *row, kt_sweep *sweep)
{
	struct kt_fsm *fsm = NULL;
	int code = kt_sweep_machine(&fsm, sweep);

	if (code && fsm) {
		return KT_E_INTERNAL;
	}
	code = code == KT_E_MEMORY ? kt_sweep_machine(&fsm, sweep) : code;
	if (!code &&
	    (fsm->n_states != row->states || fsm->n_transitions != row->transitions)) {
		code = KT_E_INTERNAL;
	}
	kt_fsm_free(fsm);
	return code;
}

/* After kt_sweep_next() failed, the sweep has no current k, and gives no row or machine. */
static int check_broken(int code, kt_sweep *sweep)
{
	struct kt_sweep_row row;
	struct kt_fsm *fsm = NULL;
	bool more = true;
	char message[256];

	snprintf(message, sizeof(message), "%s", kt_error_message());
	if (kt_sweep_next(&more, &row, sweep) != KT_E_USAGE || more ||
	    kt_sweep_machine(&fsm, sweep) != KT_E_USAGE || fsm) {
		kt_fsm_free(fsm);
		return KT_E_INTERNAL;
	}
	return kt_error(code, "%s", message);
}

/* Sweeps all k, and gets the machines for odd k. */
static int sweep_down(kt_sweep *sweep)
{
	struct kt_sweep_row row;
	bool more = true;
	int code = KT_OK;

	while (!code && more) {
		code = kt_sweep_next(&more, &row, sweep);
		if (code) {
			return check_broken(code, sweep);
		}
		if (more && row.k % 2 == 1) {
			code = take_machine(&row, sweep);
		}
	}
	return code;
}

static int sweep(void *context)
{
	const struct kt_memory_case *c = context;
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	kt_sweep *sweep = NULL;
	kt_words *words;
	int code = kt_memory_words(&words, c->kinds);

	options.lo = 0;
	options.hi = c->k;
	options.machine = c->machine;
	options.alphabet_json = "{}";
	code = code ? code : kt_sweep_new(&sweep, words, &options);
	code = code ? code : sweep_down(sweep);
	kt_sweep_free(sweep);
	kt_words_free(words);
	return code;
}

static bool check_all(enum kt_machine machine)
{
	struct kt_memory_case cases[] = {
		{"infer", infer, 30, 1, machine},  {"infer", infer, 30, 2, machine},
		{"infer", infer, 300, 1, machine}, {"infer", infer, 300, 3, machine},
		{"sweep", sweep, 30, 4, machine},  {"sweep", sweep, 300, 3, machine},
	};

	return kt_memory_good(cases, sizeof(cases) / sizeof(*cases));
}

int main(void)
{
	return !(check_all(KT_MACHINE_PTA) && check_all(KT_MACHINE_CHAINS));
}
