/* SPDX-License-Identifier: MIT */
#include "infer/ktail/score-report.h"

#include <stdlib.h>

#include "base/try.h"

int kt_score_report_make(struct kt_score_report *report)
{
	const struct kt_compare_summary *summary;
	const kt_compare *compare;
	uint64_t longest = 0;

	KT_TRY(kt_score_new(&report->score, report->machine[0].fsm, report->machine[1].fsm,
			    &report->options));
	for (int s = 0; s < 2; s++) {
		struct kt_score_report_machine *machine = &report->machine[s];

		machine->way =
			calloc(machine->fsm->n_transitions + 1, sizeof(*machine->way));
		if (!machine->way) {
			return kt_no_memory("report score");
		}
	}
	/* For each transition at which a word diverges, note 1 + the index of the word. */
	compare = kt_score_compare(report->score);
	summary = kt_compare_summary(compare);
	for (size_t i = 0; i < summary->n_ways[0] + summary->n_ways[1]; i++) {
		struct kt_compare_way way;

		KT_TRY(kt_compare_way(&way, compare, i));
		report->machine[way.version].way[way.transition] = i + 1;
		longest = way.length > longest ? way.length : longest;
	}
	report->word = calloc(longest + 1, sizeof(*report->word));
	return report->word ? KT_OK : kt_no_memory("report score");
}

void kt_score_report_clear(struct kt_score_report *report)
{
	kt_score_free(report->score);
	free(report->machine[0].way);
	free(report->machine[1].way);
	free(report->word);
	report->score = NULL;
	report->machine[0].way = NULL;
	report->machine[1].way = NULL;
	report->word = NULL;
}

enum kt_score_fate kt_score_report_fate(const struct kt_score_report *report, int truth,
					size_t transition)
{
	return truth ? kt_score_truth_fate(report->score, transition)
		     : kt_score_machine_fate(report->score, transition);
}

uint64_t kt_score_report_word(const struct kt_score_report *report, int truth,
			      size_t transition)
{
	const kt_compare *compare = kt_score_compare(report->score);
	size_t i = report->machine[truth].way[transition];
	struct kt_compare_way way;

	if (i == 0 || kt_compare_way(&way, compare, i - 1) ||
	    kt_compare_word(report->word, compare, i - 1)) {
		return 0;
	}
	return way.length;
}
