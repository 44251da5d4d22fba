/* SPDX-License-Identifier: MIT */
/*
 * A machine of others as one of ours: deterministic, every state accepts, numbered breadth
 * first, nothing counted.
 */
#include "infer/exchange/found-graph.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/utf8.h"
#include "infer/exchange/found-letter.h"
#include <ktail/exchange.h>

#define NONE UINT32_MAX

struct arc {
	uint32_t from;
	uint32_t to;
	uint64_t line;
	char *name; /* Owned by the adopter */
	uint32_t letter;
};

struct adopter {
	const struct kt_found_graph *graph; /* Weak */
	uint32_t start;                     /* node */
	uint32_t *out;                      /* Owned by this: edges out of each node */
	uint32_t *in;                       /* Owned by this: edges into each node */
	bool acceptor;                      /* some state is a doublecircle */
	enum kt_found_kind kind;
	bool *alive;      /* Owned by this: something is accepted from there */
	struct arc *arcs; /* Owned by this */
	size_t n_arcs;
	size_t *first;   /* Owned by this: arcs of each node, in order of letters */
	uint32_t *ids;   /* Owned by this: of each node; NONE: not reached */
	uint32_t *order; /* Owned by this: nodes in order of ids */
	size_t n_states;
	struct kt_fsm *fsm; /* Owned by this until it is done */
};

static int no_memory(void)
{
	return kt_error(KT_E_MEMORY, "take machine over: out of memory");
}

static const char *node_value(const struct adopter *a, uint32_t node, enum kt_found_key key)
{
	return kt_found_value(a->graph, &a->graph->nodes[node].values, key);
}

/* A name for messages. */
struct shown {
	char text[KT_FOUND_SHOWN];
};

static struct shown name_of(const struct adopter *a, uint32_t node)
{
	struct shown shown;

	kt_found_show(shown.text, kt_found_name(a->graph, node));
	return shown;
}

static uint64_t line_of(const struct adopter *a, uint32_t node)
{
	return a->graph->nodes[node].line;
}

/* --- the beginning --- */

static bool is_blank(const struct adopter *a, const struct kt_found_edge *edge)
{
	const char *label = kt_found_value(a->graph, &edge->values, KT_FOUND_LABEL);

	return !label || !*label;
}

static bool is_marker(const struct adopter *a, const struct kt_found_edge *edge)
{
	return is_blank(a, edge) && a->out[edge->from] == 1 && a->in[edge->from] == 0;
}

static int count_degrees(struct adopter *a)
{
	a->out = calloc(a->graph->n_nodes + 1, sizeof(*a->out));
	a->in = calloc(a->graph->n_nodes + 1, sizeof(*a->in));
	if (!a->out || !a->in) {
		return no_memory();
	}
	for (size_t i = 0; i < a->graph->n_edges; i++) {
		a->out[a->graph->edges[i].from]++;
		a->in[a->graph->edges[i].to]++;
	}
	return KT_OK;
}

static int find_start(struct adopter *a)
{
	for (size_t i = 0; i < a->graph->n_edges; i++) {
		const struct kt_found_edge *edge = &a->graph->edges[i];

		if (!is_marker(a, edge)) {
			continue;
		}
		if (a->start != NONE && a->start != edge->to) {
			return kt_found_error(
				edge->line, "it begins in two states, %s and %s",
				name_of(a, a->start).text, name_of(a, edge->to).text);
		}
		a->start = edge->to;
	}
	if (a->start == NONE) {
		return kt_error(KT_E_MALFORMED,
				"it has no beginning: no edge without a label comes from a "
				"node of its own, such as __start0");
	}
	return KT_OK;
}

/* --- what accepts --- */

static bool accepts(const struct adopter *a, uint32_t node)
{
	const char *shape = node_value(a, node, KT_FOUND_SHAPE);

	return !a->acceptor || (shape && strcmp(shape, "doublecircle") == 0);
}

static int check_acceptor(struct adopter *a)
{
	int code;

	for (uint32_t i = 0; i < a->graph->n_nodes && !a->acceptor; i++) {
		const char *shape = node_value(a, i, KT_FOUND_SHAPE);

		a->acceptor = shape && strcmp(shape, "doublecircle") == 0;
	}
	a->alive = calloc(a->graph->n_nodes + 1, sizeof(*a->alive));
	if (!a->alive) {
		return no_memory();
	}
	for (uint32_t i = 0; i < a->graph->n_nodes; i++) {
		a->alive[i] = accepts(a, i);
	}
	code = kt_found_spread_back(a->graph, a->alive);
	if (!code && !a->alive[a->start]) {
		return kt_error(KT_E_MALFORMED, "it accepts nothing, not even no letters");
	}
	return code;
}

