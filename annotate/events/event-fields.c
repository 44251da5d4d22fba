/* SPDX-License-Identifier: MIT */
#include "annotate/events/event-fields.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

/* --- which field each member keeps --- */

static const struct kt_event_field process_begin[] = {
	KT_EVENT_FIELD(kt_process_begin_fields, name, "name"),
	KT_EVENT_FIELD(kt_process_begin_fields, ppid, "ppid"),
	KT_EVENT_FIELD(kt_process_begin_fields, recorder, "recorder"),
	KT_EVENT_FIELD(kt_process_begin_fields, driver, "driver"),
	KT_EVENT_FIELD(kt_process_begin_fields, access, "access"),
	KT_EVENT_FIELD(kt_process_begin_fields, doorbell, "doorbell"),
	KT_EVENT_FIELD(kt_process_begin_fields, api, "api"),
};

static const struct kt_event_field process_end[] = {
	KT_EVENT_FIELD(kt_process_end_fields, reason, "reason"),
	KT_EVENT_FIELD(kt_process_end_fields, doorbells, "doorbells"),
	KT_EVENT_FIELD(kt_process_end_fields, idle_doorbells, "idle_doorbells"),
	KT_EVENT_FIELD(kt_process_end_fields, channels, "channels"),
	KT_EVENT_FIELD(kt_process_end_fields, lagging, "behind"),
};

static const struct kt_event_field device_open[] = {
	KT_EVENT_FIELD(kt_device_fields, device, "device"),
	KT_EVENT_FIELD(kt_device_fields, fd, "fd"),
	KT_EVENT_FIELD(kt_device_fields, error, "error"),
};

static const struct kt_event_field device_close[] = {
	KT_EVENT_FIELD(kt_device_fields, device, "device"),
	KT_EVENT_FIELD(kt_device_fields, fd, "fd"),
};

static const struct kt_event_field ioctl[] = {
	KT_EVENT_FIELD(kt_ioctl_fields, device, "device"),
	KT_EVENT_FIELD(kt_ioctl_fields, fd, "fd"),
	KT_EVENT_FIELD(kt_ioctl_fields, error, "error"),
	KT_EVENT_FIELD(kt_ioctl_fields, request, "request"),
	KT_EVENT_FIELD(kt_ioctl_fields, nr, "nr"),
	KT_EVENT_FIELD(kt_ioctl_fields, size, "size"),
	KT_EVENT_FIELD(kt_ioctl_fields, result, "result"),
	KT_EVENT_FIELD(kt_ioctl_fields, duration, "duration"),
	KT_EVENT_FIELD(kt_ioctl_fields, client, "client"),
	KT_EVENT_FIELD(kt_ioctl_fields, parent, "parent"),
	KT_EVENT_FIELD(kt_ioctl_fields, object, "object"),
	KT_EVENT_FIELD(kt_ioctl_fields, class_number, "class"),
	KT_EVENT_FIELD(kt_ioctl_fields, command, "command"),
	KT_EVENT_FIELD(kt_ioctl_fields, status, "status"),
};

static const struct kt_event_field object[] = {
	KT_EVENT_FIELD(kt_object_fields, action, "action"),
	KT_EVENT_FIELD(kt_object_fields, object.client, "client"),
	KT_EVENT_FIELD(kt_object_fields, object.parent, "parent"),
	KT_EVENT_FIELD(kt_object_fields, object.handle, "object"),
	KT_EVENT_FIELD(kt_object_fields, object.class_number, "class"),
	KT_EVENT_FIELD(kt_object_fields, ring, "ring"),
};

static const struct kt_event_field map[] = {
	KT_EVENT_FIELD(kt_map_fields, device, "device"),
	KT_EVENT_FIELD(kt_map_fields, space, "space"),
	KT_EVENT_FIELD(kt_map_fields, mapping, "mapping"),
	KT_EVENT_FIELD(kt_map_fields, error, "error"),
	KT_EVENT_FIELD(kt_map_fields, address, "address"),
	KT_EVENT_FIELD(kt_map_fields, length, "length"),
	KT_EVENT_FIELD(kt_map_fields, client, "client"),
	KT_EVENT_FIELD(kt_map_fields, object, "object"),
	KT_EVENT_FIELD(kt_map_fields, class_number, "class"),
};

