/* SPDX-License-Identifier: MIT */
/* Lists in a drawing: of the loops at a state, and of the letters of all edges. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "viz/machine/dot-printer.h"
#include "viz/drawing/diff-style.h"
#include "viz/drawing/flow-text.h"
#include "viz/drawing/meanings.h"
#include "viz/drawing/temperature.h"

#define GREY       "#5f6670"
#define KEY_WIDTH  130 /* the columns before the letters, in points */
#define LIST_WIDTH 700 /* of the list of letters, if there is no page, in points */

#define TABLE                                                                              \
	"label=<<TABLE BORDER=\"%d\" COLOR=\"" GREY "\" CELLBORDER=\"0\" "                 \
	"CELLSPACING=\"0\" CELLPADDING=\"2\">"

static void put_colour(FILE *out, struct kt_colour c)
{
	fprintf(out, "#%02x%02x%02x", c.red, c.green, c.blue);
}

/* Begins a cell whose text has the colour of the edge's count. */
static void begin_cell(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	fprintf(p->out,
		"<TD ALIGN=\"LEFT\" BALIGN=\"LEFT\" ID=\"t%" PRIu32 "-%" PRIu32
		"\" TITLE=\"",
		edge->from, edge->ordinal);
	kt_dot_put_edge_tooltip(p, KT_DOT_HTML, edge);
	fputs("\" HREF=\"\"><FONT COLOR=\"", p->out);
	put_colour(p->out,
		   kt_temperature_text(kt_temperature(edge->count, p->d->max_edge)));
	fputs("\">", p->out);
}

static void end_cell(const struct kt_dot_printer *p)
{
	fputs("</FONT></TD>", p->out);
}

/* --- loops --- */

/* Returns the edge from the folded state back to its hub. */
static const struct kt_drawn_edge *back_of(const struct kt_drawing *d, uint32_t state)
{
	size_t low = 0;
	size_t high = d->n_edges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->edges[middle].from < state) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	while (d->edges[low].rare) {
		low++;
	}
	return &d->edges[low];
}

static void print_row(const struct kt_dot_printer *p, const struct kt_drawn_edge *there)
{
	const struct kt_fsm_state *state = &p->d->fsm->states[there->to];
	const struct kt_drawn_edge *back = back_of(p->d, there->to);

	fprintf(p->out,
		"<TR><TD ALIGN=\"RIGHT\" ID=\"s%" PRIu32
		"\" HREF=\"\" TITLE=\"state %" PRIu32,
		there->to, there->to);
	if (state->label) {
		fputs(": ", p->out);
		kt_dot_put(p->out, KT_DOT_HTML, state->label);
	}
	fprintf(p->out, "\">%" PRIu32 "</TD>", there->to);
	begin_cell(p, there);
	kt_dot_put_summary(p, there);
	end_cell(p);
	if (p->o->list) {
		begin_cell(p, back);
		kt_dot_put_summary(p, back);
		end_cell(p);
	}
	fputs("<TD ALIGN=\"LEFT\">", p->out);
	if (p->d->counted) {
		fprintf(p->out, "(%" PRIu64 ")",
			there->count > back->count ? there->count : back->count);
	}
	fputs("</TD></TR>", p->out);
	if (!p->o->list) {
		/*
		 * Without the list of letters, the edge back to the hub needs a row for its
		 * letters.
		 */
		fputs("<TR><TD></TD>", p->out);
		begin_cell(p, back);
		kt_dot_put_summary(p, back);
		end_cell(p);
		fputs("<TD></TD></TR>", p->out);
	}
}

static int compare_loops(const void *a, const void *b)
{
	const struct kt_drawn_edge *const *x = a;
	const struct kt_drawn_edge *const *y = b;

	if ((*x)->count != (*y)->count) {
		return (*x)->count > (*y)->count ? -1 : 1;
	}
	return (*x)->to < (*y)->to ? -1 : (*x)->to > (*y)->to;
}

/* Prints the list of the n loops, which begin at the same state. */
static void print_list(const struct kt_dot_printer *p, const struct kt_drawn_edge **loops,
		       size_t n)
{
	uint32_t hub = loops[0]->from;

	qsort(loops, n, sizeof(const struct kt_drawn_edge *), compare_loops);
	fprintf(p->out,
		"\t\"loops-%" PRIu32 "\" [id=\"loops-%" PRIu32
		"\", class=\"loops\", shape=plaintext, style=\"\", fontsize=10, margin=0, "
		"tooltip=\"loops\", ",
		hub, hub);
	fprintf(p->out,
		TABLE "<TR><TD COLSPAN=\"4\" ALIGN=\"LEFT\"><FONT COLOR=\"" GREY
		      "\">%" PRIu32 " → … → %" PRIu32 ": %zu loops</FONT></TD></TR>",
		1, hub, hub, n);
	for (size_t i = 0; i < n; i++) {
		print_row(p, loops[i]);
	}
	fputs("</TABLE>>];\n", p->out);
	fprintf(p->out,
		"\ts%" PRIu32 " -> \"loops-%" PRIu32 "\" [id=\"loops-%" PRIu32
		"-arrow\", class=\"loops\", dir=both, edgetooltip=\"loops\"",
		hub, hub, hub);
	fprintf(p->out, ", penwidth=%.2f",
		kt_temperature_pen(kt_temperature(loops[0]->count, p->d->max_edge)));
	kt_dot_put_colour(
		p, "color",
		kt_temperature_stroke(kt_temperature(loops[0]->count, p->d->max_edge)));
	fputs("];\n", p->out);
}

