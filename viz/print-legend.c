/* SPDX-License-Identifier: MIT */
#include "viz/print-legend.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <ktail/status.h>

#include "viz/dot-text.h"
#include "viz/meanings.h"
#include "viz/diff-style.h"
#include "viz/temperature.h"

#define N_SWATCHES  7
#define MOST_PHASES 12
#define GREY        "#5f6670"

void kt_print_count(FILE *out, uint64_t n, const char *unit)
{
	fprintf(out, "%" PRIu64 " %s%s", n, unit, n == 1 ? "" : "s");
}

/*
 * Prints the title. If it is NULL, prints "Difference", the name of the only trace or of
 * the only word, or "State machine".
 */
static void print_title(FILE *out, const struct kt_drawing *d, const char *title)
{
	const struct kt_fsm *fsm = d->fsm;
	const char *first = fsm->n_words ? fsm->words[0].name : "";
	const char *slash = strrchr(first, '/');
	size_t length = slash ? (size_t)(slash - first) : 0;

	for (size_t i = 1; i < fsm->n_words && length; i++) {
		const char *name = fsm->words[i].name;

		if (strncmp(name, first, length + 1) != 0 ||
		    strchr(name + length + 1, '/')) {
			length = 0;
		}
	}
	fputs("<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"20\"><B>", out);
	if (title) {
		kt_dot_put(out, KT_DOT_HTML, title[0] ? title : " ");
	} else if (d->diff) {
		fputs("Difference", out);
	} else if (length) {
		char text[256];

		snprintf(text, sizeof(text), "%.*s", (int)(length < 255 ? length : 255),
			 first);
		kt_dot_put(out, KT_DOT_HTML, text);
	} else if (fsm->n_words == 1 && first[0]) {
		kt_dot_put(out, KT_DOT_HTML, first);
	} else {
		fputs("State machine", out);
	}
	fputs("</B></FONT></TD></TR>", out);
}

static int print_sizes(FILE *out, const struct kt_drawing *d)
{
	const struct kt_fsm *fsm = d->fsm;
	uint64_t letters = 0;
	size_t complex = 0;
	int code = d->diff ? KT_OK : kt_fsm_count_complex(fsm, &complex);

	fputs("<TR><TD ALIGN=\"LEFT\">", out);
	if (!fsm->no_k) {
		fprintf(out, "k = %" PRIu64 "  ·  ", fsm->k);
	} else if (!d->diff) {
		fputs("not inferred  ·  ", out);
	}
	kt_print_count(out, fsm->n_states, "state");
	if (d->n_drawn != fsm->n_states) {
		fprintf(out, " (%zu drawn)", d->n_drawn);
	}
	fputs("  ·  ", out);
	kt_print_count(out, fsm->n_transitions, "transition");
	if (!d->diff) {
		fprintf(out, "  ·  %zu complex %s (branch or join)", complex,
			complex == 1 ? "state" : "states");
	}
	/* Print the size of the input from which the machine was inferred. */
	if (d->counted && !d->diff) {
		for (size_t i = 0; i < fsm->n_words; i++) {
			letters += fsm->words[i].events;
		}
		fputs("  ·  ", out);
		kt_print_count(out, fsm->n_words, "word");
		fputs("  ·  ", out);
		kt_print_count(out, letters, "letter");
	}
	fputs("</TD></TR>", out);
	return code;
}

/* Prints the versions of the GPU stack with which the words were recorded, if known. */
static void print_versions(FILE *out, const struct kt_versions *versions)
{
	static const char *const shown[] = {"gpu", "libcuda", "module"};
	static const char *const names[] = {"", "libcuda ", "kernel module "};
	bool any = false;

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		char text[256];

		kt_versions_text(text, sizeof(text), versions, shown[i], false);
		if (!text[0]) {
			continue;
		}
		fputs(any ? "  ·  " : "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"" GREY "\">",
		      out);
		any = true;
		fputs(names[i], out);
		kt_dot_put(out, KT_DOT_HTML, text);
	}
	fputs(any ? "</FONT></TD></TR>" : "", out);
}

/*
 * Prints how many states and transitions of a difference have the given origin, in the
 * style of that origin.
 */
static void print_presence(FILE *out, const struct kt_fsm *fsm, enum kt_presence presence)
{
	const struct kt_diff_style *style = kt_diff_style(presence);
	uint64_t states = 0;
	uint64_t transitions = 0;

	for (size_t i = 0; i < fsm->n_states; i++) {
		states += fsm->states[i].presence == presence;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		transitions += fsm->transitions[i].presence == presence;
	}
	fprintf(out,
		"<TD BORDER=\"1\" COLOR=\"#%02x%02x%02x\" BGCOLOR=\"#%02x%02x%02x\" "
		"STYLE=\"%s\"><FONT COLOR=\"#%02x%02x%02x\">%s%s%s%s: ",
		style->stroke.red, style->stroke.green, style->stroke.blue, style->tint.red,
		style->tint.green, style->tint.blue, style->dashed ? "dashed" : "solid",
		style->text.red, style->text.green, style->text.blue,
		presence == KT_PRESENCE_NEW ? "<B>" : "", style->sign, style->verb,
		presence == KT_PRESENCE_NEW ? "</B>" : "");
	kt_print_count(out, states, "state");
	fputs(", ", out);
	kt_print_count(out, transitions, "transition");
	fputs("</FONT></TD>", out);
}