/* --- letters --- */

/* A Moore machine's states, all but markers, put something out. */
static void find_kind(struct adopter *a, const bool *markers)
{
	bool moore = !a->acceptor;

	for (uint32_t i = 0; i < a->graph->n_nodes; i++) {
		moore = moore && (markers[i] || kt_found_output(a->graph, i));
	}
	a->kind = a->acceptor ? KT_FOUND_ACCEPTOR : moore ? KT_FOUND_MOORE : KT_FOUND_ANY;
}

static int add_arc(struct adopter *a, const struct kt_found_edge *edge)
{
	struct arc arc = {.from = edge->from, .to = edge->to, .line = edge->line};

	if (is_blank(a, edge)) {
		return kt_found_error(edge->line, "an edge from %s has no label",
				      name_of(a, edge->from).text);
	}
	if (!a->alive[edge->to]) {
		return KT_OK;
	}
	arc.name = kt_found_letter(a->graph, edge, a->kind);
	if (!arc.name) {
		return no_memory();
	}
	a->arcs[a->n_arcs++] = arc;
	if (!kt_utf8_is_printable(arc.name, strlen(arc.name)) || !*arc.name) {
		return kt_found_error(
			edge->line,
			"the label of an edge from %s is empty, no valid UTF-8 "
			"or holds control characters",
			name_of(a, edge->from).text);
	}
	return KT_OK;
}

static int add_arcs(struct adopter *a)
{
	bool *markers = calloc(a->graph->n_nodes + 1, sizeof(*markers));
	bool *edges = calloc(a->graph->n_edges + 1, sizeof(*edges));
	int code = KT_OK;

	a->arcs = calloc(a->graph->n_edges + 1, sizeof(*a->arcs));
	if (!markers || !edges || !a->arcs) {
		code = no_memory();
	}
	for (size_t i = 0; i < a->graph->n_edges && !code; i++) {
		edges[i] = is_marker(a, &a->graph->edges[i]);
		markers[a->graph->edges[i].from] |= edges[i];
	}
	if (!code) {
		code = check_acceptor(a);
		find_kind(a, markers);
	}
	for (size_t i = 0; i < a->graph->n_edges && !code; i++) {
		code = edges[i] ? KT_OK : add_arc(a, &a->graph->edges[i]);
	}
	free(markers);
	free(edges);
	return code;
}

/* --- order --- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct arc *)a)->name, ((const struct arc *)b)->name);
}

static int compare_arcs(const void *a, const void *b)
{
	const struct arc *x = a;
	const struct arc *y = b;

	if (x->from != y->from) {
		return x->from < y->from ? -1 : 1;
	}
	return x->letter != y->letter ? (x->letter > y->letter) - (x->letter < y->letter)
				      : (x->to > y->to) - (x->to < y->to);
}

static int two_ways(const struct adopter *a, const struct arc *one, const struct arc *other)
{
	char letter[KT_FOUND_SHOWN];

	kt_found_show(letter, one->name);
	return kt_found_error(one->line > other->line ? one->line : other->line,
			      "state %s has two transitions with the letter %s",
			      name_of(a, one->from).text, letter);
}

/* One arc for edges that say the same; two with one letter are an error. */
static int join_twins(struct adopter *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_arcs; i++) {
		const struct arc *before = n ? &a->arcs[n - 1] : NULL;
		struct arc arc = a->arcs[i];

		if (!before || before->from != arc.from || before->letter != arc.letter) {
			a->arcs[i] = a->arcs[n];
			a->arcs[n++] = arc;
		} else if (before->to != arc.to) {
			return two_ways(a, before, &arc);
		}
	}
	for (size_t i = n; i < a->n_arcs; i++) {
		free(a->arcs[i].name);
	}
	a->n_arcs = n;
	return KT_OK;
}

static int sort_arcs(struct adopter *a)
{
	uint32_t letter = 0;
	int code;

	qsort(a->arcs, a->n_arcs, sizeof(*a->arcs), compare_names);
	for (size_t i = 0; i < a->n_arcs; i++) {
		letter += i > 0 && compare_names(&a->arcs[i - 1], &a->arcs[i]) != 0;
		a->arcs[i].letter = letter;
	}
	qsort(a->arcs, a->n_arcs, sizeof(*a->arcs), compare_arcs);
	code = join_twins(a);
	a->first = calloc(a->graph->n_nodes + 2, sizeof(*a->first));
	if (code || !a->first) {
		return code ? code : no_memory();
	}
	for (size_t i = 0; i < a->n_arcs; i++) {
		a->first[a->arcs[i].from + 1]++;
	}
	for (size_t i = 0; i < a->graph->n_nodes; i++) {
		a->first[i + 1] += a->first[i];
	}
	return KT_OK;
}

