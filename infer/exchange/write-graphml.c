/* SPDX-License-Identifier: MIT */
/* GraphML 1.1 (graphml.graphdrawing.org). */
#include <ktail/exchange.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/exchange/head-text.h"

/* XML has no U+FFFE and U+FFFF. */
static int check_text(const char *text)
{
	if (strstr(text, "\xef\xbf\xbe") || strstr(text, "\xef\xbf\xbf")) {
		return kt_error(
			KT_E_USAGE,
			"write machine as GraphML: a character of %s is none in XML", text);
	}
	return KT_OK;
}

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		default: putc(*text, out);
		}
	}
}

static void put_head(const char *head, FILE *out)
{
	static const struct {
		const char *name;
		const char *domain;
		const char *type;
	} keys[] = {
		{"fsm", "graph", "string"}, {"visits", "node", "long"},
		{"ends", "node", "long"},   {"points", "node", "string"},
		{"side", "all", "string"},  {"old", "all", "long"},
		{"new", "all", "long"},     {"letter", "edge", "string"},
		{"count", "edge", "long"},
	};

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
	      out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fprintf(out,
			"  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
			"attr.type=\"%s\"/>\n",
			keys[i].name, keys[i].domain, keys[i].name, keys[i].type);
	}
	fputs("  <graph id=\"ktail\" edgedefault=\"directed\">\n    <data key=\"fsm\">",
	      out);
	put_text(out, head);
	fputs("</data>\n", out);
}

/* What a difference has beside: `old` and `new` where they are. */
static void put_origin(enum kt_side side, const struct kt_fsm_origin *origin, bool old,
		       bool new, FILE *out)
{
	fprintf(out, "<data key=\"side\">%s</data>", kt_side_name(side));
	if (old) {
		fprintf(out, "<data key=\"old\">%" PRIu64 "</data>", origin->in_old);
	}
	if (new) {
		fprintf(out, "<data key=\"new\">%" PRIu64 "</data>", origin->in_new);
	}
}

int kt_fsm_write_graphml(const struct kt_fsm *fsm, FILE *out)
{
	char *head = NULL;

	for (size_t i = 0; i < fsm->n_letters; i++) {
		KT_TRY(check_text(fsm->letters[i]));
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		for (size_t j = 0; j < fsm->states[i].n_points; j++) {
			KT_TRY(check_text(fsm->states[i].points[j]));
		}
	}
	KT_TRY(kt_head_text(&head, fsm));
	put_head(head, out);
	free(head);
	for (size_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_state *state = &fsm->states[i];

		fprintf(out,
			"    <node id=\"s%zu\"><data key=\"visits\">%" PRIu64
			"</data><data key=\"ends\">%" PRIu64 "</data>",
			i, state->visits, state->ends);
		if (state->n_points > 0) {
			fputs("<data key=\"points\">", out);
			for (size_t j = 0; j < state->n_points; j++) {
				fputs(j ? "\n" : "", out);
				put_text(out, state->points[j]);
			}
			fputs("</data>", out);
		}
		if (fsm->state_origins) {
			put_origin(state->side, &fsm->state_origins[i],
				   state->side != KT_SIDE_NEW, state->side != KT_SIDE_OLD,
				   out);
		}
		fputs("</node>\n", out);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out,
			"    <edge id=\"t%zu\" source=\"s%" PRIu32 "\" target=\"s%" PRIu32
			"\"><data key=\"letter\">",
			i, t->from, t->to);
		put_text(out, fsm->letters[t->letter]);
		fprintf(out, "</data><data key=\"count\">%" PRIu64 "</data>", t->count);
		if (fsm->transition_origins) {
			put_origin(t->side, &fsm->transition_origins[i], true, true, out);
		}
		fputs("</edge>\n", out);
	}
	fputs("  </graph>\n</graphml>\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine as GraphML") : KT_OK;
}