static const struct kt_event_field unmap[] = {
	KT_EVENT_FIELD(kt_unmap_fields, space, "space"),
	KT_EVENT_FIELD(kt_unmap_fields, mapping, "mapping"),
	KT_EVENT_FIELD(kt_unmap_fields, address, "address"),
	KT_EVENT_FIELD(kt_unmap_fields, length, "length"),
	KT_EVENT_FIELD(kt_unmap_fields, client, "client"),
	KT_EVENT_FIELD(kt_unmap_fields, object, "object"),
};

static const struct kt_event_field access[] = {
	KT_EVENT_FIELD(kt_access_fields, op, "op"),
	KT_EVENT_FIELD(kt_access_fields, space, "space"),
	KT_EVENT_FIELD(kt_access_fields, mapping, "mapping"),
	KT_EVENT_FIELD(kt_access_fields, offset, "offset"),
	KT_EVENT_FIELD(kt_access_fields, size, "size"),
	KT_EVENT_FIELD(kt_access_fields, ip, "ip"),
};

static const struct kt_event_field report[] = {
	KT_EVENT_FIELD(kt_report_fields, mapping, "mapping"),
	KT_EVENT_FIELD(kt_report_fields, offset, "offset"),
	KT_EVENT_FIELD(kt_report_fields, payload, "payload"),
	KT_EVENT_FIELD(kt_report_fields, time, "time"),
};

static const struct kt_event_field wait[] = {
	KT_EVENT_FIELD(kt_wait_fields, device, "device"),
	KT_EVENT_FIELD(kt_wait_fields, fd, "fd"),
	KT_EVENT_FIELD(kt_wait_fields, call, "call"),
	KT_EVENT_FIELD(kt_wait_fields, result, "result"),
	KT_EVENT_FIELD(kt_wait_fields, error, "error"),
	KT_EVENT_FIELD(kt_wait_fields, duration, "duration"),
};

static const struct kt_event_field doorbell[] = {
	KT_EVENT_FIELD(kt_doorbell_fields, by, "by"),
	KT_EVENT_FIELD(kt_doorbell_fields, space, "space"),
	KT_EVENT_FIELD(kt_doorbell_fields, mapping, "mapping"),
	KT_EVENT_FIELD(kt_doorbell_fields, offset, "offset"),
	KT_EVENT_FIELD(kt_doorbell_fields, known, "known"),
	KT_EVENT_FIELD(kt_doorbell_fields, value, "value"),
	KT_EVENT_FIELD(kt_doorbell_fields, moved, "moved"),
	KT_EVENT_FIELD(kt_doorbell_fields, channel, "channel"),
	KT_EVENT_FIELD(kt_doorbell_fields, gp_put, "gp_put"),
	KT_EVENT_FIELD(kt_doorbell_fields, get_known, "get_known"),
	KT_EVENT_FIELD(kt_doorbell_fields, gp_get, "gp_get"),
};

static const struct kt_event_field gpfifo_entry[] = {
	KT_EVENT_FIELD(kt_entry_fields, client, "client"),
	KT_EVENT_FIELD(kt_entry_fields, channel, "channel"),
	KT_EVENT_FIELD(kt_entry_fields, class_number, "class"),
	KT_EVENT_FIELD(kt_entry_fields, index, "index"),
	KT_EVENT_FIELD(kt_entry_fields, entry, "entry"),
	KT_EVENT_FIELD(kt_entry_fields, address, "address"),
	KT_EVENT_FIELD(kt_entry_fields, words, "words"),
	KT_EVENT_FIELD(kt_entry_fields, state, "state"),
	KT_EVENT_FIELD(kt_entry_fields, unread, "unread"),
};

