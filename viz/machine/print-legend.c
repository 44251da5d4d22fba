/* SPDX-License-Identifier: MIT */
#include "viz/machine/print-legend.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "base/letter-presence.h"
#include "base/try.h"
#include "viz/machine/dot-printer.h"
#include "viz/drawing/dot-text.h"
#include "viz/drawing/flow-text.h"
#include "viz/drawing/head-text.h"
#include "viz/drawing/meanings.h"
#include "viz/drawing/diff-style.h"
#include "viz/drawing/temperature.h"

#define N_SWATCHES  7
#define MOST_PHASES 12
#define MOST_LETTERS 12 /* of one machine alone that a legend names */
#define GREY        "#5f6670"
#define TITLE_SIZE  22.0 /* bold letters of 20 points are as wide as others of 22 */
#define HEAD_SIZE   12.0

void kt_print_count(FILE *out, uint64_t n, const char *unit)
{
	fprintf(out, "%" PRIu64 " %s%s", n, unit, n == 1 ? "" : "s");
}

#define ROW      "<TR><TD ALIGN=\"LEFT\">"
#define ROW_GREY "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"" GREY "\">"
#define BETWEEN  "  ·  "

/* Prints a text in rows of the width that the options say. */
static int print_rows(FILE *out, const struct kt_dot_options *o, const char *text,
		      const char *separator, double size, const char *begin,
		      const char *end)
{
	char line[256];
	int code;

	snprintf(line, sizeof(line), "%s%s", end, begin);
	fputs(begin, out);
	code = kt_flow_text(out, text, separator, size, o->text_width, line);
	fputs(end, out);
	return code;
}

/*
 * Prints the title. If it is NULL, prints "Difference", the name of the only trace or of
 * the only word, or "State machine".
 */
static int print_title(FILE *out, const struct kt_drawing *d,
		       const struct kt_dot_options *o)
{
	const struct kt_fsm *fsm = d->fsm;
	const char *first = fsm->n_words ? fsm->words[0].name : "";
	const char *slash = strrchr(first, '/');
	size_t length = slash ? (size_t)(slash - first) : 0;
	const char *title = o->title;
	char text[256];

	for (size_t i = 1; i < fsm->n_words && length; i++) {
		const char *name = fsm->words[i].name;

		if (strncmp(name, first, length + 1) != 0 ||
		    strchr(name + length + 1, '/')) {
			length = 0;
		}
	}
	if (title) {
		title = title[0] ? title : " ";
	} else if (d->diff) {
		title = "Difference";
	} else if (length) {
		snprintf(text, sizeof(text), "%.*s", (int)(length < 255 ? length : 255),
			 first);
		title = text;
	} else {
		title = fsm->n_words == 1 && first[0] ? first : "State machine";
	}
	return print_rows(out, o, title, " ", TITLE_SIZE, ROW "<FONT POINT-SIZE=\"20\"><B>",
			  "</B></FONT></TD></TR>");
}

/* Writes the name of the alphabet, if the machine has one. */
static void put_alphabet(FILE *out, const struct kt_fsm *fsm)
{
	json_t *alphabet =
		fsm->alphabet_json ? json_loads(fsm->alphabet_json, 0, NULL) : NULL;
	const char *name = json_string_value(json_object_get(alphabet, "name"));

	if (name && name[0]) {
		fprintf(out, "alphabet %s" BETWEEN, name);
	}
	json_decref(alphabet);
}

static void put_sizes(FILE *out, const struct kt_drawing *d, size_t complex)
{
	const struct kt_fsm *fsm = d->fsm;
	uint64_t letters = 0;

	if (!fsm->no_k) {
		fprintf(out, "k = %" PRIu64 BETWEEN, fsm->k);
	} else if (!d->diff) {
		fputs("not inferred" BETWEEN, out);
	}
	put_alphabet(out, fsm);
	kt_print_count(out, fsm->n_states, "state");
	if (d->n_drawn != fsm->n_states) {
		fprintf(out, " (%zu drawn)", d->n_drawn);
	}
	fputs(BETWEEN, out);
	kt_print_count(out, fsm->n_transitions, "transition");
	if (!d->diff) {
		fprintf(out, BETWEEN "%zu complex %s (branch or join)", complex,
			complex == 1 ? "state" : "states");
	}
	/* The size of the input from which the machine was inferred. */
	if (d->counted && !d->diff) {
		for (size_t i = 0; i < fsm->n_words; i++) {
			letters += fsm->words[i].events;
		}
		fputs(BETWEEN, out);
		kt_print_count(out, fsm->n_words, "word");
		fputs(BETWEEN, out);
		kt_print_count(out, letters, "letter");
	}
}

