/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"
#include "viz/machine/simplify.h"

#define STATES  12
#define LETTERS 5
#define ROUNDS  4000

/* A machine in static memory, rebuilt by each test. */
static struct kt_fsm fsm;
static struct kt_fsm_state states[STATES];
static struct kt_fsm_transition transitions[STATES * LETTERS];
static struct kt_fsm_word words[3];

static unsigned seed = 1;

static unsigned below(unsigned n)
{
	return (unsigned)rand_r(&seed) % n;
}

static void begin(size_t n)
{
	memset(states, 0, sizeof(states));
	memset(words, 0, sizeof(words));
	fsm = (struct kt_fsm){.n_letters = LETTERS,
			      .words = words,
			      .states = states,
			      .n_states = n,
			      .transitions = transitions};
}

static void add(uint32_t from, uint32_t letter, uint32_t to, uint64_t count)
{
	transitions[fsm.n_transitions++] = (struct kt_fsm_transition){
		.from = from, .letter = letter, .to = to, .count = count};
}

/*
 * Random transitions, of which many return to a state that few others reach, as loops at a
 * hub do.
 */
static void make_random(void)
{
	uint32_t hub;

	begin(1 + below(STATES));
	hub = below((unsigned)fsm.n_states);
	for (uint32_t from = 0; from < fsm.n_states; from++) {
		unsigned n = from == hub ? LETTERS : below(6) ? 1 : below(3);

		for (uint32_t letter = 0; letter < n; letter++) {
			uint32_t to = from != hub && below(4)
					      ? hub
					      : below((unsigned)fsm.n_states);

			add(from, letter, to, 1 + below(9));
		}
	}
	fsm.n_words = 1 + below(3);
	for (size_t i = 0; i < fsm.n_words; i++) {
		words[i].entry = below(3) ? 0 : below((unsigned)fsm.n_states);
		words[i].exit = below((unsigned)fsm.n_states);
		words[i].complete = words[i].entry == 0 && below(2);
		states[words[i].exit].ends += words[i].complete;
	}
}

static struct kt_drawing *draw(bool collapse)
{
	struct kt_drawing *d = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_drawing_new(&d, &fsm, collapse), KT_OK);
	return d;
}

/* --- rare edges --- */

/* For each state, the strength of the strongest way from or to a state with a mark. */
struct strengths {
	uint64_t from[STATES];
	uint64_t to[STATES];
};

/*
 * Computes strengths by Floyd and Warshall; those of marked states are UINT64_MAX, and 0
 * means that there is no way. With `kept`, regards only edges that are not rare.
 */
static struct strengths find_strengths(const struct kt_drawing *d, bool kept)
{
	uint64_t ways[STATES][STATES] = {{0}};
	struct strengths out = {{0}, {0}};

