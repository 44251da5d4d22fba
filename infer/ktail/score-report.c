/* SPDX-License-Identifier: MIT */
#include "infer/ktail/score-report.h"

#include <stdlib.h>

/* Where the comparison has what it says of each transition. */
static int index_ways(struct kt_score_report *report)
{
	const kt_compare *compare = kt_score_compare(report->score);
	const struct kt_compare_summary *summary = kt_compare_summary(compare);
	uint64_t n = summary->n_ways[0] + summary->n_ways[1];
	uint64_t longest = 0;

	for (size_t i = 0; i < n; i++) {
		struct kt_compare_way way;
		int code = kt_compare_way(&way, compare, i);

		if (code) {
			return code;
		}
		report->side[way.side].way[way.transition] = i + 1;
		longest = way.length > longest ? way.length : longest;
	}
	report->word = calloc(longest + 1, sizeof(*report->word));
	return report->word ? KT_OK : kt_error(KT_E_MEMORY, "tell of score: out of memory");
}

int kt_score_report_make(struct kt_score_report *report)
{
	int code = kt_score_new(&report->score, report->side[0].fsm, report->side[1].fsm,
				&report->options);

	for (int s = 0; !code && s < 2; s++) {
		struct kt_score_report_side *side = &report->side[s];

		side->way = calloc(side->fsm->n_transitions + 1, sizeof(*side->way));
		if (!side->way) {
			code = kt_error(KT_E_MEMORY, "tell of score: out of memory");
		}
	}
	return code ? code : index_ways(report);
}

void kt_score_report_clear(struct kt_score_report *report)
{
	kt_score_free(report->score);
	free(report->side[0].way);
	free(report->side[1].way);
	free(report->word);
	report->score = NULL;
	report->side[0].way = NULL;
	report->side[1].way = NULL;
	report->word = NULL;
}

enum kt_score_fate kt_score_report_fate(const struct kt_score_report *report, int side,
					size_t transition)
{
	return side ? kt_score_truth_fate(report->score, transition)
		    : kt_score_machine_fate(report->score, transition);
}

uint64_t kt_score_report_word(const struct kt_score_report *report, int side,
			      size_t transition)
{
	const kt_compare *compare = kt_score_compare(report->score);
	size_t i = report->side[side].way[transition];
	struct kt_compare_way way;

	if (i == 0 || kt_compare_way(&way, compare, i - 1) ||
	    kt_compare_word(report->word, compare, i - 1)) {
		return 0;
	}
	return way.length;
}