/* Prints the colours of counts from 1 to max, in equal steps on a logarithmic scale. */
static void print_scale(FILE *out, uint64_t max)
{
	uint64_t previous = 0;

	fputs("<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
	      "CELLSPACING=\"0\" "
	      "CELLPADDING=\"3\"><TR><TD><FONT COLOR=\"" GREY "\">times taken</FONT></TD>",
	      out);
	for (int i = 0; i < N_SWATCHES; i++) {
		uint64_t count =
			(uint64_t)llround(pow((double)max, (double)i / (N_SWATCHES - 1)));
		struct kt_colour c;

		count = i == N_SWATCHES - 1 ? max : count;
		if (count <= previous) {
			continue;
		}
		previous = count;
		c = kt_temperature_stroke(kt_temperature(count, max));
		fprintf(out,
			"<TD BGCOLOR=\"#%02x%02x%02x\"><FONT COLOR=\"white\"> %" PRIu64
			" </FONT></TD>",
			c.red, c.green, c.blue, count);
	}
	fputs("</TR></TABLE></TD></TR>", out);
}

static void print_note(FILE *out, const char *text)
{
	fputs("<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"" GREY "\">", out);
	kt_dot_put(out, KT_DOT_HTML, text);
	fputs("</FONT></TD></TR>", out);
}

/* Returns whether a label is printed with its share. */
static bool is_part(double share)
{
	return share > 0 && share < 1;
}

/* Prints explanations of the symbols that occur in this drawing. */
static void print_notes(FILE *out, const struct kt_drawing *d)
{
	const struct kt_fsm *fsm = d->fsm;
	unsigned marks = 0;
	size_t chains = 0;
	bool shares = false;

	for (size_t i = 0; i < fsm->n_states; i++) {
		marks |= d->states[i].marks;
		shares = shares || is_part(fsm->states[i].label_share);
	}
	for (size_t i = 0; i < fsm->n_transitions && !shares; i++) {
		shares = is_part(fsm->transitions[i].label_share);
	}
	for (size_t i = 0; i < d->n_edges; i++) {
		chains += d->edges[i].chain;
	}
	if (marks & KT_MARK_END) {
		print_note(out, "double ring: words end here");
	}
	if (marks & KT_MARK_ENTRY) {
		print_note(out,
			   "dashed arrow: words begin here whose beginning was not seen");
	}
	if (marks & KT_MARK_CUT) {
		print_note(out, d->diff ? "dotted ring: words are cut off here"
					: "dashed ring: words are cut off here");
	}
	if (d->diff && d->counted) {
		print_note(out, "(5 | 7): 5 times in the old machine, 7 times in the new");
	}
	if (d->diff && chains) {
		print_note(out, "… 3 more …, and →: a straight chain; its tooltip has all "
				"its letters");
	} else if (chains) {
		print_note(
			out,
			"dashed edge: a straight chain; its tooltip has all its letters");
	}
	if (shares) {
		print_note(out, "80 %: share of the arrow's letters, or of those that lead "
				"to the state, with that meaning");
	}
}

int kt_print_legend(FILE *out, const struct kt_drawing *drawing, const char *title)
{
	const char *phases[MOST_PHASES];
	size_t n = 0;
	int code;

	fputs("<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">",
	      out);
	print_title(out, drawing, title);
	code = print_sizes(out, drawing);
	print_versions(out, &drawing->fsm->versions);
	if (drawing->diff) {
		fputs("<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
		      "CELLSPACING=\"3\" CELLPADDING=\"4\"><TR>",
		      out);
		print_presence(out, drawing->fsm, KT_PRESENCE_BOTH);
		print_presence(out, drawing->fsm, KT_PRESENCE_NEW);
		print_presence(out, drawing->fsm, KT_PRESENCE_OLD);
		fputs("</TR></TABLE></TD></TR>", out);
	} else {
		if (drawing->max_edge) {
			print_scale(out, drawing->max_edge);
		}
		n = kt_phases_of(phases, MOST_PHASES, drawing->fsm);
	}
	/* If states have phases, explain their tints. */
	if (n > 0) {
		fputs("<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
		      "CELLSPACING=\"0\" "
		      "CELLPADDING=\"3\"><TR><TD><FONT COLOR=\"" GREY
		      "\">phase</FONT></TD>",
		      out);
		for (size_t i = 0; i < n; i++) {
			struct kt_colour c = kt_phase_tint(phases[i]);

			fprintf(out, "<TD BGCOLOR=\"#%02x%02x%02x\"> ", c.red, c.green,
				c.blue);
			kt_dot_put(out, KT_DOT_HTML, phases[i]);
			fputs(" </TD>", out);
		}
		fputs("</TR></TABLE></TD></TR>", out);
	}
	print_notes(out, drawing);
	fputs("</TABLE>>", out);
	return code;
}
