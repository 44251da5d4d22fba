/* SPDX-License-Identifier: MIT */
#include "annotate/report/report.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"

int kt_report_make(struct kt_report *out, const struct kt_report_options *options,
		   const struct kt_report_paths origins[2])
{
	out->options = options;
	kt_timeline_init(&out->timeline);
	KT_TRY(kt_report_load(out, origins));
	KT_TRY(kt_report_make_machines(out));
	KT_TRY(kt_report_collect(out));
	if (options->strict) {
		KT_TRY(kt_timeline_judge(&out->timeline));
	}
	return out->two_origins ? kt_report_compare(out) : KT_OK;
}

void kt_report_free(struct kt_report *r)
{
	for (size_t i = 0; i < r->n_machines; i++) {
		kt_annotate_free(&r->machines[i].annotate);
		kt_fsm_free(r->machines[i].fsm);
		free(r->machines[i].layout);
	}
	for (size_t i = 0; i < r->n_words; i++) {
		free(r->words_of[i].letters);
		free(r->words_of[i].events);
	}
	for (size_t i = 0; i < 2; i++) {
		kt_call_figures_free(&r->origins[i].calls);
		kt_call_tally_free(&r->origins[i].ioctls);
		kt_subtotals_free(&r->origins[i].channels);
		kt_subtotals_free(&r->origins[i].contexts);
		kt_subtotals_free(&r->origins[i].classes);
		kt_inputs_free(&r->inputs[i]);
	}
	kt_timeline_free(&r->timeline);
	kt_curve_clear(&r->curve);
	kt_label_rules_free(r->rules);
	kt_words_free(r->words);
	free(r->words_of);
	free(r->alphabet_json);
	free(r->distilled);
	free(r->difference);
	*r = (struct kt_report){.options = NULL};
}
