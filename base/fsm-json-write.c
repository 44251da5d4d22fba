/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/json-writer.h"
#include "base/try.h"

static void write_words(struct kt_json_writer *w, const struct kt_fsm *fsm)
{
	kt_json_rows(kt_json_line(w), "words");
	for (size_t i = 0; i < fsm->n_words; i++) {
		const struct kt_fsm_word *word = &fsm->words[i];

		KT_OBJECT(w, NULL, KT_STR("name", word->name),
			  KT_U64("events", word->events), KT_U64("lost", word->lost),
			  KT_U64("entry", word->entry), KT_U64("exit", word->exit),
			  KT_BOOL("complete", word->complete), KT_STR("hash", word->hash));
	}
	kt_json_end(w);
}

/* Writes the origin of a state, and the id of the state in each machine that has it. */
static void write_ids(struct kt_json_writer *w, const struct kt_fsm *fsm, size_t i)
{
	enum kt_presence presence = fsm->states[i].presence;

	if (!fsm->state_origins || presence == KT_PRESENCE_NONE) {
		return;
	}
	KT_JSON(w, KT_STR("side", kt_presence_name(presence)));
	if (presence != KT_PRESENCE_NEW) {
		KT_JSON(w, KT_U64("old", fsm->state_origins[i].in_old));
	}
	if (presence != KT_PRESENCE_OLD) {
		KT_JSON(w, KT_U64("new", fsm->state_origins[i].in_new));
	}
}

static void write_counts(struct kt_json_writer *w, const struct kt_fsm *fsm, size_t i)
{
	enum kt_presence presence = fsm->transitions[i].presence;

	if (fsm->transition_origins && presence != KT_PRESENCE_NONE) {
		KT_JSON(w, KT_STR("side", kt_presence_name(presence)),
			KT_U64("old", fsm->transition_origins[i].in_old),
			KT_U64("new", fsm->transition_origins[i].in_new));
	}
}

/* Writes an annotation on a line of its own, after all other members. */
static void write_meaning(struct kt_json_writer *w, const char *key, const char *text)
{
	if (text) {
		KT_JSON(kt_json_line(w), KT_STR(key, text));
	}
}

/* Writes the members of an object, one per line; if object is NULL, writes nothing. */
static int write_more(struct kt_json_writer *w, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		kt_json_line(w);
		if (json_dumpf(value, kt_json_stream(w, key),
			       JSON_ENCODE_ANY | JSON_REAL_PRECISION(9))) {
			return kt_error(KT_E_MEMORY,
					"write machine as JSON: out of memory");
		}
	}
	return KT_OK;
}

static int write_states(struct kt_json_writer *w, const struct kt_fsm *fsm,
			const struct kt_fsm_more *more)
{
	KT_JSON(kt_json_line(w), KT_U64("start", fsm->start));
	kt_json_rows(kt_json_line(w), "states");
	for (size_t i = 0; i < fsm->n_states; i++) {
		const struct kt_fsm_state *state = &fsm->states[i];

		kt_json_object(w, NULL);
		KT_JSON(w, KT_U64("id", i), KT_U64("visits", state->visits),
			KT_U64("ends", state->ends));
		write_ids(w, fsm, i);
		if (state->n_points > 0) {
			kt_json_texts(kt_json_line(w), "points", state->points,
				      state->n_points);
		}
		write_meaning(w, "label", state->label);
		write_meaning(w, "phase", state->phase);
		if (more->states) {
			KT_TRY(write_more(w, more->states[i]));
		}
		kt_json_end(w);
	}
	kt_json_end(w);
	return KT_OK;
}

static int write_transitions(struct kt_json_writer *w, const struct kt_fsm *fsm,
			     const struct kt_fsm_more *more)
{
	kt_json_rows(kt_json_line(w), "transitions");
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		kt_json_object(w, NULL);
		KT_JSON(w, KT_U64("from", t->from),
			KT_STR("letter", fsm->letters[t->letter]), KT_U64("to", t->to),
			KT_U64("count", t->count));
		write_counts(w, fsm, i);
		write_meaning(w, "label", t->label);
		if (more->transitions) {
			KT_TRY(write_more(w, more->transitions[i]));
		}
		kt_json_end(w);
	}
	kt_json_end(w);
	return KT_OK;
}

/*
 * Writes "names", an object with the name of each letter that has one. Writes nothing if
 * no letter has a name.
 */
static void write_names(struct kt_json_writer *w, const struct kt_fsm *fsm)
{
	if (!fsm->names) {
		return;
	}
	kt_json_object(kt_json_line(w), "names");
	for (size_t i = 0; i < fsm->n_letters; i++) {
		if (fsm->names[i]) {
			KT_JSON(w, KT_STR(fsm->letters[i], fsm->names[i]));
		}
	}
	kt_json_end(w);
}

/* Returns text, or NULL if it is empty, so that KT_STR omits the member. */
static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

void kt_versions_write_json(struct kt_json_writer *w, const struct kt_versions *versions)
{
	if (versions->n == 0) {
		return;
	}
	kt_json_rows(kt_json_line(w), "versions");
	for (size_t i = 0; i < versions->n; i++) {
		const struct kt_version *row = &versions->rows[i];

		KT_OBJECT(w, NULL, KT_STR("what", row->what),
			  KT_STR("version", or_null(row->version)),
			  KT_STR("id", or_null(row->id)),
			  KT_STR("detail", or_null(row->detail)));
	}
	kt_json_end(w);
}

static int write_members(struct kt_json_writer *w, const struct kt_fsm *fsm,
			 const struct kt_fsm_more *more)
{
	KT_JSON(w, KT_KNOWN("k", fsm->k, !fsm->no_k), KT_STR("machine", fsm->machine),
		KT_STR("word", fsm->word));
	KT_JSON(kt_json_line(w),
		KT_RAW("alphabet", fsm->alphabet_json ? fsm->alphabet_json : "null"));
	if (fsm->gate) {
		KT_JSON(kt_json_line(w), KT_BOOL("gate", true));
	}
	kt_json_texts(kt_json_line(w), "letters", fsm->letters, fsm->n_letters);
	write_names(w, fsm);
	kt_versions_write_json(w, &fsm->versions);
	write_words(w, fsm);
	KT_TRY(write_states(w, fsm, more));
	return write_transitions(w, fsm, more);
}

void kt_fsm_write_members(const struct kt_fsm *fsm, FILE *out)
{
	struct kt_json_writer w = kt_json_document(out, KT_FSM_FORMAT);

	/* This cannot fail: only writing members of `more` can, and `more` is empty. */
	(void)write_members(&w, fsm, &(struct kt_fsm_more){0});
	kt_json_flush(&w);
}

int kt_fsm_write_with(const struct kt_fsm *fsm, const struct kt_fsm_more *more, FILE *out)
{
	struct kt_json_writer w = kt_json_document(out, KT_FSM_FORMAT);

	KT_TRY(write_members(&w, fsm, more));
	KT_TRY(write_more(&w, more->top));
	return kt_json_finish(&w, "write machine as JSON");
}

int kt_fsm_write_json(const struct kt_fsm *fsm, FILE *out)
{
	return kt_fsm_write_with(fsm, &(struct kt_fsm_more){0}, out);
}
