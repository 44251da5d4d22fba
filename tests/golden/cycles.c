/* SPDX-License-Identifier: MIT */
/*
 * cycles LETTER... : reads the tooltips of a drawn machine (as svg-check prints them) and
 * checks whether one strongly connected component has edges with all of the letters, so
 * that a cycle can pass through all of them. Prints the states of the component.
 */
#include <igraph/igraph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGES_MAX 4096
#define LINE_MAX_ 65536

static struct {
	long from;
	long to;
	char *letters; /* for example " W:sys W:fb " */
} edges[EDGES_MAX];
static size_t n_edges;
static long n_states;

/* Reads a line such as "tooltip t192-2 192 → 197: 185 times / W:fb (185)". */
static void read_edge(const char *line)
{
	char letters[LINE_MAX_ + 3];
	const char *text;
	long from;
	long to;

	if (sscanf(line, "tooltip %*s %ld \342\206\222 %ld:", &from, &to) != 2 ||
	    !(text = strstr(line, " / ")) || n_edges == EDGES_MAX) {
		return;
	}
	snprintf(letters, sizeof(letters), " %s ", text + 3);
	for (char *c = letters; *c; c++) {
		*c = *c == '\n' || *c == '/' || *c == ',' ? ' ' : *c;
	}
	edges[n_edges].from = from;
	edges[n_edges].to = to;
	edges[n_edges++].letters = strdup(letters);
	n_states = from >= n_states ? from + 1 : n_states;
	n_states = to >= n_states ? to + 1 : n_states;
}

/*
 * Returns whether a letter is in the text of an edge, followed by a blank or by the × of a
 * number of repetitions.
 */
static int has_letter(const char *letters, const char *letter)
{
	size_t n = strlen(letter);

	for (const char *at = strstr(letters, letter); at; at = strstr(at + 1, letter)) {
		if (at[-1] == ' ' && (at[n] == ' ' || (unsigned char)at[n] >= 0x80)) {
			return 1;
		}
	}
	return 0;
}

static int component_has(const igraph_vector_int_t *membership, long component,
			 const char *letter)
{
	for (size_t i = 0; i < n_edges; i++) {
		if (VECTOR(*membership)[edges[i].from] == component &&
		    VECTOR(*membership)[edges[i].to] == component &&
		    has_letter(edges[i].letters, letter)) {
			return 1;
		}
	}
	return 0;
}

static void find_components(igraph_vector_int_t *membership, igraph_integer_t *n)
{
	igraph_vector_int_t ends;
	igraph_t graph;

	igraph_vector_int_init(&ends, 0);
	for (size_t i = 0; i < n_edges; i++) {
		igraph_vector_int_push_back(&ends, edges[i].from);
		igraph_vector_int_push_back(&ends, edges[i].to);
	}
	igraph_create(&graph, &ends, n_states, IGRAPH_DIRECTED);
	igraph_vector_int_init(membership, 0);
	igraph_connected_components(&graph, membership, NULL, n, IGRAPH_STRONG);
	igraph_destroy(&graph);
	igraph_vector_int_destroy(&ends);
}

int main(int argc, char **argv)
{
	static char line[LINE_MAX_];
	igraph_vector_int_t membership;
	igraph_integer_t n = 0;
	int found = 0;

	while (fgets(line, sizeof(line), stdin)) {
		read_edge(line);
	}
	find_components(&membership, &n);
	for (igraph_integer_t c = 0; c < n && !found; c++) {
		found = 1;
		for (int i = 1; i < argc && found; i++) {
			found = component_has(&membership, c, argv[i]);
		}
		for (long s = 0; found && s < n_states; s++) {
			if (VECTOR(membership)[s] == c) {
				printf("%ld ", s);
			}
		}
	}
	printf(found ? "\n" : "no component with all of them\n");
	igraph_vector_int_destroy(&membership);
	for (size_t i = 0; i < n_edges; i++) {
		free(edges[i].letters);
	}
	return !found;
}
