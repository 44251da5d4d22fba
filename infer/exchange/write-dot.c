/* SPDX-License-Identifier: MIT */
/*
 * DOT for programs. AALpy's: what pydot makes of `save_automaton_to_file()` (AALpy's
 * `utils/FileHandler.py`, in versions that have `run_k_tails`). LearnLib's: AutomataLib's
 * `GraphDOT` of 2023.
 */
#include <ktail/exchange.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/exchange/head-text.h"

struct dialect {
	const char *name;
	int (*check)(const char *letter);
	int (*begin)(const struct kt_fsm *fsm, FILE *out);
	void (*state)(const struct kt_fsm *fsm, size_t i, FILE *out);
	void (*transition)(const struct kt_fsm *fsm, const struct kt_fsm_transition *t,
			   FILE *out);
	void (*end)(const struct kt_fsm *fsm, FILE *out);
};

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

static bool has_blank_ends(const char *letter)
{
	return letter[0] == ' ' || letter[strlen(letter) - 1] == ' ';
}

/* --- ours --- */

static int check_any(const char *letter)
{
	(void)letter;
	return KT_OK;
}

static int begin_ktail(const struct kt_fsm *fsm, FILE *out)
{
	char *head;
	int code = kt_head_text(&head, fsm);

	if (code) {
		return code;
	}
	fputs("digraph ktail {\n\tgraph [fsm=", out);
	put_string(out, head);
	fputs("];\n", out);
	free(head);
	return KT_OK;
}

static void put_points(const struct kt_fsm_state *state, FILE *out)
{
	if (state->n_points == 0) {
		return;
	}
	fputs(", points=\"", out);
	for (size_t i = 0; i < state->n_points; i++) {
		fputs(i ? "\\n" : "", out);
		for (const char *c = state->points[i]; *c; c++) {
			if (*c == '"' || *c == '\\') {
				putc('\\', out);
			}
			putc(*c, out);
		}
	}
	putc('"', out);
}

/* What a difference has beside: `old` and `new` where they are. */
static void put_origin(enum kt_side side, const struct kt_fsm_origin *origin, bool old,
		       bool new, FILE *out)
{
	fprintf(out, ", side=%s", kt_side_name(side));
	if (old) {
		fprintf(out, ", old=%" PRIu64, origin->in_old);
	}
	if (new) {
		fprintf(out, ", new=%" PRIu64, origin->in_new);
	}
}

static void put_state_ktail(const struct kt_fsm *fsm, size_t i, FILE *out)
{
	const struct kt_fsm_state *state = &fsm->states[i];

	fprintf(out,
		"\ts%zu [label=\"%zu\", shape=doublecircle, visits=%" PRIu64
		", ends=%" PRIu64,
		i, i, state->visits, state->ends);
	put_points(state, out);
	if (fsm->state_origins) {
		put_origin(state->side, &fsm->state_origins[i], state->side != KT_SIDE_NEW,
			   state->side != KT_SIDE_OLD, out);
	}
	fputs("];\n", out);
}

static void put_transition_ktail(const struct kt_fsm *fsm,
				 const struct kt_fsm_transition *t, FILE *out)
{
	fprintf(out, "\ts%" PRIu32 " -> s%" PRIu32 " [label=", t->from, t->to);
	put_string(out, fsm->letters[t->letter]);
	fprintf(out, ", count=%" PRIu64, t->count);
	if (fsm->transition_origins) {
		put_origin(t->side, &fsm->transition_origins[t - fsm->transitions], true,
			   true, out);
	}
	fputs("];\n", out);
}

static void end_ktail(const struct kt_fsm *fsm, FILE *out)
{
	fprintf(out,
		"\t__start0 [label=\"\", shape=none];\n\t__start0 -> s%" PRIu32 ";\n}\n",
		fsm->start);
}

/* --- AALpy's --- */

/* Its reader looks for quotation marks and takes off blanks and braces; none is escaped. */
static int check_aalpy(const char *letter)
{
	if (strpbrk(letter, "\"\\") || has_blank_ends(letter) ||
	    (letter[0] == '{' && letter[strlen(letter) - 1] == '}')) {
		return kt_error(KT_E_USAGE, "AALpy would not read the letter %s as it is",
				letter);
	}
	return KT_OK;
}

