/* SPDX-License-Identifier: MIT */
/*
 * Methods of the Babeltrace 2 component classes filter.ktail.normalize and
 * sink.ktail.words. The plugin module registers them; a program can instead create the
 * classes in memory, as kt_trace_open() does.
 */
#ifndef KTAIL_WORDS_COMPONENTS_H
#define KTAIL_WORDS_COMPONENTS_H

#include <babeltrace2/babeltrace.h>

#include "infer/words/read/event-class.h"
#include "infer/words/read/event-reader.h"
#include "infer/words/split/collect.h"

/* Events and packets that the tracer discarded, as the sink has counted them. */
struct kt_sink_counts {
	uint64_t discarded_events;
	uint64_t discarded_packets;
};

/* Takes an event message, whose reference stays with the caller. Returns a status. */
typedef int kt_take_event_fn(void *taker, const bt_message *message);

/*
 * Reports that a trace which is being recorded has reached the time `now`, in ns since the
 * epoch: no event with an earlier time will follow. Returns a status.
 */
typedef int kt_pass_time_fn(void *taker, int64_t now);

/*
 * Initialization data of sink.ktail.words inside a program. With it the sink passes events
 * on to the program instead of collecting words itself.
 */
struct kt_sink_data {
	kt_take_event_fn *take;
	kt_pass_time_fn *pass; /* NULL: times are not reported */
	void *taker;           /* Weak */
	/* Weak: set by another thread or a signal handler to end reading; may be NULL */
	const bt_interrupter *stop;
	struct kt_sink_counts counts;
	/* a stream has begun that may contain events of the user-space provider */
	bool user;
	bool kernel; /* the same for the kernel provider */
	int status;  /* status of the callback that failed; 0: none failed */
};

bt_component_class_initialize_method_status
kt_normalize_initialize(bt_self_component_filter *self,
			bt_self_component_filter_configuration *configuration,
			const bt_value *params, void *data);
void kt_normalize_finalize(bt_self_component_filter *self);
bt_message_iterator_class_initialize_method_status
kt_normalize_iterator_initialize(bt_self_message_iterator *self,
				 bt_self_message_iterator_configuration *configuration,
				 bt_self_component_port_output *port);
void kt_normalize_iterator_finalize(bt_self_message_iterator *self);
bt_message_iterator_class_next_method_status
kt_normalize_next(bt_self_message_iterator *self, bt_message_array_const messages,
		  uint64_t capacity, uint64_t *count);

bt_component_class_initialize_method_status
kt_words_sink_initialize(bt_self_component_sink *self,
			 bt_self_component_sink_configuration *configuration,
			 const bt_value *params, void *data);
void kt_words_sink_finalize(bt_self_component_sink *self);

/*
 * Returns the name of a parameter that is not among names[0..n), or NULL if all are. A
 * parameter with an unknown name must be refused, because Babeltrace ignores it silently.
 */
const char *kt_unknown_parameter(const bt_value *params, const char *const *names,
				 size_t n);

/*
 * Return the classes of the filter and the sink, for a graph that the program builds
 * itself; NULL: out of memory. The caller must put the returned reference.
 */
const bt_component_class_filter *kt_normalize_class(void);
const bt_component_class_sink *kt_words_sink_class(void);

#endif
