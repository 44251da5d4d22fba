/* SPDX-License-Identifier: MIT */
/*
 * Turns Babeltrace events into records and passes them, in order of arrival, to a
 * collector, which sorts the events of each process. Readers that need the fields of events
 * use events.h.
 */
#ifndef KTAIL_WORDS_EVENT_READER_H
#define KTAIL_WORDS_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include <babeltrace2/babeltrace.h>

#include <ktail/versions.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/read/given-up.h"
#include "infer/words/split/collect.h"

struct kt_events_options;
struct kt_kept_events;

typedef struct kt_event_reader kt_event_reader;

/*
 * Creates a reader that adds events, with their letters according to `alphabet`, to
 * `collector`. Alphabet and collector must outlive the reader. With a command alphabet,
 * kt_collector_finish() calls the encoder of the reader, so the reader must still exist
 * then. A listener of the collector must be set before this call.
 */
int kt_event_reader_new(kt_event_reader **out, const kt_alphabet *alphabet,
			kt_collector *collector);

/*
 * Makes the reader also keep all events, with the fields of `shapes`. The shapes must
 * outlive the reader. Call this before the first event.
 */
void kt_event_reader_keep(kt_event_reader *reader, const struct kt_events_options *shapes);
const struct kt_kept_events *kt_event_reader_kept(const kt_event_reader *reader);

/*
 * Makes the reader mark the API calls that --call or --phase in the filter is about. Call
 * this before the first event. The filter must outlive the reader.
 */
void kt_event_reader_mark(kt_event_reader *reader, const struct kt_trace_filter *filter);

/* `reader` may be NULL. */
void kt_event_reader_free(kt_event_reader *reader);

/*
 * A kt_take_event_fn: passes an event message to a kt_event_reader. Of other providers,
 * only events with the name of a process are used.
 */
int kt_event_reader_take(void *reader, const bt_message *message);

/* A kt_pass_time_fn: passes the current time on to the reader's collector. */
int kt_event_reader_pass(void *reader, int64_t now);

/* Return the times of the first and the last gpu_stack event, in ns since the epoch. */
int64_t kt_event_reader_first_time(const kt_event_reader *reader);
int64_t kt_event_reader_time(const kt_event_reader *reader);

/*
 * Gets the versions of the software and hardware that the trace was recorded with. Call it
 * after the last event. *out is owned by the reader. If no event `version` names the
 * recorder, the versions in process_begin are used, too. KT_E_USAGE if the trace was not
 * recorded in a mode that the alphabet requires.
 */
int kt_event_reader_versions(const struct kt_versions **out, kt_event_reader *reader);

/* Returns true if the alphabet is `roles` and the role of some access was not recorded. */
bool kt_event_reader_without_roles(const kt_event_reader *reader);

/* Returns what the recorder gave up. */
const struct kt_given_up_list *kt_event_reader_given_up(const kt_event_reader *reader);

const kt_letters *kt_event_reader_letters(const kt_event_reader *reader);

#endif
