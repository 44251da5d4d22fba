/* SPDX-License-Identifier: MIT */
#include "annotate/report/write-report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/words/read/time-text.h"

/* --- values --- */

int kt_report_put_name(struct kt_report_writer *to, const char *text)
{
	uint32_t number = KT_TIMELINE_NONE;

	if (text && *text) {
		KT_TRY(kt_texts_add(to->names, text, &number));
	}
	kt_report_put_index(to, number);
	return KT_OK;
}

static void put_signed(struct kt_report_writer *to, int64_t number)
{
	if (number >= 0) {
		kt_json_number(&to->w, (uint64_t)number);
	} else {
		kt_json_print(&to->w, NULL, "%" PRId64, number);
	}
}

void kt_report_put_index(struct kt_report_writer *to, uint32_t index)
{
	put_signed(to, index == KT_TIMELINE_NONE ? -1 : (int64_t)index);
}

/* --- the head --- */

/*
 * Returns whether the version of this component is written to every report. The other
 * versions could show who recorded the trace, and where.
 */
static bool is_public(const char *what)
{
	const struct kt_version_part *part;

	for (size_t i = 0; (part = kt_versions_part(i)); i++) {
		if (strcmp(part->what, what) == 0) {
			return true;
		}
	}
	return false;
}

static void put_fact(struct kt_report_writer *to, const char *what, const char *text)
{
	if (text[0]) {
		kt_json_array(&to->w, NULL);
		kt_json_text(&to->w, what);
		kt_json_text(&to->w, text);
		kt_json_end(&to->w);
	}
}

static void put_count(struct kt_report_writer *to, const char *what, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	put_fact(to, what, text);
}

static void put_versions(struct kt_report_writer *to, const struct kt_versions *versions)
{
	static const char *const modes[] = {"access",    "doorbell",    "rings", "api",
					    "api-calls", "submissions", NULL};
	const struct kt_version_part *part;
	char text[512];

	for (size_t i = 0; (part = kt_versions_part(i)); i++) {
		kt_versions_text(text, sizeof(text), versions, part->what, false);
		put_fact(to, part->name, text);
	}
	for (size_t i = 0; modes[i]; i++) {
		char name[32];

		kt_versions_mode(text, sizeof(text), versions, modes[i]);
		snprintf(name, sizeof(name), "--%s", modes[i]);
		put_fact(to, name, text);
	}
	for (size_t i = 0; to->report->options->with_data && i < versions->n; i++) {
		const struct kt_version *row = &versions->rows[i];

		if (!is_public(row->what) || row->detail[0]) {
			snprintf(text, sizeof(text), "%s%s%s%s%s", row->version,
				 row->version[0] && row->id[0] ? " " : "", row->id,
				 row->detail[0] && (row->version[0] || row->id[0]) ? " "
										   : "",
				 row->detail);
			put_fact(to, row->what, text);
		}
	}
}

static void put_trace(struct kt_report_writer *to, const struct kt_timeline_trace *trace)
{
	const struct kt_trace_report *report = kt_trace_report(trace->trace);
	char text[1024];

	kt_json_object(&to->w, NULL);
	KT_JSON(&to->w, KT_STR("name", trace->name),
		KT_U64("side", (uint64_t)trace->origin));
	kt_json_array(&to->w, "facts");
	if (to->report->options->with_data) {
		put_fact(to, "path", trace->path);
	}
	kt_time_text(text, report->first_time);
	put_fact(to, "recorded", text);
	put_versions(to, kt_trace_versions(trace->trace));
	put_count(to, "events recorded", report->totals.events);
	put_count(to, "API calls", trace->totals.calls);
	if (trace->totals.counted > 0) {
		put_count(to, "API calls counted, not traced", trace->totals.counted);
	}
	put_count(to, "ioctls", trace->totals.ioctls.calls);
	put_count(to, "doorbells", trace->totals.submissions.doorbells);
	put_count(to, "submissions", trace->totals.submissions.submissions);
	put_count(to, "bytes of commands", 4 * trace->totals.submissions.captured);
	kt_trace_report_losses(text, sizeof(text), report);
	put_fact(to, "lost", text[0] ? text : "nothing");
	for (size_t i = 0; i < report->given_up.n; i++) {
		char given_up[KT_GIVEN_UP_TEXT];

		kt_given_up_text(given_up, &report->given_up.items[i], report->first_time);
		put_fact(to, "given up, so complete until then", given_up);
	}
	kt_json_end(&to->w);
	kt_json_end(&to->w);
}

