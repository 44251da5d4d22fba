/* SPDX-License-Identifier: MIT */
#include "annotate/events/read-events.h"

#include <ktail/status.h>

#include "annotate/events/event-fields.h"
#include "base/try.h"

int kt_read_events(const char *path, kt_event_fn *take, void *context,
		   struct kt_reading *reading)
{
	struct kt_events_options options = kt_annotate_events;
	const struct kt_event *event;
	kt_events *events;
	int code;

	options.source = reading->source;
	KT_TRY(kt_events_open(&events, path, &options));
	KT_TRY_END(kt_events_next(events, &event));
	if (!event) {
		code = kt_error(KT_E_EMPTY, "read %s: no events of gpu_stack in it", path);
		goto end;
	}
	reading->begin = kt_events_report(events)->first_time;
	while (event) {
		code = take(context, event);
		if (code == KT_E_MALFORMED) {
			kt_error_prepend(code, "read %s", path);
		}
		KT_TRY_END(code);
		KT_TRY_END(kt_events_next(events, &event));
	}
end:
	reading->report = *kt_events_report(events);
	kt_events_free(events);
	return code;
}
