/* SPDX-License-Identifier: MIT */
/*
 * Turns Babeltrace events into records and passes them to a collector in order of arrival;
 * the collector sorts the events of each process. Readers that need fields use events.h.
 */
#ifndef KTAIL_WORDS_EVENT_READER_H
#define KTAIL_WORDS_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include <babeltrace2/babeltrace.h>

#include <ktail/versions.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/split/collect.h"

struct kt_events_options;
struct kt_kept_events;

typedef struct kt_event_reader kt_event_reader;

/*
 * Creates a reader that adds the letters of each event, by `alphabet`, to `collector`; both
 * must outlive the reader. With a command alphabet the collector calls the encoder of the
 * reader, also in kt_collector_finish(), so the reader must still exist then. The
 * collector's listener, if any, must be set before this call.
 */
int kt_event_reader_new(kt_event_reader **out, const kt_alphabet *alphabet,
			kt_collector *collector);

/*
 * Makes the reader also keep all events, with the fields of `shapes`, which must outlive
 * it. Call this before the first event.
 */
void kt_event_reader_keep(kt_event_reader *reader, const struct kt_events_options *shapes);
const struct kt_kept_events *kt_event_reader_kept(const kt_event_reader *reader);

/*
 * Makes the reader mark the API calls that --call or --phase of the filter is about. Call
 * this before the first event; the filter must outlive the reader.
 */
void kt_event_reader_mark(kt_event_reader *reader, const struct kt_trace_filter *filter);

/* `reader` may be NULL. */
void kt_event_reader_free(kt_event_reader *reader);

/*
 * A kt_take_event_fn: passes one event message to a kt_event_reader. Events of other
 * providers are skipped.
 */
int kt_event_reader_take(void *reader, const bt_message *message);

/* A kt_pass_time_fn: passes the current time on to the reader's collector. */
int kt_event_reader_pass(void *reader, int64_t now);

/* Return the times of the first and the last gpu_stack event, in ns since the epoch. */
int64_t kt_event_reader_first_time(const kt_event_reader *reader);
int64_t kt_event_reader_time(const kt_event_reader *reader);

/*
 * Gets what the trace was recorded with; call it after the last event. *out is owned by the
 * reader. If no event `version` names the recorder, the versions in process_begin are used
 * too.
 */
int kt_event_reader_versions(const struct kt_versions **out, kt_event_reader *reader);

const kt_letters *kt_event_reader_letters(const kt_event_reader *reader);

#endif
