/* SPDX-License-Identifier: MIT */
/*
 * filter.ktail.normalize: passes on the events of which words are made, and all messages
 * that are not events. Messages are never copied.
 */
#include "infer/words/read/components.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum pass {
	/* user and kernel events; the reader chooses one source for each process */
	PASS_ALL = 0,
	PASS_USER,
	PASS_KERNEL,
};

struct filter {
	enum pass pass;
};

#define SEEN 64 /* 2^6: is_wanted() uses 6 bits of a hash as index */

/* Cached decision on an event class. */
struct seen {
	/* Owned by this: a reference, so that no other class gets the address */
	const bt_event_class *class_;
	bool wanted;
};

struct iterator {
	const struct filter *filter; /* Weak */
	bt_message_iterator *upstream;
	struct seen seen[SEEN];
	bt_message_array_const batch; /* latest batch from upstream */
	uint64_t batch_count;
	uint64_t batch_next; /* index of the next message in `batch` */
};

/* --- the component --- */

struct known {
	const char *const *names;
	size_t n;
	const char *unknown;
};

static bt_value_map_foreach_entry_const_func_status
check_parameter(const char *key, const bt_value *value, void *data)
{
	struct known *known = data;

	(void)value;
	for (size_t i = 0; i < known->n; i++) {
		if (strcmp(key, known->names[i]) == 0) {
			return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
		}
	}
	known->unknown = key;
	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_INTERRUPT;
}

const char *kt_unknown_parameter(const bt_value *params, const char *const *names, size_t n)
{
	struct known known = {names, n, NULL};

	/*
	 * The status only says whether the callback stopped at an unknown parameter, so it
	 * is ignored.
	 */
	(void)bt_value_map_foreach_entry_const(params, check_parameter, &known);
	return known.unknown;
}

bt_component_class_initialize_method_status
kt_normalize_initialize(bt_self_component_filter *self,
			bt_self_component_filter_configuration *configuration,
			const bt_value *params, void *data)
{
	static const char *const names[] = {"source"};
	bt_self_component *component = bt_self_component_filter_as_self_component(self);
	const bt_value *source = bt_value_map_borrow_entry_value_const(params, "source");
	const char *unknown = kt_unknown_parameter(params, names, 1);
	const char *text = "all";
	struct filter *filter = calloc(1, sizeof(*filter));

	(void)configuration;
	(void)data;
	if (!filter) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	if (unknown) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			component, "unknown parameter `%s`", unknown);
		goto fail;
	}
	if (source) {
		text = bt_value_is_string(source) ? bt_value_string_get(source) : "";
	}
	if (strcmp(text, "user") == 0) {
		filter->pass = PASS_USER;
	} else if (strcmp(text, "kernel") == 0) {
		filter->pass = PASS_KERNEL;
	} else if (strcmp(text, "all") != 0) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			component,
			"parameter `source` must be \"all\", \"user\" or \"kernel\"");
		goto fail;
	}
	if (bt_self_component_filter_add_input_port(self, "in", NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK ||
	    bt_self_component_filter_add_output_port(self, "out", NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		goto fail;
	}
	bt_self_component_set_data(component, filter);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
fail:
	free(filter);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
}

void kt_normalize_finalize(bt_self_component_filter *self)
{
	free(bt_self_component_get_data(bt_self_component_filter_as_self_component(self)));
}

/* --- the iterator --- */

bt_message_iterator_class_initialize_method_status
kt_normalize_iterator_initialize(bt_self_message_iterator *self,
				 bt_self_message_iterator_configuration *configuration,
				 bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	struct iterator *it = calloc(1, sizeof(*it));
	bt_message_iterator_create_from_message_iterator_status status;

	(void)configuration;
	(void)port;
	if (!it) {
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	it->filter = bt_self_component_get_data(component);
	status = bt_message_iterator_create_from_message_iterator(
		self,
		bt_self_component_filter_borrow_input_port_by_index(
			(bt_self_component_filter *)component, 0),
		&it->upstream);
	if (status != BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
		free(it);
		return (bt_message_iterator_class_initialize_method_status)status;
	}
	bt_self_message_iterator_set_data(self, it);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void kt_normalize_iterator_finalize(bt_self_message_iterator *self)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);

	if (it) {
		while (it->batch_next < it->batch_count) {
			bt_message_put_ref(it->batch[it->batch_next++]);
		}
		for (size_t i = 0; i < SEEN; i++) {
			bt_event_class_put_ref(it->seen[i].class_);
		}
		bt_message_iterator_put_ref(it->upstream);
		free(it);
	}
}

static bool is_wanted(struct iterator *it, const bt_message *message)
{
	const bt_event_class *class_;
	const char *event;
	struct seen *seen;

	if (bt_message_get_type(message) != BT_MESSAGE_TYPE_EVENT) {
		return true;
	}
	class_ = bt_event_borrow_class_const(bt_message_event_borrow_event_const(message));
	seen = &it->seen[((uintptr_t)class_ * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
	if (seen->class_ == class_) {
		return seen->wanted;
	}
	bt_event_class_put_ref(seen->class_);
	bt_event_class_get_ref(class_);
	seen->class_ = class_;
	switch (kt_provider_of(bt_event_class_get_name(class_), &event)) {
	case KT_PROVIDER_USER: seen->wanted = it->filter->pass != PASS_KERNEL; break;
	case KT_PROVIDER_KERNEL: seen->wanted = it->filter->pass != PASS_USER; break;
	case KT_PROVIDER_PROCNAME: seen->wanted = true; break;
	case KT_PROVIDER_IRQ:
	case KT_PROVIDER_FOREIGN: seen->wanted = false; break;
	}
	return seen->wanted;
}

bt_message_iterator_class_next_method_status
kt_normalize_next(bt_self_message_iterator *self, bt_message_array_const messages,
		  uint64_t capacity, uint64_t *count)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);
	uint64_t n = 0;

	while (n == 0) {
		if (it->batch_next == it->batch_count) {
			bt_message_iterator_next_status status = bt_message_iterator_next(
				it->upstream, &it->batch, &it->batch_count);

			it->batch_next = 0;
			if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
				it->batch_count = 0;
				return (bt_message_iterator_class_next_method_status)status;
			}
		}
		while (n < capacity && it->batch_next < it->batch_count) {
			const bt_message *message = it->batch[it->batch_next++];

			if (is_wanted(it, message)) {
				messages[n++] = message;
			} else {
				bt_message_put_ref(message);
			}
		}
	}
	*count = n;
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

const bt_component_class_filter *kt_normalize_class(void)
{
	bt_message_iterator_class *iterator =
		bt_message_iterator_class_create(kt_normalize_next);
	bt_component_class_filter *class_;

	if (!iterator) {
		return NULL;
	}
	class_ = bt_component_class_filter_create("normalize", iterator);
	if (class_ &&
	    (bt_component_class_filter_set_initialize_method(class_,
							     kt_normalize_initialize) ||
	     bt_component_class_filter_set_finalize_method(class_, kt_normalize_finalize) ||
	     bt_message_iterator_class_set_initialize_method(
		     iterator, kt_normalize_iterator_initialize) ||
	     bt_message_iterator_class_set_finalize_method(
		     iterator, kt_normalize_iterator_finalize))) {
		bt_component_class_filter_put_ref(class_);
		class_ = NULL;
	}
	bt_message_iterator_class_put_ref(iterator);
	return class_;
}
