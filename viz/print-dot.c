/* SPDX-License-Identifier: MIT */
#include "viz/print-dot.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "viz/arrange.h"
#include "viz/dot-text.h"
#include "viz/print-legend.h"
#include "viz/temperature.h"

#define LETTER_LIMIT 40 /* characters of a letter in a label; the tooltip has them all */
#define RUNS_SHOWN   3  /* a chain of so few runs is written out in its label */

#define ARROW "→"
#define TIMES "×"

/* Lines of a label stand off the edge that they belong to. */
#define INDENT "  "
#define LINE   "\\l" INDENT

struct printer {
	FILE *out;                      /* Weak */
	const struct kt_drawing *d;     /* Weak */
	const struct kt_dot_options *o; /* Weak */
};

static const struct kt_fsm_transition *
transition(const struct printer *p, const struct kt_drawn_edge *edge, size_t i)
{
	return &p->d->fsm->transitions[p->d->order[edge->first + i]];
}

static const char *letter(const struct printer *p, const struct kt_drawn_edge *edge,
			  size_t i)
{
	return p->d->fsm->letters[transition(p, edge, i)->letter];
}

/* How many letters of a chain from the i-th on are the same. */
static size_t run_length(const struct printer *p, const struct kt_drawn_edge *edge,
			 size_t i)
{
	size_t n = 1;

	while (i + n < edge->n &&
	       transition(p, edge, i + n)->letter == transition(p, edge, i)->letter) {
		n++;
	}
	return n;
}

static void put_run(const struct printer *p, enum kt_dot_place place, const char *name,
		    size_t n)
{
	kt_dot_put_some(p->out, place, name,
			place == KT_DOT_LABEL ? LETTER_LIMIT : SIZE_MAX);
	if (n > 1) {
		fprintf(p->out, TIMES "%zu", n);
	}
}

static void put_colour(const struct printer *p, const char *name, struct kt_colour c)
{
	fprintf(p->out, ", %s=\"#%02x%02x%02x\"", name, c.red, c.green, c.blue);
}

/* How often, behind a letter; not where nothing was counted. */
static void put_times(const struct printer *p, uint64_t count)
{
	if (!p->d->fsm->no_k) {
		fprintf(p->out, " (%" PRIu64 ")", count);
	}
}

/* --- edges --- */

static void put_choices_label(const struct printer *p, const struct kt_drawn_edge *edge)
{
	size_t shown = edge->n <= p->o->max_label ? edge->n : p->o->max_label;

	for (size_t i = 0; i < shown; i++) {
		fputs(i ? LINE : INDENT, p->out);
		put_run(p, KT_DOT_LABEL, letter(p, edge, i), 1);
		put_times(p, transition(p, edge, i)->count);
	}
	if (shown < edge->n) {
		fprintf(p->out, LINE "+%zu more", edge->n - shown);
	}
}

static bool few_runs(const struct printer *p, const struct kt_drawn_edge *edge)
{
	size_t runs = 0;

	for (size_t i = 0; i < edge->n && runs <= RUNS_SHOWN; i += run_length(p, edge, i)) {
		runs++;
	}
	return runs <= RUNS_SHOWN && runs <= p->o->max_label;
}

static void put_chain_label(const struct printer *p, const struct kt_drawn_edge *edge)
{
	if (few_runs(p, edge)) {
		for (size_t i = 0; i < edge->n;) {
			size_t n = run_length(p, edge, i);

			fputs(i ? " " ARROW LINE : INDENT, p->out);
			put_run(p, KT_DOT_LABEL, letter(p, edge, i), n);
			i += n;
		}
	} else if (p->o->max_label < RUNS_SHOWN) {
		fprintf(p->out, INDENT "… %zu letters …", edge->n);
	} else {
		fputs(INDENT, p->out);
		put_run(p, KT_DOT_LABEL, letter(p, edge, 0), 1);
		fprintf(p->out, LINE "… %zu letters …" LINE, edge->n);
		put_run(p, KT_DOT_LABEL, letter(p, edge, edge->n - 1), 1);
	}
	put_times(p, edge->count);
}

/*
 * dot routes edges that leave a state sideways and down through the label of its self-loop,
 * which stands beside it: blank lines below the text lift it out of their way.
 */
