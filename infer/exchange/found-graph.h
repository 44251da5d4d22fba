/* SPDX-License-Identifier: MIT */
/*
 * A directed graph as parsed from a file: named nodes, edges, and the attributes that
 * define a machine. Readers fill it in, and machines are built from it.
 */
#ifndef KTAIL_EXCHANGE_FOUND_GRAPH_H
#define KTAIL_EXCHANGE_FOUND_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktail/fsm.h>

#include "base/hash-index.h"

enum kt_found_key {
	KT_FOUND_LABEL = 0,
	KT_FOUND_LETTER, /* takes precedence over the label, see kt_found_letter() */
	KT_FOUND_SHAPE,
	KT_FOUND_COUNT,
	KT_FOUND_VISITS,
	KT_FOUND_ENDS,
	KT_FOUND_POINTS,
	KT_FOUND_SIDE, /* only in a difference of two machines, like OLD and NEW below */
	KT_FOUND_OLD,
	KT_FOUND_NEW,
	KT_FOUND_CLASS, /* of the graph: "fsm" if it is a drawing */
	KT_FOUND_FSM,   /* of the graph: fsm.json without states and transitions */
	KT_FOUND_KEYS,
};

/* Attributes: offsets in the graph's text, 0 if absent. */
struct kt_found_values {
	size_t at[KT_FOUND_KEYS];
};

struct kt_found_node {
	size_t name;   /* offset in the text */
	uint64_t line; /* line number in the file */
	struct kt_found_values values;
};

struct kt_found_edge {
	uint32_t from;
	uint32_t to;
	uint64_t line;
	struct kt_found_values values;
};

#define KT_FOUND_SHOWN 64

/* A zeroed graph is empty. */
struct kt_found_graph {
	struct kt_found_node *nodes; /* Owned by this */
	size_t n_nodes;
	size_t nodes_capacity;
	struct kt_found_edge *edges; /* Owned by this */
	size_t n_edges;
	size_t edges_capacity;
	struct kt_found_values values; /* attributes of the graph */
	uint64_t line;                 /* current line, recorded in new nodes and edges */
	char *text; /* Owned by this: NUL-terminated strings; the first is "" */
	size_t n_text;
	size_t text_capacity;
	struct kt_hash_index by_name; /* Owned by this: index of the nodes by name */
};

void kt_found_graph_clear(struct kt_found_graph *graph);

/* Returns the key named name[0..length), or KT_FOUND_KEYS. */
enum kt_found_key kt_found_key_of(const char *name, size_t length);

/*
 * Stores a copy of text[0..length), which must contain no NUL, and writes its offset, which
 * is never 0, to *out.
 */
int kt_found_keep(struct kt_found_graph *graph, const char *text, size_t length,
		  size_t *out);

/*
 * Finds the node called name[0..length), or adds it with the values *defaults. O(1),
 * expected.
 */
int kt_found_node(struct kt_found_graph *graph, const char *name, size_t length,
		  const struct kt_found_values *defaults, uint32_t *out);

int kt_found_edge(struct kt_found_graph *graph, uint32_t from, uint32_t to,
		  const struct kt_found_values *values);

/*
 * Returns the value of a key, or NULL. The value is valid until the next string is stored.
 */
const char *kt_found_value(const struct kt_found_graph *graph,
			   const struct kt_found_values *values, enum kt_found_key key);

/* Returns the letter of an edge (not the readable name of the letter), or NULL. */
const char *kt_found_letter(const struct kt_found_graph *graph,
			    const struct kt_found_edge *edge);

const char *kt_found_name(const struct kt_found_graph *graph, uint32_t node);

/* Formats a name or label for messages: truncated, or "?" if it is not printable. */
void kt_found_show(char out[static KT_FOUND_SHOWN], const char *text);

/*
 * Returns KT_E_MALFORMED with the message "line N: reason"; `line` is the line of a node or
 * an edge.
 */
int kt_found_error(uint64_t line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Builds the machine of a file that contains all that fsm.json would contain. */
int kt_found_restore(struct kt_fsm **out, const struct kt_found_graph *graph);

/* Builds the machine of any other file, see kt_fsm_read_dot(). */
int kt_found_import(struct kt_fsm **out, const struct kt_found_graph *graph);

#endif
