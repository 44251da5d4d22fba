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

#include "base/try.h"
#include "infer/exchange/head-text.h"

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

static int write_ktail(const struct kt_fsm *fsm, FILE *out)
{
	char *head;

	KT_TRY(kt_head_text(&head, fsm));
	fputs("digraph ktail {\n\tgraph [fsm=", out);
	put_string(out, head);
	fputs("];\n", out);
	free(head);
	for (size_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_state *state = &fsm->states[i];

		fprintf(out,
			"\ts%zu [label=\"%zu\", shape=doublecircle, visits=%" PRIu64
			", ends=%" PRIu64,
			i, i, state->visits, state->ends);
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
		if (fsm->state_origins) {
			put_origin(state->side, &fsm->state_origins[i],
				   state->side != KT_SIDE_NEW, state->side != KT_SIDE_OLD,
				   out);
		}
		fputs("];\n", out);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "\ts%" PRIu32 " -> s%" PRIu32 " [label=", t->from, t->to);
		put_string(out, fsm->letters[t->letter]);
		fprintf(out, ", count=%" PRIu64, t->count);
		if (fsm->transition_origins) {
			put_origin(t->side, &fsm->transition_origins[i], true, true, out);
		}
		fputs("];\n", out);
	}
	fprintf(out,
		"\t__start0 [label=\"\", shape=none];\n\t__start0 -> s%" PRIu32 ";\n}\n",
		fsm->start);
	return KT_OK;
}

static void write_aalpy(const struct kt_fsm *fsm, FILE *out)
{
	fputs("digraph ktail {\n", out);
	for (size_t i = 0; i < fsm->n_states; i++) {
		fprintf(out, "s%zu [label=\"s%zu\", shape=doublecircle];\n", i, i);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "s%" PRIu32 " -> s%" PRIu32 "  [label=\"%s\"];\n", t->from,
			t->to, fsm->letters[t->letter]);
	}
	fprintf(out,
		"__start0 [label=\"\", shape=none];\n__start0 -> s%" PRIu32
		"  [label=\"\"];\n}\n",
		fsm->start);
}

static void write_learnlib(const struct kt_fsm *fsm, FILE *out)
{
	fputs("digraph g {\n\n", out);
	for (size_t i = 0; i < fsm->n_states; i++) {
		fprintf(out, "\ts%zu [shape=\"doublecircle\" label=\"%zu\"];\n", i, i);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "\ts%" PRIu32 " -> s%" PRIu32 " [label=", t->from, t->to);
		put_string(out, fsm->letters[t->letter]);
		fputs("];\n", out);
	}
	fprintf(out,
		"\n__start0 [label=\"\" shape=\"none\" width=\"0\" height=\"0\"];\n"
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

	if (fsm->state_origins && dialect != KT_DOT_KTAIL) {
		code = kt_error(KT_E_USAGE, "a difference of two machines is no DFA");
	}
	for (size_t i = 0; i < fsm->n_letters && !code; i++) {
		const char *letter = fsm->letters[i];
		size_t n = strlen(letter);
		bool blank_ends = letter[0] == ' ' || (n > 0 && letter[n - 1] == ' ');

		/* AALpy's reader looks for quotation marks and takes off blanks and braces;
		 * none is escaped. */
		if (dialect == KT_DOT_AALPY &&
		    (strpbrk(letter, "\"\\") || blank_ends ||
		     (letter[0] == '{' && letter[n - 1] == '}'))) {
			code = kt_error(KT_E_USAGE,
					"AALpy would not read the letter %s as it is",
					letter);
		} else if (dialect == KT_DOT_LEARNLIB && blank_ends) {
			code = kt_error(KT_E_USAGE, "the letter %s has blanks at an end",
					letter);
		}
	}
	if (code) {
		return kt_error_prepend(code, "write machine as DOT");
	}
	switch (dialect) {
	case KT_DOT_KTAIL: KT_TRY(write_ktail(fsm, out)); break;
	case KT_DOT_AALPY: write_aalpy(fsm, out); break;
	case KT_DOT_LEARNLIB: write_learnlib(fsm, out); break;
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write machine as DOT") : KT_OK;
}
