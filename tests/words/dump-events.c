/* SPDX-License-Identifier: MIT */
/*
 * Prints the events of the streaming reader for check-events.sh, which compares them with
 * babeltrace2's text: one per line, as "SECONDS NAME PID TID SEQ FIELDS". FIELDS are the
 * space and the address for map, the dwords for pushbuffer.
 *   dump-events [--kept] TRACE     --kept: prints the events that a trace keeps
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
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

static int print_all(kt_events *events, bool prints)
{
	const struct kt_event *event;

	KT_TRY(kt_events_next(events, &event));
	while (event) {
		if (prints) {
			print_event(event);
		}
		KT_TRY(kt_events_next(events, &event));
	}
	return KT_OK;
}

int main(int argc, char **argv)
{
	static const struct kt_events_options options = {.shapes = shapes, .n_shapes = 2};
	const bool kept = argc == 3 && strcmp(argv[1], "--kept") == 0;
	struct kt_trace_options words = {.events = &options};
	kt_alphabet *alphabet = NULL;
	kt_trace *trace = NULL;
	kt_events *events = NULL;
	int code;

	if (argc != 2 && !kept) {
		return 2;
	}
	if (kept) {
		KT_TRY_END(kt_alphabet_open(&alphabet, "table1"));
		words.alphabet = alphabet;
		KT_TRY_END(kt_trace_open(&trace, argv[2], &words));
		KT_TRY_END(kt_events_of(&events, trace));
		KT_TRY_END(print_all(events, false));
		kt_events_free(events);
		KT_TRY_END(kt_events_of(&events, trace));
	} else {
		KT_TRY_END(kt_events_open(&events, argv[1], &options));
	}
	KT_TRY_END(print_all(events, true));
end:
	if (code) {
		fprintf(stderr, "dump-events: %s\n", kt_error_message());
	}
	kt_events_free(events);
	kt_trace_free(trace);
	kt_alphabet_free(alphabet);
	return code != 0;
}
