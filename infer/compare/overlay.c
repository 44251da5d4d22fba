/* SPDX-License-Identifier: MIT */
#include "infer/compare/difference.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

/* A transition of one machine or of both. */
struct edge {
	struct kt_fsm_transition transition; /* its label is weak */
	struct kt_fsm_origin origin;
};

struct overlay {
	const struct kt_joint *joint; /* Weak */
	const struct kt_match *match; /* Weak */
	struct kt_fsm *fsm;           /* Weak */
	struct edge *edges;           /* Owned by this */
	size_t n_edges;
	size_t *first;    /* Owned by this: node i has edges first[i] to first[i + 1] - 1 */
	uint32_t *number; /* Owned by this: for each node, its number or KT_MATCH_NONE */
	uint32_t *queue;  /* Owned by this: nodes in order of their numbers */
	size_t n_numbered;
	size_t n_nodes; /* old states, then new ones; a new state that is matched uses the
			 * node of its old state */
};

/* Returns the node of a machine's state. */
static uint32_t node(const struct overlay *o, int version, uint32_t state)
{
	uint32_t other = o->match->other[version][state];

	if (version == 0) {
		return state;
	}
	return other != KT_MATCH_NONE
		       ? other
		       : (uint32_t)(o->joint->machine[0].fsm->n_states + state);
}

/* --- transitions --- */

static void add_edge(struct overlay *o, int version, size_t i, uint64_t other_count)
{
	const struct kt_fsm_transition *t = &o->joint->machine[version].fsm->transitions[i];
	struct edge *edge = &o->edges[o->n_edges++];

	edge->transition = (struct kt_fsm_transition){
		.from = node(o, version, t->from),
		.letter = kt_joint_letter(&o->joint->machine[version], i),
		.to = node(o, version, t->to),
		.presence = version ? KT_PRESENCE_NEW : KT_PRESENCE_OLD,
		.count = t->count + other_count,
		.label = t->label,
	};
	edge->origin.in_old = version ? 0 : t->count;
	edge->origin.in_new = version ? t->count : other_count;
}

static int compare_edges(const void *left, const void *right)
{
	const struct kt_fsm_transition *a = &((const struct edge *)left)->transition;
	const struct kt_fsm_transition *b = &((const struct edge *)right)->transition;

	if (a->from != b->from) {
		return a->from < b->from ? -1 : 1;
	}
	if (a->letter != b->letter) {
		return a->letter < b->letter ? -1 : 1;
	}
	return (a->to > b->to) - (a->to < b->to);
}

/*
 * Orders like compare_edges(), except that of two transitions with the same source and
 * letter, the one that is only in the new machine comes last.
 */
static int compare_presence(const void *left, const void *right)
{
	const struct kt_fsm_transition *a = &((const struct edge *)left)->transition;
	const struct kt_fsm_transition *b = &((const struct edge *)right)->transition;

	if (a->from != b->from || a->letter != b->letter) {
		return compare_edges(left, right);
	}
	return (a->presence > b->presence) - (a->presence < b->presence);
}

static int collect_edges(struct overlay *o)
{
	const struct kt_fsm *old = o->joint->machine[0].fsm;
	const struct kt_fsm *new = o->joint->machine[1].fsm;
	bool *kept = calloc(new->n_transitions + 1, sizeof(*kept));

	o->edges = calloc(old->n_transitions + new->n_transitions + 1, sizeof(*o->edges));
	if (!kept || !o->edges) {
		free(kept);
		return kt_no_memory("overlay machines");
	}
	for (size_t i = 0; i < old->n_transitions; i++) {
		size_t same = kt_match_transition(o->match, o->joint, i);

		add_edge(o, 0, i, same == SIZE_MAX ? 0 : new->transitions[same].count);
		if (same != SIZE_MAX) {
			struct kt_fsm_transition *both =
				&o->edges[o->n_edges - 1].transition;
			char *label = new->transitions[same].label;

			kept[same] = true;
			both->presence = KT_PRESENCE_BOTH;
			both->label = label ? label : both->label;
		}
	}
	for (size_t i = 0; i < new->n_transitions; i++) {
		if (!kept[i]) {
			add_edge(o, 1, i, 0);
		}
	}
	free(kept);
	qsort(o->edges, o->n_edges, sizeof(*o->edges), compare_presence);
	return KT_OK;
}

/* --- numbers --- */

static void number_node(struct overlay *o, uint32_t which)
{
	if (o->number[which] == KT_MATCH_NONE) {
		o->number[which] = (uint32_t)o->n_numbered;
		o->queue[o->n_numbered++] = which;
	}
}

