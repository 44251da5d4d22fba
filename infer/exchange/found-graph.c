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
#include "base/try.h"
#include "base/utf8.h"

void kt_found_graph_clear(struct kt_found_graph *graph)
{
	free(graph->nodes);
	free(graph->edges);
	free(graph->text);
	kt_hash_free(&graph->by_name);
	*graph = (struct kt_found_graph){0};
}

enum kt_found_key kt_found_key_of(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum kt_found_key key;
	} keys[] = {
		{"label", KT_FOUND_LABEL},   {"letter", KT_FOUND_LETTER},
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
			   ? kt_error(KT_E_MEMORY, "store text: too long")
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

const char *kt_found_letter(const struct kt_found_graph *graph,
			    const struct kt_found_edge *edge)
{
	const char *letter = kt_found_value(graph, &edge->values, KT_FOUND_LETTER);

	return letter ? letter : kt_found_value(graph, &edge->values, KT_FOUND_LABEL);
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

int kt_found_node(struct kt_found_graph *graph, const char *name, size_t length,
		  const struct kt_found_values *defaults, uint32_t *out)
{
	uint32_t hash = (uint32_t)XXH3_64bits(name, length);
	struct kt_hash_probe probe = kt_hash_probe(&graph->by_name, hash);
	struct kt_found_node node = {.line = graph->line, .values = *defaults};

	while (kt_hash_next(&graph->by_name, &probe, out)) {
		const char *known = kt_found_name(graph, *out);

		if (strlen(known) == length && memcmp(known, name, length) == 0) {
			return KT_OK;
		}
	}
	if (graph->n_nodes >= UINT32_MAX - 1) {
		return kt_error(KT_E_MALFORMED, "too many nodes");
	}
	KT_TRY(kt_array_reserve(&graph->nodes, &graph->nodes_capacity, graph->n_nodes + 1));
	KT_TRY(kt_found_keep(graph, name, length, &node.name));
	KT_TRY(kt_hash_add(&graph->by_name, hash, graph->n_nodes));
	*out = (uint32_t)graph->n_nodes;
	graph->nodes[graph->n_nodes++] = node;
	return KT_OK;
}

int kt_found_edge(struct kt_found_graph *graph, uint32_t from, uint32_t to,
		  const struct kt_found_values *values)
{
	KT_TRY(kt_array_reserve(&graph->edges, &graph->edges_capacity, graph->n_edges + 1));
	graph->edges[graph->n_edges++] =
		(struct kt_found_edge){from, to, graph->line, *values};
	return KT_OK;
}
