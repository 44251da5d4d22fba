/* SPDX-License-Identifier: MIT */
/*
 * The Babeltrace 2 component classes filter.ktail.normalize and sink.ktail.words, as
 * methods: the plugin module registers them, kt_trace_open() makes classes of them in
 * memory.
 */
#ifndef KTAIL_WORDS_COMPONENTS_H
#define KTAIL_WORDS_COMPONENTS_H

#include <babeltrace2/babeltrace.h>

#include "infer/words/read/event-class.h"
#include "infer/words/read/event-reader.h"
#include "infer/words/split/collect.h"

/* Message numbers that a sink came across. */
struct kt_sink_counts {
	uint64_t discarded_events;
	uint64_t discarded_packets;
};

/* Takes an event message, which it must not put; gives a status. */
typedef int kt_take_event_fn(void *taker, const bt_message *message);

/* Nothing of a trace that is being recorded is from before that time, in ns. */
typedef int kt_pass_time_fn(void *taker, int64_t now);

/* Initialization data of sink.ktail.words within a program: it then only hands on. */
struct kt_sink_data {
	kt_take_event_fn *take;
	kt_pass_time_fn *pass;      /* NULL: none */
	void *taker;                /* Weak */
	const bt_interrupter *stop; /* Weak: set from without; NULL: it is not */
	struct kt_sink_counts counts;
	bool user;   /* a stream has begun that may have events of user space's provider */
	bool kernel; /* the same of the kernel's */
	int status;  /* set to what `take` said if it failed */
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
 * A parameter that is none of names[0..n), which would silently do nothing; NULL if there
 * is none.
 */
const char *kt_unknown_parameter(const bt_value *params, const char *const *names,
				 size_t n);

/* The classes, for a graph of our own. The caller puts the reference; NULL: no memory. */
const bt_component_class_filter *kt_normalize_class(void);
const bt_component_class_sink *kt_words_sink_class(void);

#endif