static void walk_from(struct overlay *o, uint32_t which)
{
	size_t at = o->n_numbered;

	number_node(o, which);
	for (; at < o->n_numbered; at++) {
		uint32_t from = o->queue[at];

		for (size_t e = o->first[from]; e < o->first[from + (size_t)1]; e++) {
			number_node(o, o->edges[e].transition.to);
		}
	}
}

static int number_nodes(struct overlay *o)
{
	const struct kt_fsm *old = o->joint->machine[0].fsm;
	const struct kt_fsm *new = o->joint->machine[1].fsm;

	o->first = calloc(o->n_nodes + 1, sizeof(*o->first));
	o->number = malloc(o->n_nodes * sizeof(*o->number));
	o->queue = malloc(o->n_nodes * sizeof(*o->queue));
	if (!o->first || !o->number || !o->queue) {
		return kt_no_memory("overlay machines");
	}
	memset(o->number, 0xff, o->n_nodes * sizeof(*o->number));
	for (size_t e = 0; e < o->n_edges; e++) {
		o->first[o->edges[e].transition.from + (size_t)1]++;
	}
	for (size_t i = 0; i < o->n_nodes; i++) {
		o->first[i + 1] += o->first[i];
	}
	walk_from(o, old->start);
	for (uint32_t s = 0; s < old->n_states; s++) {
		walk_from(o, s);
	}
	for (uint32_t s = 0; s < new->n_states; s++) {
		walk_from(o, node(o, 1, s));
	}
	return KT_OK;
}

/* --- states --- */

static int compare_points(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Replaces *out by a copy of `text`, unless `text` is NULL. Because the old machine is
 * added first, texts of the new machine replace those of the old machine.
 */
static int add_meaning(char **out, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy) {
		return kt_no_memory("overlay machines");
	}
	if (copy) {
		free(*out);
		*out = copy;
	}
	return KT_OK;
}

static int add_state(struct overlay *o, int version, uint32_t s)
{
	struct kt_fsm *fsm = o->fsm;
	uint32_t id = o->number[node(o, version, s)];
	const struct kt_fsm_state *from = &o->joint->machine[version].fsm->states[s];
	struct kt_fsm_state *state = &fsm->states[id];
	size_t known = state->n_points;
	char **points;

	if (version) {
		fsm->state_origins[id].in_new = s;
	} else {
		fsm->state_origins[id].in_old = s;
	}
	state->visits += from->visits;
	state->ends += from->ends;
	state->presence = o->match->other[version][s] != KT_MATCH_NONE ? KT_PRESENCE_BOTH
			  : version                                    ? KT_PRESENCE_NEW
								       : KT_PRESENCE_OLD;
	KT_TRY(add_meaning(&state->label, from->label));
	KT_TRY(add_meaning(&state->phase, from->phase));
	if (from->n_points == 0) {
		return KT_OK;
	}
	points = realloc(state->points, (known + from->n_points) * sizeof(*points));
	if (!points) {
		return kt_no_memory("overlay machines");
	}
	state->points = points;
	for (size_t i = 0; i < from->n_points; i++) {
		const void *key = &from->points[i];

		if (known && bsearch(key, points, known, sizeof(*points), compare_points)) {
			continue;
		}
		points[state->n_points] = strdup(from->points[i]);
		if (!points[state->n_points]) {
			return kt_no_memory("overlay machines");
		}
		state->n_points++;
	}
	qsort(points, state->n_points, sizeof(*points), compare_points);
	return KT_OK;
}

static int add_states(struct overlay *o, uint32_t *id[2])
{
	o->fsm->states = calloc(o->n_numbered, sizeof(*o->fsm->states));
	o->fsm->state_origins = calloc(o->n_numbered, sizeof(*o->fsm->state_origins));
	if (!o->fsm->states || !o->fsm->state_origins) {
		return kt_no_memory("overlay machines");
	}
	o->fsm->n_states = o->n_numbered;
	for (int version = 0; version < 2; version++) {
		size_t n = o->joint->machine[version].fsm->n_states;

		id[version] = calloc(n, sizeof(*id[version]));
		if (!id[version]) {
			return kt_no_memory("overlay machines");
		}
		for (uint32_t s = 0; s < n; s++) {
			id[version][s] = o->number[node(o, version, s)];
			KT_TRY(add_state(o, version, s));
		}
	}
	return KT_OK;
}

