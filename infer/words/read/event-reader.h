/* SPDX-License-Identifier: MIT */
/*
 * From a Babeltrace event to a letter: a record of the collector, which takes events as
 * they come, however late one of a process is. Who needs fields takes them from events.h.
 */
#ifndef KTAIL_WORDS_EVENT_READER_H
#define KTAIL_WORDS_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include <babeltrace2/babeltrace.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/split/collect.h"

struct kt_events_options;
struct kt_kept_events;

typedef struct kt_event_reader kt_event_reader;

/*
 * A reader that gives to `collector` what `alphabet` makes of each event; both are borrowed
 * and must outlive it. Of an alphabet of commands the collector makes the letters,
 * kt_collector_finish() too, so the reader must be there still; and the collector must know
 * of its listener before, if it has one.
 */
int kt_event_reader_new(kt_event_reader **out, const kt_alphabet *alphabet,
			kt_collector *collector);

/*
 * Call before the first event: all events are kept as well, with the fields of these
 * shapes, which outlive the reader.
 */
void kt_event_reader_keep(kt_event_reader *reader, const struct kt_events_options *shapes);
const struct kt_kept_events *kt_event_reader_kept(const kt_event_reader *reader);

/* NULL is allowed. */
void kt_event_reader_free(kt_event_reader *reader);

/* Reads one event message into a kt_event_reader. Others' events are skipped. */
int kt_event_reader_take(void *reader, const bt_message *message);

/* Tells the reader's collector what time it is: a kt_pass_time_fn. */
int kt_event_reader_pass(void *reader, int64_t now);

/* Times of the first and of the last event of ours, ns since the epoch. */
int64_t kt_event_reader_first_time(const kt_event_reader *reader);
int64_t kt_event_reader_time(const kt_event_reader *reader);

const kt_letters *kt_event_reader_letters(const kt_event_reader *reader);

#endif