/* Says in a sentence or two what the file holds and what it leaves out. */
static void put_holds(struct kt_report_writer *to)
{
	const bool with_data = to->report->options->with_data;
	const struct kt_timeline_events *events = &to->report->timeline.events;
	char left_out[256] = "";
	char text[1024];

	if (events->left_out) {
		snprintf(left_out, sizeof(left_out),
			 "Of %" PRIu64
			 " events, the first %zu%s are in it; tables, machines "
			 "and their labels count all (--events N chooses how many, --from "
			 "and "
			 "--to which). ",
			 events->n + events->left_out, events->n,
			 to->report->timeline.n_traces == 1 ? ""
							    : ", as many of each trace,");
	}
	snprintf(text, sizeof(text),
		 "This file holds the events of %zu trace%s with their times, sizes and "
		 "handles, and the names of calls, requests, classes, kernels, processes "
		 "and "
		 "trace folders. %sIt %s.",
		 to->report->timeline.n_traces,
		 to->report->timeline.n_traces == 1 ? "" : "s", left_out,
		 with_data ? "also holds what was asked for by --with-data: the submitted "
			     "commands with the data and code in them, command lines, "
			     "environment and paths"
			   : "holds no submitted commands, data or code, and no command "
			     "lines, user names, host names or paths");
	KT_JSON(&to->w, KT_STR("holds", text), KT_U64("left_out", events->left_out),
		KT_BOOL("with_data", with_data));
}

/* --- words and events --- */

static void put_words(struct kt_report_writer *to)
{
	const struct kt_report *r = to->report;
	const struct kt_fsm *fsm = r->machines[r->chosen].fsm;

	kt_json_array(&to->w, "words");
	for (size_t i = 0; i < r->n_words; i++) {
		const struct kt_report_word *word = &r->words_of[i];
		int64_t before = 0;

		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_U64("trace", word->trace),
			KT_STR("name", i < fsm->n_words ? fsm->words[i].name : ""),
			KT_BOOL("complete", word->complete),
			KT_U64("left_out", word->left_out));
		kt_json_numbers(&to->w, "letters", word->letters, (size_t)word->n);
		kt_json_array(&to->w, "event_of");
		for (uint64_t j = 0; j < word->n; j++) {
			const int64_t event = word->events[j] == KT_TIMELINE_NONE
						      ? -1
						      : (int64_t)word->events[j];

			put_signed(to, event - before);
			before = event;
		}
		kt_json_end(&to->w);
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
}

/* Columns of events whose values are indexes, or absent. */
#define INDEX_COLUMNS(X) X(thread) X(name) X(call) X(detail) X(channel) X(label)

