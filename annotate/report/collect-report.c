/* SPDX-License-Identifier: MIT */
#include "annotate/report/report.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/labels/labels.h"
#include "base/try.h"

static int count_ioctl(void *context, const struct kt_moment *moment,
		       const struct kt_call *call)
{
	(void)moment;
	return kt_call_tally_add(context, call);
}

/* Context: struct kt_call_tally. */
static const struct kt_activity_visitor ioctl_visitor = {
	.of_part = true,
	.ioctl = count_ioctl,
};

/* Counts the submissions of a trace by channel and by class. */
static int count_submissions(const struct kt_report *r, struct kt_timeline_trace *trace,
			     struct kt_report_origin *origin)
{
	struct kt_subtotals *const subtotals[] = {&origin->channels, &origin->contexts,
						  &origin->classes};

	origin->contexts.by = KT_BY_CONTEXT;
	origin->classes.by = KT_BY_CLASS;
	for (size_t i = 0; i < 3; i++) {
		struct kt_submission_totals totals = {.reading.source = r->options->source,
						      .reading.trace = trace->trace};
		int code;

		code = kt_subtotals_read(subtotals[i], trace->name, &r->options->part,
					 &totals);
		kt_submission_totals_free(&totals);
		/* A trace without submissions has nothing to count. */
		if (code && code != KT_E_EMPTY) {
			return code;
		}
	}
	return KT_OK;
}

static int collect_trace(struct kt_report *r, size_t index)
{
	const struct kt_activity_visitor *const visitors[] = {&kt_call_figures_visitor,
							      &ioctl_visitor};
	struct kt_timeline_trace *trace = &r->timeline.traces[index];
	struct kt_report_origin *origin = &r->origins[trace->origin];
	void *const contexts[] = {&origin->calls, &origin->ioctls};

	KT_TRY(kt_timeline_read(&r->timeline, index, &r->options->part, visitors, contexts,
				sizeof(visitors) / sizeof(visitors[0])));
	return count_submissions(r, trace, origin);
}

/*
 * Notes what the chosen machine's labels say of the events of a trace. The labels are in
 * the order of the traces. *next is the index of the first label of this trace, and is set
 * to the first label of the next trace.
 */
static int label_events(struct kt_report *r, size_t index, size_t *next)
{
	const struct kt_labels *labels = r->machines[r->chosen].annotate.parts[0];

	for (; *next < labels->n_occurrences && labels->occurrences[*next].trace == index;
	     ++*next) {
		const struct kt_occurrence *o = &labels->occurrences[*next];
		uint32_t event;

		if (!o->label) {
			continue;
		}
		event = kt_timeline_events_find(&r->timeline.events, o->placed.instance,
						o->placed.seq);
		if (event != KT_TIMELINE_NONE) {
			KT_TRY(kt_texts_add(&r->timeline.events.names, o->label,
					    &r->timeline.events.events[event].label));
		}
	}
	return KT_OK;
}

static int add_word(struct kt_report *r, size_t index, size_t i, const uint32_t *numbers)
{
	const kt_trace *trace = r->timeline.traces[index].trace;
	struct kt_report_word *word = &r->words_of[r->n_words++];
	const uint64_t instance = kt_trace_word_instance(trace, i);
	struct kt_word_info info;
	uint64_t n;

	word->trace = index;
	KT_TRY(kt_trace_word(trace, i, &info, &n));
	word->complete = !info.cut_begin && !info.cut_end;
	word->letters = malloc(((size_t)n + 1) * sizeof(*word->letters));
	word->events = malloc(((size_t)n + 1) * sizeof(*word->events));
	if (!word->letters || !word->events) {
		return kt_no_memory("collect words");
	}
	for (; word->n < n; word->n++) {
		struct kt_trace_letter letter;

		KT_TRY(kt_trace_letter(trace, i, word->n, &letter));
		if (kt_timeline_events_cut(&r->timeline.events, instance, letter.seq)) {
			break;
		}
		word->letters[word->n] = numbers[letter.letter];
		word->events[word->n] =
			kt_timeline_events_find(&r->timeline.events, instance, letter.seq);
	}
	word->left_out = n - word->n;
	return KT_OK;
}

/* Collects the words of a trace, with the letters as the machines number them. */
static int add_words(struct kt_report *r, size_t index)
{
	const kt_trace *trace = r->timeline.traces[index].trace;
	const struct kt_fsm *fsm = r->machines[r->chosen].fsm;
	const size_t n = kt_trace_letter_count(trace);
	uint32_t *numbers = malloc((n + 1) * sizeof(*numbers));
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("collect words");
	}
	for (size_t i = 0; i < n; i++) {
		numbers[i] = (uint32_t)kt_fsm_find_letter(
			fsm, kt_trace_letter_name(trace, (uint32_t)i));
	}
	for (size_t i = 0; i < kt_trace_words(trace) && !code; i++) {
		code = add_word(r, index, i, numbers);
	}
	free(numbers);
	return code;
}

int kt_report_collect(struct kt_report *r)
{
	size_t next = 0;

	r->words_of = calloc(kt_words_count(r->words) + 1, sizeof(*r->words_of));
	if (!r->words_of) {
		return kt_no_memory("collect words");
	}
	r->timeline.most = r->options->events;
	r->timeline.events.with_data = r->options->with_data;
	for (size_t i = 0; i < r->timeline.n_traces; i++) {
		KT_TRY(collect_trace(r, i));
		KT_TRY(label_events(r, i, &next));
		KT_TRY(add_words(r, i));
	}
	return KT_OK;
}