static int print_sizes(FILE *out, const struct kt_drawing *d,
		       const struct kt_dot_options *o)
{
	char *text = NULL;
	size_t size = 0;
	size_t complex = 0;
	int code = d->diff ? KT_OK : kt_fsm_count_complex(d->fsm, &complex);
	FILE *stream = code ? NULL : open_memstream(&text, &size);

	if (!stream) {
		return code ? code : kt_no_memory("make drawing");
	}
	put_sizes(stream, d, complex);
	code = fclose(stream) == 0 && text
		       ? print_rows(out, o, text, BETWEEN, HEAD_SIZE, ROW, "</TD></TR>")
		       : kt_no_memory("make drawing");
	free(text);
	return code;
}

/* Prints the versions of the GPU stack with which the words were recorded, if known. */
static int print_versions(FILE *out, const struct kt_versions *versions,
			  const struct kt_dot_options *o)
{
	char all[1024];
	size_t n = kt_head_versions(all, sizeof(all), versions, BETWEEN);

	return n ? print_rows(out, o, all, BETWEEN, HEAD_SIZE, ROW_GREY,
			      "</FONT></TD></TR>")
		 : KT_OK;
}

/*
 * Prints how many states and transitions of a difference have the given origin, in the
 * style of that origin.
 */
static void print_presence(FILE *out, const struct kt_fsm *fsm, enum kt_presence presence)
{
	const struct kt_diff_style *style = kt_diff_style(presence);
	const struct kt_colour stroke = kt_colour_shown(style->stroke);
	const struct kt_colour tint = kt_colour_shown(style->tint);
	const struct kt_colour text = kt_colour_shown(style->text);
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
		stroke.red, stroke.green, stroke.blue, tint.red, tint.green, tint.blue,
		style->dashed ? "dashed" : "solid", text.red, text.green, text.blue,
		presence == KT_PRESENCE_NEW ? "<B>" : "", style->sign, style->verb,
		presence == KT_PRESENCE_NEW ? "</B>" : "");
	kt_print_count(out, states, "state");
	fputs(", ", out);
	kt_print_count(out, transitions, "transition");
	fputs("</FONT></TD>", out);
}

/* Prints the letters that only one machine of a difference has, in the style of its edges.
 */
static int print_letters_of(FILE *out, const struct kt_fsm *fsm,
			    const enum kt_presence *letters, enum kt_presence presence,
			    const struct kt_dot_options *o)
{
	const struct kt_colour colour = kt_colour_shown(kt_diff_style(presence)->text);
	char begin[sizeof(ROW_GREY) + 16];
	char *text = NULL;
	size_t size = 0;
	size_t n = 0;
	FILE *stream = open_memstream(&text, &size);
	int code = KT_OK;

	if (!stream) {
		return kt_no_memory("make drawing");
	}
	for (size_t i = 0; i < fsm->n_letters; i++) {
		if (letters[i] != presence) {
			continue;
		}
		if (n++ < MOST_LETTERS) {
			fprintf(stream, "%s%s",
				n > 1 ? ", "
				: presence == KT_PRESENCE_OLD
					? "letters of the old machine alone: "
					: "letters of the new machine alone: ",
				kt_fsm_letter_name(fsm, i));
		}
	}
	if (n > MOST_LETTERS) {
		fprintf(stream, ", and %zu more", n - MOST_LETTERS);
	}
	if (fclose(stream) != 0 || !text) {
		code = kt_no_memory("make drawing");
	} else if (n > 0) {
		snprintf(begin, sizeof(begin), ROW "<FONT COLOR=\"#%02x%02x%02x\">",
			 colour.red, colour.green, colour.blue);
		code = print_rows(out, o, text, " ", HEAD_SIZE, begin, "</FONT></TD></TR>");
	}
	free(text);
	return code;
}

