/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "annotate/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/distil/distil-part.h"
#include "annotate/labels/labels.h"
#include "annotate/phases/phases.h"
#include "annotate/report/run-child.h"
#include "base/try.h"
#include "infer/files/letter-names.h"

/* The largest k that the sweep tries, as in ktail sweep. */
#define MOST_K 100

/* --- which k --- */

/* The k of a machine, with the range in which the machine is nearly the same. */
struct wanted {
	uint64_t k;
	uint64_t from;
	uint64_t to;
};

static uint64_t longest_word(const kt_words *words)
{
	uint64_t longest = 1;

	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n;

		if (kt_words_get(words, i, &info, &n) == KT_OK && n > longest) {
			longest = n;
		}
	}
	return longest;
}

static int compare_k(const void *a, const void *b)
{
	const struct wanted *x = a;
	const struct wanted *y = b;

	return x->k < y->k ? -1 : x->k > y->k;
}

/* Adds a k, unless the list is full or has it already. */
static void want(struct wanted *list, size_t *n, struct wanted wanted)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i].k == wanted.k) {
			return;
		}
	}
	if (*n < KT_REPORT_MACHINES) {
		list[(*n)++] = wanted;
	}
}

/* Lists the chosen k, then good plateaus, then others, and sorts them. */
static size_t choose(struct wanted *list, const struct kt_curve *curve, uint64_t chosen)
{
	size_t n = 0;

	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < curve->n_plateaus; i++) {
			const struct kt_plateau *p = &curve->plateaus[i];
			const struct kt_sweep_row *row = &curve->points[p->first].row;
			const bool good = p->verdict == KT_VERDICT_GOOD;
			const uint64_t to = curve->points[p->last].row.k;
			const struct wanted wanted = {row->k, row->k, to};
			const bool is_chosen = row->k <= chosen && chosen <= to;

			if (pass == 0 && is_chosen) {
				want(list, &n, (struct wanted){chosen, row->k, to});
			} else if (pass > 0 && !is_chosen && good == (pass == 1) &&
				   row->transitions <= KT_REPORT_TRANSITIONS) {
				want(list, &n, wanted);
			}
		}
		if (pass == 0) {
			want(list, &n, (struct wanted){chosen, chosen, chosen});
		}
	}
	qsort(list, n, sizeof(*list), compare_k);
	return n;
}

/* Adds a machine and gives names to its letters. Takes ownership of `fsm`. */
static int add_machine(struct kt_report *r, struct kt_fsm *fsm, const struct wanted *wanted)
{
	struct kt_report_machine *machine = &r->machines[r->n_machines++];

	machine->fsm = fsm;
	machine->from = wanted->from;
	machine->to = wanted->to;
	return kt_machine_name_letters(fsm, r->options->names);
}

/*
 * Makes the machines of the list, all in one pass over k. Only a k that the sweep leaves
 * out needs another pass.
 */
static int infer(struct kt_report *r, const struct wanted *list, size_t n,
		 struct kt_sweep_options *options)
{
	struct kt_infer_options single = KT_INFER_OPTIONS_INIT;
	kt_sweep *sweep = NULL;
	struct kt_fsm *fsm;
	bool more = true;
	size_t i = 0;
	int code;

	options->lo = list[0].k;
	KT_TRY_END(options->lo <= options->hi ? kt_sweep_new(&sweep, r->words, options)
					      : KT_OK);
	while (sweep && i < n && more) {
		struct kt_sweep_row row;

		KT_TRY_END(kt_sweep_next(&more, &row, sweep));
		if (more && row.k == list[i].k) {
			KT_TRY_END(kt_sweep_machine(&fsm, sweep));
			KT_TRY_END(add_machine(r, fsm, &list[i++]));
		}
	}
	single.word = options->word;
	single.alphabet_json = options->alphabet_json;
	for (; i < n; i++) {
		single.k = list[i].k;
		KT_TRY_END(kt_infer(&fsm, r->words, &single));
		KT_TRY_END(add_machine(r, fsm, &list[i]));
	}
	code = KT_OK;
end:
	kt_sweep_free(sweep);
	return code;
}

/* --- meaning --- */

static const struct kt_annotation_part *const all_parts[] = {
	&kt_labels_part, &kt_phases_part, &kt_distil_part, NULL};
/* Letters mean the same in all machines, so the rules are applied for the chosen one alone.
 */
