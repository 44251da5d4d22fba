/* SPDX-License-Identifier: MIT */
#include "annotate/events/event-fields.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/event-slots.h"
#include "annotate/events/slots.h"

struct kt_process_begin_fields kt_process_begin_fields(const struct kt_event *event)
{
	return (struct kt_process_begin_fields){
		.name = kt_slot_text(event, KT_SLOT_BEGIN_NAME),
		.ppid = kt_slot_number32(event, KT_SLOT_BEGIN_PPID),
		.recorder = kt_slot_text(event, KT_SLOT_BEGIN_RECORDER),
		.driver = kt_slot_text(event, KT_SLOT_BEGIN_DRIVER),
		.access = kt_slot_text(event, KT_SLOT_BEGIN_ACCESS),
		.doorbell = kt_slot_text(event, KT_SLOT_BEGIN_DOORBELL),
		.api = kt_slot_text(event, KT_SLOT_BEGIN_API),
	};
}

struct kt_process_end_fields kt_process_end_fields(const struct kt_event *event)
{
	return (struct kt_process_end_fields){
		.reason = kt_slot_text(event, KT_SLOT_END_REASON),
		.doorbells = kt_slot_number(event, KT_SLOT_END_DOORBELLS),
		.idle_doorbells = kt_slot_number(event, KT_SLOT_END_IDLE_DOORBELLS),
		.channels = kt_slot_number32(event, KT_SLOT_END_CHANNELS),
		.behind = kt_slot_number32(event, KT_SLOT_END_BEHIND),
	};
}

struct kt_device_fields kt_device_open_fields(const struct kt_event *event)
{
	return (struct kt_device_fields){
		.device = kt_slot_text(event, KT_SLOT_OPEN_DEVICE),
		.fd = (int32_t)kt_slot_signed(event, KT_SLOT_OPEN_FD),
		.error = (int32_t)kt_slot_signed(event, KT_SLOT_OPEN_ERROR),
	};
}

struct kt_device_fields kt_device_close_fields(const struct kt_event *event)
{
	return (struct kt_device_fields){
		.device = kt_slot_text(event, KT_SLOT_CLOSE_DEVICE),
		.fd = (int32_t)kt_slot_signed(event, KT_SLOT_CLOSE_FD),
	};
}

struct kt_map_fields kt_map_fields(const struct kt_event *event)
{
	return (struct kt_map_fields){
		.device = kt_slot_text(event, KT_SLOT_MAP_DEVICE),
		.space = kt_slot_text(event, KT_SLOT_MAP_SPACE),
		.mapping = kt_slot_number32(event, KT_SLOT_MAP_MAPPING),
		.error = (int32_t)kt_slot_signed(event, KT_SLOT_MAP_ERROR),
		.address = kt_slot_number(event, KT_SLOT_MAP_ADDRESS),
		.length = kt_slot_number(event, KT_SLOT_MAP_LENGTH),
		.client = kt_slot_number32(event, KT_SLOT_MAP_CLIENT),
		.object = kt_slot_number32(event, KT_SLOT_MAP_OBJECT),
		.class_number = kt_slot_number32(event, KT_SLOT_MAP_CLASS),
	};
}

struct kt_unmap_fields kt_unmap_fields(const struct kt_event *event)
{
	return (struct kt_unmap_fields){
		.space = kt_slot_text(event, KT_SLOT_UNMAP_SPACE),
		.mapping = kt_slot_number32(event, KT_SLOT_UNMAP_MAPPING),
		.address = kt_slot_number(event, KT_SLOT_UNMAP_ADDRESS),
		.length = kt_slot_number(event, KT_SLOT_UNMAP_LENGTH),
		.client = kt_slot_number32(event, KT_SLOT_UNMAP_CLIENT),
		.object = kt_slot_number32(event, KT_SLOT_UNMAP_OBJECT),
	};
}

struct kt_access_fields kt_access_fields(const struct kt_event *event)
{
	return (struct kt_access_fields){
		.write = strcmp(kt_slot_text(event, KT_SLOT_ACCESS_OP), "W") == 0,
		.space = kt_slot_text(event, KT_SLOT_ACCESS_SPACE),
		.mapping = kt_slot_number32(event, KT_SLOT_ACCESS_MAPPING),
		.offset = kt_slot_number(event, KT_SLOT_ACCESS_OFFSET),
		.size = kt_slot_number(event, KT_SLOT_ACCESS_SIZE),
		.ip = kt_slot_number(event, KT_SLOT_ACCESS_IP),
	};
}

struct kt_wait_fields kt_wait_fields(const struct kt_event *event)
{
	return (struct kt_wait_fields){
		.device = kt_slot_text(event, KT_SLOT_WAIT_DEVICE),
		.fd = (int32_t)kt_slot_signed(event, KT_SLOT_WAIT_FD),
		.call = kt_slot_text(event, KT_SLOT_WAIT_CALL),
		.result = (int32_t)kt_slot_signed(event, KT_SLOT_WAIT_RESULT),
		.error = (int32_t)kt_slot_signed(event, KT_SLOT_WAIT_ERROR),
		.duration = kt_slot_number(event, KT_SLOT_WAIT_DURATION),
	};
}

struct kt_coverage_fields kt_coverage_fields(const struct kt_event *event)
{
	return (struct kt_coverage_fields){
		.api = kt_slot_text(event, KT_SLOT_COVERAGE_API),
		.name = kt_slot_text(event, KT_SLOT_COVERAGE_NAME),
		.state = kt_slot_text(event, KT_SLOT_COVERAGE_STATE),
		.how = kt_slot_text(event, KT_SLOT_COVERAGE_HOW),
		.calls = kt_slot_number(event, KT_SLOT_COVERAGE_CALLS),
	};
}