int kt_dot_print_loops(const struct kt_dot_printer *p)
{
	const struct kt_drawn_edge **loops = calloc(p->d->n_edges + 1, sizeof(*loops));

	if (!loops) {
		return kt_no_memory("make drawing");
	}
	/* The edges are sorted by the state that they leave. */
	for (size_t i = 0, n = 0; i < p->d->n_edges; i++) {
		const struct kt_drawn_edge *edge = &p->d->edges[i];

		if (edge->folded && !edge->rare && p->d->states[edge->to].folded) {
			loops[n++] = edge;
		}
		if (n && (i + 1 == p->d->n_edges || edge[1].from != edge->from)) {
			print_list(p, loops, n);
			n = 0;
		}
	}
	free(loops);
	return KT_OK;
}

/* --- letters --- */

static const struct kt_fsm_transition *
transition(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge, size_t i)
{
	return &p->d->fsm->transitions[p->d->order[edge->first + i]];
}

/*
 * Writes all letters of an edge: those of a chain in order, several alternatives with their
 * counts.
 */
static void put_letters(FILE *out, const struct kt_dot_printer *p,
			const struct kt_drawn_edge *edge)
{
	for (size_t i = 0, n; i < edge->n; i += n) {
		const struct kt_fsm_transition *t = transition(p, edge, i);

		n = edge->chain ? kt_dot_run_length(p, edge, i) : 1;
		fputs(!i ? "" : edge->chain && !p->d->fsm->names ? " " : ", ", out);
		fputs(kt_fsm_letter_name(p->d->fsm, t->letter), out);
		if (n > 1) {
			fprintf(out, "×%zu", n);
		}
		if (!edge->chain && edge->n > 1 && p->d->counted) {
			fprintf(out, " (%" PRIu64 ")", t->count);
		}
		if (t->label && !edge->chain) {
			fprintf(out, ": %s", t->label);
		}
		if (t->initiates) {
			fprintf(out, " " KT_INITIATION "%" PRIu64, t->initiates);
		}
		if (t->notices) {
			fprintf(out, " " KT_COMPLETION "%" PRIu64, t->notices);
		}
	}
}

static int print_letters(const struct kt_dot_printer *p, const struct kt_drawn_edge *edge)
{
	double width = (p->o->text_width > 0 ? p->o->text_width : LIST_WIDTH) - KEY_WIDTH;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int code;

	if (!stream) {
		return kt_no_memory("make drawing");
	}
	put_letters(stream, p, edge);
	if (fclose(stream) != 0 || !text) {
		free(text);
		return kt_no_memory("make drawing");
	}
	fputs("<TR><TD ALIGN=\"LEFT\" VALIGN=\"TOP\"><B>", p->out);
	fputs(p->d->diff ? kt_diff_style(edge->presence)->sign : "", p->out);
	kt_dot_put_key(p, edge);
	fprintf(p->out,
		"</B></TD><TD ALIGN=\"LEFT\" VALIGN=\"TOP\">%" PRIu32 " → %" PRIu32
		"</TD><TD ALIGN=\"RIGHT\" VALIGN=\"TOP\">",
		edge->from, edge->to);
	if (p->d->counted) {
		fprintf(p->out, "%" PRIu64 "×", edge->count);
	}
	fputs("</TD><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">", p->out);
	code = kt_flow_text(p->out, text, " ", KT_DOT_SMALLEST, width,
			    "<BR ALIGN=\"LEFT\"/>");
	fputs("</TD></TR>", p->out);
	free(text);
	return code;
}

int kt_dot_print_letters(const struct kt_dot_printer *p)
{
	int code = KT_OK;

	fputs("\t\"" KT_DOT_LETTERS
	      "\" [id=\"letters\", class=\"letters\", shape=plaintext, "
	      "style=\"\", fontsize=10, margin=0, tooltip=\"letters\", ",
	      p->out);
	fprintf(p->out, TABLE, 0);
	/* This is the order of the keys: see kt_drawing_number(). */
	for (int changed = 1; changed >= 0; changed--) {
		for (size_t i = 0; i < p->d->n_edges && !code; i++) {
			const struct kt_drawn_edge *edge = &p->d->edges[i];

			if (!edge->rare && kt_edge_is_changed(edge) == changed) {
				code = print_letters(p, edge);
			}
		}
	}
	fputs("</TABLE>>];\n", p->out);
	return code;
}