/* Prints which letters only one machine of a difference has, if any. */
static int print_letters(FILE *out, const struct kt_fsm *fsm,
			 const struct kt_dot_options *o)
{
	enum kt_presence *letters = kt_letter_presences(fsm);
	int code = KT_OK;

	if (!letters) {
		return kt_no_memory("make drawing");
	}
	KT_TRY_END(print_letters_of(out, fsm, letters, KT_PRESENCE_NEW, o));
	code = print_letters_of(out, fsm, letters, KT_PRESENCE_OLD, o);
end:
	free(letters);
	return code;
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

/* Returns whether a label is printed with its share. */
static bool is_part(double share)
{
	return share > 0 && share < 1;
}

/* What occurs in a drawing and has to be explained. */
struct symbols {
	unsigned marks;
	bool chains;
	bool shares;
	bool folded;
	bool initiates;
	bool notices;
};

static struct symbols find_symbols(const struct kt_drawing *d)
{
	const struct kt_fsm *fsm = d->fsm;
	struct symbols out = {0};

	for (size_t i = 0; i < fsm->n_states; i++) {
		out.marks |= d->states[i].marks;
		out.folded = out.folded || d->states[i].folded;
		out.shares = out.shares || is_part(fsm->states[i].label_share);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		out.shares = out.shares || is_part(fsm->transitions[i].label_share);
		out.initiates = out.initiates || fsm->transitions[i].initiates;
		out.notices = out.notices || fsm->transitions[i].notices;
	}
	for (size_t i = 0; i < d->n_edges; i++) {
		out.chains = out.chains || d->edges[i].chain;
	}
	return out;
}

/* Prints explanations of the symbols that occur in this drawing. */
static int print_notes(FILE *out, const struct kt_drawing *d,
		       const struct kt_dot_options *o)
{
	const struct symbols s = find_symbols(d);
	char rare[128] = "";
	const struct {
		bool shown;
		const char *text;
	} notes[] = {
		{s.marks & KT_MARK_END, "double ring: words end here"},
		{s.marks & KT_MARK_ENTRY,
		 "dashed arrow: words begin here whose beginning was not seen"},
		{s.marks & KT_MARK_CUT, d->diff ? "dotted ring: words are cut off here"
						: "dashed ring: words are cut off here"},
		{d->diff && d->counted,
		 "(5 | 7): 5 times in the old machine, 7 times in the new"},
		{o->list && !d->diff && s.chains, "dashed edge: a straight chain"},
		{o->list, "letters of the edges: below"},
		{!o->list && d->diff && s.chains,
		 "… 3 more …, and →: a straight chain; its tooltip has all its letters"},
		{!o->list && !d->diff && s.chains,
		 "dashed edge: a straight chain; its tooltip has all its letters"},
		{s.folded,
		 "frame: loops at the state, each with the state halfway, the way "
		 "there and the way back"},
		{s.initiates,
		 KT_INITIATION "3: initiation point, hands 3 requests to the GPU"},
		{s.notices,
		 KT_COMPLETION "3: completion point, where 3 requests are seen to be done"},
		{s.shares,
		 "80 %: share of the arrow's letters, or of those that lead to the "
		 "state, with that meaning"},
		{d->n_rare > 0, rare},
	};

	snprintf(rare, sizeof(rare),
		 "not drawn: %zu edge%s taken fewer than %" PRIu64 " times", d->n_rare,
		 d->n_rare == 1 ? "" : "s", d->least);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (notes[i].shown) {
			KT_TRY(print_rows(out, o, notes[i].text, " ", HEAD_SIZE, ROW_GREY,
					  "</FONT></TD></TR>"));
		}
	}
	return KT_OK;
}

int kt_print_legend(FILE *out, const struct kt_drawing *drawing,
		    const struct kt_dot_options *options)
{
	const char *phases[MOST_PHASES];
	size_t n = 0;

	fputs("<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">",
	      out);
	KT_TRY(print_title(out, drawing, options));
	KT_TRY(print_sizes(out, drawing, options));
	KT_TRY(print_versions(out, &drawing->fsm->versions, options));
	if (drawing->diff) {
		fputs("<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
		      "CELLSPACING=\"3\" CELLPADDING=\"4\"><TR>",
		      out);
		print_presence(out, drawing->fsm, KT_PRESENCE_BOTH);
		print_presence(out, drawing->fsm, KT_PRESENCE_NEW);
		print_presence(out, drawing->fsm, KT_PRESENCE_OLD);
		fputs("</TR></TABLE></TD></TR>", out);
		KT_TRY(print_letters(out, drawing->fsm, options));
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
	KT_TRY(print_notes(out, drawing, options));
	fputs("</TABLE>>", out);
	return KT_OK;
}