static int begin_aalpy(const struct kt_fsm *fsm, FILE *out)
{
	(void)fsm;
	fputs("digraph ktail {\n", out);
	return KT_OK;
}

static void put_state_aalpy(const struct kt_fsm *fsm, size_t i, FILE *out)
{
	(void)fsm;
	fprintf(out, "s%zu [label=\"s%zu\", shape=doublecircle];\n", i, i);
}

static void put_transition_aalpy(const struct kt_fsm *fsm,
				 const struct kt_fsm_transition *t, FILE *out)
{
	fprintf(out, "s%" PRIu32 " -> s%" PRIu32 "  [label=\"%s\"];\n", t->from, t->to,
		fsm->letters[t->letter]);
}

static void end_aalpy(const struct kt_fsm *fsm, FILE *out)
{
	fprintf(out,
		"__start0 [label=\"\", shape=none];\n__start0 -> s%" PRIu32
		"  [label=\"\"];\n}\n",
		fsm->start);
}

/* --- LearnLib's --- */

static int check_learnlib(const char *letter)
{
	return has_blank_ends(letter)
		       ? kt_error(KT_E_USAGE, "the letter %s has blanks at an end", letter)
		       : KT_OK;
}

static int begin_learnlib(const struct kt_fsm *fsm, FILE *out)
{
	(void)fsm;
	fputs("digraph g {\n\n", out);
	return KT_OK;
}

static void put_state_learnlib(const struct kt_fsm *fsm, size_t i, FILE *out)
{
	(void)fsm;
	fprintf(out, "\ts%zu [shape=\"doublecircle\" label=\"%zu\"];\n", i, i);
}

static void put_transition_learnlib(const struct kt_fsm *fsm,
				    const struct kt_fsm_transition *t, FILE *out)
{
	fprintf(out, "\ts%" PRIu32 " -> s%" PRIu32 " [label=", t->from, t->to);
	put_string(out, fsm->letters[t->letter]);
	fputs("];\n", out);
}

static void end_learnlib(const struct kt_fsm *fsm, FILE *out)
{
	fprintf(out,
		"\n__start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n"
		"__start0 -> s%" PRIu32 ";\n\n}\n",
		fsm->start);
}

/* --- all --- */

static const struct dialect dialects[] = {
	[KT_DOT_KTAIL] = {"ktail", check_any, begin_ktail, put_state_ktail,
			  put_transition_ktail, end_ktail},
	[KT_DOT_AALPY] = {"aalpy", check_aalpy, begin_aalpy, put_state_aalpy,
			  put_transition_aalpy, end_aalpy},
	[KT_DOT_LEARNLIB] = {"learnlib", check_learnlib, begin_learnlib, put_state_learnlib,
			     put_transition_learnlib, end_learnlib},
};

#define N_DIALECTS (sizeof(dialects) / sizeof(dialects[0]))

int kt_dot_dialect_of(const char *name, enum kt_dot_dialect *out)
{
	for (size_t i = 0; i < N_DIALECTS; i++) {
		if (strcmp(name, dialects[i].name) == 0) {
			*out = (enum kt_dot_dialect)i;
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE, "a dialect must be ktail, aalpy or learnlib, not '%s'",
			name);
}

static int check_machine(const struct kt_fsm *fsm, const struct dialect *d)
{
	int code = KT_OK;

	if (fsm->state_origins && d != &dialects[KT_DOT_KTAIL]) {
		code = kt_error(KT_E_USAGE, "a difference of two machines is no DFA");
	}
	for (size_t i = 0; i < fsm->n_letters && !code; i++) {
		code = d->check(fsm->letters[i]);
	}
	return code ? kt_error_prepend(code, "write machine as DOT") : KT_OK;
}

int kt_fsm_write_dot(const struct kt_fsm *fsm, enum kt_dot_dialect dialect, FILE *out)
{
	const struct dialect *d = &dialects[dialect];
	int code = check_machine(fsm, d);

	code = code ? code : d->begin(fsm, out);
	if (code) {
		return code;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		d->state(fsm, i, out);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		d->transition(fsm, &fsm->transitions[i], out);
	}
	d->end(fsm, out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine as DOT") : KT_OK;
}
