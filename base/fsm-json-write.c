/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <inttypes.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/json-string.h"
#include "base/try.h"

static void write_words(const struct kt_fsm *fsm, FILE *out)
{
	fputs("  \"words\": [", out);
	for (size_t i = 0; i < fsm->n_words; i++) {
		const struct kt_fsm_word *w = &fsm->words[i];

		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
		kt_json_string(out, w->name);
		fprintf(out,
			", \"events\": %" PRIu64 ", \"lost\": %" PRIu64
			", \"entry\": %" PRIu32 ", \"exit\": %" PRIu32
			", \"complete\": %s, \"hash\": \"%s\"}",
			w->events, w->lost, w->entry, w->exit,
			w->complete ? "true" : "false", w->hash);
	}
	fputs(fsm->n_words ? "\n  ],\n" : "],\n", out);
}

/* Members that annotation adds stand on lines of their own, behind all others. */
static void write_meaning(const char *key, const char *text, FILE *out)
{
	if (text) {
		fprintf(out, ",\n     \"%s\": ", key);
		kt_json_string(out, text);
	}
}

/* The members of an object, each on a line of its own; NULL: none. */
static int write_more(json_t *object, const char *indent, FILE *out)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		fprintf(out, ",\n%s", indent);
		kt_json_string(out, key);
		fputs(": ", out);
		if (json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9))) {
			return kt_error(KT_E_MEMORY,
					"write machine as JSON: out of memory");
		}
	}
	return KT_OK;
}

static int write_states(const struct kt_fsm *fsm, const struct kt_fsm_more *more, FILE *out)
{
	fprintf(out, "  \"start\": %" PRIu32 ",\n  \"states\": [", fsm->start);
	for (size_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_state *state = &fsm->states[i];
		enum kt_side side = fsm->state_origins ? state->side : KT_SIDE_NONE;

		fprintf(out,
			"%s\n    {\"id\": %zu, \"visits\": %" PRIu64 ", \"ends\": %" PRIu64,
			i ? "," : "", i, state->visits, state->ends);
		if (side != KT_SIDE_NONE) {
			fprintf(out, ", \"side\": \"%s\"", kt_side_name(side));
		}
		/* The ids of a state in the machines that have it. */
		if (side == KT_SIDE_BOTH || side == KT_SIDE_OLD) {
			fprintf(out, ", \"old\": %" PRIu64, fsm->state_origins[i].in_old);
		}
		if (side == KT_SIDE_BOTH || side == KT_SIDE_NEW) {
			fprintf(out, ", \"new\": %" PRIu64, fsm->state_origins[i].in_new);
		}
		for (size_t j = 0; j < state->n_points; j++) {
			fputs(j ? ", " : ",\n     \"points\": [", out);
			kt_json_string(out, state->points[j]);
		}
		fputs(state->n_points ? "]" : "", out);
		write_meaning("label", state->label, out);
		write_meaning("phase", state->phase, out);
		KT_TRY(write_more(more->states ? more->states[i] : NULL, "     ", out));
		putc('}', out);
	}
	fputs(fsm->n_states ? "\n  ],\n" : "],\n", out);
	return KT_OK;
}

static int write_transitions(const struct kt_fsm *fsm, const struct kt_fsm_more *more,
			     FILE *out)
{
	fputs("  \"transitions\": [", out);
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		fprintf(out, "%s\n    {\"from\": %" PRIu32 ", \"letter\": ", i ? "," : "",
			t->from);
		kt_json_string(out, fsm->letters[t->letter]);
		fprintf(out, ", \"to\": %" PRIu32 ", \"count\": %" PRIu64, t->to, t->count);
		if (fsm->transition_origins && t->side != KT_SIDE_NONE) {
			fprintf(out,
				", \"side\": \"%s\", \"old\": %" PRIu64
				", \"new\": %" PRIu64,
				kt_side_name(t->side), fsm->transition_origins[i].in_old,
				fsm->transition_origins[i].in_new);
		}
		write_meaning("label", t->label, out);
		KT_TRY(write_more(more->transitions ? more->transitions[i] : NULL, "     ",
				  out));
		putc('}', out);
	}
	fputs(fsm->n_transitions ? "\n  ]" : "]", out);
	return KT_OK;
}

static int write_members(const struct kt_fsm *fsm, const struct kt_fsm_more *more,
			 FILE *out)
{
	fputs("{ \"format\": \"" KT_FSM_FORMAT "\", \"k\": ", out);
	if (fsm->no_k) {
		fputs("null", out);
	} else {
		fprintf(out, "%" PRIu64, fsm->k);
	}
	fputs(", \"machine\": ", out);
	kt_json_string(out, fsm->machine);
	fputs(", \"word\": ", out);
	kt_json_string(out, fsm->word);
	fprintf(out, ",\n  \"alphabet\": %s,\n",
		fsm->alphabet_json ? fsm->alphabet_json : "null");
	fputs("  \"letters\": [", out);
	for (size_t i = 0; i < fsm->n_letters; i++) {
		fputs(i ? ", " : "", out);
		kt_json_string(out, fsm->letters[i]);
	}
	fputs("],\n", out);
	write_words(fsm, out);
	KT_TRY(write_states(fsm, more, out));
	return write_transitions(fsm, more, out);
}

void kt_fsm_write_members(const struct kt_fsm *fsm, FILE *out)
{
	/* Only what `more` holds could fail. */
	(void)write_members(fsm, &(struct kt_fsm_more){0}, out);
}

int kt_fsm_write_with(const struct kt_fsm *fsm, const struct kt_fsm_more *more, FILE *out)
{
	KT_TRY(write_members(fsm, more, out));
	KT_TRY(write_more(more->top, "  ", out));
	fputs("\n}\n", out);
	if (ferror(out)) {
		return kt_error_errno(KT_E_IO, "write machine as JSON");
	}
	return KT_OK;
}

int kt_fsm_write_json(const struct kt_fsm *fsm, FILE *out)
{
	return kt_fsm_write_with(fsm, &(struct kt_fsm_more){0}, out);
}
