/* SPDX-License-Identifier: MIT */
#include "measure-oracle.h"

#include <stdbool.h>
#include <string.h>

#define FAR 1000000

/*
 * Sets way[a][b] to the length of the shortest path from a to b that has at least one
 * transition and no self-loop, or to FAR if there is no such path.
 */
static void find_ways(unsigned way[ORACLE_STATES][ORACLE_STATES], const struct kt_fsm *fsm)
{
	size_t n = fsm->n_states;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++) {
			way[a][b] = FAR;
		}
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (fsm->transitions[i].from != fsm->transitions[i].to) {
			way[fsm->transitions[i].from][fsm->transitions[i].to] = 1;
		}
	}
	for (size_t over = 0; over < n; over++) {
		for (size_t a = 0; a < n; a++) {
			for (size_t b = 0; b < n; b++) {
				unsigned detour = way[a][over] + way[over][b];

				way[a][b] = detour < way[a][b] ? detour : way[a][b];
			}
		}
	}
}

static void measure_states(struct kt_measures *out, size_t n,
			   unsigned way[ORACLE_STATES][ORACLE_STATES])
{
	unsigned shortest = FAR;

	for (size_t a = 0; a < n; a++) {
		bool first = true; /* whether `a` is the first state of its component */

		if (way[a][a] >= FAR) {
			continue;
		}
		for (size_t b = 0; b < a; b++) {
			first = first && !(way[a][b] < FAR && way[b][a] < FAR);
		}
		out->cycle_states++;
		out->components += first;
		shortest = way[a][a] < shortest ? way[a][a] : shortest;
	}
	out->shortest_cycle = shortest < FAR ? shortest : 0;
}

/* Counts the letters on the state's self-loops, except its most frequent letter. */
static uint64_t count_mixed(const struct kt_fsm *fsm, size_t state)
{
	uint64_t sum = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->from == state && t->to == state) {
			sum += t->count;
			most = t->count > most ? t->count : most;
		}
	}
	return sum - most;
}

/*
 * Counts the letter as a kind if it occurs at least twice per word, and as a kind in cycles
 * if more than half of its transitions are on cycles.
 */
static void measure_kind(struct kt_measures *out, const struct kt_fsm *fsm, uint32_t letter,
			 unsigned way[ORACLE_STATES][ORACLE_STATES])
{
	uint64_t all = 0;
	uint64_t cycles = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (t->letter == letter) {
			all += t->count;
			cycles += t->from != t->to && way[t->to][t->from] < FAR ? t->count
										: 0;
		}
	}
	if (all >= 2 * (fsm->n_words ? fsm->n_words : 1)) {
		out->kinds++;
		out->kinds_in_cycles += 2 * cycles > all;
	}
}

void measure_slowly(struct kt_measures *out, const struct kt_fsm *fsm)
{
	unsigned way[ORACLE_STATES][ORACLE_STATES];

	*out = (struct kt_measures){0};
	find_ways(way, fsm);
	measure_states(out, fsm->n_states, way);
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		out->letters += t->count;
		if (t->letter < fsm->n_letters &&
		    (strcmp(fsm->letters[t->letter], "W:reg") == 0 ||
		     strncmp(fsm->letters[t->letter], "W:doorbell", 10) == 0)) {
			out->doorbells += t->count;
			out->looping_doorbells += t->from == t->to ? t->count : 0;
		}
		out->self_loops += t->from == t->to ? t->count : 0;
		out->cycles += t->from != t->to && way[t->to][t->from] < FAR ? t->count : 0;
	}
	for (uint32_t letter = 0; letter < 64; letter++) {
		measure_kind(out, fsm, letter, way);
	}
	for (size_t state = 0; state < fsm->n_states; state++) {
		out->mixed += count_mixed(fsm, state);
	}
}
