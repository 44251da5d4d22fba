/* SPDX-License-Identifier: MIT */
/*
 * Sorts events of processes in any order: the process instance of each sorted event is the
 * one whose word has the event. Each event takes four bytes of the input.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/alphabet/letters.h"
#include "infer/words/read/event-order.h"

#define EVENTS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds) {
		abort();
	}
}

/*
 * Compares the process instances of the events, which are identified by their index in tid.
 */
static void read_instances(const uint8_t *data, size_t n)
{
	uint64_t instances[EVENTS];
	struct kt_collect_totals totals = {.events = 0};
	struct kt_event_order *order;
	struct kt_instances alone = {.size = sizeof(struct kt_instance)};
	struct kt_arrival arrival;
	struct kt_queued queued;
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
		check(!kt_collector_add(collector, &origin, &record));
		check(!kt_instances_take(&alone, &origin, record.seq,
					 (enum kt_event_kind)record.kind, 0, &arrival));
		queued = (struct kt_queued){
			.seq = record.seq, .tid = record.tid, .instance = arrival.instance};
		check(!kt_event_order_add(order, &queued));
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
	kt_instances_free(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size / 4 < EVENTS ? size / 4 : EVENTS;

	read_instances(data, n);
	return 0;
}
