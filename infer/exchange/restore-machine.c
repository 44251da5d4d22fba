/* SPDX-License-Identifier: MIT */
/*
 * Builds a machine from a file that contains all that fsm.json would contain. Reassembles
 * the JSON and passes it to kt_fsm_read_json(), so that a single function checks machines.
 */
#include "infer/exchange/found-graph.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "base/utf8.h"

#define MARKER "__start0"

struct restorer {
	const struct kt_found_graph *graph; /* Weak */
	/* Owned by this: for each node, its id; NO_ID for MARKER */
	uint32_t *ids;
	uint32_t *nodes; /* Owned by this: for each id, the node */
	size_t n_states;
	json_t *root; /* Owned by this */
};

#define NO_ID UINT32_MAX

/* Parses a number such as "12"; false if text is not a number below 2^63. */
static bool take_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && errno == 0 && *out <= INT64_MAX;
}

/*
 * Reads an attribute of a node or an edge as a number. `name` and `line`, the line of the
 * node or edge, are used in messages.
 */
static int get_number(const struct restorer *r, const struct kt_found_values *values,
		      uint64_t line, enum kt_found_key key, const char *name, uint64_t *out)
{
	const char *text = kt_found_value(r->graph, values, key);
	char shown[KT_FOUND_SHOWN];

	if (!text) {
		return kt_found_error(line, "'%s' is missing", name);
	}
	if (!take_number(text, out)) {
		kt_found_show(shown, text);
		return kt_found_error(line,
				      "'%s' must be a whole number below 2^63, not '%s'",
				      name, shown);
	}
	return KT_OK;
}

/* --- ids --- */

static int identify(struct restorer *r)
{
	const struct kt_found_graph *graph = r->graph;

	r->ids = calloc(graph->n_nodes + 1, sizeof(*r->ids));
	r->nodes = calloc(graph->n_nodes + 1, sizeof(*r->nodes));
	if (!r->ids || !r->nodes) {
		return kt_no_memory("build machine");
	}
	memset(r->nodes, 0xff, (graph->n_nodes + 1) * sizeof(*r->nodes));
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		const char *name = kt_found_name(graph, i);
		char shown[KT_FOUND_SHOWN];
		uint64_t id = NO_ID;

		r->ids[i] = NO_ID;
		if (strcmp(name, MARKER) == 0) {
			continue;
		}
		if (name[0] != 's' || !take_number(name + 1, &id) || id >= graph->n_nodes ||
		    r->nodes[id] != NO_ID) {
			kt_found_show(shown, name);
			return kt_found_error(graph->nodes[i].line,
					      "a state is called '%s', must be one of s0, "
					      "s1, ..., without duplicates",
					      shown);
		}
		r->ids[i] = (uint32_t)id;
		r->nodes[id] = i;
		r->n_states++;
	}
	for (size_t i = 0; i < r->n_states; i++) {
		if (r->nodes[i] == NO_ID) {
			return kt_error(KT_E_MALFORMED,
					"there is no state s%zu, but %zu states", i,
					r->n_states);
		}
	}
	return KT_OK;
}

/* --- states and transitions --- */

/*
 * Appends an object to the array, which takes ownership of the object, and adds to the
 * object the members that only a difference of machines has. KT_E_MEMORY if the object is
 * NULL, that is, if the caller could not allocate it.
 */
static int append(const struct restorer *r, const struct kt_found_values *values,
		  uint64_t line, json_t *array, json_t *object)
{
	static const struct {
		enum kt_found_key key;
		const char *name;
	} numbers[] = {{KT_FOUND_OLD, "old"}, {KT_FOUND_NEW, "new"}};
	const char *presence = kt_found_value(r->graph, values, KT_FOUND_SIDE);

	if (!object || json_array_append_new(array, object) != 0) {
		return kt_no_memory("build machine");
	}
	if (presence && json_object_set_new(object, "side", json_string(presence)) != 0) {
		return kt_found_error(line, "'side' is not valid UTF-8");
	}
	for (size_t i = 0; i < 2 && presence; i++) {
		uint64_t n = 0;

		if (!values->at[numbers[i].key]) {
			continue;
		}
		KT_TRY(get_number(r, values, line, numbers[i].key, numbers[i].name, &n));
		if (json_object_set_new(object, numbers[i].name,
					json_integer((json_int_t)n)) != 0) {
			return kt_no_memory("build machine");
		}
	}
	return KT_OK;
}

/* Returns a JSON array with a string for each line of the text, or NULL. */
static json_t *split_points(const char *text)
{
	json_t *points = json_array();

	while (points && *text) {
		size_t n = strcspn(text, "\n");

		if (json_array_append_new(points, json_stringn(text, n)) != 0) {
			json_decref(points);
			return NULL;
		}
		text += n + (text[n] == '\n');
	}
	return points;
}