static void put_events(struct kt_report_writer *to)
{
	const struct kt_timeline_events *e = &to->report->timeline.events;
	int64_t before = 0;

	kt_json_object(&to->w, "events");
	kt_json_array(&to->w, "time");
	for (size_t i = 0; i < e->n; i++) {
		put_signed(to, e->events[i].time - before);
		before = e->events[i].time;
	}
	kt_json_end(&to->w);
	kt_json_array(&to->w, "duration");
	for (size_t i = 0; i < e->n; i++) {
		kt_json_number(&to->w, e->events[i].duration);
	}
	kt_json_end(&to->w);
	kt_json_array(&to->w, "kind");
	for (size_t i = 0; i < e->n; i++) {
		kt_json_number(&to->w, e->events[i].kind);
	}
	kt_json_end(&to->w);
#define PUT_COLUMN(member)                                                                 \
	kt_json_array(&to->w, #member);                                                    \
	for (size_t i = 0; i < e->n; i++) {                                                \
		kt_report_put_index(to, e->events[i].member);                              \
	}                                                                                  \
	kt_json_end(&to->w);
	INDEX_COLUMNS(PUT_COLUMN)
#undef PUT_COLUMN
	kt_json_end(&to->w);
}

static int put_threads(struct kt_report_writer *to)
{
	const struct kt_timeline_events *e = &to->report->timeline.events;
	char text[64];

	kt_json_array(&to->w, "threads");
	for (size_t i = 0; i < e->n_threads; i++) {
		const struct kt_timeline_thread *thread = &e->threads[i];

		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_U64("trace", thread->trace),
			KT_U64("process", thread->instance), KT_U64("pid", thread->pid),
			KT_U64("tid", thread->tid),
			KT_STR("name", e->names.items[thread->process]));
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	kt_json_array(&to->w, "channels");
	for (size_t i = 0; i < e->n_channels; i++) {
		const struct kt_timeline_channel *channel = &e->channels[i];

		snprintf(text, sizeof(text), "0x%" PRIx32, channel->channel);
		kt_json_object(&to->w, NULL);
		KT_JSON(&to->w, KT_U64("trace", channel->trace),
			KT_U64("process", channel->instance), KT_STR("name", text),
			KT_HEX("client", channel->client),
			KT_STR("class", e->names.items[channel->class_name]));
		kt_json_end(&to->w);
	}
	kt_json_end(&to->w);
	return KT_OK;
}

/* --- requests --- */

/* Writes the requests of the selected part of the traces. */
static int put_requests(struct kt_report_writer *to)
{
	/* Making rows adds names. */
	struct kt_timeline *t = &((struct kt_report *)(uintptr_t)to->report)->timeline;
	struct kt_timeline_request *rows = calloc(t->requests.n + 1, sizeof(*rows));
	size_t n = 0;
	int code = rows ? KT_OK : kt_no_memory("write requests");

	for (size_t i = 0; i < t->requests.n && !code; i++) {
		if (kt_timeline_selects(t, i, &to->report->options->part)) {
			code = kt_timeline_request(t, i, &rows[n++]);
		}
	}
	kt_json_object(&to->w, "requests");
#define PUT_COLUMN(member, put)                                                            \
	kt_json_array(&to->w, #member);                                                    \
	for (size_t i = 0; i < n; i++) {                                                   \
		put;                                                                       \
	}                                                                                  \
	kt_json_end(&to->w);
	PUT_COLUMN(submitted, put_signed(to, rows[i].submitted))
	PUT_COLUMN(completed, put_signed(to, rows[i].completed))
	PUT_COLUMN(device, put_signed(to, rows[i].device))
	PUT_COLUMN(channel, kt_report_put_index(to, rows[i].channel))
	PUT_COLUMN(doorbell, kt_report_put_index(to, rows[i].doorbell))
	PUT_COLUMN(call, kt_report_put_index(to, rows[i].call))
	PUT_COLUMN(name, kt_report_put_index(to, rows[i].name))
	PUT_COLUMN(commands, kt_report_put_index(to, rows[i].commands))
	PUT_COLUMN(bytes, kt_json_number(&to->w, rows[i].bytes))
	PUT_COLUMN(copied, kt_json_number(&to->w, rows[i].copied))
	PUT_COLUMN(launches, kt_json_number(&to->w, rows[i].launches))
	PUT_COLUMN(kernel, kt_report_put_index(to, rows[i].kernel))
	PUT_COLUMN(sign, kt_report_put_index(to, rows[i].sign))
#undef PUT_COLUMN
	kt_json_end(&to->w);
	free(rows);
	return code;
}

/* --- data, difference --- */

static void put_data(struct kt_report_writer *to)
{
	const struct kt_timeline_events *e = &to->report->timeline.events;

	kt_json_object(&to->w, "data");
	kt_json_array(&to->w, "doorbell");
	for (size_t i = 0; i < e->n_dwords; i++) {
		kt_report_put_index(to, e->dwords[i].event);
	}
	kt_json_end(&to->w);
	kt_json_array(&to->w, "dwords");
	for (size_t i = 0; i < e->n_dwords; i++) {
		FILE *out = kt_json_stream(&to->w, NULL);

		putc('"', out);
		for (size_t j = 0; j < e->dwords[i].n; j++) {
			fprintf(out, "%08" PRIx32, e->dwords[i].dwords[j]);
		}
		putc('"', out);
	}
	kt_json_end(&to->w);
	kt_json_end(&to->w);
}

static int put_difference(struct kt_report_writer *to)
{
	char *text = strdup(to->report->difference);
	char *rest = text;

	if (!text) {
		return kt_no_memory("write difference");
	}
	kt_json_array(&to->w, "sides");
	kt_json_text(&to->w, "old");
	kt_json_text(&to->w, "new");
	kt_json_end(&to->w);
	kt_json_object(&to->w, "difference");
	kt_json_array(&to->w, "lines");
	while (rest && *rest) {
		char *end = strchr(rest, '\n');

		if (end) {
			*end++ = '\0';
		}
		kt_json_text(&to->w, rest);
		rest = end;
	}
	kt_json_end(&to->w);
	kt_json_end(&to->w);
	free(text);
	return KT_OK;
}

/* --- all --- */

static void put_title(struct kt_report_writer *to)
{
	const struct kt_report *r = to->report;
	char text[256];

	if (r->options->title) {
		KT_JSON(&to->w, KT_STR("title", r->options->title));
		return;
	}
	if (r->two_origins) {
		const struct kt_timeline_trace *new = &r->timeline.traces[r->inputs[0].n];

		snprintf(text, sizeof(text), "%s and %s", r->timeline.traces[0].name,
			 new->name);
	} else if (r->timeline.n_traces > 1) {
		snprintf(text, sizeof(text), "%s and %zu more", r->timeline.traces[0].name,
			 r->timeline.n_traces - 1);
	} else {
		snprintf(text, sizeof(text), "%s", r->timeline.traces[0].name);
	}
	KT_JSON(&to->w, KT_STR("title", text));
}

static int put_all(struct kt_report_writer *to)
{
	const struct kt_report *r = to->report;

	kt_json_object(&to->w, NULL);
	KT_JSON(&to->w, KT_STR("format", KT_REPORT_FORMAT),
		KT_STR("version", KTAIL_VERSION));
	put_title(to);
	put_holds(to);
	KT_JSON(&to->w, KT_STR("word", r->word));
	kt_json_array(&to->w, "traces");
	for (size_t i = 0; i < r->timeline.n_traces; i++) {
		put_trace(to, &r->timeline.traces[i]);
	}
	kt_json_end(&to->w);
	KT_TRY(put_threads(to));
	put_words(to);
	put_events(to);
	KT_TRY(put_requests(to));
	KT_TRY(kt_report_write_machines(to));
	KT_TRY(kt_report_write_tables(to));
	if (r->two_origins) {
		KT_TRY(put_difference(to));
	}
	if (r->options->with_data) {
		put_data(to);
	}
	/* The writers above add to the names, so the names come last. */
	kt_json_texts(&to->w, "names", to->names->items, to->names->n);
	kt_json_end(&to->w);
	return KT_OK;
}

/* Writes JSON, and escapes characters that have a meaning in HTML or end a line. */
static void put_escaped(FILE *out, const char *json, size_t size)
{
	size_t plain = 0; /* beginning of the unwritten part */

	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)json[i];
		const bool separator = c == 0xe2 && i + 2 < size &&
				       (unsigned char)json[i + 1] == 0x80 &&
				       ((unsigned char)json[i + 2] & 0xfe) == 0xa8;

		/* These characters occur only in strings. */
		if (c == '<' || c == '>' || c == '&' || separator) {
			fwrite(json + plain, 1, i - plain, out);
			fprintf(out, "\\u%04x",
				separator ? 0x2028 + ((unsigned)json[i + 2] & 1) : c);
			i += separator ? 2 : 0;
			plain = i + 1;
		}
	}
	fwrite(json + plain, 1, size - plain, out);
}

int kt_report_write_json(FILE *out, const void *report)
{
	/*
	 * The cast removes const, but the writers change nothing of the report except its
	 * set of names, which grows.
	 */
	struct kt_report *r = (struct kt_report *)(uintptr_t)report;
	struct kt_report_writer to = {
		.w.compact = true, .report = r, .names = &r->timeline.events.names};
	char *json = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&json, &size);
	int code;

	if (!stream) {
		return kt_no_memory("write report");
	}
	to.w.out = stream;
	code = put_all(&to);
	if (fclose(stream) != 0 && !code) {
		code = kt_no_memory("write report");
	}
	if (!code) {
		put_escaped(out, json, size);
		code = ferror(out) ? kt_error_errno(KT_E_IO, "write report") : KT_OK;
	}
	free(json);
	return code;
}
