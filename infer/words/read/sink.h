/* SPDX-License-Identifier: MIT */
/* Code shared by the plugin's sinks: parameters and message handling. */
#ifndef KTAIL_WORDS_SINK_H
#define KTAIL_WORDS_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "infer/words/read/components.h"

/* Base of the data that a sink component owns. */
struct kt_sink {
	struct kt_sink_data *data; /* Weak: data of the program, or &own */
	struct kt_sink_data own;
	int (*end)(struct kt_sink *sink); /* called after the last message; may be NULL */
	bt_message_iterator *upstream;    /* Owned by this */
};

#define kt_sink_complain(self, ...)                                                        \
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(                               \
		bt_self_component_sink_as_self_component(self), __VA_ARGS__)

/* If a parameter is not among names[0..n), reports its name and returns false. */
bool kt_sink_knows(bt_self_component_sink *self, const bt_value *params,
		   const char *const *names, size_t n);

/*
 * Reads a string parameter; *out is unchanged if the parameter is missing. On an error,
 * reports it and returns false.
 */
bool kt_sink_string(bt_self_component_sink *self, const bt_value *params, const char *key,
		    const char **out);

/*
 * Reads a parameter that is one of two strings. Returns 0 for the first string or if the
 * parameter is missing, and 1 for the second. On an error, reports it and returns -1.
 */
int kt_sink_choice(bt_self_component_sink *self, const bt_value *params, const char *key,
		   const char *first, const char *second);

/*
 * Read a boolean parameter, or a number of at least 0; *out is unchanged if the parameter
 * is missing. On an error, report it and return false.
 */
bool kt_sink_bool(bt_self_component_sink *self, const bt_value *params, const char *key,
		  bool *out);
bool kt_sink_number(bt_self_component_sink *self, const bt_value *params, const char *key,
		    uint64_t *out);

/*
 * Adds the input port and makes `sink` the component's data. On failure the caller still
 * owns `sink`.
 */
bool kt_sink_attach(bt_self_component_sink *self, struct kt_sink *sink);
struct kt_sink *kt_sink_borrow(bt_self_component_sink *self);

/* Methods that all sinks of the plugin share. */
bt_component_class_sink_graph_is_configured_method_status
kt_sink_configured(bt_self_component_sink *self);
bt_component_class_sink_consume_method_status kt_sink_consume(bt_self_component_sink *self);

#endif
