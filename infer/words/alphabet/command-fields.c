/* SPDX-License-Identifier: MIT */
#include "infer/words/alphabet/command-fields.h"

#include <string.h>

#define N(...) (sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *))
#define EVENT(name, ...)                                                                   \
	{                                                                                  \
		.event = (name), .fields = {__VA_ARGS__}, .n_fields = N(__VA_ARGS__)       \
	}

static const struct kt_event_rules events[KT_COMMAND_EVENT_KINDS] = {
	[KT_COMMAND_DOORBELL] = EVENT("doorbell", "known", "value", "moved", "channel"),
	[KT_COMMAND_ENTRY] = EVENT("gpfifo_entry", "client", "channel", "class", "index",
				   "words", "state", "unread"),
	[KT_COMMAND_WORDS] = EVENT("pushbuffer", "client", "channel", "index", "offset"),
	[KT_COMMAND_OBJECT] =
		EVENT("object", "action", "client", "parent", "object", "class"),
	[KT_COMMAND_MAP] = EVENT("map", "mapping", "error", "address", "length"),
	[KT_COMMAND_ACCESS] = EVENT("access", "op", "mapping", "offset"),
};

const struct kt_event_rules *kt_command_fields(const char *event)
{
	for (size_t i = 0; i < KT_COMMAND_EVENT_KINDS; i++) {
		if (strcmp(events[i].event, event) == 0) {
			return &events[i];
		}
	}
	return NULL;
}

enum kt_command_event_kind kt_command_fields_kind(const struct kt_event_rules *rules)
{
	return (enum kt_command_event_kind)(rules - events);
}
