/* SPDX-License-Identifier: MIT */
#include "annotate/events/read-events.h"

#include <ktail/status.h>

#include "annotate/events/event-slots.h"

static int read_all(kt_events *events, const char *path, kt_event_fn *take, void *context,
		    struct kt_reading *reading)
{
	const struct kt_event *event;
	int code = kt_events_next(events, &event);

	if (!code && !event) {
		return kt_error(KT_E_EMPTY, "read %s: no events of gpu_stack in it", path);
	}
	reading->begin = kt_events_report(events)->first_time;
	while (!code && event) {
		code = take(context, event);
		if (code == KT_E_MALFORMED) {
			return kt_error_prepend(code, "read %s", path);
		}
		code = code ? code : kt_events_next(events, &event);
	}
	return code;
}

int kt_read_events(const char *path, kt_event_fn *take, void *context,
		   struct kt_reading *reading)
{
	struct kt_events_options options = kt_annotate_events;
	kt_events *events;
	int code;

	options.source = reading->source;
	code = kt_events_open(&events, path, &options);

	if (!code) {
		code = read_all(events, path, take, context, reading);
		reading->report = *kt_events_report(events);
		kt_events_free(events);
	}
	return code;
}
