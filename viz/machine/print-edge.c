/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "viz/machine/dot-printer.h"
#include "viz/drawing/dot-text.h"
#include "viz/drawing/keys.h"
#include "viz/drawing/meanings.h"
#include "viz/machine/print-legend.h"
#include "viz/drawing/diff-style.h"

#define LETTER_LIMIT 40 /* characters shown of a letter in a label; a tooltip shows all */
#define RUNS_SHOWN   3  /* a chain with at most this many runs is written in full */

#define ARROW "→"
#define TIMES "×"

/* Lines of a label are indented to keep them off the edge. */
#define INDENT "  "
#define LINE   "\\l" INDENT

static const struct kt_fsm_transition *
transition(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge, size_t i)
{
	return &p->d->fsm->transitions[p->d->order[edge->first + i]];
}

/* Returns the displayed name of the edge's i-th letter. */
static const char *name(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge,
			size_t i)
{
	return kt_fsm_letter_name(p->d->fsm, transition(p, edge, i)->letter);
}

static bool has_name(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge,
		     size_t i)
{
	uint32_t letter = transition(p, edge, i)->letter;

	return name(p, edge, i) != p->d->fsm->letters[letter];
}

/*
 * Returns where a label breaks the name of a letter into two lines: at the first blank,
 * which follows the name of a request. NULL if the letter has no name or the name has no
 * blank.
 */
static const char *break_of(const struct kt_dot_printer *p,
			    const struct kt_drawn_edge *edge, size_t i)
{
	return has_name(p, edge, i) ? strchr(name(p, edge, i), ' ') : NULL;
}

size_t kt_dot_run_length(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge,
			 size_t i)
{
	size_t n = 1;

	while (i + n < edge->n &&
	       transition(p, edge, i + n)->letter == transition(p, edge, i)->letter) {
		n++;
	}
	return n;
}

/*
 * Writes the i-th letter, followed by "×n" if n > 1. In a label, a name that contains a
 * blank is broken into two lines.
 */
static void put_run(const struct kt_dot_printer *p, enum kt_dot_context context,
		    const struct kt_drawn_edge *edge, size_t i, size_t n)
{
	const char *text = name(p, edge, i);
	const char *rest = context == KT_DOT_LABEL ? break_of(p, edge, i) : NULL;

	if (rest) {
		char first[4 * LETTER_LIMIT];

		snprintf(first, sizeof(first), "%.*s", (int)(rest - text), text);
		kt_dot_put_some(p->out, context, first, LETTER_LIMIT);
		fputs(LINE INDENT, p->out);
		text = rest + 1;
	}
	kt_dot_put_some(p->out, context, text,
			context == KT_DOT_TOOLTIP ? SIZE_MAX : LETTER_LIMIT);
	if (n > 1) {
		fprintf(p->out, TIMES "%zu", n);
	}
}

/*
 * If the edge's label shows a name instead of a letter, writes the attribute `letter` with
 * all letters of the edge, so that programs can read them.
 */
static void put_letters(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	const struct kt_fsm *fsm = p->d->fsm;
	bool named = false;

	for (size_t i = 0; fsm->names && i < edge->n; i++) {
		named = named || fsm->names[transition(p, edge, i)->letter];
	}
	for (size_t i = 0; named && i < edge->n; i++) {
		fputs(i ? "\\n" : ", letter=\"", p->out);
		/*
		 * Write no entities: Graphviz does not decode them in an attribute that it
		 * does not draw.
		 */
		for (const char *c = fsm->letters[transition(p, edge, i)->letter]; *c;
		     c++) {
			fputs(*c == '"' || *c == '\\' ? "\\" : "", p->out);
			putc(*c, p->out);
		}
	}
	fputs(named ? "\"" : "", p->out);
}

/*
 * Returns the counts of the edge's i-th transition in both machines of a difference,
 * otherwise zeros.
 */
static struct kt_fsm_origin origin(const struct kt_dot_printer *p,
				   const struct kt_drawn_edge *edge, size_t i)
{
	return p->d->diff ? p->d->fsm->transition_origins[p->d->order[edge->first + i]]
			  : (struct kt_fsm_origin){0, 0};
}

/*
 * Writes the count of a letter if counts were measured. In a difference, writes the counts
 * of both machines if both have the transition.
 */
static void put_times(const struct kt_dot_printer *p, uint64_t count,
		      enum kt_presence presence, struct kt_fsm_origin in)
{
	if (!p->d->counted) {
		return;
	}
	if (p->d->diff && presence == KT_PRESENCE_BOTH) {
		fprintf(p->out, " (%" PRIu64 " | %" PRIu64 ")", in.in_old, in.in_new);
	} else {
		fprintf(p->out, " (%" PRIu64 ")", count);
	}
}

