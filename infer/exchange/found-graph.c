/* SPDX-License-Identifier: MIT */
#include "infer/exchange/found-graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

#define SLOTS_MIN 64

void kt_found_graph_clear(struct kt_found_graph *graph)
{
	free(graph->nodes);
	free(graph->edges);
	free(graph->text);
	free(graph->slots);
	*graph = (struct kt_found_graph){0};
}

enum kt_found_key kt_found_key_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum kt_found_key key;
	} keys[] = {
		{"label", KT_FOUND_LABEL},   {"letter", KT_FOUND_LABEL},
		{"shape", KT_FOUND_SHAPE},   {"count", KT_FOUND_COUNT},
		{"visits", KT_FOUND_VISITS}, {"ends", KT_FOUND_ENDS},
		{"points", KT_FOUND_POINTS}, {"side", KT_FOUND_SIDE},
		{"old", KT_FOUND_OLD},       {"new", KT_FOUND_NEW},
		{"class", KT_FOUND_CLASS},   {"fsm", KT_FOUND_FSM},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strlen(keys[i].name) == length &&
		    memcmp(keys[i].name, name, length) == 0) {
			return keys[i].key;
		}
	}
	return KT_FOUND_KEYS;
}

int kt_found_keep(struct kt_found_graph *graph, const char *text, size_t length,
		  size_t *out)
{
	size_t at = graph->n_text ? graph->n_text : 1;
	int code = length > SIZE_MAX / 2
			   ? kt_error(KT_E_MEMORY, "keep text: too long")
			   : kt_array_reserve(&graph->text, &graph->text_capacity,
					      at + length + 1);

	if (code) {
		return code;
	}
	graph->text[0] = '\0';
	memcpy(graph->text + at, text, length);
	graph->text[at + length] = '\0';
	graph->n_text = at + length + 1;
	*out = at;
	return KT_OK;
}

const char *kt_found_value(const struct kt_found_graph *graph,
			   const struct kt_found_values *values, enum kt_found_key key)
{
	return values->at[key] ? graph->text + values->at[key] : NULL;
}

const char *kt_found_name(const struct kt_found_graph *graph, uint32_t node)
{
	return graph->text + graph->nodes[node].name;
}

void kt_found_show(char out[static KT_FOUND_SHOWN], const char *text)
{
	size_t n = strlen(text);

	if (!kt_utf8_is_printable(text, n)) {
		text = "?";
		n = 1;
	}
	if (n >= KT_FOUND_SHOWN) {
		n = KT_FOUND_SHOWN - sizeof("...");
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80) {
			n--;
		}
		snprintf(out, KT_FOUND_SHOWN, "%.*s...", (int)n, text);
	} else {
		snprintf(out, KT_FOUND_SHOWN, "%s", text);
	}
}

int kt_found_error(uint64_t line, const char *format, ...)
{
	char reason[512];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return kt_error(KT_E_MALFORMED, "line %" PRIu64 ": %s", line, reason);
}

/* --- nodes by name --- */

static uint32_t *find_slot(const struct kt_found_graph *graph, const char *name,
			   size_t length)
{
	size_t mask = graph->n_slots - 1;
	size_t i = XXH3_64bits(name, length) & mask;

	while (graph->slots[i]) {
		const char *known = kt_found_name(graph, graph->slots[i] - 1);

		if (strlen(known) == length && memcmp(known, name, length) == 0) {
			break;
		}
		i = (i + 1) & mask;
	}
	return &graph->slots[i];
}

/* Keeps the table at most half full with one node more. */
static int grow_slots(struct kt_found_graph *graph)
{
	size_t n = graph->n_slots ? graph->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots;

	if ((graph->n_nodes + 1) * 2 <= graph->n_slots) {
		return KT_OK;
	}
	slots = calloc(n, sizeof(*slots));
	if (!slots) {
		return kt_error(KT_E_MEMORY, "add node: out of memory");
	}
	free(graph->slots);
	graph->slots = slots;
	graph->n_slots = n;
	for (uint32_t i = 0; i < graph->n_nodes; i++) {
		const char *name = kt_found_name(graph, i);

		*find_slot(graph, name, strlen(name)) = i + 1;
	}
	return KT_OK;
}

static int add_node(struct kt_found_graph *graph, const char *name, size_t length,
		    const struct kt_found_values *defaults)
{
	struct kt_found_node node = {.line = graph->line, .values = *defaults};
	int code = graph->n_nodes < UINT32_MAX - 1
			   ? kt_array_reserve(&graph->nodes, &graph->nodes_capacity,
					      graph->n_nodes + 1)
			   : kt_error(KT_E_MALFORMED, "too many nodes");

	code = code ? code : kt_found_keep(graph, name, length, &node.name);
	if (!code) {
		graph->nodes[graph->n_nodes++] = node;
	}
	return code;
}

int kt_found_node(struct kt_found_graph *graph, const char *name, size_t length,
		  const struct kt_found_values *defaults, uint32_t *out)
{
	int code = grow_slots(graph);
	uint32_t *slot;

	if (code) {
		return code;
	}
	slot = find_slot(graph, name, length);
	if (!*slot) {
		code = add_node(graph, name, length, defaults);
		if (code) {
			return code;
		}
		*slot = (uint32_t)graph->n_nodes;
	}
	*out = *slot - 1;
	return KT_OK;
}

int kt_found_edge(struct kt_found_graph *graph, uint32_t from, uint32_t to,
		  const struct kt_found_values *values)
{
	int code =
		kt_array_reserve(&graph->edges, &graph->edges_capacity, graph->n_edges + 1);

	if (!code) {
		graph->edges[graph->n_edges++] =
			(struct kt_found_edge){from, to, graph->line, *values};
	}
	return code;
}
