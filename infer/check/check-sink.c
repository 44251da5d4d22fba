/* SPDX-License-Identifier: MIT */
/*
 * sink.ktail.check: reports letters that do not fit a machine as soon as this is known, so
 * that the sink can monitor a live session.
 */
#include "infer/check/component.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/atomic-file.h"
#include "base/try.h"
#include "infer/check/print.h"
#include "infer/check/sources.h"
#include "infer/words/read/sink.h"

struct sink {
	struct kt_sink base; /* must be first */
	struct kt_fsm *fsm;
	kt_alphabet *alphabet;
	kt_collector *collector;
	kt_event_reader *reader;
	kt_checker *checker;
	struct kt_checked_trace trace;
	char *output; /* NULL: no JSON */
	bool over;    /* everything was reported, or something failed */
};

/* Values of the parameters. */
struct asked {
	const char *fsm;
	const char *alphabet;
	const char *word;
	const char *name;
	const char *output;
	int source;
	int names;
	struct kt_checker_options options;
};

/* --- output --- */

static int on_misfit(void *context, const kt_checker *checker, size_t word,
		     const struct kt_misfit *misfit)
{
	const struct sink *sink = context;
	char *name;
	int code;

	KT_TRY(kt_check_name(&name, checker, word, &sink->trace));
	code = kt_print_misfit(stdout, checker, word, name, misfit);
	free(name);
	return !code && fflush(stdout) != 0 ? kt_error_errno(KT_E_IO, "write misfits")
					    : code;
}

/* Writes the results after the last event. */
static int end(struct kt_sink *base)
{
	struct sink *sink = (struct sink *)base;
	struct kt_atomic_file file;
	int code;

	sink->over = true;
	KT_TRY(kt_collector_finish(sink->collector));
	KT_TRY(kt_checked_trace_finish(&sink->trace));
	KT_TRY(kt_print_checked(stdout, sink->checker));
	if (fflush(stdout) != 0) {
		return kt_error_errno(KT_E_IO, "write summary");
	}
	if (!sink->output) {
		return KT_OK;
	}
	KT_TRY(kt_atomic_file_open(&file, sink->output));
	code = kt_check_write_json(file.stream, sink->checker);
	if (!code) {
		code = kt_atomic_file_commit(&file);
	}
	kt_atomic_file_abort(&file);
	return code;
}

/* --- parameters --- */

static bool read_params(bt_self_component_sink *self, const bt_value *params,
			struct asked *asked)
{
	static const char *const names[] = {"all",   "alphabet", "fsm",    "limit", "name",
					    "names", "output",   "source", "word"};

	if (!kt_sink_knows(self, params, names, sizeof(names) / sizeof(names[0]))) {
		return false;
	}
	asked->source = kt_sink_choice(self, params, "source", "user", "kernel");
	asked->names = kt_sink_choice(self, params, "names", "on", "off");
	if (asked->source < 0 || asked->names < 0 ||
	    !kt_sink_string(self, params, "fsm", &asked->fsm) ||
	    !kt_sink_string(self, params, "alphabet", &asked->alphabet) ||
	    !kt_sink_string(self, params, "word", &asked->word) ||
	    !kt_sink_string(self, params, "name", &asked->name) ||
	    !kt_sink_string(self, params, "output", &asked->output) ||
	    !kt_sink_bool(self, params, "all", &asked->options.all) ||
	    !kt_sink_number(self, params, "limit", &asked->options.limit)) {
		return false;
	}
	asked->options.names = (enum kt_names)asked->names;
	if (!asked->fsm) {
		kt_sink_complain(self,
				 "parameter `fsm` is missing: the file of the machine");
	}
	return asked->fsm;
}

static int open_all(struct sink *sink, const struct asked *asked)
{
	enum kt_word_unit unit = KT_WORD_PROCESS;
	FILE *in = fopen(asked->fsm, "re");
	int code;

	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", asked->fsm);
	}
	code = kt_fsm_read_json(&sink->fsm, in, asked->fsm);
	fclose(in);
	KT_TRY(code);
	KT_TRY(kt_check_agree(&sink->alphabet, &unit, sink->fsm, asked->fsm,
			      asked->alphabet, asked->word, (enum kt_source)asked->source));
	if (!sink->alphabet) {
		return kt_error(KT_E_USAGE,
				"check with %s: it does not name its alphabet; give "
				"parameter `alphabet`",
				asked->fsm);
	}
	KT_TRY(kt_check_live_alphabet(sink->alphabet, asked->fsm));
	KT_TRY(kt_checker_new(&sink->checker, sink->fsm, &asked->options));
	KT_TRY(kt_collector_new(&sink->collector, asked->name, unit,
				(enum kt_source)asked->source));
	kt_checked_trace_begin(&sink->trace, sink->checker);
	kt_collector_listen(sink->collector, &sink->trace.listener);
	KT_TRY(kt_event_reader_new(&sink->reader, sink->alphabet, sink->collector));
	kt_checked_trace_opened(&sink->trace, sink->collector,
				kt_event_reader_letters(sink->reader));
	if (asked->output) {
		sink->output = strdup(asked->output);
		if (!sink->output) {
			return kt_error(KT_E_MEMORY, "out of memory");
		}
	}
	return KT_OK;
}

/* --- create and free --- */

static void free_sink(struct sink *sink)
{
	kt_event_reader_free(sink->reader);
	kt_checked_trace_clear(&sink->trace);
	kt_checker_free(sink->checker);
	kt_collector_free(sink->collector);
	kt_alphabet_free(sink->alphabet);
	kt_fsm_free(sink->fsm);
	free(sink->output);
	bt_message_iterator_put_ref(sink->base.upstream);
	free(sink);
}

bt_component_class_initialize_method_status
kt_check_sink_initialize(bt_self_component_sink *self,
			 bt_self_component_sink_configuration *configuration,
			 const bt_value *params, void *data)
{
	struct sink *sink = calloc(1, sizeof(*sink));
	struct asked asked = {.name = "trace",
			      .options = {.limit = KT_CHECKER_LIMIT,
					  .on_misfit = on_misfit,
					  .context = sink}};

	(void)configuration;
	(void)data;
	if (!sink) {
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	if (!read_params(self, params, &asked)) {
		goto failed;
	}
	if (open_all(sink, &asked)) {
		kt_sink_complain(self, "%s", kt_error_message());
		goto failed;
	}
	sink->base.data = &sink->base.own;
	sink->base.own.take = kt_event_reader_take;
	sink->base.own.pass = kt_event_reader_pass;
	sink->base.own.taker = sink->reader;
	sink->base.end = end;
	if (!kt_sink_attach(self, &sink->base)) {
		goto failed;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
failed:
	free_sink(sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
}

/* If babeltrace2 is interrupted before the end, the summary is still printed. */
void kt_check_sink_finalize(bt_self_component_sink *self)
{
	struct sink *sink = (struct sink *)kt_sink_borrow(self);

	if (!sink->over && sink->base.upstream && sink->base.own.status == KT_OK) {
		end(&sink->base);
	}
	free_sink(sink);
}