/* Writes counts in words: "3 times", or in a difference, "old 3, new 4". */
static void put_times_long(const struct kt_dot_printer *p, uint64_t count,
			   struct kt_fsm_origin in)
{
	if (p->d->diff) {
		fprintf(p->out, "old %" PRIu64 ", new %" PRIu64, in.in_old, in.in_new);
	} else {
		kt_print_count(p->out, count, "time");
	}
}

/* In a difference, writes the sign of the letter's origin. */
static void put_sign(const struct kt_dot_printer *p, enum kt_presence presence)
{
	fputs(p->d->diff ? kt_diff_style(presence)->sign : "", p->out);
}

/* Writes ": LABEL" if the transition has a label. */
static void put_meaning(const struct kt_dot_printer *p, enum kt_dot_context where,
			const struct kt_drawn_edge *edge, size_t i)
{
	const char *label = transition(p, edge, i)->label;
	bool in_label = where == KT_DOT_LABEL;

	if (label) {
		fputs(in_label && has_name(p, edge, i) ? ":" LINE INDENT : ": ", p->out);
		kt_label_put_share(p->out, transition(p, edge, i)->label_share);
		kt_dot_put_some(p->out, where, label, in_label ? LETTER_LIMIT : SIZE_MAX);
	}
}

/*
 * Writes how many requests the transition hands to the GPU, and of how many requests it
 * observes the completion.
 */
static void put_points(const struct kt_dot_printer *p, const struct kt_fsm_transition *t)
{
	if (t->initiates) {
		fprintf(p->out, " " KT_INITIATION "%" PRIu64, t->initiates);
	}
	if (t->notices) {
		fprintf(p->out, " " KT_COMPLETION "%" PRIu64, t->notices);
	}
}

/* Like put_points(), for all transitions of an edge together. */
static void put_all_points(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	struct kt_fsm_transition all = {0};

	for (size_t i = 0; i < edge->n; i++) {
		all.initiates += transition(p, edge, i)->initiates;
		all.notices += transition(p, edge, i)->notices;
	}
	put_points(p, &all);
}

static void put_chain_label(const struct kt_dot_printer *p,
			    const struct kt_drawn_edge *edge)
{
	size_t runs = 0;

	for (size_t i = 0; i < edge->n && runs <= RUNS_SHOWN;
	     i += kt_dot_run_length(p, edge, i)) {
		runs++;
	}
	if (runs <= RUNS_SHOWN && runs <= p->o->max_label) {
		for (size_t i = 0; i < edge->n;) {
			size_t n = kt_dot_run_length(p, edge, i);

			fputs(i ? " " ARROW LINE : INDENT, p->out);
			put_sign(p, edge->presence);
			put_run(p, KT_DOT_LABEL, edge, i, n);
			put_meaning(p, KT_DOT_LABEL, edge, i);
			i += n;
		}
	} else if (p->o->max_label < RUNS_SHOWN) {
		fputs(INDENT, p->out);
		put_sign(p, edge->presence);
		fprintf(p->out, "… %zu letters …", edge->n);
	} else {
		fputs(INDENT, p->out);
		put_sign(p, edge->presence);
		put_run(p, KT_DOT_LABEL, edge, 0, 1);
		put_meaning(p, KT_DOT_LABEL, edge, 0);
		fprintf(p->out, LINE "… %zu more …" LINE, edge->n - 2);
		put_sign(p, edge->presence);
		put_run(p, KT_DOT_LABEL, edge, edge->n - 1, 1);
		put_meaning(p, KT_DOT_LABEL, edge, edge->n - 1);
	}
	put_times(p, edge->count, edge->presence, edge->origin);
	put_all_points(p, edge);
}

static void put_alternatives(const struct kt_dot_printer *p,
			     const struct kt_drawn_edge *edge)
{
	size_t shown = edge->n <= p->o->max_label ? edge->n : p->o->max_label;

	for (size_t i = 0; i < shown; i++) {
		fputs(i ? LINE : INDENT, p->out);
		put_sign(p, edge->presence);
		put_run(p, KT_DOT_LABEL, edge, i, 1);
		put_meaning(p, KT_DOT_LABEL, edge, i);
		put_times(p, transition(p, edge, i)->count, edge->presence,
			  origin(p, edge, i));
		put_points(p, transition(p, edge, i));
	}
	if (shown < edge->n) {
		fprintf(p->out, LINE "+%zu more", edge->n - shown);
	}
}

void kt_dot_put_key(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	char key[KT_KEY_SIZE];

	fputs(kt_key(key, edge->key), p->out);
}

