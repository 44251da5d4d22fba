/* SPDX-License-Identifier: MIT */
#include "viz/machine/print-dot.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "viz/machine/dot-printer.h"
#include "viz/drawing/dot-text.h"
#include "viz/drawing/meanings.h"
#include "viz/machine/print-legend.h"
#include "viz/drawing/diff-style.h"
#include "viz/drawing/temperature.h"

/* --- states --- */

static void put_state_tooltip(const struct kt_dot_printer *p, uint32_t id)
{
	const struct kt_drawn_state *s = &p->d->states[id];
	const struct kt_fsm_state *state = &p->d->fsm->states[id];

	fprintf(p->out, "state %" PRIu32, id);
	/* Write the state's ids in the two machines of a difference. */
	if (p->d->diff) {
		const struct kt_fsm_origin *origin = &p->d->fsm->state_origins[id];

		fprintf(p->out, ", %s (", kt_diff_style(state->presence)->verb);
		if (state->presence != KT_PRESENCE_NEW) {
			fprintf(p->out, "old %" PRIu64, origin->in_old);
		}
		fputs(state->presence == KT_PRESENCE_BOTH ? ", " : "", p->out);
		if (state->presence != KT_PRESENCE_OLD) {
			fprintf(p->out, "new %" PRIu64, origin->in_new);
		}
		putc(')', p->out);
	}
	if (state->label || state->phase) {
		fprintf(p->out, "\\n");
		kt_label_put_share(p->out, state->label_share);
		kt_dot_put(p->out, KT_DOT_TOOLTIP, state->label ? state->label : "");
		fputs(state->label && state->phase ? ", " : "", p->out);
		kt_dot_put(p->out, KT_DOT_TOOLTIP, state->phase ? state->phase : "");
	}
	if (p->d->counted) {
		fputs(state->label || state->phase ? "\\n" : ": ", p->out);
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

static void print_state(const struct kt_dot_printer *p, uint32_t id)
{
	const struct kt_fsm_state *state = &p->d->fsm->states[id];
	const struct kt_diff_style *style = kt_diff_style(state->presence);
	double t = kt_temperature(state->visits, p->d->max_visits);
	const char *box = state->label ? ",rounded" : "";
	unsigned marks = p->d->states[id].marks;
	bool diff = p->d->diff;

	fprintf(p->out, "\ts%" PRIu32 " [id=\"s%" PRIu32 "\", class=\"state%s%s%s%s%s%s\"",
		id, id, marks & KT_MARK_START ? " start" : "",
		marks & KT_MARK_END ? " end" : "", marks & KT_MARK_ENTRY ? " entry" : "",
		marks & KT_MARK_CUT ? " cut" : "", diff ? " " : "",
		diff ? kt_presence_name(state->presence) : "");
	fprintf(p->out, ", label=\"%" PRIu32, id);
	if (state->label) {
		kt_label_put_lines(p->out, state->label, state->label_share);
	}
	fputs("\", tooltip=\"", p->out);
	put_state_tooltip(p, id);
	putc('"', p->out);
	if (state->label) {
		fputs(", shape=box, fontsize=10, margin=\"0.07,0.03\"", p->out);
	}
	/* The line width and colour show the temperature, or in a difference the origin. */
	fprintf(p->out, ", penwidth=%.2f", diff ? style->pen : kt_temperature_pen(t));
	kt_dot_put_colour(p, "color", diff ? style->stroke : kt_temperature_stroke(t));
	kt_dot_put_colour(p, "fillcolor",
			  diff           ? style->tint
			  : state->phase ? kt_phase_tint(state->phase)
					 : kt_temperature_tint(t));
	if (diff) {
		kt_dot_put_colour(p, "fontcolor", style->text);
	}
	fputs(marks & KT_MARK_END ? ", peripheries=2" : "", p->out);
	/*
	 * A state in which words are truncated is dashed. In a difference, dashed means
	 * removed, so a state that was not removed is dotted if words are truncated in it.
	 */
	if (diff && style->dashed) {
		fprintf(p->out, ", style=\"filled,dashed%s\"", box);
	} else if (marks & KT_MARK_CUT) {
		fprintf(p->out, ", style=\"filled,%s%s\"", diff ? "dotted" : "dashed", box);
	} else if (state->label) {
		fputs(", style=\"filled,rounded\"", p->out);
	}
	fputs("];\n", p->out);
}

/* Writes an arrow that leads into a state from outside, with a text at its tail. */
static void print_marker(const struct kt_dot_printer *p, uint32_t id)
{
	const struct kt_drawn_state *s = &p->d->states[id];
	bool start = s->marks & KT_MARK_START;
	/*
	 * Whether words begin in this state. This is unknown in a difference and without
	 * counts, and is then assumed.
	 */
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

/* --- the drawing --- */

int kt_print_dot(FILE *out, const struct kt_drawing *drawing,
		 const struct kt_dot_options *options)
{
	const struct kt_dot_printer p = {out, drawing, options};
	uint32_t *states = NULL;
	int code = kt_arrange_states(&states, drawing);

	if (!code) {
		fprintf(out,
			"digraph ktail {\n\tgraph [id=\"fsm\", class=\"fsm\", "
			"bgcolor=white, rankdir=%s, "
			"nodesep=%s, ranksep=%s,\n\t\t",
			options->rankdir, options->list ? "0.1" : "0.35",
			options->list ? "0.4" : "0.5");
		if (options->page > 0) {
			/* Graphviz reduces, but never enlarges, to a size in inches. */
			fprintf(out, "size=\"%.4f,1000\", ", options->page / 72);
		}
		fprintf(out, "labelloc=%s, labeljust=l, fontsize=12, ",
			options->heading == KT_HEADING_BELOW ? "b" : "t");
		kt_dot_put_font(out, options->font);
		if (options->heading != KT_HEADING_NONE) {
			fputs(",\n\t\tlabel=", out);
			code = kt_print_legend(out, drawing, options);
		}
		fprintf(out,
			"];\n\tnode [shape=circle, style=filled, fillcolor=white, "
			"color=\"#20242b\", fontcolor=\"#20242b\",\n\t\tfontsize=%s, "
			"width=%s, margin=\"%s,0.03\", ",
			options->list ? "10" : "12", options->list ? "0.36" : "0.45",
			options->list ? "0.01" : "0.04");
		kt_dot_put_font(out, options->font);
		fputs("];\n\tedge [fontsize=10, arrowsize=0.7, color=\"#20242b\", "
		      "fontcolor=\"#20242b\",\n\t\t",
		      out);
		kt_dot_put_font(out, options->font);
		fputs("];\n", out);
	}
	for (size_t i = 0; i < drawing->n_drawn && !code; i++) {
		if (drawing->states[states[i]].marks & (KT_MARK_START | KT_MARK_ENTRY)) {
			print_marker(&p, states[i]);
		}
		print_state(&p, states[i]);
	}
	free(states);
	for (size_t i = 0; i < drawing->n_edges; i++) {
		if (!drawing->edges[i].folded && !drawing->edges[i].rare) {
			kt_dot_print_edge(&p, &drawing->edges[i]);
		}
	}
	if (!code) {
		code = kt_dot_print_loops(&p);
	}
	if (!code && options->list) {
		code = kt_dot_print_letters(&p);
	}
	fputs("}\n", out);
	if (!code && ferror(out)) {
		code = kt_error_errno(KT_E_IO, "write drawing as DOT");
	}
	return code;
}
