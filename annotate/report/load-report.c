/* SPDX-License-Identifier: MIT */
#include "annotate/report/report.h"

#include <ktail/status.h>

#include "base/path-list.h"
#include "base/try.h"

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
			const struct kt_timeline *t = &r->timeline;

			KT_TRY_END(kt_timeline_open(&r->timeline,
						    r->inputs[origin].paths[i], origin,
						    &options));
			KT_TRY_END(kt_trace_append(t->traces[t->n_traces - 1].trace,
						   r->words));
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
