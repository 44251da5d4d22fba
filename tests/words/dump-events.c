/* SPDX-License-Identifier: MIT */
/*
 * Prints what the streaming reader gives, one event a line, as
 * "SECONDS NAME PID TID SEQ FIELDS", for check-events.sh to compare with babeltrace2's
 * text: of map the space and the address, of pushbuffer the words.
 */
#include <inttypes.h>
#include <stdio.h>

#include <ktail/status.h>

#include "infer/words/read/events.h"

struct fields {
	const char *space;
	uint64_t address;
	struct kt_event_words words;
};

enum { MAP, PUSHBUFFER };
static const struct kt_event_field map[] = {KT_EVENT_FIELD(fields, space, "space"),
					    KT_EVENT_FIELD(fields, address, "address")};
static const struct kt_event_field pushbuffer[] = {KT_EVENT_FIELD(fields, words, "words")};
static const struct kt_event_shape shapes[] = {
	[MAP] = {"map", map, 2}, [PUSHBUFFER] = {"pushbuffer", pushbuffer, 1}};

static void print_event(const struct kt_event *event)
{
	struct fields fields = {0};

	printf("%" PRId64 ".%09" PRId64 " %s %" PRIu32 " %" PRIu32 " %" PRIu64,
	       event->time / 1000000000, event->time % 1000000000, event->name, event->pid,
	       event->tid, event->seq);
	kt_event_read(event, &fields);
	if (event->shape == MAP) {
		printf(" %s %" PRIx64, fields.space, fields.address);
	}
	for (size_t i = 0; i < fields.words.n; i++) {
		printf(" %" PRIx32, fields.words.items[i]);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct kt_events_options options = {.shapes = shapes, .n_shapes = 2};
	const struct kt_event *event;
	kt_events *events;
	int code = argc == 2 ? kt_events_open(&events, argv[1], &options) : KT_E_USAGE;

	if (code) {
		fprintf(stderr, "dump-events: %s\n", kt_error_message());
		return 2;
	}
	while (!(code = kt_events_next(events, &event)) && event) {
		print_event(event);
	}
	if (code) {
		fprintf(stderr, "dump-events: %s\n", kt_error_message());
	}
	kt_events_free(events);
	return code != 0;
}
