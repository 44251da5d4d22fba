/* SPDX-License-Identifier: MIT */
/*
 * Converts a machine of another program into a deterministic one without counts, in which
 * every state accepts and states are numbered breadth first.
 */
#include "infer/exchange/found-graph.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/exchange.h>
#include <ktail/status.h>

#include "base/order.h"
#include "base/try.h"
#include "base/utf8.h"

#define NONE UINT32_MAX

struct arc {
	uint32_t from;
	uint32_t to;
	uint64_t line;
	char *name; /* Owned by the adopter */
	uint32_t letter;
};

enum kt_found_kind {
	KT_FOUND_ANY = 0,  /* every state accepts; a label `a / o` is input and output of a
			    * Mealy machine */
	KT_FOUND_ACCEPTOR, /* labels are letters */
	KT_FOUND_MOORE,    /* states have outputs */
};

struct adopter {
	const struct kt_found_graph *graph; /* Weak */
	uint32_t start;                     /* node of the start */
	bool *markers; /* Owned by this: for each node, whether it only marks the start */
	bool acceptor; /* some state is a doublecircle */
	enum kt_found_kind kind;
	/* Owned by this: for each node, whether some word is accepted from there */
	bool *alive;
	struct arc *arcs; /* Owned by this */
	size_t n_arcs;
	/*
	 * Owned by this: for each node, index of its first arc; the arcs of a node are
	 * sorted by letter
	 */
	size_t *first;
	uint32_t *ids;   /* Owned by this: for each node, its id, or NONE if unreached */
	uint32_t *order; /* Owned by this: nodes sorted by id */
	size_t n_states;
	struct kt_fsm *fsm; /* Owned by this until it is returned */
};

/* A name formatted for messages. */
struct shown {
	char text[KT_FOUND_SHOWN];
};

static struct shown name_of(const struct adopter *a, uint32_t node)
{
	struct shown shown;

	kt_found_show(shown.text, kt_found_name(a->graph, node));
	return shown;
}

static bool is_blank(const struct adopter *a, const struct kt_found_edge *edge)
{
	const char *label = kt_found_letter(a->graph, edge);

	return !label || !*label;
}

/*
 * Finds the start: the target of an unlabelled edge that is the only edge from its source
 * node, if no edge leads to that node.
 */
static int find_start(struct adopter *a)
{
	const struct kt_found_graph *graph = a->graph;
	uint32_t *out = calloc(graph->n_nodes + 1, sizeof(*out));
	uint32_t *in = calloc(graph->n_nodes + 1, sizeof(*in));
	int code = KT_OK;

	a->markers = calloc(graph->n_nodes + 1, sizeof(*a->markers));
	if (!out || !in || !a->markers) {
		code = kt_no_memory("import machine");
		goto end;
	}
	for (size_t i = 0; i < graph->n_edges; i++) {
		out[graph->edges[i].from]++;
		in[graph->edges[i].to]++;
	}
	for (size_t i = 0; i < graph->n_edges; i++) {
		const struct kt_found_edge *edge = &graph->edges[i];

		if (!is_blank(a, edge) || out[edge->from] != 1 || in[edge->from] != 0) {
			continue;
		}
		if (a->start != NONE && a->start != edge->to) {
			code = kt_found_error(
				edge->line, "it has two start states, %s and %s",
				name_of(a, a->start).text, name_of(a, edge->to).text);
			goto end;
		}
		a->markers[edge->from] = true;
		a->start = edge->to;
	}
	if (a->start == NONE) {
		code = kt_error(KT_E_MALFORMED,
				"it has no start state: no unlabelled edge comes from a "
				"node of its own, such as __start0");
	}
end:
	free(out);
	free(in);
	return code;
}

/* --- accepting states --- */

static bool is_doublecircle(const struct adopter *a, uint32_t node)
{
	const char *shape =
		kt_found_value(a->graph, &a->graph->nodes[node].values, KT_FOUND_SHAPE);

	return shape && strcmp(shape, "doublecircle") == 0;
}

static bool accepts(const struct adopter *a, uint32_t node)
{
	return !a->acceptor || is_doublecircle(a, node);
}

/* Marks every node from which a marked node is reachable. O(nodes + edges). */
static int spread_back(const struct kt_found_graph *graph, bool *marks)
{
	uint32_t *queue = calloc(graph->n_nodes + 1, sizeof(*queue)); /* marked nodes */
	struct kt_groups into = {0}; /* edges grouped by target */
	size_t n = 0;
	int code;

	if (!queue) {
		return kt_no_memory("follow edges");
	}
	KT_TRY_END(kt_group(&into, graph->edges, to, graph->n_edges, graph->n_nodes, NULL,
			    "follow edges"));
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		if (marks[i]) {
			queue[n++] = i;
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = into.first[queue[i]]; j < into.first[queue[i] + (size_t)1];
		     j++) {
			uint32_t tail = graph->edges[into.member[j]].from;

			if (!marks[tail]) {
				marks[tail] = true;
				queue[n++] = tail;
			}
		}
	}