struct kt_api_exit_fields kt_api_exit_fields(const struct kt_event *event)
{
	return (struct kt_api_exit_fields){
		.api = kt_slot_text(event, KT_SLOT_API_EXIT_API),
		.name = kt_slot_text(event, KT_SLOT_API_EXIT_NAME),
		.correlation = kt_slot_number(event, KT_SLOT_API_EXIT_CORRELATION),
		.known = kt_slot_number(event, KT_SLOT_API_EXIT_KNOWN) != 0,
		.result = (int32_t)kt_slot_signed(event, KT_SLOT_API_EXIT_RESULT),
		.duration = kt_slot_number(event, KT_SLOT_API_EXIT_DURATION),
	};
}

static bool has_call(const struct kt_event *event, size_t correlation, size_t name)
{
	const char *text;
	uint64_t number;

	return kt_event_unsigned(event, correlation, &number) &&
	       kt_event_string(event, name, &text);
}

bool kt_api_enter_is_whole(const struct kt_event *event)
{
	return has_call(event, KT_SLOT_API_ENTER_CORRELATION, KT_SLOT_API_ENTER_NAME);
}

bool kt_api_exit_is_whole(const struct kt_event *event)
{
	return has_call(event, KT_SLOT_API_EXIT_CORRELATION, KT_SLOT_API_EXIT_NAME);
}

struct kt_api_enter_fields kt_api_enter_fields(const struct kt_event *event)
{
	struct kt_api_enter_fields fields = {
		.api = kt_slot_text(event, KT_SLOT_API_ENTER_API),
		.name = kt_slot_text(event, KT_SLOT_API_ENTER_NAME),
		.by = kt_slot_text(event, KT_SLOT_API_ENTER_BY),
		.correlation = kt_slot_number(event, KT_SLOT_API_ENTER_CORRELATION),
	};

	kt_event_numbers(event, KT_SLOT_API_ENTER_ARGUMENTS, fields.arguments,
			 KT_KEPT_ARGUMENTS, &fields.n_arguments);
	if (fields.n_arguments > KT_KEPT_ARGUMENTS) {
		fields.n_arguments = KT_KEPT_ARGUMENTS;
	}
	return fields;
}

struct kt_doorbell_fields kt_doorbell_fields(const struct kt_event *event)
{
	return (struct kt_doorbell_fields){
		.known = kt_slot_number(event, KT_SLOT_DOORBELL_KNOWN) != 0,
		.value = kt_slot_number32(event, KT_SLOT_DOORBELL_VALUE),
		.moved = kt_slot_number32(event, KT_SLOT_DOORBELL_MOVED),
		.channel = kt_slot_number32(event, KT_SLOT_DOORBELL_CHANNEL),
		.gp_put = kt_slot_number32(event, KT_SLOT_DOORBELL_GP_PUT),
		.by = kt_slot_text(event, KT_SLOT_DOORBELL_BY),
		.space = kt_slot_text(event, KT_SLOT_DOORBELL_SPACE),
		.mapping = kt_slot_number32(event, KT_SLOT_DOORBELL_MAPPING),
		.offset = kt_slot_number(event, KT_SLOT_DOORBELL_OFFSET),
	};
}

struct kt_entry_fields kt_entry_fields(const struct kt_event *event)
{
	return (struct kt_entry_fields){
		.client = kt_slot_number32(event, KT_SLOT_ENTRY_CLIENT),
		.channel = kt_slot_number32(event, KT_SLOT_ENTRY_CHANNEL),
		.class_number = kt_slot_number32(event, KT_SLOT_ENTRY_CLASS),
		.index = kt_slot_number32(event, KT_SLOT_ENTRY_INDEX),
		.entry = kt_slot_number(event, KT_SLOT_ENTRY_ENTRY),
		.address = kt_slot_number(event, KT_SLOT_ENTRY_ADDRESS),
		.words = kt_slot_number32(event, KT_SLOT_ENTRY_WORDS),
		.found = strcmp(kt_slot_text(event, KT_SLOT_ENTRY_STATE), "found") == 0,
		.unread = kt_slot_text(event, KT_SLOT_ENTRY_UNREAD),
	};
}

int kt_words_fields(struct kt_words_fields *out, const struct kt_event *event)
{
	*out = (struct kt_words_fields){
		.client = kt_slot_number32(event, KT_SLOT_WORDS_CLIENT),
		.channel = kt_slot_number32(event, KT_SLOT_WORDS_CHANNEL),
		.index = kt_slot_number32(event, KT_SLOT_WORDS_INDEX),
		.offset = kt_slot_number(event, KT_SLOT_WORDS_OFFSET),
	};
	if (kt_event_words(event, KT_SLOT_WORDS_WORDS, &out->words, &out->n)) {
		return KT_OK;
	}
	return kt_error(KT_E_MALFORMED,
			"read pushbuffer event %" PRIu64 " of process %" PRIu32
			": it has no words",
			event->seq, event->pid);
}

struct kt_object_fields kt_object_fields(const struct kt_event *event)
{
	const char *action = kt_slot_text(event, KT_SLOT_OBJECT_ACTION);

	return (struct kt_object_fields){
		.freed = strcmp(action, "free") == 0,
		.duplicated = strcmp(action, "dup") == 0,
		.object =
			{
				.client = kt_slot_number32(event, KT_SLOT_OBJECT_CLIENT),
				.parent = kt_slot_number32(event, KT_SLOT_OBJECT_PARENT),
				.handle = kt_slot_number32(event, KT_SLOT_OBJECT_OBJECT),
				.class_number =
					kt_slot_number32(event, KT_SLOT_OBJECT_CLASS),
			},
	};
}
