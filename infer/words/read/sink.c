/* SPDX-License-Identifier: MIT */
#include "infer/words/read/sink.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/progress.h"
#include "infer/words/file/file.h"
#include "infer/words/read/ctf-folder.h"

/* --- parameters --- */

bool kt_sink_knows(bt_self_component_sink *self, const bt_value *params,
		   const char *const *names, size_t n)
{
	const char *unknown = kt_unknown_parameter(params, names, n);

	if (unknown) {
		kt_sink_complain(self, "unknown parameter `%s`", unknown);
	}
	return !unknown;
}

bool kt_sink_string(bt_self_component_sink *self, const bt_value *params, const char *key,
		    const char **out)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(params, key);

	if (value && !bt_value_is_string(value)) {
		kt_sink_complain(self, "parameter `%s` must be a string", key);
		return false;
	}
	*out = value ? bt_value_string_get(value) : *out;
	return true;
}

int kt_sink_choice(bt_self_component_sink *self, const bt_value *params, const char *key,
		   const char *first, const char *second)
{
	const char *text = first;

	if (!kt_sink_string(self, params, key, &text)) {
		return -1;
	}
	if (strcmp(text, first) != 0 && strcmp(text, second) != 0) {
		kt_sink_complain(self, "parameter `%s` must be \"%s\" or \"%s\"", key,
				 first, second);
		return -1;
	}
	return strcmp(text, second) == 0;
}

bool kt_sink_bool(bt_self_component_sink *self, const bt_value *params, const char *key,
		  bool *out)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(params, key);

	if (value && !bt_value_is_bool(value)) {
		kt_sink_complain(self, "parameter `%s` must be true or false", key);
		return false;
	}
	*out = value ? bt_value_bool_get(value) : *out;
	return true;
}

bool kt_sink_number(bt_self_component_sink *self, const bt_value *params, const char *key,
		    uint64_t *out)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(params, key);
	bool is_signed = value && bt_value_is_signed_integer(value);
	int64_t number = is_signed ? bt_value_integer_signed_get(value) : 0;

	if (value && ((!is_signed && !bt_value_is_unsigned_integer(value)) || number < 0)) {
		kt_sink_complain(self, "parameter `%s` must be a number, 0 or more", key);
		return false;
	}
	if (value) {
		*out = is_signed ? (uint64_t)number : bt_value_integer_unsigned_get(value);
	}
	return true;
}

/* --- creation and destruction --- */

bool kt_sink_attach(bt_self_component_sink *self, struct kt_sink *sink)
{
	if (bt_self_component_sink_add_input_port(self, "in", NULL, NULL) !=
	    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		return false;
	}
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), sink);
	return true;
}

struct kt_sink *kt_sink_borrow(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

bt_component_class_sink_graph_is_configured_method_status
kt_sink_configured(bt_self_component_sink *self)
{
	return (bt_component_class_sink_graph_is_configured_method_status)
		bt_message_iterator_create_from_sink_component(
			self, bt_self_component_sink_borrow_input_port_by_index(self, 0),
			&kt_sink_borrow(self)->upstream);
}

/* --- messages --- */

/* Returns whether a stream can have events of a provider. */
static bool has_provider(const bt_stream *stream, enum kt_provider wanted)
{
	const bt_stream_class *class_ = bt_stream_borrow_class_const(stream);
	uint64_t n = bt_stream_class_get_event_class_count(class_);

	for (uint64_t i = 0; i < n; i++) {
		const char *event;

		if (kt_provider_of(
			    bt_event_class_get_name(
				    bt_stream_class_borrow_event_class_by_index_const(
					    class_, i)),
			    &event) == wanted) {
			return true;
		}
	}
	return false;
}

/*
 * Returns whether a stream can have gpu_stack events. Losses of other streams are not
 * counted.
 */
static bool is_ours(const bt_stream *stream)
{
	return has_provider(stream, KT_PROVIDER_USER) ||
	       has_provider(stream, KT_PROVIDER_KERNEL);
}

static int take_message(struct kt_sink_data *data, const bt_message *message)
{
	const bt_clock_snapshot *clock;
	const bt_stream *stream;
	const char *path;
	struct kt_file file;
	uint64_t count = 0;
	int64_t now;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		stream = bt_message_stream_beginning_borrow_stream_const(message);
		data->user = data->user || has_provider(stream, KT_PROVIDER_USER);
		data->kernel = data->kernel || has_provider(stream, KT_PROVIDER_KERNEL);
		/*
		 * Adds the events that were discarded before Babeltrace begins to count.
		 * The name of the stream is the path of its file.
		 */
		path = bt_stream_get_name(stream);
		if (path && path[0] == '/' && is_ours(stream) &&
		    !kt_file_open(&file, path, KT_FILE_SPARSE)) {
			data->counts.discarded_events += kt_ctf_discarded_first(
				(const unsigned char *)file.data, file.length);
			kt_file_close(&file);
		}
		break;
	case BT_MESSAGE_TYPE_EVENT: return data->take(data->taker, message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (!is_ours(bt_message_discarded_events_borrow_stream_const(message))) {
			break;
		}
		/* If the number of discarded events is unknown, counts one. */
		count = 1;
		bt_message_discarded_events_get_count(message, &count);
		data->counts.discarded_events += count <= INT64_MAX ? count : 0;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (!is_ours(bt_message_discarded_packets_borrow_stream_const(message))) {
			break;
		}
		/* Packets in the wrong order give a negative count, which is not added. */
		bt_message_discarded_packets_get_count(message, &count);
		data->counts.discarded_packets += count <= INT64_MAX ? count : 0;
		break;
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		/*
		 * The message gives a time before which a trace that is being recorded will
		 * have no more events.
		 */
		clock = bt_message_message_iterator_inactivity_borrow_clock_snapshot_const(
			message);
		if (data->pass && bt_clock_snapshot_get_ns_from_origin(clock, &now) ==
					  BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
			return data->pass(data->taker, now);
		}
		bt_current_thread_clear_error();
		break;
	default: break;
	}
	return KT_OK;
}

bt_component_class_sink_consume_method_status kt_sink_consume(bt_self_component_sink *self)
{
	struct kt_sink *sink = kt_sink_borrow(self);
	bt_message_array_const messages;
	bt_message_iterator_next_status status;
	uint64_t n = 0;
	int code = KT_OK;

	status = bt_message_iterator_next(sink->upstream, &messages, &n);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END && sink->end) {
		code = sink->end(sink);
	} else if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		n = 0;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (!code) {
			code = take_message(sink->data, messages[i]);
		}
		bt_message_put_ref(messages[i]);
	}
	kt_progress_add(n);
	if (code) {
		sink->data->status = code;
		kt_sink_complain(self, "%s", kt_error_message());
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	}
	return (bt_component_class_sink_consume_method_status)status;
}
