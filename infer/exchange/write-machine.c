/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <ktail/exchange.h>

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/xml.h"

/*
 * Sets *out to the members of fsm.json other than states and transitions, as JSON in
 * printable ASCII on one line; the caller frees the text. O(words + letters).
 */
static int head_text(char **out, const struct kt_fsm *fsm)
{
	struct kt_fsm head = *fsm;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *root = NULL;
	int code;

	*out = NULL;
	if (!stream) {
		return kt_no_memory("describe machine");
	}
	head.n_states = 0;
	head.n_transitions = 0;
	code = kt_fsm_write_json(&head, stream);
	if (fclose(stream) != 0 || !text) {
		code = kt_no_memory("describe machine");
	}
	if (!code) {
		root = json_loadb(text, size, 0, NULL);
		json_object_del(root, "states");
		json_object_del(root, "transitions");
		*out = json_dumps(root,
				  JSON_COMPACT | JSON_ENSURE_ASCII | JSON_PRESERVE_ORDER);
		code = *out ? KT_OK : kt_no_memory("describe machine");
	}
	json_decref(root);
	free(text);
	return code;
}

/*
 * What a format writes before, between and after the name and the value of an attribute of
 * a state or transition.
 */
struct form {
	const char *before;
	const char *between;
	const char *after;
};

static const struct form dot = {", ", "=", ""};
static const struct form graphml = {"<data key=\"", "\">", "</data>"};

static void put_number(FILE *out, const struct form *form, const char *name, uint64_t n)
{
	fprintf(out, "%s%s%s%" PRIu64 "%s", form->before, name, form->between, n,
		form->after);
}

/*
 * Writes the attributes that a difference adds: `side`, and `old` and `new` where the
 * arguments old and new are true.
 */
static void put_origin(FILE *out, const struct form *form, enum kt_presence presence,
		       const struct kt_fsm_origin *origin, bool old, bool new)
{
	fprintf(out, "%sside%s%s%s", form->before, form->between,
		kt_presence_name(presence), form->after);
	if (old) {
		put_number(out, form, "old", origin->in_old);
	}
	if (new) {
		put_number(out, form, "new", origin->in_new);
	}
}

static void put_state_origin(FILE *out, const struct form *form, const struct kt_fsm *fsm,
			     size_t i)
{
	enum kt_presence presence = fsm->states[i].presence;

	if (fsm->state_origins) {
		put_origin(out, form, presence, &fsm->state_origins[i],
			   presence != KT_PRESENCE_NEW, presence != KT_PRESENCE_OLD);
	}
}

static void put_transition_origin(FILE *out, const struct form *form,
				  const struct kt_fsm *fsm, size_t i)
{
	if (fsm->transition_origins) {
		put_origin(out, form, fsm->transitions[i].presence,
			   &fsm->transition_origins[i], true, true);
	}
}

/* --- DOT --- */

/*
 * DOT for programs. AALpy's dialect is what `save_automaton_to_file()` writes by means of
 * pydot (AALpy's `utils/FileHandler.py`, in versions that have `run_k_tails`). LearnLib's
 * dialect is what AutomataLib's `GraphDOT` of 2023 writes.
 */

static void put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*text == '"' || *text == '\\') {
			putc('\\', out);
		}
		putc(*text, out);
	}
	putc('"', out);
}

static int write_ktail(const struct kt_fsm *fsm, bool names, FILE *out)
{
	char *head;

	KT_TRY(head_text(&head, fsm));
	fputs("digraph ktail {\n\tgraph [fsm=", out);
	put_string(out, head);
	fputs("];\n", out);
	free(head);
	for (size_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_state *state = &fsm->states[i];

		fprintf(out, "\ts%zu [label=\"%zu\", shape=doublecircle", i, i);
		put_number(out, &dot, "visits", state->visits);
		put_number(out, &dot, "ends", state->ends);
		for (size_t j = 0; j < state->n_points; j++) {
			fputs(j ? "\\n" : ", points=\"", out);
			for (const char *c = state->points[j]; *c; c++) {
				if (*c == '"' || *c == '\\') {
					putc('\\', out);
				}
				putc(*c, out);
			}
		}
		fputs(state->n_points ? "\"" : "", out);
		put_state_origin(out, &dot, fsm, i);
		fputs("];\n", out);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "\ts%" PRIu32 " -> s%" PRIu32 " [label=", t->from, t->to);
		if (names && fsm->names && fsm->names[t->letter]) {
			put_string(out, fsm->names[t->letter]);
			fputs(", letter=", out);
		}
		put_string(out, fsm->letters[t->letter]);
		put_number(out, &dot, "count", t->count);
		put_transition_origin(out, &dot, fsm, i);
		fputs("];\n", out);
	}
	fprintf(out,
		"\t__start0 [label=\"\", shape=none];\n\t__start0 -> s%" PRIu32 ";\n}\n",
		fsm->start);
	return KT_OK;
}

