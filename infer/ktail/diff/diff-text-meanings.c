/* SPDX-License-Identifier: MIT */
/* Writes the differences between annotated machines: labels, phases and API calls. */
#include "infer/ktail/diff/diff-text.h"

#include <inttypes.h>
#include <string.h>

#include "base/wrap.h"

#define NAMES_SHOWN 12

/* --- labels and phases --- */

static const char *plural(size_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static void write_meanings(FILE *out, const struct kt_diff_meaning_list *list,
			   const char *what, int version)
{
	if (list->n == 0) {
		return;
	}
	fprintf(out, "\n%s%s that only the %s machine has:%s\n", kt_colors_of(out)->bold,
		what, kt_diff_version_names[version], kt_colors_of(out)->plain);
	for (size_t i = 0; i < list->n; i++) {
		const struct kt_diff_meaning *meaning = &list->items[i];

		fprintf(out, "  %s'%s'%s (", kt_diff_version_color(out, version),
			meaning->text, kt_colors_of(out)->plain);
		if (meaning->states) {
			fprintf(out, "%zu %s", meaning->states,
				plural(meaning->states, "state", "states"));
		}
		if (meaning->transitions) {
			fprintf(out, "%s%zu %s", meaning->states ? ", " : "",
				meaning->transitions,
				plural(meaning->transitions, "transition", "transitions"));
		}
		fputs(")\n", out);
	}
}

/* --- calls --- */

/*
 * Writes `before` and the average n / calls, as a whole number or rounded to one decimal.
 */
static void put_each(struct kt_wrap *line, const char *before, uint64_t n, uint64_t calls)
{
	uint64_t whole = n / calls;
	uint64_t tenths = ((n % calls) * 20 + calls) / (2 * calls);

	if (n % calls == 0) {
		kt_wrap_put(line, " %s%" PRIu64, before, whole);
	} else {
		kt_wrap_put(line, " %s%" PRIu64 ".%" PRIu64, before, whole + tenths / 10,
			    tenths % 10);
	}
}

static void write_only(FILE *out, const struct kt_diff_calls *calls, int version)
{
	struct kt_wrap line = kt_wrap_line(out, 2);
	size_t n = calls->n_only[version];

	if (n == 0) {
		return;
	}
	kt_wrap_put(&line, "\nOnly the %s machine's traces call",
		    kt_diff_version_names[version]);
	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) {
		kt_wrap_put(&line, "%s", i ? "," : "");
		kt_wrap_put(&line, " %s", calls->only[version][i]);
	}
	if (n > NAMES_SHOWN) {
		kt_wrap_put(&line, ", and %zu more", n - NAMES_SHOWN);
	}
	kt_wrap_put(&line, ".");
	kt_wrap_end(&line);
}

void kt_diff_write_meanings(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_meanings *m = r->meanings;
	const struct kt_diff_calls *calls = r->calls;
	struct kt_wrap line = kt_wrap_line(out, 4);

	if (m->known[0] != m->known[1]) {
		fprintf(out,
			"\nOnly the %s machine has labels (ktail annotate): they are not "
			"compared.\n",
			kt_diff_version_names[m->known[1]]);
	}
	for (int s = 0; s < 2; s++) {
		write_meanings(out, &m->labels[s], "Labels", s);
		write_meanings(out, &m->phases[s], "Phases", s);
	}
	if (calls->n_figures > 0) {
		fputs("\nCalls that differ in the new machine's traces,\n", out);
		fprintf(out, "on average per call, by more than %d %%:\n",
			KT_DIFF_CALLS_TOLERANCE);
	}
	for (size_t i = 0; i < calls->n_figures; i++) {
		const struct kt_diff_figure *figure = &calls->figures[i];
		bool one = figure->n[1] == figure->calls[1];
		bool last = i + 1 == calls->n_figures ||
			    strcmp(figure->name, figure[1].name) != 0;

		/* Begin a line for each function. */
		if (i == 0 || strcmp(figure->name, figure[-1].name) != 0) {
			kt_wrap_put(&line, "  %s:", figure->name);
		}
		put_each(&line, "", figure->n[1], figure->calls[1]);
		kt_wrap_words(&line, one ? figure->kind->one : figure->kind->many);
		if (strcmp(figure->kind->key, "doorbells") == 0 && figure->launches) {
			kt_wrap_put(&line, " for %" PRIu64 " launches", figure->launches);
		}
		put_each(&line, "instead of ", figure->n[0], figure->calls[0]);
		if (last) {
			kt_wrap_end(&line);
		} else {
			kt_wrap_put(&line, ";");
		}
	}
	write_only(out, calls, 0);
	write_only(out, calls, 1);
}

/* --- sequences --- */

/*
 * Returns the transition that leaves state `from` with this letter, or NULL. The
 * transitions are sorted by state and letter.
 */
static const struct kt_fsm_transition *find_way(const struct kt_fsm *fsm, uint32_t from,
						const char *letter)
{
	size_t low = 0;
	size_t high = fsm->n_transitions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct kt_fsm_transition *t = &fsm->transitions[middle];

		if (t->from < from ||
		    (t->from == from && strcmp(fsm->letters[t->letter], letter) < 0)) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < fsm->n_transitions && fsm->transitions[low].from == from &&
			       strcmp(fsm->letters[fsm->transitions[low].letter], letter) ==
				       0
		       ? &fsm->transitions[low]
		       : NULL;
}

void kt_diff_write_sequence_labels(struct kt_wrap *line, const struct kt_diff_report *r,
				   const struct kt_diff_sequence *sequence)
{
	const struct kt_fsm *fsm =
		r->versions->version[sequence->version == KT_COMPARE_NEW].input.fsm;
	const kt_compare *compare = kt_diff_compare(r->diff);
	const char *labels[KT_DIFF_SEQUENCE_MAX];
	uint32_t n = 0; /* number of letters that can be read from state s */
	bool any = false;

	for (uint32_t s = 0; s < fsm->n_states && n < sequence->n; s++) {
		uint32_t at = s;

		for (n = 0; n < sequence->n; n++) {
			const struct kt_fsm_transition *t = find_way(
				fsm, at, kt_compare_letter(compare, sequence->letters[n]));

			if (!t) {
				break;
			}
			labels[n] = t->label;
			at = t->to;
		}
	}
	for (uint32_t i = 0; n == sequence->n && i < n; i++) {
		any = any || labels[i];
	}
	for (uint32_t i = 0; any && i < n; i++) {
		kt_wrap_put(line, "%s", i ? "," : ":");
		kt_wrap_put(line, " '%s'", labels[i] ? labels[i] : "?");
	}
}