/* Breadth first; what is reached must accept. */
static int number_states(struct adopter *a)
{
	a->ids = calloc(a->graph->n_nodes + 1, sizeof(*a->ids));
	a->order = calloc(a->graph->n_nodes + 1, sizeof(*a->order));
	if (!a->ids || !a->order) {
		return no_memory();
	}
	memset(a->ids, 0xff, (a->graph->n_nodes + 1) * sizeof(*a->ids));
	a->ids[a->start] = 0;
	a->order[a->n_states++] = a->start;
	for (size_t i = 0; i < a->n_states; i++) {
		uint32_t node = a->order[i];

		if (!accepts(a, node)) {
			return kt_found_error(
				line_of(a, node),
				"state %s rejects, but leads to one that accepts: "
				"machines of ours accept every prefix",
				name_of(a, node).text);
		}
		for (size_t j = a->first[node]; j < a->first[node + 1]; j++) {
			uint32_t to = a->arcs[j].to;

			if (a->ids[to] == NONE) {
				a->ids[to] = (uint32_t)a->n_states;
				a->order[a->n_states++] = to;
			}
		}
	}
	return KT_OK;
}

/* --- the machine --- */

static int describe(struct adopter *a)
{
	struct kt_fsm *fsm;
	int code = kt_fsm_new(&a->fsm);

	if (code) {
		return code;
	}
	fsm = a->fsm;
	fsm->no_k = true;
	fsm->machine = strdup(KT_FSM_IMPORTED);
	fsm->word = strdup("unknown");
	fsm->letters = calloc(a->n_arcs + 1, sizeof(*fsm->letters));
	fsm->words = calloc(1, sizeof(*fsm->words));
	fsm->states = calloc(a->n_states, sizeof(*fsm->states));
	fsm->n_states = fsm->states ? a->n_states : 0;
	fsm->transitions = calloc(a->n_arcs + 1, sizeof(*fsm->transitions));
	return fsm->machine && fsm->word && fsm->letters && fsm->words && fsm->states &&
			       fsm->transitions
		       ? KT_OK
		       : no_memory();
}

/* The letters of transitions that are reached, in order; gives them new numbers. */
static int take_letters(struct adopter *a, uint32_t *numbers)
{
	struct kt_fsm *fsm = a->fsm;

	for (size_t i = 0; i < a->n_arcs; i++) {
		struct arc *arc = &a->arcs[i];

		if (a->ids[arc->from] != NONE && numbers[arc->letter] == NONE) {
			numbers[arc->letter] = 0;
			fsm->letters[arc->letter] = arc->name;
			arc->name = NULL;
		}
	}
	for (size_t i = 0; i < a->n_arcs; i++) {
		char *name = fsm->letters[i];

		fsm->letters[i] = NULL;
		if (name) {
			numbers[i] = (uint32_t)fsm->n_letters;
			fsm->letters[fsm->n_letters++] = name;
		}
	}
	return KT_OK;
}

static int build(struct adopter *a)
{
	uint32_t *numbers = malloc((a->n_arcs + 1) * sizeof(*numbers));
	int code = numbers ? describe(a) : no_memory();

	if (!code) {
		memset(numbers, 0xff, (a->n_arcs + 1) * sizeof(*numbers));
		code = take_letters(a, numbers);
	}
	for (size_t i = 0; i < a->n_states && !code; i++) {
		for (size_t j = a->first[a->order[i]]; j < a->first[a->order[i] + 1]; j++) {
			a->fsm->transitions[a->fsm->n_transitions++] =
				(struct kt_fsm_transition){
					.from = (uint32_t)i,
					.letter = numbers[a->arcs[j].letter],
					.to = a->ids[a->arcs[j].to],
				};
		}
	}
	free(numbers);
	return code;
}

static void clear(struct adopter *a)
{
	for (size_t i = 0; i < a->n_arcs; i++) {
		free(a->arcs[i].name);
	}
	kt_fsm_free(a->fsm);
	free(a->out);
	free(a->in);
	free(a->alive);
	free(a->arcs);
	free(a->first);
	free(a->ids);
	free(a->order);
}

int kt_found_adopt(struct kt_fsm **out, const struct kt_found_graph *graph)
{
	struct adopter a = {.graph = graph, .start = NONE};
	int code = count_degrees(&a);

	code = code ? code : find_start(&a);
	code = code ? code : add_arcs(&a);
	code = code ? code : sort_arcs(&a);
	code = code ? code : number_states(&a);
	code = code ? code : build(&a);
	*out = code ? NULL : a.fsm;
	if (!code) {
		a.fsm = NULL;
	}
	clear(&a);
	return code;
}
