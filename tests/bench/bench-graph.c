/* SPDX-License-Identifier: MIT */
/*
 * Compares the times of igraph's functions with those of ours on machines: dominators,
 * reachability, the shortest cycle. infer/graph/igraph-adapter.h draws conclusions from the
 * times.
 *
 * bench-graph [MACHINE.json...] prints a line for each function, on each given machine and
 * on a random one of 100,000 states. Each time is the best of several rounds; igraph's
 * times include building igraph's graph, which every call needs.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <igraph/igraph.h>

#include <ktail/fsm.h>
#include <ktail/status.h>

#include "infer/graph/dominators.h"
#include "infer/graph/igraph-adapter.h"
#include "infer/graph/walk.h"
#include "tests/engine/oracle/random-sets.h"

#define DRAWN_STATES 100000
#define ROUNDS       9

/* The result of one function, a number for each state, and the function's best time. */
struct result {
	uint32_t *values;
	double seconds;
};

typedef void function(uint32_t *values, const struct kt_fsm *fsm);

static void must(int code)
{
	if (code) {
		fprintf(stderr, "bench-graph: %s\n", kt_error_message());
		exit(2);
	}
}

static void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n + 1, size);

	must(memory ? KT_OK : kt_no_memory("measure"));
	return memory;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- our functions, and igraph's --- */

static void our_dominators(uint32_t *values, const struct kt_fsm *fsm)
{
	struct kt_dominators dominators;

	must(kt_dominators_find(&dominators, fsm));
	for (size_t i = 0; i < fsm->n_states; i++) {
		values[i] = dominators.of[i];
	}
	kt_dominators_clear(&dominators);
}

static void their_dominators(uint32_t *values, const struct kt_fsm *fsm)
{
	igraph_vector_int_t dominators;
	igraph_t graph;

	must(kt_igraph_make(&graph, fsm));
	igraph_vector_int_init(&dominators, 0);
	igraph_dominator_tree(&graph, fsm->start, &dominators, NULL, NULL, IGRAPH_OUT);
	for (size_t i = 0; i < fsm->n_states; i++) {
		igraph_integer_t up = VECTOR(dominators)[i];

		values[i] = up < 0 ? KT_NO_STATE : (uint32_t)up;
	}
	igraph_vector_int_destroy(&dominators);
	igraph_destroy(&graph);
}

static void our_reach(uint32_t *values, const struct kt_fsm *fsm)
{
	bool *reached = allocate(fsm->n_states, sizeof(*reached));

	reached[fsm->start] = true;
	must(kt_reach(reached, fsm, KT_REACH_ON, NULL));
	for (size_t i = 0; i < fsm->n_states; i++) {
		values[i] = reached[i];
	}
	free(reached);
}

static void their_reach(uint32_t *values, const struct kt_fsm *fsm)
{
	igraph_vector_int_t reached;
	igraph_t graph;

	must(kt_igraph_make(&graph, fsm));
	igraph_vector_int_init(&reached, 0);
	igraph_subcomponent(&graph, &reached, fsm->start, IGRAPH_OUT);
	for (igraph_integer_t i = 0; i < igraph_vector_int_size(&reached); i++) {
		values[VECTOR(reached)[i]] = 1;
	}
	igraph_vector_int_destroy(&reached);
	igraph_destroy(&graph);
}

static void our_cycle(uint32_t *values, const struct kt_fsm *fsm)
{
	struct kt_components components;
	uint64_t length;

	must(kt_components_find(&components, fsm));
	must(kt_shortest_cycle(&length, fsm, &components));
	values[0] = (uint32_t)length;
	kt_components_clear(&components);
}

static void their_cycle(uint32_t *values, const struct kt_fsm *fsm)
{
	igraph_real_t girth;
	igraph_t graph;

	must(kt_igraph_make(&graph, fsm));
	igraph_girth(&graph, &girth, NULL);
	values[0] = girth < UINT32_MAX ? (uint32_t)girth : 0;
	igraph_destroy(&graph);
}

/* --- machines, and the table --- */

static struct result measure(function *call, const struct kt_fsm *fsm)
{
	struct result result = {allocate(fsm->n_states, sizeof(*result.values)), 0};

	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		double seconds;

		call(result.values, fsm);
		seconds = now() - start;
		if (i == 0 || seconds < result.seconds) {
			result.seconds = seconds;
		}
	}
	return result;
}

static void print_line(const char *what, function *ours, function *theirs,
		       const struct kt_fsm *fsm)
{
	struct result a = measure(ours, fsm);
	struct result b = measure(theirs, fsm);
	size_t differ = 0;

	for (size_t i = 0; i < fsm->n_states; i++) {
		differ += a.values[i] != b.values[i];
	}
	printf("| %zu | %s | %.3f | %.3f | %.1f | %zu |\n", fsm->n_states, what,
	       a.seconds * 1e3, b.seconds * 1e3, b.seconds / a.seconds, differ);
	free(a.values);
	free(b.values);
}

static void print_lines(const struct kt_fsm *fsm)
{
	print_line("dominators", our_dominators, their_dominators, fsm);
	print_line("reach", our_reach, their_reach, fsm);
	print_line("shortest cycle", our_cycle, their_cycle, fsm);
}

/*
 * Measures a random machine: a long path with shortcuts and back edges, as machines
 * inferred from words have.
 */
static void print_drawn(void)
{
	struct random random = {.state = 29};
	struct kt_fsm fsm = {.n_states = DRAWN_STATES};

	fsm.states = allocate(DRAWN_STATES, sizeof(*fsm.states));
	fsm.transitions = allocate(3 * DRAWN_STATES, sizeof(*fsm.transitions));
	for (uint32_t from = 0; from < DRAWN_STATES; from++) {
		uint32_t near = from + 1 < DRAWN_STATES ? from + 1 : from;
		uint32_t degree = random_below(&random, 8) ? 1 : 3;

		for (uint32_t i = 0; i < degree; i++) {
			uint32_t to = i ? random_below(&random, DRAWN_STATES) : near;

			fsm.transitions[fsm.n_transitions++] =
				(struct kt_fsm_transition){.from = from, .to = to};
		}
	}
	print_lines(&fsm);
	free(fsm.states);
	free(fsm.transitions);
}

int main(int argc, char **argv)
{
	struct kt_igraph_guard guard;

	kt_igraph_begin(&guard);
	puts("| states | what | ours, ms | igraph, ms | times | values that differ |");
	puts("|---|---|---|---|---|---|");
	for (int i = 1; i < argc; i++) {
		FILE *in = fopen(argv[i], "r");
		struct kt_fsm *fsm;

		if (!in) {
			perror(argv[i]);
			return 2;
		}
		must(kt_fsm_read_json(&fsm, in, argv[i]));
		fclose(in);
		print_lines(fsm);
		kt_fsm_free(fsm);
	}
	print_drawn();
	kt_igraph_end(&guard);
	return 0;
}