static const struct kt_event_field pushbuffer[] = {
	KT_EVENT_FIELD(kt_words_fields, client, "client"),
	KT_EVENT_FIELD(kt_words_fields, channel, "channel"),
	KT_EVENT_FIELD(kt_words_fields, index, "index"),
	KT_EVENT_FIELD(kt_words_fields, offset, "offset"),
	KT_EVENT_FIELD(kt_words_fields, words, "words"),
};

static const struct kt_event_field api_enter[] = {
	KT_EVENT_FIELD(kt_api_enter_fields, api, "api"),
	KT_EVENT_FIELD(kt_api_enter_fields, name, "name"),
	KT_EVENT_FIELD(kt_api_enter_fields, by, "by"),
	KT_EVENT_FIELD(kt_api_enter_fields, correlation, "correlation"),
	KT_EVENT_FIELD(kt_api_enter_fields, arguments, "arguments"),
};

static const struct kt_event_field api_exit[] = {
	KT_EVENT_FIELD(kt_api_exit_fields, api, "api"),
	KT_EVENT_FIELD(kt_api_exit_fields, name, "name"),
	KT_EVENT_FIELD(kt_api_exit_fields, correlation, "correlation"),
	KT_EVENT_FIELD(kt_api_exit_fields, known, "known"),
	KT_EVENT_FIELD(kt_api_exit_fields, result, "result"),
	KT_EVENT_FIELD(kt_api_exit_fields, duration, "duration"),
};

static const struct kt_event_field api_kernel[] = {
	KT_EVENT_FIELD(kt_kernel_fields, correlation, "correlation"),
	KT_EVENT_FIELD(kt_kernel_fields, handle, "handle"),
	KT_EVENT_FIELD(kt_kernel_fields, of, "of"),
	KT_EVENT_FIELD(kt_kernel_fields, name, "name"),
};

static const struct kt_event_field version[] = {
	KT_EVENT_FIELD(kt_version_fields, what, "what"),
	KT_EVENT_FIELD(kt_version_fields, version, "version"),
	KT_EVENT_FIELD(kt_version_fields, detail, "detail"),
};

static const struct kt_event_field detail[] = {
	KT_EVENT_FIELD(kt_detail_fields, what, "what"),
	KT_EVENT_FIELD(kt_detail_fields, to, "to"),
};

static const struct kt_event_field api_coverage[] = {
	KT_EVENT_FIELD(kt_coverage_fields, api, "api"),
	KT_EVENT_FIELD(kt_coverage_fields, name, "name"),
	KT_EVENT_FIELD(kt_coverage_fields, state, "state"),
	KT_EVENT_FIELD(kt_coverage_fields, how, "how"),
	KT_EVENT_FIELD(kt_coverage_fields, calls, "calls"),
};

#define SHAPE(name)                                                                        \
	{                                                                                  \
#name, name, sizeof(name) / sizeof((name)[0])                              \
	}

static const struct kt_event_shape shapes[KT_ON_EVENTS] = {
	[KT_ON_PROCESS_BEGIN] = SHAPE(process_begin),
	[KT_ON_PROCESS_END] = SHAPE(process_end),
	[KT_ON_DEVICE_OPEN] = SHAPE(device_open),
	[KT_ON_DEVICE_CLOSE] = SHAPE(device_close),
	[KT_ON_IOCTL] = SHAPE(ioctl),
	[KT_ON_OBJECT] = SHAPE(object),
	[KT_ON_MAP] = SHAPE(map),
	[KT_ON_UNMAP] = SHAPE(unmap),
	[KT_ON_ACCESS] = SHAPE(access),
	[KT_ON_REPORT] = SHAPE(report),
	[KT_ON_WAIT] = SHAPE(wait),
	[KT_ON_DOORBELL] = SHAPE(doorbell),
	[KT_ON_ENTRY] = SHAPE(gpfifo_entry),
	[KT_ON_WORDS] = SHAPE(pushbuffer),
	[KT_ON_API_ENTER] = SHAPE(api_enter),
	[KT_ON_API_EXIT] = SHAPE(api_exit),
	[KT_ON_KERNEL] = SHAPE(api_kernel),
	[KT_ON_COVERAGE] = SHAPE(api_coverage),
	[KT_ON_VERSION] = SHAPE(version),
	[KT_ON_DETAIL] = SHAPE(detail),
};