static void put_blank_lines(const struct printer *p, const struct kt_drawn_edge *edge)
{
	size_t n = edge->n <= p->o->max_label ? edge->n : p->o->max_label + 1;

	for (size_t i = 0; i <= n; i++) {
		fputs(" \\l", p->out);
	}
}

static void put_edge_tooltip(const struct printer *p, const struct kt_drawn_edge *edge)
{
	fprintf(p->out, "%" PRIu32 " " ARROW " %" PRIu32 ": ", edge->from, edge->to);
	if (!edge->chain) {
		if (!p->d->fsm->no_k) {
			kt_print_count(p->out, edge->count, "time");
		}
		for (size_t i = 0; i < edge->n; i++) {
			fputs("\\n", p->out);
			put_run(p, KT_DOT_TOOLTIP, letter(p, edge, i), 1);
			put_times(p, transition(p, edge, i)->count);
		}
		return;
	}
	kt_print_count(p->out, edge->n, "letter");
	fputs(" in a row", p->out);
	if (!p->d->fsm->no_k) {
		fputs(", ", p->out);
		kt_print_count(p->out, edge->count, "time");
	}
	for (size_t i = 0; i < edge->n;) {
		size_t n = run_length(p, edge, i);

		fputs(i ? " " : "\\n", p->out);
		put_run(p, KT_DOT_TOOLTIP, letter(p, edge, i), n);
		i += n;
	}
}

static void print_edge(const struct printer *p, const struct kt_drawn_edge *edge)
{
	double t = kt_temperature(edge->count, p->d->max_edge);

	fprintf(p->out,
		"\ts%" PRIu32 " -> s%" PRIu32 " [id=\"t%" PRIu32 "-%" PRIu32
		"\", class=\"%s%s\", label=\"",
		edge->from, edge->to, edge->from, edge->ordinal,
		edge->chain ? "chain" : "transition",
		edge->from == edge->to ? " loop" : "");
	if (edge->chain) {
		put_chain_label(p, edge);
	} else {
		put_choices_label(p, edge);
	}
	fputs("\\l", p->out);
	if (edge->from == edge->to) {
		put_blank_lines(p, edge);
	}
	fputs("\", edgetooltip=\"", p->out);
	put_edge_tooltip(p, edge);
	fputs("\", labeltooltip=\"", p->out);
	put_edge_tooltip(p, edge);
	fprintf(p->out, "\", penwidth=%.2f", kt_temperature_pen(t));
	put_colour(p, "color", kt_temperature_stroke(t));
	put_colour(p, "fontcolor", kt_temperature_stroke(t));
	/* The way onwards is kept straight, then hot loops are kept close. */
	if (p->d->states[edge->from].opened || p->d->states[edge->to].opened) {
		fprintf(p->out, ", weight=%d", 1 + (int)(4 * t + 0.5));
	} else {
		fputs(", weight=6", p->out);
	}
	fputs(edge->chain ? ", style=dashed];\n" : "];\n", p->out);
}

/* --- states --- */

static void put_state_tooltip(const struct printer *p, uint32_t id)
{
	const struct kt_drawn_state *s = &p->d->states[id];
	const struct kt_fsm_state *state = &p->d->fsm->states[id];

	fprintf(p->out, "state %" PRIu32, id);
	if (!p->d->fsm->no_k) {
		fputs(": ", p->out);
		kt_print_count(p->out, state->visits, "visit");
	}
	for (size_t i = 0; i < state->n_points; i++) {
		fputs("\\n", p->out);
		kt_dot_put(p->out, KT_DOT_TOOLTIP, state->points[i]);
	}
	if (s->begins) {
		fputs("\\nbegins: ", p->out);
		kt_print_count(p->out, s->begins,
			       s->marks & KT_MARK_START ? "word" : "cut word");
	}
	if (state->ends) {
		fputs("\\nends: ", p->out);
		kt_print_count(p->out, state->ends, "word");
	}
	if (s->cuts) {
		fputs("\\ncut off: ", p->out);
		kt_print_count(p->out, s->cuts, "word");
	}
}

