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

enum { MAP_SPACE, MAP_ADDRESS };
static const struct kt_event_slot slots[] = {{"map", "space"}, {"map", "address"}};

static void print_words(const struct kt_event *event)
{
	const uint32_t *words;
	size_t n;

	if (kt_event_named_words(event, "words", &words, &n)) {
		for (size_t i = 0; i < n; i++) {
			printf(" %" PRIx32, words[i]);
		}
	}
}

static void print_event(const struct kt_event *event)
{
	const char *space;
	uint64_t address;

	printf("%" PRId64 ".%09" PRId64 " %s %" PRIu32 " %" PRIu32 " %" PRIu64,
	       event->time / 1000000000, event->time % 1000000000, event->name, event->pid,
	       event->tid, event->seq);
	if (kt_event_string(event, MAP_SPACE, &space)) {
		printf(" %s", space);
	}
	if (kt_event_unsigned(event, MAP_ADDRESS, &address)) {
		printf(" %" PRIx64, address);
	}
	print_words(event);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct kt_events_options options = {.slots = slots, .n_slots = 2};
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