end:
	kt_groups_clear(&into);
	free(queue);
	return code;
}

/* --- letters --- */

/*
 * Returns the output of a Moore machine's state, which AALpy writes as `id|output` and
 * AutomataLib as `id / output`; NULL if the label has no output.
 */
static const char *output_of(const struct kt_found_graph *graph, uint32_t node)
{
	const struct kt_found_values *values = &graph->nodes[node].values;
	const char *label = kt_found_value(graph, values, KT_FOUND_LABEL);
	const char *shape = kt_found_value(graph, values, KT_FOUND_SHAPE);
	const char *found;

	if (!label) {
		return NULL;
	}
	if (shape && strcmp(shape, "record") == 0) {
		found = strchr(label, '|');
		return found ? found + 1 : NULL;
	}
	found = strstr(label, " / ");
	return found ? found + 3 : NULL;
}

static const char *trim(const char *text, size_t *length)
{
	while (*text == ' ') {
		text++;
	}
	*length = strlen(text);
	while (*length > 0 && text[*length - 1] == ' ') {
		(*length)--;
	}
	return text;
}

/*
 * Returns "input/output", or "input" if output is NULL, without the blanks after the input
 * and around the output. `n` is the length of the input. The caller frees the result; NULL
 * if out of memory.
 */
static char *join(const char *input, size_t n, const char *output)
{
	size_t m = 0;
	char *name;

	while (n > 0 && input[n - 1] == ' ') {
		n--;
	}
	output = output ? trim(output, &m) : NULL;
	name = malloc(n + m + 2);
	if (name) {
		memcpy(name, input, n);
		if (output) {
			name[n] = '/';
			memcpy(name + n + 1, output, m);
			n += m + 1;
		}
		name[n] = '\0';
	}
	return name;
}

/* Returns the letter of a labelled edge, which the caller frees; NULL if out of memory. */
static char *letter_of(const struct kt_found_graph *graph, const struct kt_found_edge *edge,
		       enum kt_found_kind kind)
{
	size_t n;
	const char *label = trim(kt_found_letter(graph, edge), &n);
	const char *slash = kind == KT_FOUND_ANY ? strstr(label, " / ") : NULL;

	if (kind == KT_FOUND_MOORE) {
		return join(label, n, output_of(graph, edge->to));
	}
	return slash ? join(label, (size_t)(slash - label), slash + 3)
		     : join(label, n, NULL);
}

/*
 * Adds an arc, with its letter, for each edge to a node from which some word is accepted.
 */
static int add_arcs(struct adopter *a)
{
	const struct kt_found_graph *graph = a->graph;
	bool moore;

	a->arcs = calloc(graph->n_edges + 1, sizeof(*a->arcs));
	a->alive = calloc(graph->n_nodes + 1, sizeof(*a->alive));
	if (!a->arcs || !a->alive) {
		return kt_no_memory("import machine");
	}
	for (uint32_t i = 0; i < graph->n_nodes && !a->acceptor; i++) {
		a->acceptor = is_doublecircle(a, i);
	}
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		a->alive[i] = accepts(a, i);
	}
	KT_TRY(spread_back(graph, a->alive));
	if (!a->alive[a->start]) {
		return kt_error(KT_E_MALFORMED,
				"it accepts nothing, not even the empty word");
	}
	/*
	 * If no state is a doublecircle, and all nodes except markers have an output, the
	 * machine is a Moore machine.
	 */
	moore = !a->acceptor;
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		moore = moore && (a->markers[i] || output_of(graph, i));
	}
	a->kind = a->acceptor ? KT_FOUND_ACCEPTOR : moore ? KT_FOUND_MOORE : KT_FOUND_ANY;
	for (size_t i = 0; i < graph->n_edges; i++) {
		const struct kt_found_edge *edge = &graph->edges[i];
		char *name;

		if (a->markers[edge->from]) {
			continue;
		}
		if (is_blank(a, edge)) {
			return kt_found_error(edge->line, "an edge from %s has no label",
					      name_of(a, edge->from).text);
		}
		if (!a->alive[edge->to]) {
			continue;
		}
		name = letter_of(graph, edge, a->kind);
		if (!name) {
			return kt_no_memory("import machine");
		}
		a->arcs[a->n_arcs++] = (struct arc){
			.from = edge->from,
			.to = edge->to,
			.line = edge->line,
			.name = name,
		};
		if (!kt_utf8_is_printable(name, strlen(name)) || !*name) {
			return kt_found_error(edge->line,
					      "the label of an edge from %s is empty, not "
					      "valid UTF-8 or contains control characters",
					      name_of(a, edge->from).text);
		}
	}
	return KT_OK;
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

