/* SPDX-License-Identifier: MIT */
/* What the sinks of the plugin share: their parameters, and messages up to the last one. */
#ifndef KTAIL_WORDS_SINK_H
#define KTAIL_WORDS_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "infer/words/read/components.h"

/* The beginning of what a sink component owns. */
struct kt_sink {
	struct kt_sink_data *data; /* Weak, or &own */
	struct kt_sink_data own;
	int (*end)(struct kt_sink *sink); /* there are no more messages; NULL: nothing */
	bt_message_iterator *upstream;    /* Owned by this */
};

#define kt_sink_complain(self, ...)                                                        \
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(                               \
		bt_self_component_sink_as_self_component(self), __VA_ARGS__)

/* false, with a complaint, if a parameter is none of names[0..n). */
bool kt_sink_knows(bt_self_component_sink *self, const bt_value *params,
		   const char *const *names, size_t n);

/* A parameter that is a string; *out stays as it is where there is none. */
bool kt_sink_string(bt_self_component_sink *self, const bt_value *params, const char *key,
		    const char **out);

/* A parameter that is one of two strings: 0 for the first, 1 for the second, else -1. */
int kt_sink_choice(bt_self_component_sink *self, const bt_value *params, const char *key,
		   const char *first, const char *second);

/* A parameter that is true or false, or a number that is not below 0; as above. */
bool kt_sink_bool(bt_self_component_sink *self, const bt_value *params, const char *key,
		  bool *out);
bool kt_sink_number(bt_self_component_sink *self, const bt_value *params, const char *key,
		    uint64_t *out);

/* Adds the port and makes `sink` the component's; the caller frees it where that fails. */
bool kt_sink_attach(bt_self_component_sink *self, struct kt_sink *sink);
struct kt_sink *kt_sink_borrow(bt_self_component_sink *self);

/* Methods of every such component. */
bt_component_class_sink_graph_is_configured_method_status
kt_sink_configured(bt_self_component_sink *self);
bt_component_class_sink_consume_method_status kt_sink_consume(bt_self_component_sink *self);

#endif