static int add_states(struct restorer *r)
{
	json_t *states = json_array();

	if (json_object_set_new(r->root, "states", states) != 0) {
		return kt_no_memory("build machine");
	}
	for (size_t i = 0; i < r->n_states; i++) {
		const struct kt_found_node *node = &r->graph->nodes[r->nodes[i]];
		const struct kt_found_values *values = &node->values;
		const char *points = kt_found_value(r->graph, values, KT_FOUND_POINTS);
		uint64_t visits = 0;
		uint64_t ends = 0;
		json_t *state;

		KT_TRY(get_number(r, values, node->line, KT_FOUND_VISITS, "visits",
				  &visits));
		KT_TRY(get_number(r, values, node->line, KT_FOUND_ENDS, "ends", &ends));
		state = json_pack("{s:I, s:I, s:I}", "id", (json_int_t)i, "visits",
				  (json_int_t)visits, "ends", (json_int_t)ends);
		if (state && points &&
		    json_object_set_new(state, "points", split_points(points)) != 0) {
			json_decref(state);
			state = NULL;
		}
		KT_TRY(append(r, values, node->line, states, state));
	}
	return KT_OK;
}

struct sortable {
	const struct kt_found_edge *edge; /* Weak */
	uint32_t from;
	const char *letter;
	uint32_t to;
};

/* Compares transitions in the order in which fsm.json lists them. */
static int compare(const void *a, const void *b)
{
	const struct sortable *x = a;
	const struct sortable *y = b;

	int order = strcmp(x->letter, y->letter);

	if (x->from != y->from) {
		return x->from < y->from ? -1 : 1;
	}
	return order ? order : (x->to > y->to) - (x->to < y->to);
}

/* Adds all edges except the one that leads from MARKER to the start. */
static int add_transitions(struct restorer *r)
{
	struct sortable *list = calloc(r->graph->n_edges + 1, sizeof(*list));
	json_t *transitions = json_array();
	size_t n = 0;
	int code = KT_OK;

	if (json_object_set_new(r->root, "transitions", transitions) != 0 || !list) {
		code = kt_no_memory("build machine");
		goto end;
	}
	for (size_t i = 0; i < r->graph->n_edges; i++) {
		const struct kt_found_edge *edge = &r->graph->edges[i];
		const char *letter = kt_found_letter(r->graph, edge);

		if (r->ids[edge->from] == NO_ID) {
			continue;
		}
		if (!letter) {
			code = kt_found_error(edge->line, "a transition has no letter");
			goto end;
		}
		list[n++] = (struct sortable){edge, r->ids[edge->from], letter,
					      r->ids[edge->to]};
	}
	qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < n; i++) {
		const struct sortable *s = &list[i];
		const struct kt_found_values *values = &s->edge->values;
		uint64_t line = s->edge->line;
		uint64_t count = 0;

		KT_TRY_END(get_number(r, values, line, KT_FOUND_COUNT, "count", &count));
		if (s->to == NO_ID) {
			code = kt_found_error(line, "a transition has no target state");
			goto end;
		}
		if (!kt_utf8_is_printable(s->letter, strlen(s->letter))) {
			code = kt_found_error(line, "a letter is not valid UTF-8 or "
						    "contains control characters");
			goto end;
		}
		KT_TRY_END(
			append(r, values, line, transitions,
			       json_pack("{s:I, s:s, s:I, s:I}", "from",
					 (json_int_t)s->from, "letter", s->letter, "to",
					 (json_int_t)s->to, "count", (json_int_t)count)));
	}
end:
	free(list);
	return code;
}

/* --- the machine --- */

int kt_found_restore(struct kt_fsm **out, const struct kt_found_graph *graph)
{
	struct restorer r = {.graph = graph};
	json_error_t error;
	char *text = NULL;
	FILE *in = NULL;
	int code;

	*out = NULL;
	r.root = json_loads(kt_found_value(graph, &graph->values, KT_FOUND_FSM),
			    JSON_REJECT_DUPLICATES, &error);
	if (!r.root && json_error_code(&error) == json_error_out_of_memory) {
		return kt_no_memory("build machine");
	}
	if (!json_is_object(r.root)) {
		code = kt_error(KT_E_MALFORMED, "'fsm' is not a JSON object: %s",
				r.root ? "something else" : error.text);
		goto end;
	}
	KT_TRY_END(identify(&r));
	KT_TRY_END(add_states(&r));
	KT_TRY_END(add_transitions(&r));
	text = json_dumps(r.root, JSON_COMPACT);
	json_decref(r.root); /* free this tree before kt_fsm_read_json() builds another */
	r.root = NULL;
	in = text ? fmemopen(text, strlen(text), "r") : NULL;
	code = in ? kt_fsm_read_json(out, in, "its machine")
		  : kt_no_memory("build machine");
end:
	if (in) {
		fclose(in);
	}
	free(text);
	json_decref(r.root);
	free(r.ids);
	free(r.nodes);
	return code;
}
