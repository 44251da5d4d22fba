/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil.h"

#include <string.h>

#include <jansson.h>

#include <ktail/status.h>

#include "base/json.h"

#define LISTED 16 /* limit of each list of a state: labels, letters, calls */

struct writing {
	const struct kt_distilled *d;
	const struct kt_distilled_column *column;
	const struct kt_distilled_origin *origin;
	int ids[KT_COLUMN_STATES]; /* "id" of each state; -1: no word visits the state */
};

static const char *text_of(const struct kt_texts *texts, uint32_t text)
{
	return text == KT_NO_TEXT ? NULL : texts->items[text];
}

/*
 * Returns an array of labels (or letters, if `labels` is false) with their counts, and with
 * the number of entries beyond LISTED, which are left out. NULL if out of memory.
 */
static json_t *counts(const struct writing *w, const struct kt_distilled_list *list,
		      bool labels)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < list->n && i < LISTED && whole; i++) {
		uint32_t text = list->items[i].text;
		json_t *count = kt_json_integer(list->items[i].count);
		const struct kt_fsm *fsm = w->origin->fsm;
		const char *name = !labels && fsm->names ? fsm->names[text] : NULL;

		if (labels) {
			whole = kt_json_append(array,
					       json_pack("{s:s?, s:o}", "label",
							 text_of(w->origin->texts, text),
							 "count", count));
		} else {
			/*
			 * json_pack() leaves out a member of format s* if its value is
			 * NULL.
			 */
			whole = kt_json_append(array,
					       json_pack("{s:s, s:s*, s:o}", "letter",
							 fsm->letters[text], "name", name,
							 "count", count));
		}
	}
	if (whole && list->n > LISTED) {
		whole = kt_json_append(array, json_pack("{s:o}", "more",
							kt_json_integer(list->n - LISTED)));
	}
	return kt_json_if_whole(array, whole);
}

static json_t *calls(const struct writing *w, const struct kt_distilled_list *list)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < list->n && i < LISTED && whole; i++) {
		const struct kt_distilled_count *c = &list->items[i];

		whole = kt_json_append(array,
				       json_pack("{s:s?, s:o, s:o}", "name",
						 text_of(w->origin->texts, c->text),
						 "calls", kt_json_integer(c->calls),
						 "letters", kt_json_integer(c->count)));
	}
	if (whole && list->n > LISTED) {
		whole = kt_json_append(array, json_pack("{s:o}", "more",
							kt_json_integer(list->n - LISTED)));
	}
	return kt_json_if_whole(array, whole);
}

static json_t *phases(const struct kt_distilled_state *state)
{
	json_t *object = json_object();
	bool whole = object != NULL;

	for (int i = 0; i <= KT_API_PHASE_DESTROY && whole; i++) {
		whole = state->by_phase[i] == 0 ||
			json_object_set_new(object, kt_api_phase_name((enum kt_api_phase)i),
					    kt_json_integer(state->by_phase[i])) == 0;
	}
	return kt_json_if_whole(object, whole);
}

static json_t *merges(const struct writing *w, const struct kt_distilled_state *state)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < state->n_merges && whole; i++) {
		const struct kt_distilled_merge *m = &state->merges[i];

		whole = kt_json_append(array, json_pack("{s:o, s:o, s:s?, s:s}", "state",
							kt_json_integer(m->state), "visits",
							kt_json_integer(m->visits), "label",
							text_of(w->origin->texts, m->label),
							"reason", m->reason));
	}
	return kt_json_if_whole(array, whole);
}

/*
 * In the system's column, sets *out to the states in which the user's column was during the
 * visits of `state`. In the user's column, sets *out to NULL, which json_pack() leaves out.
 * Returns false if memory is exhausted.
 */
static bool during(json_t **out, const struct writing *w,
		   const struct kt_distilled_state *state)
{
	const struct kt_distilled_column *user = &w->d->columns[KT_COLUMN_USER];
	json_t *array = json_array();
	bool whole = array != NULL;

	*out = NULL;
	if (w->column == user) {
		json_decref(array);
		return whole;
	}
	for (size_t i = 0; i < state->during.n && whole; i++) {
		const struct kt_distilled_count *c = &state->during.items[i];

		whole = kt_json_append(array, json_pack("{s:s, s:o}", "name",
							user->states[c->text].name, "count",
							kt_json_integer(c->count)));
	}
	*out = kt_json_if_whole(array, whole);
	return whole;
}