static void print_state(const struct printer *p, uint32_t id)
{
	unsigned marks = p->d->states[id].marks;
	double t = kt_temperature(p->d->fsm->states[id].visits, p->d->max_visits);

	fprintf(p->out, "\ts%" PRIu32 " [id=\"s%" PRIu32 "\", class=\"state%s%s%s%s\"", id,
		id, marks & KT_MARK_START ? " start" : "",
		marks & KT_MARK_END ? " end" : "", marks & KT_MARK_ENTRY ? " entry" : "",
		marks & KT_MARK_CUT ? " cut" : "");
	fprintf(p->out, ", label=\"%" PRIu32 "\", tooltip=\"", id);
	put_state_tooltip(p, id);
	fprintf(p->out, "\", penwidth=%.2f", kt_temperature_pen(t));
	put_colour(p, "color", kt_temperature_stroke(t));
	put_colour(p, "fillcolor", kt_temperature_tint(t));
	fputs(marks & KT_MARK_END ? ", peripheries=2" : "", p->out);
	fputs(marks & KT_MARK_CUT ? ", style=\"filled,dashed\"];\n" : "];\n", p->out);
}

/* The arrow that leads into a state from nowhere, with what stands at its tail. */
static void print_marker(const struct printer *p, uint32_t id)
{
	const struct kt_drawn_state *s = &p->d->states[id];
	bool start = s->marks & KT_MARK_START;
	/* Whether words begin here; of the truth, that they do. */
	bool seen = s->begins || p->d->fsm->no_k;
	char name[32] = "start";

	if (!start) {
		snprintf(name, sizeof(name), "entry-%" PRIu32, id);
	}
	fprintf(p->out, "\t\"%s\" [id=\"%s\", class=\"marker\", tooltip=\"%s", name, name,
		start ? "start" : "entry");
	if (!p->d->fsm->no_k) {
		fputs(": ", p->out);
		kt_print_count(p->out, s->begins, start ? "word" : "cut word");
	}
	fprintf(p->out, "\", label=\"%s\", shape=%s];\n",
		!start ? "entry"
		: seen ? "start"
		       : "start (unseen)",
		start && seen ? "box, style=\"filled,rounded\", fillcolor=\"#20242b\", "
				"fontcolor=white, height=0.3"
			      : "plaintext, style=\"\", height=0.2");
	fprintf(p->out, "\t\"%s\" -> s%" PRIu32 " [id=\"%s-arrow\", class=\"marker\", ",
		name, id, name);
	fprintf(p->out, "edgetooltip=\"%s\"%s];\n", start ? "start" : "entry",
		start && seen ? ", penwidth=2" : ", style=dashed");
}

/* --- all --- */

static int print_head(const struct printer *p)
{
	const char *font = "fontname=\"Helvetica,Arial,sans-serif\"";
	int code;

	fputs("digraph ktail {\n\tgraph [id=\"fsm\", class=\"fsm\", bgcolor=white, "
	      "rankdir=TB, "
	      "nodesep=0.35, ranksep=0.5,\n\t\tlabelloc=t, labeljust=l, fontsize=12, ",
	      p->out);
	fprintf(p->out, "%s,\n\t\tlabel=", font);
	code = kt_print_legend(p->out, p->d, p->o->title);
	fputs("];\n", p->out);
	fprintf(p->out,
		"\tnode [shape=circle, style=filled, fillcolor=white, color=\"#20242b\", "
		"fontcolor=\"#20242b\",\n\t\tfontsize=12, width=0.45, "
		"margin=\"0.04,0.03\", "
		"%s];\n",
		font);
	fprintf(p->out,
		"\tedge [fontsize=10, arrowsize=0.7, color=\"#20242b\", "
		"fontcolor=\"#20242b\",\n\t\t%s];\n",
		font);
	return code;
}

int kt_print_dot(FILE *out, const struct kt_drawing *drawing,
		 const struct kt_dot_options *options)
{
	const struct printer p = {out, drawing, options};
	uint32_t *states = NULL;
	int code = kt_arrange_states(&states, drawing);

	code = code ? code : print_head(&p);
	for (size_t i = 0; i < drawing->n_drawn && !code; i++) {
		if (drawing->states[states[i]].marks & (KT_MARK_START | KT_MARK_ENTRY)) {
			print_marker(&p, states[i]);
		}
		print_state(&p, states[i]);
	}
	free(states);
	for (size_t i = 0; i < drawing->n_edges; i++) {
		print_edge(&p, &drawing->edges[i]);
	}
	fputs("}\n", out);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write drawing as DOT");
	}
	return code;
}
