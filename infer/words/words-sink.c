/* SPDX-License-Identifier: MIT */
/*
 * sink.ktail.words: collects words. On the babeltrace2 command line it reads its alphabet
 * itself and writes .events files at the end; within a program it hands each event to the
 * program and leaves the rest to it.
 */
#include "infer/words/components.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/ctf-folder.h"
#include "infer/words/events-file.h"
#include "infer/words/file.h"

/* What the command line asked for. */
struct alone {
	kt_alphabet *alphabet;
	kt_collector *collector;
	kt_event_reader *reader;
	char *output;
};

struct sink {
	struct kt_sink_data *data; /* Weak, or &own */
	struct kt_sink_data own;
	struct alone alone; /* all NULL within a program */
	bt_message_iterator *upstream;
};

/* --- parameters --- */

#define complain(self, ...)                                                                \
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(                               \
		bt_self_component_sink_as_self_component(self), __VA_ARGS__)

/* A parameter that is a string; *out stays as it is where there is none. */
static bool read_string(bt_self_component_sink *self, const bt_value *params,
			const char *key, const char **out)
{
	const bt_value *value = bt_value_map_borrow_entry_value_const(params, key);

	if (value && !bt_value_is_string(value)) {
		complain(self, "parameter `%s` must be a string", key);
		return false;
	}
	*out = value ? bt_value_string_get(value) : *out;
	return true;
}

/* A parameter that is one of two strings: 0 for the first, 1 for the second, else -1. */
static int read_choice(bt_self_component_sink *self, const bt_value *params,
		       const char *key, const char *first, const char *second)
{
	const char *text = first;

	if (!read_string(self, params, key, &text)) {
		return -1;
	}
	if (strcmp(text, first) != 0 && strcmp(text, second) != 0) {
		complain(self, "parameter `%s` must be \"%s\" or \"%s\"", key, first,
			 second);
		return -1;
	}
	return strcmp(text, second) == 0;
}

static bool read_params(bt_self_component_sink *self, const bt_value *params,
			struct sink *sink)
{
	static const char *const names[] = {"alphabet", "name", "output", "source", "word"};
	const char *unknown =
		kt_unknown_parameter(params, names, sizeof(names) / sizeof(names[0]));
	struct alone *alone = &sink->alone;
	const char *alphabet = KT_ALPHABET_DEFAULT;
	const char *output = NULL;
	const char *name = "trace";
	const char *word = "process";
	enum kt_word_unit unit = KT_WORD_PROCESS;
	int source = read_choice(self, params, "source", "user", "kernel");

	if (unknown) {
		complain(self, "unknown parameter `%s`", unknown);
		return false;
	}
	if (source < 0 || !read_string(self, params, "word", &word) ||
	    !read_string(self, params, "alphabet", &alphabet) ||
	    !read_string(self, params, "output", &output) ||
	    !read_string(self, params, "name", &name)) {
		return false;
	}
	if (!output) {
		complain(self,
			 "parameter `output` is missing: the folder for .events files");
		return false;
	}
	alone->output = strdup(output);
	if (!alone->output || kt_word_unit_of(word, &unit) ||
	    kt_alphabet_open(&alone->alphabet, alphabet) ||
	    kt_word_unit_check(unit, alone->alphabet) ||
	    kt_collector_new(&alone->collector, name, unit, (enum kt_source)source) ||
	    kt_event_reader_new(&alone->reader, alone->alphabet, alone->collector, false)) {
		complain(self, "%s", alone->output ? kt_error_message() : "out of memory");
		return false;
	}
	sink->data = &sink->own;
	sink->own.take = kt_event_reader_take;
	sink->own.taker = alone->reader;
	return true;
}

/* --- life --- */

static void free_sink(struct sink *sink)
{
	kt_event_reader_free(sink->alone.reader);
	kt_collector_free(sink->alone.collector);
	kt_alphabet_free(sink->alone.alphabet);
	free(sink->alone.output);
	bt_message_iterator_put_ref(sink->upstream);
	free(sink);
}

