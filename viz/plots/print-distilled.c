/* SPDX-License-Identifier: MIT */
#include "viz/plots/print-distilled.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "viz/plots/arrange-distilled.h"
#include "viz/drawing/dot-text.h"
#include "viz/drawing/temperature.h"

#define LISTED   6  /* the maximum number of lines of a list in a label */
#define LETTERS  3  /* the maximum number of letters in the label of an edge */
#define TEXT_MAX 60 /* the maximum number of characters of a text in a label */

/* A column that is being printed. */
struct column {
	FILE *out;                            /* Weak */
	const struct kt_drawn_column *states; /* Weak */
	const char *name;                     /* Weak: prefix of ids */
	size_t n_machines;                    /* number of merged machines */
	bool calls;                           /* the user's column: nodes have calls */
	uint64_t busiest;                     /* highest number of visits of a state */
	uint64_t most;                        /* highest count of a printed arrow */
};

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_colour(FILE *out, const char *name, struct kt_colour c)
{
	fprintf(out, ", %s=\"#%02x%02x%02x\"", name, c.red, c.green, c.blue);
}

/*
 * Writes at most `limit` texts of a list, each with its count and followed by `end`; then
 * how many others there are. `none` stands for a missing text.
 */
static void put_lines(FILE *out, enum kt_dot_context context,
		      const struct kt_distilled_lines *lines, size_t limit,
		      const char *none, const char *end)
{
	size_t n = lines->n < limit ? lines->n : limit;
	uint64_t more = lines->n - n + lines->more;

	for (size_t i = 0; i < n; i++) {
		const char *text = lines->items[i].text;

		kt_dot_put_some(out, context, text ? text : none, TEXT_MAX);
		fprintf(out, " %" PRIu64 "%s", lines->items[i].count, end);
	}
	if (more) {
		fprintf(out, "and %" PRIu64 " more%s", more, end);
	}
}

static void print_state(const struct column *c, size_t i)
{
	const struct kt_distilled_box *box = &c->states->states[i];

	fprintf(c->out, "\t\t\"%s-%zu\" [id=\"%s-%zu\", class=\"state%s\", label=\"",
		c->name, i, c->name, i, box->paper ? "" : " new");
	kt_dot_put_some(c->out, KT_DOT_LABEL, box->name, TEXT_MAX);
	fprintf(c->out, ": %" PRIu64 " visit%s", box->visits, plural(box->visits));
	if (kt_distilled_is_partial(box->in, c->n_machines)) {
		fprintf(c->out, ", in %u of %zu", kt_distilled_count_in(box->in),
			c->n_machines);
	}
	fputs("\\l", c->out);
	if (!c->calls) {
		fputs(box->during.n ? "during\\l" : "", c->out);
		put_lines(c->out, KT_DOT_LABEL, &box->during, LISTED, "?", "\\l");
	} else {
		put_lines(c->out, KT_DOT_LABEL, &box->system, LISTED, "no label", "\\l");
		fputs(box->user.n ? "in\\l" : "", c->out);
		put_lines(c->out, KT_DOT_LABEL, &box->user, LISTED, "outside of calls",
			  "\\l");
	}
	fputs("\", tooltip=\"", c->out);
	put_lines(c->out, KT_DOT_TOOLTIP, &box->letters, SIZE_MAX, "?", "\\n");
	fprintf(c->out, "\", style=\"filled%s\"", box->paper ? "" : ",dashed");
	put_colour(c->out, "fillcolor",
		   kt_temperature_tint(kt_temperature(box->visits, c->busiest)));
	fputs("];\n", c->out);
}

