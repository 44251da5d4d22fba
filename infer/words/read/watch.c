/* SPDX-License-Identifier: MIT */
#include "infer/words/read/watch.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/guard.h"

/* Iterator of the filter. It owns the messages of `batch` from `next` on. */
struct iterator {
	struct kt_watched *stream;     /* Weak */
	bt_message_iterator *upstream; /* Owned by this */
	bt_message_array_const batch;
	uint64_t next;
	uint64_t count;
};

/* --- streams --- */

int kt_watch_add(struct kt_watch *watch, struct kt_watched **out, const char *file)
{
	struct kt_watched *stream = calloc(1, sizeof(*stream));
	int code = kt_array_reserve(&watch->streams, &watch->capacity, watch->n + 1);

	if (!code && stream) {
		stream->file = strdup(file);
	}
	if (code || !stream || !stream->file) {
		free(stream);
		return code ? code : kt_no_memory("watch streams");
	}
	watch->streams[watch->n++] = stream;
	*out = stream;
	return KT_OK;
}

const struct kt_watched *kt_watch_find(const struct kt_watch *watch, size_t trace,
				       uint64_t class_id, uint64_t id)
{
	for (size_t i = 0; i < watch->n; i++) {
		const struct kt_watched *s = watch->streams[i];

		if (s->trace == trace && s->class_id == class_id && s->id == id) {
			return s;
		}
	}
	return NULL;
}

const struct kt_watched *kt_watch_open(const struct kt_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		if (watch->streams[i]->open) {
			return watch->streams[i];
		}
	}
	return NULL;
}

void kt_watch_free(struct kt_watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		free(watch->streams[i]->file);
		free(watch->streams[i]);
	}
	free(watch->streams);
	*watch = (struct kt_watch){.n = 0};
}

/* --- the filter --- */

static bt_component_class_initialize_method_status
initialize(bt_self_component_filter *self,
	   bt_self_component_filter_configuration *configuration, const bt_value *params,
	   void *data)
{
	bt_self_component_add_port_status status;

	(void)configuration;
	(void)params;
	bt_self_component_set_data(bt_self_component_filter_as_self_component(self), data);
	status = bt_self_component_filter_add_input_port(self, "in", NULL, NULL);
	if (!status) {
		status = bt_self_component_filter_add_output_port(self, "out", NULL, NULL);
	}
	return (bt_component_class_initialize_method_status)status;
}

static bt_message_iterator_class_initialize_method_status
initialize_iterator(bt_self_message_iterator *self,
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
	it->stream = bt_self_component_get_data(component);
	/*
	 * Opening a stream decodes the beginning of its first packet, so a crash there is
	 * attributed to packet 0.
	 */
	kt_guard_note(it->stream->file, 0);
	status = bt_message_iterator_create_from_message_iterator(
		self,
		bt_self_component_filter_borrow_input_port_by_index(
			(bt_self_component_filter *)component, 0),
		&it->upstream);
	if (status) {
		free(it);
		return (bt_message_iterator_class_initialize_method_status)status;
	}
	bt_self_message_iterator_set_data(self, it);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static void finalize_iterator(bt_self_message_iterator *self)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);

	if (it) {
		while (it->next < it->count) {
			bt_message_put_ref(it->batch[it->next++]);
		}
		bt_message_iterator_put_ref(it->upstream);
		free(it);
	}
}

static bt_message_iterator_class_next_method_status next(bt_self_message_iterator *self,
							 bt_message_array_const messages,
							 uint64_t capacity, uint64_t *count)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);
	struct kt_watched *stream = it->stream;
	uint64_t n = 0;

	if (it->next == it->count) {
		bt_message_iterator_next_status status;

		kt_guard_note(stream->file, stream->begun - (stream->begun > 0));
		it->next = it->count = 0;
		status = bt_message_iterator_next(it->upstream, &it->batch, &it->count);
		if (status) {
			it->count = 0;
			return (bt_message_iterator_class_next_method_status)status;
		}
	}
	while (n < capacity && it->next < it->count) {
		const bt_message *message = it->batch[it->next++];
		bt_message_type type = bt_message_get_type(message);

		if (type == BT_MESSAGE_TYPE_PACKET_BEGINNING) {
			stream->begun++;
			stream->open = true;
		} else if (type == BT_MESSAGE_TYPE_PACKET_END) {
			stream->open = false;
		}
		messages[n++] = message;
	}
	*count = n;
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

const bt_component_class_filter *kt_watch_class(void)
{
	bt_message_iterator_class *iterator = bt_message_iterator_class_create(next);
	bt_component_class_filter *class_ = NULL;

	if (iterator) {
		class_ = bt_component_class_filter_create("watch", iterator);
	}
	if (class_ &&
	    (bt_component_class_filter_set_initialize_method(class_, initialize) ||
	     bt_message_iterator_class_set_initialize_method(iterator,
							     initialize_iterator) ||
	     bt_message_iterator_class_set_finalize_method(iterator, finalize_iterator))) {
		bt_component_class_filter_put_ref(class_);
		class_ = NULL;
	}
	bt_message_iterator_class_put_ref(iterator);
	return class_;
}
