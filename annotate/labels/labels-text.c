/* SPDX-License-Identifier: MIT */
/* Section of the part `labels` in the text report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels/chains.h"
#include "annotate/labels/labels.h"
#include "annotate/meaning/state-ranges.h"
#include "base/terminal.h"
#include "base/try.h"
#include "base/wrap.h"

/* number of slowest transitions shown */
#define SLOWEST   12
#define RUNS_MAX  5  /* ranges of state numbers shown before a label, on a terminal */
#define WIDTH     80 /* columns after the indent, in a file or on a very narrow terminal */
#define INDENT    22 /* columns before the state numbers */
#define MIXED_MAX 5  /* labels shown for one state */

/* --- states --- */

/*
 * A machine has hundreds of states, mostly in straight chains that were visited once. A line
 * therefore shows consecutive states of a chain that differ only in their labels.
 */

/* The current line and its width. */
struct line {
	FILE *out;    /* Weak */
	size_t width; /* columns after the indent */
	size_t used;
};

static const struct kt_counted *calls_of(const struct kt_labels *labels, uint32_t state,
					 size_t *n)
{
	return kt_counts_of(labels->tally.calls,
			    kt_label_tally_state(&labels->tally, state), n);
}

static const char *text_of(const char *text)
{
	return text ? text : "-";
}

/* Returns whether two states of a chain have the same visits, phase and calls. */
static bool alike(const struct kt_labels *labels, uint32_t a, uint32_t b)
{
	const struct kt_fsm_state *states = labels->input->fsm->states;
	size_t n;
	size_t m;
	const struct kt_counted *x = calls_of(labels, a, &n);
	const struct kt_counted *y = calls_of(labels, b, &m);

	if (states[a].visits != states[b].visits || n != m ||
	    strcmp(text_of(states[a].phase), text_of(states[b].phase)) != 0) {
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (x[i].count != y[i].count || strcmp(x[i].text, y[i].text) != 0) {
			return false;
		}
	}
	return true;
}

/*
 * Begins a new line if the current line has no space for a text of `width` columns.
 * Otherwise writes `gap`, which separates the texts of a line.
 */
static void reserve_space(struct line *line, size_t width, const char *gap)
{
	size_t between = line->used > 0 ? strlen(gap) : 0;

	if (line->used > 0 && line->used + between + width > line->width) {
		fprintf(line->out, "%s\n%*s", gap[0] == ',' ? "," : "", INDENT, "");
		line->used = width;
	} else {
		fputs(between ? gap : "", line->out);
		line->used += between + width;
	}
}

static const struct kt_counted *labels_of(const struct kt_labels *labels, uint32_t state,
					  size_t *n)
{
	return kt_counts_of(labels->tally.labels,
			    kt_label_tally_state(&labels->tally, state), n);
}

/*
 * Returns whether letters with different labels lead to the state. States labelled "begin"
 * or "end" are never mixed.
 */
static bool is_mixed(const struct kt_labels *labels, uint32_t state)
{
	size_t n;
	const struct kt_counted *counted = labels_of(labels, state, &n);
	const char *label = text_of(labels->input->fsm->states[state].label);

	return n > 1 && strcmp(label, counted[0].text) == 0;
}

/*
 * Writes " 119 / submit: copy 30 / ...": the counts of at most `most` labels of a mixed
 * state, and the labels except the first, which the caller writes. Returns the width in
 * columns; if `out` is NULL, writes nothing.
 */
static size_t put_mixture(FILE *out, const struct kt_labels *labels, uint32_t state,
			  size_t most)
{
	size_t n;
	const struct kt_counted *counted = labels_of(labels, state, &n);
	char text[32];
	size_t width = 0;

	for (size_t i = 0; i < n && i < most; i++) {
		const char *label = i > 0 ? counted[i].text : "";

		snprintf(text, sizeof(text), " %" PRIu64, counted[i].count);
		width += strlen(text) + strlen(label) + (i > 0 ? strlen(" / ") : 0);
		if (out) {
			fprintf(out, "%s%s%s", i > 0 ? " / " : "", label, text);
		}
	}
	if (out && n > most) {
		fputs(" / ...", out);
	}
	return width + (n > most ? strlen(" / ...") : 0);
}

/*
 * Writes states of one chain in one line: "3-5 9 map memory" for the states 3 to 5 and 9,
 * which have the same label; "99 read timer 119 / submit: copy 30" for the state 99, to which
 * letters with two labels lead, 119 and 30 times. The calls of the states follow as
 * "[cuMemcpyHtoD_v2 (12), cuLaunchKernel (3), ...]".
 */