/* Writes states and transitions only, in AALpy's or LearnLib's dialect. */
static void write_plain(const struct kt_fsm *fsm, bool aalpy, FILE *out)
{
	fputs(aalpy ? "digraph ktail {\n" : "digraph g {\n\n", out);
	for (size_t i = 0; i < fsm->n_states; i++) {
		fprintf(out,
			aalpy ? "s%zu [label=\"s%zu\", shape=doublecircle];\n"
			      : "\ts%zu [shape=\"doublecircle\" label=\"%zu\"];\n",
			i, i);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "%ss%" PRIu32 " -> s%" PRIu32 "%s [label=", aalpy ? "" : "\t",
			t->from, t->to, aalpy ? " " : "");
		put_string(out, fsm->letters[t->letter]);
		fputs("];\n", out);
	}
	fprintf(out,
		aalpy ? "__start0 [label=\"\", shape=none];\n__start0 -> s%" PRIu32
			"  [label=\"\"];\n}\n"
		      : "\n__start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n"
			"__start0 -> s%" PRIu32 ";\n\n}\n",
		fsm->start);
}

int kt_dot_dialect_of(const char *name, enum kt_dot_dialect *out)
{
	static const char *const names[] = {
		[KT_DOT_KTAIL] = "ktail",
		[KT_DOT_AALPY] = "aalpy",
		[KT_DOT_LEARNLIB] = "learnlib",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			*out = (enum kt_dot_dialect)i;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "a dialect must be ktail, aalpy or learnlib, not '%s'",
			name);
}

int kt_fsm_write_dot(const struct kt_fsm *fsm, enum kt_dot_dialect dialect, FILE *out)
{
	int code = KT_OK;

	const bool whole = dialect == KT_DOT_KTAIL || dialect == KT_DOT_NAMES;

	if (fsm->state_origins && !whole) {
		code = kt_error(KT_E_USAGE, "a difference of two machines is not a DFA");
	}
	for (size_t i = 0; i < fsm->n_letters && !code; i++) {
		const char *letter = fsm->letters[i];
		size_t n = strlen(letter);
		bool blank_ends = letter[0] == ' ' || (n > 0 && letter[n - 1] == ' ');

		/*
		 * AALpy's reader splits at quotation marks and strips blanks and braces; a
		 * letter cannot escape them.
		 */
		if (dialect == KT_DOT_AALPY &&
		    (strpbrk(letter, "\"\\") || blank_ends ||
		     (letter[0] == '{' && letter[n - 1] == '}'))) {
			code = kt_error(KT_E_USAGE, "AALpy would change the letter %s",
					letter);
		} else if (dialect == KT_DOT_LEARNLIB && blank_ends) {
			code = kt_error(KT_E_USAGE, "the letter %s has blanks at an end",
					letter);
		}
	}
	if (code) {
		return kt_error_prepend(code, "write machine as DOT");
	}
	if (whole) {
		KT_TRY(write_ktail(fsm, dialect == KT_DOT_NAMES, out));
	} else {
		write_plain(fsm, dialect == KT_DOT_AALPY, out);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine as DOT") : KT_OK;
}

/* --- GraphML 1.1 (graphml.graphdrawing.org) --- */

/* Refuses the characters U+FFFE and U+FFFF, which XML does not allow. */
static int check_text(const char *text)
{
	if (strstr(text, "\xef\xbf\xbe") || strstr(text, "\xef\xbf\xbf")) {
		return kt_error(
			KT_E_USAGE,
			"write machine as GraphML: a character of %s is not allowed in XML",
			text);
	}
	return KT_OK;
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
	kt_xml_put_text(out, head);
	fputs("</data>\n", out);
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
	KT_TRY(head_text(&head, fsm));
	put_head(head, out);
	free(head);
	for (size_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_state *state = &fsm->states[i];

		fprintf(out, "    <node id=\"s%zu\">", i);
		put_number(out, &graphml, "visits", state->visits);
		put_number(out, &graphml, "ends", state->ends);
		if (state->n_points > 0) {
			fputs("<data key=\"points\">", out);
			for (size_t j = 0; j < state->n_points; j++) {
				fputs(j ? "\n" : "", out);
				kt_xml_put_text(out, state->points[j]);
			}
			fputs("</data>", out);
		}
		put_state_origin(out, &graphml, fsm, i);
		fputs("</node>\n", out);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out,
			"    <edge id=\"t%zu\" source=\"s%" PRIu32 "\" target=\"s%" PRIu32
			"\"><data key=\"letter\">",
			i, t->from, t->to);
		kt_xml_put_text(out, fsm->letters[t->letter]);
		fputs("</data>", out);
		put_number(out, &graphml, "count", t->count);
		put_transition_origin(out, &graphml, fsm, i);
		fputs("</edge>\n", out);
	}
	fputs("  </graph>\n</graphml>\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine as GraphML") : KT_OK;
}
