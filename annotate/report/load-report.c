/* SPDX-License-Identifier: MIT */
#include "annotate/report/report.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/ends-in.h"
#include "base/path-list.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/words/read/report.h"

/* Returns the last part of a path, printable; NULL if out of memory. */
static char *folder_name(const char *path)
{
	size_t end = strlen(path);
	size_t begin;
	char *copy;
	char *name;

	while (end > 1 && path[end - 1] == '/') {
		end--;
	}
	begin = end;
	while (begin > 0 && path[begin - 1] != '/') {
		begin--;
	}
	copy = strndup(path + begin, end - begin);
	name = copy ? kt_utf8_printable_copy(copy) : NULL;
	free(copy);
	return name;
}

static int open_trace(struct kt_report *r, struct kt_report_trace *trace,
		      const struct kt_trace_options *options)
{
	const struct kt_trace_report *report;

	trace->name = folder_name(trace->path);
	if (!trace->name) {
		return kt_no_memory("read trace");
	}
	if (kt_ends_in(trace->path, ".events") || kt_ends_in(trace->path, ".dat")) {
		return kt_error(KT_E_MALFORMED,
				"read %s: it has only letters; give the trace that it was "
				"made from",
				trace->path);
	}
	KT_TRY(kt_trace_open(&trace->trace, trace->path, options));
	report = kt_trace_report(trace->trace);
	kt_gaps_note(&r->gaps, trace->path, report);
	if (report->totals.events == 0) {
		return kt_error(KT_E_EMPTY, "read %s: no gpu_stack events", trace->path);
	}
	if (r->begin == 0 || report->first_time < r->begin) {
		r->begin = report->first_time;
	}
	return kt_trace_append(trace->trace, r->words);
}

/* Names all traces for a message. */
static void name_all(char *out, size_t size, const struct kt_report *r)
{
	const char *const *paths = (const char *const *)r->inputs[0].paths;
	const size_t n = r->inputs[0].n;

	kt_path_list_name(out, size, paths, n);
}

int kt_report_load(struct kt_report *r, const struct kt_report_paths origins[2])
{
	const struct kt_report_options *o = r->options;
	struct kt_trace_options options = {
		.source = o->source, .filter = &o->part, .events = &kt_annotate_events};
	kt_alphabet *alphabet = NULL;
	char name[1024];
	int code;

	for (int origin = 0; origin < 2; origin++) {
		KT_TRY(kt_inputs_open(&r->inputs[origin], origins[origin].paths,
				      origins[origin].n));
	}
	r->two_origins = origins[1].n > 0;
	r->traces = calloc(r->inputs[0].n + r->inputs[1].n + 1, sizeof(*r->traces));
	if (!r->traces) {
		return kt_no_memory("read traces");
	}
	KT_TRY(kt_words_new(&r->words));
	KT_TRY_END(kt_alphabet_open(&alphabet, o->alphabet));
	KT_TRY_END(kt_letter_filter_copy(&alphabet->filter, &o->filter));
	KT_TRY_END(kt_word_unit_of(o->word, &options.word));
	options.word = kt_word_unit_within(options.word, &o->part);
	KT_TRY_END(kt_word_unit_check(options.word, alphabet));
	KT_TRY_END(kt_alphabet_json(&r->alphabet_json, alphabet));
	r->word = kt_word_unit_name(options.word);
	options.alphabet = alphabet;
	for (int origin = 0; origin < 2; origin++) {
		for (size_t i = 0; i < r->inputs[origin].n; i++) {
			struct kt_report_trace *trace = &r->traces[r->n_traces++];

			trace->path = r->inputs[origin].paths[i];
			trace->origin = origin;
			KT_TRY_END(open_trace(r, trace, &options));
		}
	}
	KT_TRY_END(kt_trace_filter_judge(&o->part));
	name_all(name, sizeof(name), r);
	if (kt_words_count(r->words) == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: no words: no event gives a letter%s",
				name, o->part.any ? " in the selected part" : "");
	}
end:
	kt_alphabet_free(alphabet);
	return code;
}