bt_component_class_initialize_method_status
kt_words_sink_initialize(bt_self_component_sink *self,
			 bt_self_component_sink_configuration *configuration,
			 const bt_value *params, void *data)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	(void)configuration;
	if (!sink) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	sink->data = data;
	if ((!data && !read_params(self, params, sink)) ||
	    bt_self_component_sink_add_input_port(self, "in", NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
		free_sink(sink);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static struct sink *borrow_sink(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

void kt_words_sink_finalize(bt_self_component_sink *self)
{
	free_sink(borrow_sink(self));
}

bt_component_class_sink_graph_is_configured_method_status
kt_words_sink_configured(bt_self_component_sink *self)
{
	return (bt_component_class_sink_graph_is_configured_method_status)
		bt_message_iterator_create_from_sink_component(
			self, bt_self_component_sink_borrow_input_port_by_index(self, 0),
			&borrow_sink(self)->upstream);
}

/* --- messages --- */

/* A word and who knows its letters' names. */
struct source {
	const kt_letters *letters;
	const struct kt_collected_word *word;
};

static const char *letter_of(void *source, uint64_t i)
{
	const struct source *s = source;

	return kt_letters_name(s->letters, s->word->letters[i].letter);
}

static int write_words(const struct sink *sink)
{
	struct source *sources;
	struct kt_events_word *words;
	size_t n;
	int code = kt_collector_finish(sink->alone.collector);

	if (code) {
		return code;
	}
	n = kt_collector_count(sink->alone.collector);
	sources = calloc(n + 1, sizeof(*sources));
	words = calloc(n + 1, sizeof(*words));
	if (!sources || !words) {
		code = kt_error(KT_E_MEMORY, "write words: out of memory");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		sources[i].letters = kt_event_reader_letters(sink->alone.reader);
		sources[i].word = kt_collector_word(sink->alone.collector, i);
		words[i].info = sources[i].word->info;
		words[i].n = sources[i].word->n;
		words[i].source = &sources[i];
		words[i].letter = letter_of;
	}
	code = kt_events_write(sink->alone.output, words, n);
end:
	free(sources);
	free(words);
	return code;
}

/* Whether events of ours can be in a stream: what others lose is not our loss. */
static bool is_ours(const bt_stream *stream)
{
	const bt_stream_class *class_ = bt_stream_borrow_class_const(stream);
	uint64_t n = bt_stream_class_get_event_class_count(class_);

	for (uint64_t i = 0; i < n; i++) {
		const char *event;
		enum kt_provider provider = kt_provider_of(
			bt_event_class_get_name(
				bt_stream_class_borrow_event_class_by_index_const(class_,
										  i)),
			&event);

		if (provider == KT_PROVIDER_USER || provider == KT_PROVIDER_KERNEL) {
			return true;
		}
	}
	return false;
}

/* What was discarded before Babeltrace begins to count. It names streams by their files. */
static void count_first(struct kt_sink_data *data, const bt_stream *stream)
{
	const char *path = bt_stream_get_name(stream);
	struct kt_file file;

	if (!path || path[0] != '/' || !is_ours(stream) ||
	    kt_file_open(&file, path, KT_FILE_SPARSE)) {
		return;
	}
	data->counts.discarded_events +=
		kt_ctf_discarded_first((const unsigned char *)file.data, file.length);
	kt_file_close(&file);
}

static int take_message(struct kt_sink_data *data, const bt_message *message)
{
	uint64_t count = 0;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		count_first(data, bt_message_stream_beginning_borrow_stream_const(message));
		break;
	case BT_MESSAGE_TYPE_EVENT: return data->take(data->taker, message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (!is_ours(bt_message_discarded_events_borrow_stream_const(message))) {
			break;
		}
		/* How many may be unknown: one, then. */
		count = 1;
		bt_message_discarded_events_get_count(message, &count);
		data->counts.discarded_events += count <= INT64_MAX ? count : 0;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		/* Packets in the wrong order are counted backwards. */
		if (!is_ours(bt_message_discarded_packets_borrow_stream_const(message))) {
			break;
		}
		bt_message_discarded_packets_get_count(message, &count);
		data->counts.discarded_packets += count <= INT64_MAX ? count : 0;
		break;
	default: break;
	}
	return KT_OK;
}

bt_component_class_sink_consume_method_status
kt_words_sink_consume(bt_self_component_sink *self)
{
	struct sink *sink = borrow_sink(self);
	bt_message_array_const messages;
	bt_message_iterator_next_status status;
	uint64_t n = 0;
	int code = KT_OK;

	status = bt_message_iterator_next(sink->upstream, &messages, &n);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END && sink->alone.output) {
		code = write_words(sink);
	} else if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		n = 0;
	}
	for (uint64_t i = 0; i < n; i++) {
		code = code ? code : take_message(sink->data, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	if (code) {
		sink->data->status = code;
		complain(self, "%s", kt_error_message());
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	}
	return (bt_component_class_sink_consume_method_status)status;
}

const bt_component_class_sink *kt_words_sink_class(void)
{
	bt_component_class_sink *class_ =
		bt_component_class_sink_create("words", kt_words_sink_consume);

	if (class_ &&
	    (bt_component_class_sink_set_initialize_method(class_,
							   kt_words_sink_initialize) ||
	     bt_component_class_sink_set_finalize_method(class_, kt_words_sink_finalize) ||
	     bt_component_class_sink_set_graph_is_configured_method(
		     class_, kt_words_sink_configured))) {
		bt_component_class_sink_put_ref(class_);
		class_ = NULL;
	}
	return class_;
}