const struct kt_events_options kt_annotate_events = {.shapes = shapes,
						     .n_shapes = KT_ON_EVENTS};

/* --- a trace --- */

static int pass(void *context, int64_t now)
{
	const struct kt_reading *reading = context;

	return reading->begun ? reading->pass(reading->context, now) : KT_OK;
}

int kt_read_events(const char *path, kt_event_fn *take, void *context,
		   struct kt_reading *reading)
{
	struct kt_events_options options = kt_annotate_events;
	const struct kt_event *event;
	kt_events *events;
	int code;

	options.source = reading->source;
	options.stop = reading->stop;
	options.pass = reading->pass ? pass : NULL;
	options.context = reading;
	KT_TRY(reading->trace ? kt_events_of(&events, reading->trace)
			      : kt_events_open(&events, path, &options));
	KT_TRY_END(kt_events_next(events, &event));
	if (!event) {
		code = kt_error(KT_E_EMPTY, "read %s: no gpu_stack events", path);
		goto end;
	}
	reading->begin = kt_events_report(events)->first_time;
	reading->begun = true;
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

/* --- one event --- */

/* Defines a function that only fills the struct by the tables above. */
#define DEFINE_FIELDS(structure, function)                                                 \
	struct structure function(const struct kt_event *event)                            \
	{                                                                                  \
		struct structure fields = {0};                                             \
                                                                                           \
		kt_event_read(event, &fields);                                             \
		return fields;                                                             \
	}

DEFINE_FIELDS(kt_process_begin_fields, kt_process_begin_fields)
DEFINE_FIELDS(kt_process_end_fields, kt_process_end_fields)
DEFINE_FIELDS(kt_device_fields, kt_device_open_fields)
DEFINE_FIELDS(kt_device_fields, kt_device_close_fields)
DEFINE_FIELDS(kt_ioctl_fields, kt_ioctl_fields)
DEFINE_FIELDS(kt_map_fields, kt_map_fields)
DEFINE_FIELDS(kt_unmap_fields, kt_unmap_fields)
DEFINE_FIELDS(kt_report_fields, kt_report_fields)
DEFINE_FIELDS(kt_wait_fields, kt_wait_fields)
DEFINE_FIELDS(kt_coverage_fields, kt_coverage_fields)
DEFINE_FIELDS(kt_version_fields, kt_version_fields)
DEFINE_FIELDS(kt_detail_fields, kt_detail_fields)
DEFINE_FIELDS(kt_api_enter_fields, kt_api_enter_fields)
DEFINE_FIELDS(kt_api_exit_fields, kt_api_exit_fields)
DEFINE_FIELDS(kt_kernel_fields, kt_kernel_fields)
DEFINE_FIELDS(kt_doorbell_fields, kt_doorbell_fields)

struct kt_access_fields kt_access_fields(const struct kt_event *event)
{
	struct kt_access_fields fields = {0};

	kt_event_read(event, &fields);
	fields.write = strcmp(fields.op, "W") == 0;
	return fields;
}

struct kt_entry_fields kt_entry_fields(const struct kt_event *event)
{
	struct kt_entry_fields fields = {0};

	kt_event_read(event, &fields);
	fields.found = strcmp(fields.state, "found") == 0;
	return fields;
}

struct kt_object_fields kt_object_fields(const struct kt_event *event)
{
	struct kt_object_fields fields = {0};

	kt_event_read(event, &fields);
	fields.freed = strcmp(fields.action, "free") == 0;
	fields.duplicated = strcmp(fields.action, "dup") == 0;
	return fields;
}

int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event)
{
	kt_event_read(event, out);
	return out->words.items
		       ? KT_OK
		       : kt_error(KT_E_MALFORMED,
				  "read pushbuffer event %" PRIu64 " of process %" PRIu32
				  ": it has no field \"words\"",
				  event->seq, event->pid);
}
