/* SPDX-License-Identifier: MIT */
/*
 * sink.ktail.words: collects words. Under babeltrace2 it takes an alphabet as a parameter
 * and writes .events files at the end; inside a program it passes each event to the
 * program.
 */
#include "infer/words/read/sink.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/words/file/events-file.h"

/* State of the sink under babeltrace2. */
struct alone {
	kt_alphabet *alphabet;
	kt_collector *collector;
	kt_event_reader *reader;
	char *output;
};

struct sink {
	struct kt_sink base; /* must be first */
	struct alone alone;  /* all NULL inside a program */
};

/* --- the end of the trace --- */

/* A word and the names of its letters. */
struct source {
	const kt_letters *letters;
	const struct kt_collected_word *word;
};

static const char *letter_of(void *source, uint64_t i)
{
	const struct source *s = source;

	return kt_letters_name(s->letters, s->word->letters[i].letter);
}

static int write_words(struct kt_sink *base)
{
	const struct sink *sink = (const struct sink *)base;
	struct source *sources;
	struct kt_events_word *words;
	const struct kt_versions *versions;
	size_t n;
	int code = kt_collector_finish(sink->alone.collector);

	if (code) {
		return code;
	}
	n = kt_collector_count(sink->alone.collector);
	sources = calloc(n + 1, sizeof(*sources));
	words = calloc(n + 1, sizeof(*words));
	if (!sources || !words) {
		code = kt_no_memory("write words");
		goto end;
	}
	KT_TRY_END(kt_event_reader_versions(&versions, sink->alone.reader));
	for (size_t i = 0; i < n; i++) {
		sources[i].letters = kt_event_reader_letters(sink->alone.reader);
		sources[i].word = kt_collector_word(sink->alone.collector, i);
		words[i].info = sources[i].word->info;
		words[i].info.versions = versions;
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

/* --- parameters --- */

static bool read_params(bt_self_component_sink *self, const bt_value *params,
			struct sink *sink)
{
	static const char *const names[] = {"alphabet", "name", "output", "source", "word"};
	struct alone *alone = &sink->alone;
	const char *alphabet = KT_ALPHABET_DEFAULT;
	const char *output = NULL;
	const char *name = "trace";
	const char *word = "process";
	enum kt_word_unit unit = KT_WORD_PROCESS;
	int source;

	if (!kt_sink_knows(self, params, names, sizeof(names) / sizeof(names[0]))) {
		return false;
	}
	source = kt_sink_choice(self, params, "source", "user", "kernel");
	if (source < 0 || !kt_sink_string(self, params, "word", &word) ||
	    !kt_sink_string(self, params, "alphabet", &alphabet) ||
	    !kt_sink_string(self, params, "output", &output) ||
	    !kt_sink_string(self, params, "name", &name)) {
		return false;
	}
	if (!output) {
		kt_sink_complain(
			self,
			"parameter `output` is missing: the folder for .events files");
		return false;
	}
	alone->output = strdup(output);
	if (!alone->output || kt_word_unit_of(word, &unit) ||
	    kt_alphabet_open(&alone->alphabet, alphabet) ||
	    kt_word_unit_check(unit, alone->alphabet) ||
	    kt_collector_new(&alone->collector, name, unit, (enum kt_source)source) ||
	    kt_event_reader_new(&alone->reader, alone->alphabet, alone->collector)) {
		kt_sink_complain(self, "%s",
				 alone->output ? kt_error_message() : "out of memory");
		return false;
	}
	sink->base.data = &sink->base.own;
	sink->base.own.take = kt_event_reader_take;
	sink->base.own.taker = alone->reader;
	sink->base.end = write_words;
	return true;
}

/* --- creation and destruction --- */

static void free_sink(struct sink *sink)
{
	kt_event_reader_free(sink->alone.reader);
	kt_collector_free(sink->alone.collector);
	kt_alphabet_free(sink->alone.alphabet);
	free(sink->alone.output);
	bt_message_iterator_put_ref(sink->base.upstream);
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
	sink->base.data = data;
	if ((!data && !read_params(self, params, sink)) ||
	    !kt_sink_attach(self, &sink->base)) {
		free_sink(sink);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void kt_words_sink_finalize(bt_self_component_sink *self)
{
	free_sink((struct sink *)kt_sink_borrow(self));
}

const bt_component_class_sink *kt_words_sink_class(void)
{
	bt_component_class_sink *class_ =
		bt_component_class_sink_create("words", kt_sink_consume);

	if (class_ &&
	    (bt_component_class_sink_set_initialize_method(class_,
							   kt_words_sink_initialize) ||
	     bt_component_class_sink_set_finalize_method(class_, kt_words_sink_finalize) ||
	     bt_component_class_sink_set_graph_is_configured_method(class_,
								    kt_sink_configured))) {
		bt_component_class_sink_put_ref(class_);
		class_ = NULL;
	}
	return class_;
}
