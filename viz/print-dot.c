/* SPDX-License-Identifier: MIT */
#include "viz/print-dot.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "viz/arrange.h"
#include "viz/dot-text.h"
#include "viz/print-legend.h"
#include "viz/sides.h"
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

/* What each machine has of a transition; in no difference, nothing. */
static struct kt_fsm_origin origin(const struct printer *p,
				   const struct kt_drawn_edge *edge, size_t i)
{
	return p->d->diff ? p->d->fsm->transition_origins[p->d->order[edge->first + i]]
			  : (struct kt_fsm_origin){0, 0};
}

/*
 * How often, behind a letter; not where nothing was counted. In a difference: in the old
 * machine and in the new one, if both have it.
 */
static void put_times(const struct printer *p, uint64_t count, enum kt_side side,
		      struct kt_fsm_origin in)
{
	if (!p->d->counted) {
		return;
	}
	if (p->d->diff && side == KT_SIDE_BOTH) {
		fprintf(p->out, " (%" PRIu64 " | %" PRIu64 ")", in.in_old, in.in_new);
	} else {
		fprintf(p->out, " (%" PRIu64 ")", count);
	}
}

/* The same in words. */
static void put_times_long(const struct printer *p, uint64_t count, struct kt_fsm_origin in)
{
	if (p->d->diff) {
		fprintf(p->out, "old %" PRIu64 ", new %" PRIu64, in.in_old, in.in_new);
	} else {
		kt_print_count(p->out, count, "time");
	}
}

/* In front of a letter: which side it is on. */
static void put_sign(const struct printer *p, enum kt_side side)
{
	fputs(p->d->diff ? kt_side_look(side)->sign : "", p->out);
}

/* --- edges --- */

static void put_choices_label(const struct printer *p, const struct kt_drawn_edge *edge)
{
	size_t shown = edge->n <= p->o->max_label ? edge->n : p->o->max_label;

	for (size_t i = 0; i < shown; i++) {
		fputs(i ? LINE : INDENT, p->out);
		put_sign(p, edge->side);
		put_run(p, KT_DOT_LABEL, letter(p, edge, i), 1);
		put_times(p, transition(p, edge, i)->count, edge->side, origin(p, edge, i));
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
			put_sign(p, edge->side);
			put_run(p, KT_DOT_LABEL, letter(p, edge, i), n);
			i += n;
		}
	} else if (p->o->max_label < RUNS_SHOWN) {
		fputs(INDENT, p->out);
		put_sign(p, edge->side);
		fprintf(p->out, "… %zu letters …", edge->n);
	} else {
		fputs(INDENT, p->out);
		put_sign(p, edge->side);
		put_run(p, KT_DOT_LABEL, letter(p, edge, 0), 1);
		fprintf(p->out, LINE "… %zu letters …" LINE, edge->n);
		put_sign(p, edge->side);
		put_run(p, KT_DOT_LABEL, letter(p, edge, edge->n - 1), 1);
	}
	put_times(p, edge->count, edge->side, edge->origin);
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

static void put_choices_tooltip(const struct printer *p, const struct kt_drawn_edge *edge)
{
	if (p->d->counted) {
		put_times_long(p, edge->count, edge->origin);
	}
	for (size_t i = 0; i < edge->n; i++) {
		fputs("\\n", p->out);
		put_run(p, KT_DOT_TOOLTIP, letter(p, edge, i), 1);
		if (p->d->counted && p->d->diff) {
			fputs(" (", p->out);
			put_times_long(p, 0, origin(p, edge, i));
			putc(')', p->out);
		} else {
			put_times(p, transition(p, edge, i)->count, edge->side,
				  edge->origin);
		}
	}
}

static void put_chain_tooltip(const struct printer *p, const struct kt_drawn_edge *edge)
{
	kt_print_count(p->out, edge->n, "letter");
	fputs(" in a row", p->out);
	if (p->d->counted) {
		fputs(", ", p->out);
		put_times_long(p, edge->count, edge->origin);
	}
	for (size_t i = 0; i < edge->n;) {
		size_t n = run_length(p, edge, i);

		fputs(i ? " " : "\\n", p->out);
		put_run(p, KT_DOT_TOOLTIP, letter(p, edge, i), n);
		i += n;
	}
}

static void put_edge_tooltip(const struct printer *p, const struct kt_drawn_edge *edge)
{
	fprintf(p->out, "%" PRIu32 " " ARROW " %" PRIu32 ": ", edge->from, edge->to);
	if (p->d->diff) {
		fprintf(p->out, "%s: ", kt_side_look(edge->side)->verb);
	}
	if (edge->chain) {
		put_chain_tooltip(p, edge);
	} else {
		put_choices_tooltip(p, edge);
	}
}