void kt_dot_put_summary(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	if (p->o->list) {
		kt_dot_put_key(p, edge);
		return;
	}
	for (size_t i = 0, shown = 0, n; i < edge->n; i += n, shown++) {
		n = edge->chain ? kt_dot_run_length(p, edge, i) : 1;
		if (shown + 1 == RUNS_SHOWN && i + n < edge->n) {
			/*
			 * The last letter of a chain is written next, so it is not counted
			 * here.
			 */
			n = edge->n - i - edge->chain;
			fprintf(p->out, " … %zu more%s", n, edge->chain ? " …" : "");
			continue;
		}
		fputs(!i                    ? ""
		      : shown == RUNS_SHOWN ? " "
		      : edge->chain         ? " " ARROW " "
					    : ", ",
		      p->out);
		put_run(p, KT_DOT_HTML, edge, i, n);
	}
	put_all_points(p, edge);
}

void kt_dot_put_edge_tooltip(const struct kt_dot_printer *p, enum kt_dot_context context,
			     const struct kt_drawn_edge *edge)
{
	/* The tooltip of a cell has another context, but shows all letters, too. */
	const char *line = context == KT_DOT_HTML ? "&#10;" : "\\n";
	const char *before = "";

	fprintf(p->out, "%" PRIu32 " " ARROW " %" PRIu32 ": ", edge->from, edge->to);
	if (p->d->diff) {
		fprintf(p->out, "%s: ", kt_diff_style(edge->presence)->verb);
	}
	if (edge->chain) {
		kt_print_count(p->out, edge->n, "letter");
		fputs(p->d->counted ? " in a row, " : " in a row", p->out);
	}
	if (p->d->counted) {
		put_times_long(p, edge->count, edge->origin);
	}
	if (!edge->chain) {
		for (size_t i = 0; i < edge->n; i++) {
			fputs(line, p->out);
			put_run(p, context, edge, i, 1);
			if (p->d->counted && p->d->diff) {
				fputs(" (", p->out);
				put_times_long(p, 0, origin(p, edge, i));
				putc(')', p->out);
			} else {
				put_times(p, transition(p, edge, i)->count, edge->presence,
					  edge->origin);
			}
			put_meaning(p, context, edge, i);
		}
		return;
	}
	for (size_t i = 0, n; i < edge->n; i += n) {
		n = kt_dot_run_length(p, edge, i);
		/* Separate names by commas, since a name may contain blanks. */
		fputs(!i ? line : p->d->fsm->names ? ", " : " ", p->out);
		put_run(p, context, edge, i, n);
	}
	/*
	 * List the chain's labels in order, without consecutive repetitions, each on its
	 * own line.
	 */
	for (size_t i = 0; i < edge->n; i++) {
		const char *label = transition(p, edge, i)->label;

		if (label && strcmp(label, before) != 0) {
			fputs(line, p->out);
			kt_dot_put(p->out, context, label);
			before = label;
		}
	}
}

void kt_dot_print_edge(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	const struct kt_diff_style *style = kt_diff_style(edge->presence);
	double t = kt_temperature(edge->count, p->d->max_edge);
	struct kt_colour stroke = kt_temperature_stroke(t);
	bool loop = edge->from == edge->to;

	fprintf(p->out,
		"\ts%" PRIu32 " -> s%" PRIu32 " [id=\"t%" PRIu32 "-%" PRIu32
		"\", class=\"%s%s%s%s\", label=\"",
		edge->from, edge->to, edge->from, edge->ordinal,
		edge->chain ? "chain" : "transition", loop ? " loop" : "",
		p->d->diff ? " " : "", p->d->diff ? kt_presence_name(edge->presence) : "");
	if (p->o->list) {
		fputs(INDENT, p->out);
		put_sign(p, edge->presence);
		kt_dot_put_key(p, edge);
	} else if (edge->chain) {
		put_chain_label(p, edge);
	} else {
		put_alternatives(p, edge);
	}
	fputs("\\l", p->out);
	fputs("\", edgetooltip=\"", p->out);
	kt_dot_put_edge_tooltip(p, KT_DOT_TOOLTIP, edge);
	fputs("\", labeltooltip=\"", p->out);
	kt_dot_put_edge_tooltip(p, KT_DOT_TOOLTIP, edge);
	/* The line width and colour show the temperature, or in a difference the origin. */
	fprintf(p->out, "\", penwidth=%.2f",
		p->d->diff ? style->pen : kt_temperature_pen(t));
	kt_dot_put_colour(p, "color", p->d->diff ? style->stroke : stroke);
	kt_dot_put_colour(p, "fontcolor",
			  p->d->diff ? style->text : kt_temperature_text(t));
	/*
	 * A high weight keeps the main path straight. Edges at the middle state of a loop
	 * (`opened`) get a lower weight, which grows with the edge's count so that frequent
	 * loops stay close to the path.
	 */
	if (p->d->states[edge->from].opened || p->d->states[edge->to].opened) {
		fprintf(p->out, ", weight=%d", 1 + (int)(4 * t + 0.5));
	} else {
		fputs(", weight=6", p->out);
	}
	if (p->d->diff ? style->dashed : edge->chain) {
		fputs(", style=dashed", p->out);
	}
	put_letters(p, edge);
	fputs("];\n", p->out);
}
