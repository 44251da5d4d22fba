/* SPDX-License-Identifier: MIT */
#include "annotate/listing/select.h"

#include <string.h>

static bool is_wanted(const struct kt_selection *w, const struct kt_submission *s)
{
	return kt_trace_filter_takes(&w->part, s->process, s->pid, s->tid, s->time) &&
	       kt_trace_filter_channel(&w->part, s->channel) &&
	       (!w->in_calls || kt_in_calls_find(w->in_calls, s->number));
}

static bool selects_methods(const struct kt_selection *w)
{
	return w->has_class || w->method || w->has_offset;
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

static void show_headers(struct kt_selector *s, const struct kt_submission *submission,
			 const struct kt_submitted_entry *entry)
{
	for (; s->printer->header && s->header < s->headers_end; s->header++) {
		s->printer->header(s->context, submission, entry, s->header);
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
	s->next = s->header = s->headers_end = 0;
	if (is_wanted(w, submission) && !selects_methods(w)) {
		show_entry(s, submission, entry);
	}
}

static void take_method(void *visitor, struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded)
{
	struct kt_selector *s = visitor;
	const struct kt_selection *w = s->selection;
	const struct kt_method *method = &decoded->method;
	const struct kt_kernel_note *note =
		s->kernels ? kt_kernels_next(s->kernels, &decoded->command) : NULL;

	/*
	 * Dwords between two methods are headers; the last of them is the header of the
	 * second method.
	 */
	if (method->immediate || method->at > s->next) {
		s->headers_end = method->at + method->immediate;
		s->header = selects_methods(w) ? s->headers_end - 1 : s->next;
	}
	s->next = method->at + 1;
	if (is_wanted(w, submission) &&
	    (!w->has_class || w->class_number == decoded->class_number) &&
	    (!w->has_offset || w->offset == decoded->method.offset) &&
	    (!w->method ||
	     (decoded->named && strcmp(w->method, decoded->info.name) == 0))) {
		show_entry(s, submission, entry);
		show_headers(s, submission, entry);
		if (s->printer->method) {
			s->printer->method(s->context, submission, entry, decoded, note);
		}
	}
}

static void take_decoded(void *visitor, const struct kt_submission *submission,
			 const struct kt_submitted_entry *entry,
			 const struct kt_decode_counts *counts)
{
	struct kt_selector *s = visitor;

	if (s->entry_shown && !selects_methods(s->selection)) {
		s->header = s->next;
		s->headers_end = entry->n_dwords - counts->bad;
		show_headers(s, submission, entry);
	}
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
