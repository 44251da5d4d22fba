/* SPDX-License-Identifier: MIT */
#include "annotate/export/export.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ktail/status.h>

#include "annotate/events/event-fields.h"
#include "annotate/export/dwords.h"
#include "base/try.h"
#include "infer/words/alphabet/alphabet.h"

static int read_traces(struct kt_export *x)
{
	struct kt_trace_options options = {.source = x->options->source,
					   .events = &kt_annotate_events};
	const struct kt_activity_visitor *const visitors[] = {&kt_objects_visitor,
							      &kt_command_rows_visitor};
	void *const contexts[] = {&x->objects, &x->commands};
	/* Only a database has the commands, and reading them takes time. */
	const size_t n_visitors =
		kt_outputs_have_format(&x->options->outputs, &kt_export_output, "sqlite")
			? 2
			: 1;
	kt_alphabet *alphabet = NULL;
	int code;

	KT_TRY(kt_alphabet_open(&alphabet, x->options->alphabet));
	KT_TRY_END(kt_letter_filter_copy(&alphabet->filter, &x->options->filter));
	KT_TRY_END(kt_word_unit_of(x->options->word, &options.word));
	options.word = kt_word_unit_within(options.word, &x->options->part);
	KT_TRY_END(kt_word_unit_check(options.word, alphabet));
	options.alphabet = alphabet;
	/*
	 * Letters of a channel can be selected only in some alphabets; events of a channel
	 * can be selected in any case.
	 */
	x->words_of_part = !x->options->part.channel || kt_alphabet_has_channels(alphabet);
	options.filter = x->words_of_part ? &x->options->part : NULL;
	for (size_t i = 0; i < x->inputs.n; i++) {
		KT_TRY_END(kt_timeline_open(&x->timeline, x->inputs.paths[i], 0, &options));
	}
	for (size_t i = 0; i < x->inputs.n; i++) {
		KT_TRY_END(kt_timeline_read(&x->timeline, i, &x->options->part, visitors,
					    contexts, n_visitors));
		KT_TRY_END(kt_objects_end_trace(&x->objects));
		if (x->options->fsm) {
			KT_TRY_END(kt_visits_read(&x->visits, &x->timeline.events,
						  x->options->fsm, x->inputs.paths[i],
						  x->options->source, &x->options->part));
		}
	}
	code = kt_trace_filter_judge(&x->options->part);
end:
	kt_alphabet_free(alphabet);
	return code;
}

static int make_requests(struct kt_export *x)
{
	struct kt_timeline *t = &x->timeline;

	x->requests = calloc(t->requests.n + 1, sizeof(*x->requests));
	x->shown = calloc(t->requests.n + 1, sizeof(*x->shown));
	if (!x->requests || !x->shown) {
		return kt_no_memory("collect requests");
	}
	for (size_t i = 0; i < t->requests.n; i++) {
		if (kt_timeline_selects(t, i, &x->options->part)) {
			KT_TRY(kt_timeline_request(t, i, &x->requests[x->n_requests++]));
			x->shown[i] = (uint32_t)x->n_requests;
		}
	}
	return KT_OK;
}

int kt_export_make(struct kt_export *x, const struct kt_export_options *options,
		   char *const *paths, size_t n)
{
	x->options = options;
	kt_timeline_init(&x->timeline);
	x->commands.requests = &x->timeline.requests;
	x->objects.events = &x->timeline.events;
	x->timeline.events.with_data = options->with_data;
	if (options->fsm) {
		KT_TRY(kt_visits_open(&x->visits, options->fsm));
	}
	KT_TRY(kt_inputs_open(&x->inputs, paths, n));
	KT_TRY(read_traces(x));
	if (options->strict) {
		KT_TRY(kt_timeline_judge(&x->timeline));
	}
	kt_export_sort_dwords(&x->timeline.events);
	KT_TRY(make_requests(x));
	KT_TRY(kt_tracks_make(&x->tracks, &x->timeline));
	KT_TRY(kt_spans_make(&x->spans, &x->timeline.events));
	return kt_marks_make(&x->marks, &x->timeline.events, &x->spans, x->requests,
			     x->n_requests);
}

void kt_export_free(struct kt_export *x)
{
	kt_marks_free(&x->marks);
	kt_spans_free(&x->spans);
	kt_tracks_free(&x->tracks);
	kt_timeline_free(&x->timeline);
	kt_inputs_free(&x->inputs);
	kt_command_rows_free(&x->commands);
	kt_objects_free(&x->objects);
	kt_visits_free(&x->visits);
	free(x->requests);
	free(x->shown);
	*x = (struct kt_export){.options = NULL};
}

const char *kt_export_time(char out[KT_EXPORT_TIME], int64_t ns)
{
	const int64_t rest = (ns % 1000000000 + 1000000000) % 1000000000;
	const time_t seconds = (time_t)((ns - rest) / 1000000000);
	char day[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm)) {
		strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	}
	snprintf(out, KT_EXPORT_TIME, "%s.%09" PRId64 "Z", day, rest);
	return out;
}

const char *kt_export_frame(char out[KT_EXPORT_FRAME], const struct kt_export *x,
			    uint32_t index)
{
	const struct kt_timeline_event *event = &x->timeline.events.events[index];
	const bool both =
		event->kind == KT_TIMELINE_IOCTL && event->detail != KT_TIMELINE_NONE;

	snprintf(out, KT_EXPORT_FRAME, "%s%s%s", kt_export_name(x, event->name),
		 both ? " " : "", both ? kt_export_name(x, event->detail) : "");
	return out;
}

const char *kt_export_kind_name(enum kt_timeline_kind kind)
{
	static const char *const names[KT_TIMELINE_KINDS] = {
		"call", "ioctl", "doorbell", "access", "map", "wait", "other"};

	return names[kind];
}