static void print_arrow(const struct column *c, const struct kt_distilled_arrow *a)
{
	double temperature = kt_temperature(a->count, c->most);

	fprintf(c->out,
		"\t\t\"%s-%" PRIu32 "\" -> \"%s-%" PRIu32 "\" [id=\"%s-%" PRIu32 "-%" PRIu32
		"\", class=\"transition\", label=\"%" PRIu64,
		c->name, a->from, c->name, a->to, c->name, a->from, a->to, a->count);
	/* In the user's column, the label of a state says which letters lead to it. */
	if (!c->calls && a->letters.n) {
		fputs("\\l", c->out);
		put_lines(c->out, KT_DOT_LABEL, &a->letters, LETTERS, "?", "\\l");
	}
	fprintf(c->out, "\", tooltip=\"%" PRIu64, a->count);
	fputs(a->letters.n ? ": " : "", c->out);
	put_lines(c->out, KT_DOT_TOOLTIP, &a->letters, SIZE_MAX, "?", "\\n");
	fprintf(c->out, "\", penwidth=%.2f", kt_temperature_pen(temperature));
	put_colour(c->out, "color", kt_temperature_stroke(temperature));
	fputs(kt_distilled_is_partial(a->in, c->n_machines) ? ", style=dashed" : "",
	      c->out);
	fputs("];\n", c->out);
}

static int print_column(struct column *c, const char *label, uint64_t all)
{
	const struct kt_drawn_column *states = c->states;
	const double heights[KT_DISTILLED_STATES] = {0};
	struct kt_arrangement at;

	KT_TRY(kt_arrange_distilled(&at, states, all, heights, 0));
	fprintf(c->out,
		"\tsubgraph \"cluster_%s\" {\n\t\tid=\"%s\"; label=\"%s\"; fontsize=14; "
		"color=\"#c9ced4\";\n",
		c->name, c->name, label);
	for (size_t i = 0; i < states->n_states; i++) {
		uint64_t visits = states->states[i].visits;

		c->busiest = visits > c->busiest ? visits : c->busiest;
	}
	for (size_t i = 0; i < states->n_states; i++) {
		print_state(c, i);
	}
	for (size_t i = 0; i < states->n_arrows; i++) {
		uint64_t count = states->arrows[i].count;

		c->most = count > c->most ? count : c->most;
	}
	/* Both lists are sorted in the same way; the second list has no loops. */
	for (size_t i = 0, next = 0; i < states->n_arrows; i++) {
		const struct kt_distilled_arrow *a = &states->arrows[i];
		bool chosen = next < at.n_arrows && at.arrows[next].arrow == a;

		next += chosen;
		if (chosen || a->from == a->to) {
			print_arrow(c, a);
		}
	}
	if (at.left_out) {
		fprintf(c->out,
			"\t\t// %zu arrow%s left out: rarely taken, %" PRIu64
			" time%s in total\n",
			at.left_out, plural(at.left_out), at.left_out_counts,
			plural(at.left_out_counts));
	}
	fputs("\t}\n", c->out);
	kt_arrangement_clear(&at);
	return KT_OK;
}

int kt_print_distilled(FILE *out, const struct kt_distilled_view *view,
		       const struct kt_dot_options *options)
{
	struct column system = {.out = out,
				.states = &view->system,
				.name = "system",
				.n_machines = view->n_machines};
	struct column user = {.out = out,
			      .states = &view->user,
			      .name = "user",
			      .n_machines = view->n_machines,
			      .calls = true};
	const uint64_t all = view->letters + view->ended;

	fputs("digraph ktail {\n\tgraph [id=\"distilled\", rankdir=TB, labelloc=t, "
	      "labeljust=l, fontsize=16, ",
	      out);
	if (options->page > 0) {
		fprintf(out, "size=\"%.4f,1000\", ", options->page / 72);
	}
	kt_dot_put_font(out, options->font);
	fputs(",\n\t\tlabel=\"", out);
	kt_dot_put(out, KT_DOT_LABEL,
		   options->title     ? options->title
		   : view->n_machines ? "The distilled machines, merged"
				      : "The machine, distilled");
	fprintf(out,
		"\\l%" PRIu64 " letter%s of %" PRIu64 " word%s\\l\"];\n"
		"\tnode [shape=box, fontsize=11, ",
		view->letters, plural(view->letters), view->words, plural(view->words));
	kt_dot_put_font(out, options->font);
	fputs("];\n\tedge [fontsize=9, ", out);
	kt_dot_put_font(out, options->font);
	fputs("];\n", out);
	if (view->system.n_states) {
		KT_TRY(print_column(&system, "System interface: the lifetime of a buffer",
				    all));
	}
	KT_TRY(print_column(&user, "User interface: what the driver does", all));
	fputs("}\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write distilled machine as DOT")
			   : KT_OK;
}