	for (size_t e = 0; e < d->n_edges; e++) {
		const struct kt_drawn_edge *edge = &d->edges[e];
		uint64_t *way = &ways[edge->from][edge->to];

		*way = (!kept || !edge->rare) && edge->count > *way ? edge->count : *way;
	}
	for (size_t i = 0; i < fsm.n_states; i++) {
		ways[i][i] = UINT64_MAX;
	}
	for (size_t k = 0; k < fsm.n_states; k++) {
		for (size_t i = 0; i < fsm.n_states; i++) {
			for (size_t j = 0; j < fsm.n_states; j++) {
				uint64_t way =
					ways[i][k] < ways[k][j] ? ways[i][k] : ways[k][j];

				ways[i][j] = way > ways[i][j] ? way : ways[i][j];
			}
		}
	}
	for (size_t i = 0; i < fsm.n_states; i++) {
		for (size_t j = 0; j < fsm.n_states; j++) {
			unsigned marks = d->states[i].marks;

			if ((marks & (KT_MARK_START | KT_MARK_ENTRY)) &&
			    ways[i][j] > out.from[j]) {
				out.from[j] = ways[i][j];
			}
			if ((marks & (KT_MARK_END | KT_MARK_CUT)) &&
			    ways[j][i] > out.to[j]) {
				out.to[j] = ways[j][i];
			}
		}
	}
	return out;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Checks what is left out of `d`. Before, `d` had `n_drawn` drawn states, and `before` says
 * which states were hidden.
 */
static bool check_hidden(const struct kt_drawing *d, uint64_t least, size_t n_drawn,
			 const bool *before)
{
	const struct strengths all = find_strengths(d, false);
	const struct strengths kept = find_strengths(d, true);
	bool touched[STATES] = {false};
	size_t n_rare = 0;
	size_t n_keys = 0;
	bool right = d->least == least;

	for (size_t e = 0; e < d->n_edges; e++) {
		const struct kt_drawn_edge *edge = &d->edges[e];
		/*
		 * Whether the edge is on a strongest way: to its target, or from its
		 * source.
		 */
		bool useful =
			least_of(all.from[edge->from], edge->count) == all.from[edge->to] ||
			least_of(all.to[edge->to], edge->count) == all.to[edge->from];

		n_rare += edge->rare;
		right = right && !(edge->rare && edge->count >= least) &&
			(edge->rare || edge->count >= least || useful);
		if (!edge->rare) {
			right = right && edge->key == n_keys++; /* keys have no gaps */
			touched[edge->from] = true;
			touched[edge->to] = true;
		}
	}
	for (size_t i = 0; i < fsm.n_states; i++) {
		bool hides = !before[i] && !d->states[i].marks && !touched[i];

		right = right && d->states[i].hidden == (before[i] || hides) &&
			(d->states[i].hidden ||
			 (kept.from[i] == all.from[i] && kept.to[i] == all.to[i]));
		n_drawn -= hides;
	}
	return right && n_rare == d->n_rare && n_drawn == d->n_drawn;
}

/* All strongest ways are as strong among the drawn edges as among all edges. */
static void keeps_strongest_ways(void)
{
	size_t n_rare = 0;
	size_t n_kept = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct kt_drawing *d;
		bool before[STATES];
		uint64_t least = 1 + below(10);
		size_t n_drawn;

		make_random();
		d = draw(below(2));
		n_drawn = d->n_drawn;
		for (size_t i = 0; i < fsm.n_states; i++) {
			before[i] = d->states[i].hidden;
		}
		CU_ASSERT_EQUAL_FATAL(kt_drawing_hide(d, least), KT_OK);
		CU_ASSERT_TRUE_FATAL(check_hidden(d, least, n_drawn, before));
		for (size_t e = 0; e < d->n_edges; e++) {
			n_kept += !d->edges[e].rare && d->edges[e].count < least;
		}
		n_rare += d->n_rare;
		kt_drawing_free(d);
	}
	/* The inputs have both: rare edges that are left out, and rare edges that stay. */
	CU_ASSERT_TRUE(n_rare > ROUNDS);
	CU_ASSERT_TRUE(n_kept > ROUNDS);
}

/* --- loops --- */

/*
 * Returns the hub of a state that is halfway on a loop of two edges and has no other edges;
 * UINT32_MAX if the state is not of this kind.
 */
static uint32_t hub_of(const struct kt_drawing *d, uint32_t state)
{
	uint32_t from = UINT32_MAX;
	uint32_t to = UINT32_MAX;
	size_t n = 0;

	for (size_t e = 0; e < d->n_edges; e++) {
		const struct kt_drawn_edge *edge = &d->edges[e];

		if (!edge->rare && (edge->from == state || edge->to == state)) {
			from = edge->to == state ? edge->from : from;
			to = edge->from == state ? edge->to : to;
			n++;
		}
	}
	return n == 2 && from == to && from != state && !d->states[state].marks &&
			       !d->states[state].hidden
		       ? from
		       : UINT32_MAX;
}

static void folds_three_loops_and_more(void)
{
	size_t n_folded = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct kt_drawing *d;
		size_t n_drawn;
		bool right = true;

		make_random();
		d = draw(below(2));
		if (below(2)) {
			CU_ASSERT_EQUAL_FATAL(kt_drawing_hide(d, 1 + below(5)), KT_OK);
		}
		n_drawn = d->n_drawn;
		CU_ASSERT_EQUAL_FATAL(kt_drawing_fold(d), KT_OK);
		for (uint32_t i = 0; i < fsm.n_states; i++) {
			uint32_t hub = hub_of(d, i);
			size_t n = 0;

			for (uint32_t j = 0; j < fsm.n_states; j++) {
				n += hub != UINT32_MAX && hub_of(d, j) == hub;
			}
			right = right && d->states[i].folded == (n >= 3) &&
				(n < 3 || d->states[i].hub == hub);
			n_drawn -= n >= 3;
			n_folded += n >= 3;
		}
		for (size_t e = 0; e < d->n_edges; e++) {
			const struct kt_drawn_edge *edge = &d->edges[e];

			right = right && edge->folded == (d->states[edge->from].folded ||
							  d->states[edge->to].folded);
		}
		CU_ASSERT_TRUE_FATAL(right);
		CU_ASSERT_EQUAL_FATAL(d->n_drawn, n_drawn);
		kt_drawing_free(d);
	}
	CU_ASSERT_TRUE(n_folded > ROUNDS / 10);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"keeps strongest ways", keeps_strongest_ways},
		{"folds three loops and more", folds_three_loops_and_more},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("simplified drawings", tests);
}