static int sort_arcs(struct adopter *a)
{
	uint32_t letter = 0;
	size_t n = 0;

	qsort(a->arcs, a->n_arcs, sizeof(*a->arcs), compare_names);
	for (size_t i = 0; i < a->n_arcs; i++) {
		letter += i > 0 && compare_names(&a->arcs[i - 1], &a->arcs[i]) != 0;
		a->arcs[i].letter = letter;
	}
	qsort(a->arcs, a->n_arcs, sizeof(*a->arcs), compare_arcs);
	/*
	 * Merge arcs of equal edges into one arc. Arcs with the same letter that lead from
	 * one state to different states are an error.
	 */
	for (size_t i = 0; i < a->n_arcs; i++) {
		const struct arc *before = n ? &a->arcs[n - 1] : NULL;
		struct arc arc = a->arcs[i];

		if (!before || before->from != arc.from || before->letter != arc.letter) {
			a->arcs[i] = a->arcs[n];
			a->arcs[n++] = arc;
		} else if (before->to != arc.to) {
			char shown[KT_FOUND_SHOWN];

			kt_found_show(shown, arc.name);
			return kt_found_error(
				before->line > arc.line ? before->line : arc.line,
				"state %s has two transitions with the letter %s",
				name_of(a, arc.from).text, shown);
		}
	}
	for (size_t i = n; i < a->n_arcs; i++) {
		free(a->arcs[i].name);
	}
	a->n_arcs = n;
	a->first = calloc(a->graph->n_nodes + 2, sizeof(*a->first));
	if (!a->first) {
		return kt_no_memory("import machine");
	}
	for (size_t i = 0; i < a->n_arcs; i++) {
		a->first[a->arcs[i].from + 1]++;
	}
	for (size_t i = 0; i < a->graph->n_nodes; i++) {
		a->first[i + 1] += a->first[i];
	}
	return KT_OK;
}

/* Numbers states breadth first; every reached state must accept. */
static int number_states(struct adopter *a)
{
	a->ids = calloc(a->graph->n_nodes + 1, sizeof(*a->ids));
	a->order = calloc(a->graph->n_nodes + 1, sizeof(*a->order));
	if (!a->ids || !a->order) {
		return kt_no_memory("import machine");
	}
	memset(a->ids, 0xff, (a->graph->n_nodes + 1) * sizeof(*a->ids));
	a->ids[a->start] = 0;
	a->order[a->n_states++] = a->start;
	for (size_t i = 0; i < a->n_states; i++) {
		uint32_t node = a->order[i];

		if (!accepts(a, node)) {
			return kt_found_error(
				a->graph->nodes[node].line,
				"state %s rejects, but leads to one that accepts: "
				"machines of ktail accept every prefix",
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

static int build(struct adopter *a)
{
	uint32_t *numbers = malloc((a->n_arcs + 1) * sizeof(*numbers));
	struct kt_fsm *fsm;
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("import machine");
	}
	KT_TRY_END(kt_fsm_new(&a->fsm));
	fsm = a->fsm;
	fsm->no_k = true;
	fsm->machine = strdup(KT_FSM_IMPORTED);
	fsm->word = strdup("unknown");
	fsm->letters = calloc(a->n_arcs + 1, sizeof(*fsm->letters));
	fsm->words = calloc(1, sizeof(*fsm->words));
	fsm->states = calloc(a->n_states, sizeof(*fsm->states));
	fsm->n_states = fsm->states ? a->n_states : 0;
	fsm->transitions = calloc(a->n_arcs + 1, sizeof(*fsm->transitions));
	if (!fsm->machine || !fsm->word || !fsm->letters || !fsm->words || !fsm->states ||
	    !fsm->transitions) {
		code = kt_no_memory("import machine");
		goto end;
	}
	/*
	 * Keep only the letters of reached transitions, and number them in the same order
	 * as before.
	 */
	for (size_t i = 0; i < a->n_arcs; i++) {
		struct arc *arc = &a->arcs[i];

		if (a->ids[arc->from] != NONE && !fsm->letters[arc->letter]) {
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
	for (size_t i = 0; i < a->n_states; i++) {
		for (size_t j = a->first[a->order[i]]; j < a->first[a->order[i] + 1]; j++) {
			fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
				.from = (uint32_t)i,
				.letter = numbers[a->arcs[j].letter],
				.to = a->ids[a->arcs[j].to],
			};
		}
	}
end:
	free(numbers);
	return code;
}

int kt_found_import(struct kt_fsm **out, const struct kt_found_graph *graph)
{
	struct adopter a = {.graph = graph, .start = NONE};
	int code;

	*out = NULL;
	KT_TRY_END(find_start(&a));
	KT_TRY_END(add_arcs(&a));
	KT_TRY_END(sort_arcs(&a));
	KT_TRY_END(number_states(&a));
	KT_TRY_END(build(&a));
	*out = a.fsm;
	a.fsm = NULL;
end:
	for (size_t i = 0; i < a.n_arcs; i++) {
		free(a.arcs[i].name);
	}
	kt_fsm_free(a.fsm);
	free(a.markers);
	free(a.alive);
	free(a.arcs);
	free(a.first);
	free(a.ids);
	free(a.order);
	return code;
}