static int add_transitions(struct overlay *o)
{
	struct kt_fsm *fsm = o->fsm;

	for (size_t e = 0; e < o->n_edges; e++) {
		struct kt_fsm_transition *t = &o->edges[e].transition;

		t->from = o->number[t->from];
		t->to = o->number[t->to];
	}
	qsort(o->edges, o->n_edges, sizeof(*o->edges), compare_edges);
	fsm->transitions = calloc(o->n_edges + 1, sizeof(*fsm->transitions));
	fsm->transition_origins = calloc(o->n_edges + 1, sizeof(*fsm->transition_origins));
	if (!fsm->transitions || !fsm->transition_origins) {
		return kt_no_memory("overlay machines");
	}
	for (size_t e = 0; e < o->n_edges; e++) {
		fsm->transitions[e] = o->edges[e].transition;
		fsm->transitions[e].label = NULL;
		fsm->transition_origins[e] = o->edges[e].origin;
		fsm->n_transitions++;
		KT_TRY(add_meaning(&fsm->transitions[e].label,
				   o->edges[e].transition.label));
	}
	return KT_OK;
}

/* --- members of the whole machine --- */

static int copy(char **out, const char *text)
{
	*out = strdup(text);
	return *out ? KT_OK : kt_no_memory("overlay machines");
}

/* Returns the name that a machine has for a letter, or NULL. */
static const char *name_of(const struct kt_fsm *fsm, const char *letter)
{
	size_t i = fsm->names ? kt_fsm_find_letter(fsm, letter) : SIZE_MAX;

	return i != SIZE_MAX ? fsm->names[i] : NULL;
}

/*
 * Fills in the members of the whole machine. The alphabet and k are left out if they
 * differ. The unit of words is that of the old machine; a letter has its name in the new
 * machine or, without one, its name in the old machine.
 */
static int add_head(struct overlay *o)
{
	const struct kt_fsm *old = o->joint->machine[0].fsm;
	const struct kt_fsm *new = o->joint->machine[1].fsm;
	struct kt_fsm *fsm = o->fsm;

	KT_TRY(copy(&fsm->machine, "diff"));
	KT_TRY(copy(&fsm->word, old->word ? old->word : "process"));
	if (old->alphabet_json && new->alphabet_json &&
	    strcmp(old->alphabet_json, new->alphabet_json) == 0) {
		KT_TRY(copy(&fsm->alphabet_json, old->alphabet_json));
	}
	KT_TRY(kt_versions_add_all(&fsm->versions, &old->versions));
	KT_TRY(kt_versions_add_all(&fsm->versions, &new->versions));
	fsm->no_k = old->no_k || new->no_k || old->k != new->k;
	fsm->k = fsm->no_k ? 0 : old->k;
	fsm->letters = calloc(o->joint->n_letters + 1, sizeof(*fsm->letters));
	if (!fsm->letters) {
		return kt_no_memory("overlay machines");
	}
	for (size_t i = 0; i < o->joint->n_letters; i++) {
		KT_TRY(copy(&fsm->letters[i], o->joint->letters[i]));
		fsm->n_letters++;
	}
	for (size_t i = 0; i < fsm->n_letters; i++) {
		const char *name = name_of(new, fsm->letters[i]);

		name = name ? name : name_of(old, fsm->letters[i]);
		if (name) {
			KT_TRY(kt_fsm_set_name(fsm, i, name));
		}
	}
	return KT_OK;
}

int kt_overlay(struct kt_fsm **out, uint32_t *id[2], const struct kt_joint *joint,
	       const struct kt_match *match)
{
	struct overlay o = {.joint = joint, .match = match};
	int code;

	id[0] = NULL;
	id[1] = NULL;
	KT_TRY(kt_fsm_new(out));
	o.fsm = *out;
	o.n_nodes = joint->machine[0].fsm->n_states + joint->machine[1].fsm->n_states;
	if (o.n_nodes >= KT_MATCH_NONE) {
		code = kt_error(KT_E_USAGE, "overlay machines: too many states");
		goto end;
	}
	KT_TRY_END(add_head(&o));
	KT_TRY_END(collect_edges(&o));
	KT_TRY_END(number_nodes(&o));
	KT_TRY_END(add_states(&o, id));
	KT_TRY_END(add_transitions(&o));
end:
	free(o.edges);
	free(o.first);
	free(o.number);
	free(o.queue);
	if (code) {
		kt_fsm_free(*out);
		free(id[0]);
		free(id[1]);
		*out = NULL;
		id[0] = NULL;
		id[1] = NULL;
	}
	return code;
}