static const struct kt_annotation_part *const some_parts[] = {&kt_known_labels_part,
							      &kt_phases_part, NULL};

static int begin_annotation(struct kt_report *r, size_t index, const char *const *names,
			    const kt_trace *const *traces)
{
	struct kt_report_machine *machine = &r->machines[index];
	const bool chosen = index == r->chosen;

	machine->annotate.table = chosen ? all_parts : some_parts;
	machine->annotate.input = (struct kt_annotation_input){
		.fsm_name = "the report's machine",
		.paths = names,
		.n_paths = r->timeline.n_traces,
		.traces = traces,
		.rules = r->rules,
		.filter = &r->options->filter,
		.source = r->options->source,
		.part = &r->options->part,
		.occurrences = chosen,
		.known = chosen ? NULL : &r->machines[r->chosen].annotate.meanings,
	};
	return kt_annotate_begin(&machine->annotate, machine->fsm);
}

/*
 * Labels the chosen machine first, then the other machines, which take the labels of the
 * chosen machine's letters.
 */
static int label(struct kt_report *r, const char *const *names,
		 const kt_trace *const *traces)
{
	struct kt_annotate *all[KT_REPORT_MACHINES] = {&r->machines[r->chosen].annotate};
	size_t n = 1;

	for (size_t i = 0; i < r->n_machines; i++) {
		KT_TRY(begin_annotation(r, i, names, traces));
		if (i != r->chosen) {
			all[n++] = &r->machines[i].annotate;
		}
	}
	for (size_t i = 0; i < r->timeline.n_traces; i++) {
		KT_TRY(kt_annotate_read_all(all, n, i, NULL));
	}
	for (size_t i = 0; i < n; i++) {
		KT_TRY(kt_annotate_finish(all[i]));
	}
	return KT_OK;
}

static int annotate_all(struct kt_report *r)
{
	const char **names = calloc(r->timeline.n_traces + 1, sizeof(*names));
	const kt_trace **traces = calloc(r->timeline.n_traces + 1, sizeof(*traces));
	int code = names && traces ? KT_OK : kt_no_memory("label machines");

	for (size_t i = 0; i < r->timeline.n_traces && !code; i++) {
		names[i] = r->timeline.traces[i].name;
		traces[i] = r->timeline.traces[i].trace;
	}
	if (!code) {
		code = label(r, names, traces);
	}
	if (!code) {
		char name[] = "ktail-render";
		char format[] = "-fsvg";
		char *argv[] = {name, format, NULL};
		const struct kt_annotate *chosen = &r->machines[r->chosen].annotate;

		code = kt_run_child(&r->distilled, argv, 0, kt_distil_part.file->kind->json,
				    chosen->parts[2]);
	}
	free(names);
	free(traces);
	return code;
}

/* --- layout --- */

static int write_fsm(FILE *out, const void *fsm)
{
	return kt_fsm_write_json(fsm, out);
}

static int lay_out(struct kt_report_machine *machine)
{
	char name[] = "ktail-render";
	char format[] = "-fjson";
	char *argv[] = {name, format, NULL};
	size_t complex;

	KT_TRY(kt_fsm_count_complex(machine->fsm, &complex));
	if (complex > KT_REPORT_COMPLEX) {
		return KT_OK;
	}
	return kt_run_child(&machine->layout, argv, 0, write_fsm, machine->fsm);
}

int kt_report_make_machines(struct kt_report *r)
{
	const struct kt_report_options *o = r->options;
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct wanted list[KT_REPORT_MACHINES];
	const uint64_t longest = longest_word(r->words);
	uint64_t chosen;
	size_t n;

	options.word = r->word;
	options.alphabet_json = r->alphabet_json;
	options.lo = 1;
	options.hi = longest < MOST_K ? longest : MOST_K;
	KT_TRY(kt_curve_make(&r->curve, r->words, &options));
	chosen = o->has_k ? o->k : r->curve.points[r->curve.choice.point].row.k;
	n = choose(list, &r->curve, chosen);
	KT_TRY(infer(r, list, n, &options));
	for (size_t i = 0; i < r->n_machines; i++) {
		if (r->machines[i].fsm->k == chosen) {
			r->chosen = i;
		}
	}
	KT_TRY(kt_label_rules_default(&r->rules));
	KT_TRY(annotate_all(r));
	for (size_t i = 0; i < r->n_machines; i++) {
		KT_TRY(lay_out(&r->machines[i]));
	}
	return KT_OK;
}
