/* SPDX-License-Identifier: MIT */
/* The piece of the report that the part `labels` writes. */
#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/labels/labels-part.h"

/* Transitions of those that take the most time. */
#define SLOWEST 12

static void print_labels(const struct kt_labels *labels, FILE *out)
{
	const struct kt_label_tally *tally = &labels->tally;
	size_t n;
	const struct kt_counted *all =
		kt_counts_of(tally->labels, kt_label_tally_all(tally), &n);
	double whole = tally->placed ? (double)tally->placed : 1;

	fprintf(out, "\nWhat letters mean\n   letters   share  label\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%10" PRIu64 " %6.2f%%  %s\n", all[i].count,
			100 * (double)all[i].count / whole, all[i].text);
	}
	if (tally->unlabelled > 0) {
		fprintf(out, "%10" PRIu64 " %6.2f%%  (no rule fits)\n", tally->unlabelled,
			100 * (double)tally->unlabelled / whole);
	}
}

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

static void print_slow(const struct kt_labels *labels, const struct slow *slow, FILE *out)
{
	const struct kt_fsm *fsm = labels->input->fsm;
	const struct kt_fsm_transition *t = &fsm->transitions[slow->transition];

	fprintf(out,
		"%12.1f %8" PRIu64 " %10.1f %10.1f  %" PRIu32 " -> %" PRIu32 " %s%s%s\n",
		(double)slow->time.total / 1e3, slow->time.n,
		(double)slow->time.median / 1e3, (double)slow->time.p99 / 1e3, t->from,
		t->to, fsm->letters[t->letter], t->label ? "  " : "",
		t->label ? t->label : "");
}

static int print_times(const struct kt_labels *labels, FILE *out)
{
	size_t n = labels->input->fsm->n_transitions;
	struct slow *slow = calloc(n + 1, sizeof(*slow));

	if (!slow) {
		return kt_error(KT_E_MEMORY, "write report: out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		slow[i].transition = (uint32_t)i;
		slow[i].time = kt_times_of(&labels->tally.times, (uint32_t)i);
	}
	qsort(slow, n, sizeof(*slow), compare_slow);
	fprintf(out, "\nWhere the time goes: from the letter before, in us\n"
		     "         all    times     median        p99  transition\n");
	for (size_t i = 0; i < n && i < SLOWEST && slow[i].time.n > 0; i++) {
		print_slow(labels, &slow[i], out);
	}
	free(slow);
	return KT_OK;
}

int kt_labels_text(void *part, FILE *out)
{
	const struct kt_labels *labels = part;
	int code;

	fprintf(out, "Letters of %zu %s: %" PRIu64 " placed, %" PRIu64 " not\n",
		labels->input->n_paths, labels->input->n_paths == 1 ? "trace" : "traces",
		labels->tally.placed, labels->annotation->unplaced);
	print_labels(labels, out);
	code = print_times(labels, out);
	return code ? code : kt_labels_states_text(labels, out);
}