/* Temperature, or in a difference the side. */
static void put_edge_look(const struct printer *p, const struct kt_drawn_edge *edge)
{
	const struct kt_side_look *look = kt_side_look(edge->side);
	double t = kt_temperature(edge->count, p->d->max_edge);
	struct kt_colour stroke = kt_temperature_stroke(t);

	fprintf(p->out, ", penwidth=%.2f", p->d->diff ? look->pen : kt_temperature_pen(t));
	put_colour(p, "color", p->d->diff ? look->stroke : stroke);
	put_colour(p, "fontcolor", p->d->diff ? look->text : stroke);
	/* The way onwards is kept straight, then hot loops are kept close. */
	if (p->d->states[edge->from].opened || p->d->states[edge->to].opened) {
		fprintf(p->out, ", weight=%d", 1 + (int)(4 * t + 0.5));
	} else {
		fputs(", weight=6", p->out);
	}
	if (p->d->diff ? look->dashed : edge->chain) {
		fputs(", style=dashed", p->out);
	}
}

static void print_edge(const struct printer *p, const struct kt_drawn_edge *edge)
{
	fprintf(p->out,
		"\ts%" PRIu32 " -> s%" PRIu32 " [id=\"t%" PRIu32 "-%" PRIu32
		"\", class=\"%s%s%s%s\", label=\"",
		edge->from, edge->to, edge->from, edge->ordinal,
		edge->chain ? "chain" : "transition", edge->from == edge->to ? " loop" : "",
		p->d->diff ? " " : "", p->d->diff ? kt_side_name(edge->side) : "");
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
	putc('"', p->out);
	put_edge_look(p, edge);
	fputs("];\n", p->out);
}

/* --- states --- */

/* What a state is called in either machine of a difference. */
static void put_ids(const struct printer *p, uint32_t id)
{
	enum kt_side side = p->d->fsm->states[id].side;

	if (!p->d->diff) {
		return;
	}
	fprintf(p->out, ", %s (", kt_side_look(side)->verb);
	if (side != KT_SIDE_NEW) {
		fprintf(p->out, "old %" PRIu64, p->d->fsm->state_origins[id].in_old);
	}
	fputs(side == KT_SIDE_BOTH ? ", " : "", p->out);
	if (side != KT_SIDE_OLD) {
		fprintf(p->out, "new %" PRIu64, p->d->fsm->state_origins[id].in_new);
	}
	putc(')', p->out);
}

static void put_state_tooltip(const struct printer *p, uint32_t id)
{
	const struct kt_drawn_state *s = &p->d->states[id];
	const struct kt_fsm_state *state = &p->d->fsm->states[id];

	fprintf(p->out, "state %" PRIu32, id);
	put_ids(p, id);
	if (p->d->counted) {
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

/*
 * Temperature, or in a difference the side. A state that was removed is dashed, so there
 * one where words are cut off is dotted.
 */
static void put_state_look(const struct printer *p, uint32_t id)
{
	const struct kt_side_look *look = kt_side_look(p->d->fsm->states[id].side);
	double t = kt_temperature(p->d->fsm->states[id].visits, p->d->max_visits);
	unsigned marks = p->d->states[id].marks;
	bool diff = p->d->diff;

	fprintf(p->out, ", penwidth=%.2f", diff ? look->pen : kt_temperature_pen(t));
	put_colour(p, "color", diff ? look->stroke : kt_temperature_stroke(t));
	put_colour(p, "fillcolor", diff ? look->tint : kt_temperature_tint(t));
	if (diff) {
		put_colour(p, "fontcolor", look->text);
	}
	fputs(marks & KT_MARK_END ? ", peripheries=2" : "", p->out);
	if (diff && look->dashed) {
		fputs(", style=\"filled,dashed\"", p->out);
	} else if (marks & KT_MARK_CUT) {
		fprintf(p->out, ", style=\"filled,%s\"", diff ? "dotted" : "dashed");
	}
}

static void print_state(const struct printer *p, uint32_t id)
{
	unsigned marks = p->d->states[id].marks;

	fprintf(p->out, "\ts%" PRIu32 " [id=\"s%" PRIu32 "\", class=\"state%s%s%s%s%s%s\"",
		id, id, marks & KT_MARK_START ? " start" : "",
		marks & KT_MARK_END ? " end" : "", marks & KT_MARK_ENTRY ? " entry" : "",
		marks & KT_MARK_CUT ? " cut" : "", p->d->diff ? " " : "",
		p->d->diff ? kt_side_name(p->d->fsm->states[id].side) : "");
	fprintf(p->out, ", label=\"%" PRIu32 "\", tooltip=\"", id);
	put_state_tooltip(p, id);
	putc('"', p->out);
	put_state_look(p, id);
	fputs("];\n", p->out);
}

/* The arrow that leads into a state from nowhere, with what stands at its tail. */
static void print_marker(const struct printer *p, uint32_t id)
{
	const struct kt_drawn_state *s = &p->d->states[id];
	bool start = s->marks & KT_MARK_START;
	/* Whether words begin here; of the truth, and of two machines, that they do. */
	bool seen = s->begins || !p->d->counted || p->d->diff;
	char name[32] = "start";

	if (!start) {
		snprintf(name, sizeof(name), "entry-%" PRIu32, id);
	}
	fprintf(p->out, "\t\"%s\" [id=\"%s\", class=\"marker\", tooltip=\"%s", name, name,
		start ? "start" : "entry");
	if (p->d->counted && (s->begins || !p->d->diff)) {
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