static void put_piece(const struct kt_labels *labels, const uint32_t *states, size_t n,
		      FILE *out)
{
	const struct kt_fsm_state *all = labels->input->fsm->states;
	const size_t terminal = kt_terminal_width(out);
	struct line line = {.out = out,
			    .width =
				    terminal > INDENT + 20 ? terminal - INDENT - 1 : WIDTH};
	/* On a terminal, a line shows only what fits; in a file, a line shows all states. */
	const size_t most_runs = terminal > 0 ? RUNS_MAX : SIZE_MAX;
	size_t n_calls;
	const struct kt_counted *calls = calls_of(labels, states[0], &n_calls);
	size_t width = 0;
	size_t shown;

	fprintf(out, "%10" PRIu64 "  %-8s  ", all[states[0]].visits,
		text_of(all[states[0]].phase));
	for (size_t i = 0, many; i < n; i += many) {
		const char *label = text_of(all[states[i]].label);
		const bool mixed = is_mixed(labels, states[i]);
		size_t most = MIXED_MAX;
		size_t runs = most_runs;
		size_t needs;

		many = 1;
		while (!mixed && i + many < n && !is_mixed(labels, states[i + many]) &&
		       strcmp(label, text_of(all[states[i + many]].label)) == 0) {
			many++;
		}
		needs = kt_state_ranges_put(NULL, states + i, many, runs) + strlen(label);
		while (terminal > 0 && runs > 1 && needs > line.width) {
			runs--;
			needs = kt_state_ranges_put(NULL, states + i, many, runs) +
				strlen(label);
		}
		while (mixed && terminal > 0 && most > 1 &&
		       needs + put_mixture(NULL, labels, states[i], most) > line.width) {
			most--;
		}
		needs += mixed ? put_mixture(NULL, labels, states[i], most) : 0;
		reserve_space(&line, needs, ", ");
		kt_state_ranges_put(out, states + i, many, runs);
		fputs(label, out);
		if (mixed) {
			put_mixture(out, labels, states[i], most);
		}
	}
	/*
	 * Write at most two calls that lead to the states, or one call if two do not fit
	 * into a line of the terminal.
	 */
	for (shown = n_calls < 2 ? n_calls : 2; shown > 0; shown--) {
		width = strlen(n_calls > shown ? "[, ...]" : "[]");
		for (size_t i = 0; i < shown; i++) {
			width += (size_t)snprintf(NULL, 0, "%s%s (%" PRIu64 ")",
						  i ? ", " : "", calls[i].text,
						  calls[i].count);
		}
		if (shown == 1 || terminal == 0 || width <= line.width) {
			break;
		}
	}
	if (n_calls > 0) {
		reserve_space(&line, width, "  ");
	}
	for (size_t i = 0; i < shown; i++) {
		fprintf(out, "%s%s (%" PRIu64 ")", i ? ", " : "[", calls[i].text,
			calls[i].count);
	}
	fputs(n_calls > shown ? ", ...]\n" : n_calls > 0 ? "]\n" : "\n", out);
}

static int put_states(const struct kt_labels *labels, FILE *out)
{
	size_t n = labels->input->fsm->n_states;
	struct kt_chains chains;

	KT_TRY(kt_chains_find(&chains, labels->input->fsm));
	fprintf(out,
		"\nStates, a straight chain on one line%s\n"
		"    visits  phase     states\n",
		labels->any_calls ? ", with [the calls that lead there]" : "");
	for (size_t i = 0, many; i < n; i += many) {
		many = 1;
		while (i + many < n && !chains.begins[i + many] &&
		       alike(labels, chains.order[i], chains.order[i + many])) {
			many++;
		}
		put_piece(labels, chains.order + i, many, out);
	}
	kt_chains_clear(&chains);
	return KT_OK;
}

/* --- letters and times --- */

struct slow {
	uint32_t transition;
	struct kt_time_summary time;
};

static int compare_slow(const void *a, const void *b)
{
	const struct slow *x = a;
	const struct slow *y = b;

	if (x->time.total != y->time.total) {
		return x->time.total > y->time.total ? -1 : 1;
	}
	return x->transition < y->transition ? -1 : x->transition > y->transition;
}

int kt_labels_text(void *part, FILE *out)
{
	const struct kt_labels *labels = part;
	const struct kt_label_tally *tally = &labels->tally;
	const struct kt_fsm *fsm = labels->input->fsm;
	const double whole = tally->placed ? (double)tally->placed : 1;
	struct kt_wrap line = kt_wrap_line(out, 48);
	struct slow *slow = calloc(fsm->n_transitions + 1, sizeof(*slow));
	size_t n;
	const struct kt_counted *all =
		kt_counts_of(tally->labels, kt_label_tally_all(tally), &n);

	if (!slow) {
		return kt_no_memory("write report");
	}
	fprintf(out, "Letters of %zu %s: %" PRIu64 " placed, %" PRIu64 " not\n",
		labels->input->n_paths, labels->input->n_paths == 1 ? "trace" : "traces",
		tally->placed, labels->annotation->unplaced);

	fprintf(out, "\nLabels of letters\n   letters   share  label\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%10" PRIu64 " %6.2f%%  %s\n", all[i].count,
			100 * (double)all[i].count / whole, all[i].text);
	}
	if (tally->unlabelled > 0) {
		fprintf(out, "%10" PRIu64 " %6.2f%%  (no rule fits)\n", tally->unlabelled,
			100 * (double)tally->unlabelled / whole);
	}

	for (uint32_t i = 0; i < fsm->n_transitions; i++) {
		slow[i].transition = i;
		slow[i].time = kt_times_of(&tally->times, i);
	}
	qsort(slow, fsm->n_transitions, sizeof(*slow), compare_slow);
	fprintf(out, "\nTime since the previous letter, in us\n"
		     "         all    times     median        p99  transition\n");
	for (size_t i = 0; i < fsm->n_transitions && i < SLOWEST && slow[i].time.n > 0;
	     i++) {
		const struct kt_time_summary *time = &slow[i].time;
		const struct kt_fsm_transition *t = &fsm->transitions[slow[i].transition];

		kt_wrap_put(&line,
			    "%12.1f %8" PRIu64 " %10.1f %10.1f  %" PRIu32 " -> %" PRIu32,
			    (double)time->total / 1e3, time->n, (double)time->median / 1e3,
			    (double)time->p99 / 1e3, t->from, t->to);
		kt_wrap_put(&line, " %s", kt_fsm_letter_name(fsm, t->letter));
		if (t->label) {
			kt_wrap_put(&line, "  %s", t->label);
		}
		kt_wrap_end(&line);
	}
	free(slow);
	return put_states(labels, out);
}
