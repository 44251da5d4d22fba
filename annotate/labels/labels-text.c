/* SPDX-License-Identifier: MIT */
/* The piece of the report that the part `labels` writes. */
#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/labels/labels-part.h"

/* Transitions of those that take the most time. */
#define SLOWEST 12

struct slow {
	uint32_t transition;
	struct kt_time_summary time;
};

static int compare_slow(const void *a, const void *b)
{
	const struct slow *x = a;
	const struct slow *y = b;

	if (x->time.total != y->time.total) {
		return x->time.total > y->time.total ? -1 : 1;
	}
	return x->transition < y->transition ? -1 : x->transition > y->transition;
}

int kt_labels_text(void *part, FILE *out)
{
	const struct kt_labels *labels = part;
	const struct kt_label_tally *tally = &labels->tally;
	const struct kt_fsm *fsm = labels->input->fsm;
	const double whole = tally->placed ? (double)tally->placed : 1;
	struct slow *slow = calloc(fsm->n_transitions + 1, sizeof(*slow));
	size_t n;
	const struct kt_counted *all =
		kt_counts_of(tally->labels, kt_label_tally_all(tally), &n);

	if (!slow) {
		return kt_no_memory("write report");
	}
	fprintf(out, "Letters of %zu %s: %" PRIu64 " placed, %" PRIu64 " not\n",
		labels->input->n_paths, labels->input->n_paths == 1 ? "trace" : "traces",
		tally->placed, labels->annotation->unplaced);

	fprintf(out, "\nWhat letters mean\n   letters   share  label\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%10" PRIu64 " %6.2f%%  %s\n", all[i].count,
			100 * (double)all[i].count / whole, all[i].text);
	}
	if (tally->unlabelled > 0) {
		fprintf(out, "%10" PRIu64 " %6.2f%%  (no rule fits)\n", tally->unlabelled,
			100 * (double)tally->unlabelled / whole);
	}

	for (uint32_t i = 0; i < fsm->n_transitions; i++) {
		slow[i].transition = i;
		slow[i].time = kt_times_of(&tally->times, i);
	}
	qsort(slow, fsm->n_transitions, sizeof(*slow), compare_slow);
	fprintf(out, "\nWhere the time goes: from the letter before, in us\n"
		     "         all    times     median        p99  transition\n");
	for (size_t i = 0; i < fsm->n_transitions && i < SLOWEST && slow[i].time.n > 0;
	     i++) {
		const struct kt_time_summary *time = &slow[i].time;
		const struct kt_fsm_transition *t = &fsm->transitions[slow[i].transition];

		fprintf(out,
			"%12.1f %8" PRIu64 " %10.1f %10.1f  %" PRIu32 " -> %" PRIu32
			" %s%s%s\n",
			(double)time->total / 1e3, time->n, (double)time->median / 1e3,
			(double)time->p99 / 1e3, t->from, t->to, fsm->letters[t->letter],
			t->label ? "  " : "", t->label ? t->label : "");
	}
	free(slow);
	return kt_labels_states_text(labels, out);
}
