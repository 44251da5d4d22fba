/* SPDX-License-Identifier: MIT */
#include "annotate/listing/select.h"

#include <string.h>

static bool is_wanted(const struct kt_selection *w, const struct kt_submission *s)
{
	return kt_trace_filter_takes(&w->part, s->process, s->pid, s->tid, s->time) &&
	       kt_trace_filter_channel(&w->part, s->channel) &&
	       (!w->in_calls || kt_in_calls_has(w->in_calls, s->number));
}

/*
 * Prints the entry unless it was already printed. Before the entry, prints its submission
 * unless the last printed entry belongs to this submission, too.
 */
static void show_entry(struct kt_selector *s, struct kt_submission *submission,
		       const struct kt_submitted_entry *entry)
{
	if (s->entry_shown) {
		return;
	}
	s->entry_shown = true;
	if (s->last != submission->number && s->printer->submission) {
		s->printer->submission(s->context, submission, submission->shown);
	}
	s->shown += !submission->shown;
	submission->shown = true;
	s->last = submission->number;
	if (s->printer->entry) {
		s->printer->entry(s->context, submission, entry);
	}
}

static void take_entry(void *visitor, struct kt_submission *submission,
		       const struct kt_submitted_entry *entry)
{
	struct kt_selector *s = visitor;
	const struct kt_selection *w = s->selection;

	if (s->path) {
		s->printer->trace(s->context, s->path);
		s->path = NULL;
	}
	s->entry_shown = false;
	if (is_wanted(w, submission) && !w->has_class && !w->method && !w->has_offset) {
		show_entry(s, submission, entry);
	}
}

static void take_method(void *visitor, struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded)
{
	struct kt_selector *s = visitor;
	const struct kt_selection *w = s->selection;

	if (is_wanted(w, submission) &&
	    (!w->has_class || w->class_number == decoded->class_number) &&
	    (!w->has_offset || w->offset == decoded->method.offset) &&
	    (!w->method ||
	     (decoded->named && strcmp(w->method, decoded->info.name) == 0))) {
		show_entry(s, submission, entry);
		if (s->printer->method) {
			s->printer->method(s->context, submission, entry, decoded);
		}
	}
}

static void take_decoded(void *visitor, const struct kt_submission *submission,
			 const struct kt_submitted_entry *entry,
			 const struct kt_decode_counts *counts)
{
	struct kt_selector *s = visitor;

	if (s->entry_shown && s->printer->decoded) {
		s->printer->decoded(s->context, submission, entry, counts);
	}
}

static void take_end(void *visitor, const struct kt_submission *submission)
{
	struct kt_selector *s = visitor;

	if (submission->shown && s->printer->submission_end) {
		s->printer->submission_end(s->context, submission);
	}
}

const struct kt_submission_visitor kt_selector_visitor = {
	.entry = take_entry,
	.method = take_method,
	.decoded = take_decoded,
	.end = take_end,
};