static json_t *states(const struct writing *w)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < w->column->n_states && whole; i++) {
		const struct kt_distilled_state *s = &w->column->states[i];
		json_t *meanwhile;

		if (w->ids[i] < 0) {
			continue;
		}
		whole = during(&meanwhile, w, s) &&
			kt_json_append(array,
				       json_pack("{s:i, s:s, s:b, s:o, s:o, s:o, s:o, s:o, "
						 "s:o*, s:o}",
						 "id", w->ids[i], "name", s->name, "paper",
						 (int)s->paper, "visits",
						 kt_json_integer(s->visits), "phases",
						 phases(s), "system",
						 counts(w, &s->labels, true), "letters",
						 counts(w, &s->letters, false), "user",
						 calls(w, &s->calls), "during", meanwhile,
						 "merged", merges(w, s)));
	}
	return kt_json_if_whole(array, whole);
}

static json_t *transitions(const struct writing *w)
{
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < w->column->n_states; i++) {
		for (size_t j = 0; j < w->column->n_states && whole; j++) {
			const struct kt_distilled_edge *edge =
				kt_distilled_edge(w->column, i, j);

			whole = edge->count == 0 ||
				kt_json_append(
					array,
					json_pack("{s:i, s:i, s:o, s:o}", "from", w->ids[i],
						  "to", w->ids[j], "count",
						  kt_json_integer(edge->count), "letters",
						  counts(w, &edge->letters, false)));
		}
	}
	return kt_json_if_whole(array, whole);
}

/* Makes `column` the current column, and numbers its states that words visit. */
static void turn_to(struct writing *w, enum kt_state_column column)
{
	int n = 0;

	w->column = &w->d->columns[column];
	for (size_t i = 0; i < w->column->n_states; i++) {
		w->ids[i] = w->column->states[i].visits ? n++ : -1;
	}
}

/* Returns the name of the machine's alphabet; NULL if it is unknown. */
static json_t *alphabet_of(const struct kt_fsm *fsm)
{
	json_t *alphabet =
		fsm->alphabet_json ? json_loads(fsm->alphabet_json, 0, NULL) : NULL;
	json_t *name = json_incref(json_object_get(alphabet, "name"));

	json_decref(alphabet);
	return name;
}

/*
 * Sets *out to the versions of GPU and driver that were recorded, or to NULL, which
 * json_pack() leaves out, if none was. Returns false if memory is exhausted.
 */
static bool versions_of(json_t **out, const struct kt_fsm *fsm)
{
	static const char *const parts[] = {"gpu", "libcuda", "module"};
	json_t *array = json_array();
	bool whole = array != NULL;

	for (size_t i = 0; i < fsm->versions.n; i++) {
		const struct kt_version *row = &fsm->versions.rows[i];

		for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]) && whole; j++) {
			whole = strcmp(row->what, parts[j]) != 0 ||
				kt_json_append(array,
					       json_pack("{s:s, s:s}", "what", row->what,
							 "version", row->version));
		}
	}
	*out = kt_json_if_whole(array, whole);
	if (*out && json_array_size(*out) == 0) {
		json_decref(*out);
		*out = NULL;
	}
	return whole;
}

int kt_distilled_write_json(FILE *out, const struct kt_distilled *distilled,
			    const struct kt_distilled_origin *origin)
{
	struct writing w = {.d = distilled, .origin = origin};
	json_t *traces = json_array();
	bool whole = traces != NULL;
	json_t *versions;
	json_t *system;
	json_t *root;
	int n;

	if (!versions_of(&versions, origin->fsm)) {
		json_decref(traces);
		return kt_no_memory("write distilled machine");
	}
	for (size_t i = 0; i < origin->n_traces && whole; i++) {
		whole = kt_json_append(traces, json_string(origin->traces[i]));
	}
	turn_to(&w, KT_COLUMN_SYSTEM);
	system = json_pack("{s:o, s:o}", "states", states(&w), "transitions",
			   transitions(&w));
	turn_to(&w, KT_COLUMN_USER);
	root = json_pack(
		"{s:s, s:o, s:o*, s:o*, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}",
		"format", KT_DISTILLED_FORMAT, "k",
		origin->fsm->no_k ? json_null() : kt_json_integer(origin->fsm->k),
		"alphabet", alphabet_of(origin->fsm), "versions", versions, "traces",
		kt_json_if_whole(traces, whole), "words", kt_json_integer(distilled->words),
		"ended", kt_json_integer(distilled->ended), "letters",
		kt_json_integer(distilled->letters), "unplaced",
		kt_json_integer(origin->unplaced), "calls", (int)origin->calls, "states",
		states(&w), "transitions", transitions(&w), "system", system);
	if (!root) {
		return kt_no_memory("write distilled machine");
	}
	n = json_dumpf(root, out, JSON_INDENT(1));
	json_decref(root);
	putc('\n', out);
	if (ferror(out)) {
		return kt_error_errno(KT_E_IO, "write distilled machine as JSON");
	}
	return n != 0 ? kt_no_memory("write distilled machine") : KT_OK;
}
