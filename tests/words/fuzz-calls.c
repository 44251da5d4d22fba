/* SPDX-License-Identifier: MIT */
/*
 * Events of calls and of processes in whatever order: letters are in the calls that the
 * oracle says, and both readers find the same lives. Four bytes are an event.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/alphabet/letters.h"
#include "infer/words/read/event-order.h"
#include "infer/words/split/letter-calls.h"
#include "tests/words/call-oracle.h"

#define EVENTS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds) {
		abort();
	}
}

/* --- calls --- */

static void make(struct oracle_event *event, struct kt_record *record,
		 struct kt_letter_calls *calls, const uint8_t *data, uint64_t seq)
{
	*event = (struct oracle_event){.seq = seq,
				       .tid = data[1] % 4,
				       .kind = (enum oracle_kind)(data[0] % 4),
				       .correlation = data[2] % 16};
	*record = (struct kt_record){.seq = seq, .tid = event->tid, .letter = 1};
	if (event->kind == ORACLE_END) {
		record->kind = KT_EVENT_END;
	} else if (event->kind != ORACLE_OTHER) {
		check(!kt_letter_calls_add(calls, event->kind == ORACLE_ENTER,
					   event->correlation, "call", record));
	}
}

static void follow(const uint8_t *data, size_t n)
{
	struct oracle_event events[EVENTS];
	struct kt_record records[EVENTS];
	struct kt_letter_calls calls = {.details = n % 2};
	uint64_t seq = 0;

	for (size_t i = 0; i < n; i++, seq++) {
		seq += data[4 * i + 3] > 250 ? data[4 * i + 3] - 250u : 0;
		make(&events[i], &records[i], &calls, data + 4 * i, seq);
	}
	oracle_match(events, n);
	check(!kt_letter_calls_follow(&calls, records, n));
	for (size_t i = 0; i < n && calls.n > 0; i++) {
		const struct kt_call_event *call =
			kt_letter_calls_call(&calls, records[i].detail);
		size_t expected = oracle_innermost(events, i);

		check(!call == (expected == NO_CALL));
		check(!call || call->correlation == events[expected].correlation);
	}
	kt_letter_calls_free(&calls);
}

/* --- lives --- */

/* By the tid, which is the event's place, the life that each reader put it into. */
static void read_instances(const uint8_t *data, size_t n)
{
	uint64_t instances[EVENTS];
	struct kt_collect_totals totals = {.events = 0};
	struct kt_event_order *order;
	struct kt_queued queued;
	struct kt_instance *instance;
	kt_collector *collector;
	size_t seen = 0;

	check(!kt_event_order_new(&order, &totals));
	check(!kt_collector_new(&collector, "t", KT_WORD_PROCESS, KT_SOURCE_USER));
	for (size_t i = 0; i < n; i++) {
		const uint8_t *d = data + 4 * i;
		const struct kt_origin origin = {.pid = d[1] % 3, .no_seq = d[1] % 3 == 2};
		struct kt_record record = {.seq = d[2] == 255 ? UINT64_MAX : d[2] % 32,
					   .tid = (uint32_t)i};

		record.kind = d[0] % 3;
		queued = (struct kt_queued){.seq = record.seq,
					    .tid = record.tid,
					    .kind = (enum kt_event_kind)record.kind};
		check(!kt_collector_add(collector, &origin, &record));
		check(!kt_event_order_add(order, &origin, &queued, &instance));
	}
	check(!kt_event_order_end(order));
	while (kt_event_order_take(order, &queued)) {
		instances[queued.tid] = queued.instance->index;
		seen++;
	}
	check(seen == n);
	check(!kt_collector_finish(collector));
	for (size_t i = 0; i < kt_collector_count(collector); i++) {
		const struct kt_collected_word *word = kt_collector_word(collector, i);

		for (uint64_t j = 0; j < word->n; j++) {
			check(instances[word->letters[j].tid] == word->process);
			seen--;
		}
	}
	check(seen == 0);
	kt_collector_free(collector);
	kt_event_order_free(order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size / 4 < EVENTS ? size / 4 : EVENTS;

	follow(data, n);
	read_instances(data, n);
	return 0;
}
