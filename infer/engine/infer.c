/* SPDX-License-Identifier: MIT */
#include <ktail/infer.h>

#include <ktail/sweep.h>

#include "infer/engine/sweep-end.h"

/* One k is a sweep of one k. */
int kt_infer(struct kt_fsm **out, const kt_words *words,
	     const struct kt_infer_options *options)
{
	struct kt_sweep_options range = KT_SWEEP_OPTIONS_INIT;
	struct kt_sweep_row row;
	kt_sweep *sweep;
	bool more;
	int code;

	*out = NULL;
	if (!options) {
		return kt_error(KT_E_USAGE, "infer machine: no options given");
	}
	range.lo = options->k;
	range.hi = options->k;
	range.machine = options->machine;
	range.word = options->word;
	range.alphabet_json = options->alphabet_json;
	code = kt_sweep_new(&sweep, words, &range);
	if (code) {
		return code;
	}
	code = kt_sweep_next(&more, &row, sweep);
	code = code ? code : kt_sweep_end(out, sweep);
	kt_sweep_free(sweep);
	return code;
}
