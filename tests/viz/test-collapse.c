/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"
#include "viz/machine/collapse.h"

#define STATES_MAX  24
#define LETTERS_MAX 6

/* A machine in static memory, rebuilt by each test. */
static struct kt_fsm fsm;
static struct kt_fsm_state states[STATES_MAX];
static struct kt_fsm_transition transitions[STATES_MAX * LETTERS_MAX];
static struct kt_fsm_origin ids[STATES_MAX];
static struct kt_fsm_origin counts[STATES_MAX * LETTERS_MAX];
static struct kt_fsm_word words[3];

static unsigned long long seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(seed >> 33) % n;
}

static void begin(size_t n)
{
	memset(&fsm, 0, sizeof(fsm));
	memset(states, 0, sizeof(states));
	memset(words, 0, sizeof(words));
	fsm = (struct kt_fsm){.n_letters = LETTERS_MAX,
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

/* Mostly chains, with some branches and some states without a transition out. */
static void make_random(void)
{
	begin(1 + random_below(STATES_MAX));
	for (uint32_t s = 0; s < fsm.n_states; s++) {
		unsigned degree = random_below(8);

		degree = degree < 5 ? 1 : degree == 5 ? 0 : random_below(LETTERS_MAX + 1);
		for (uint32_t l = 0; l < degree; l++) {
			uint32_t to = random_below(3)
					      ? (s + 1) % (uint32_t)fsm.n_states
					      : random_below((unsigned)fsm.n_states);

			add(s, l, to, random_below(4));
		}
		states[s].visits = random_below(100);
	}
	fsm.start = random_below(4) ? 0 : random_below((unsigned)fsm.n_states);
	fsm.n_words = random_below(4);
	for (size_t i = 0; i < fsm.n_words; i++) {
		words[i].entry =
			random_below(2) ? fsm.start : random_below((unsigned)fsm.n_states);
		words[i].exit = random_below((unsigned)fsm.n_states);
		words[i].complete = words[i].entry == fsm.start && random_below(2);
		states[words[i].exit].ends += words[i].complete;
	}
}

static struct kt_drawing *draw(bool collapse)
{
	struct kt_drawing *d = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_drawing_new(&d, &fsm, collapse), KT_OK);
	return d;
}

static const struct kt_fsm_transition *nth(const struct kt_drawing *d, size_t e, size_t i)
{
	return &transitions[d->order[d->edges[e].first + i]];
}

static size_t degree(uint32_t state, bool in)
{
	size_t n = 0;

	for (size_t i = 0; i < fsm.n_transitions; i++) {
		n += (in ? transitions[i].to : transitions[i].from) == state;
	}
	return n;
}

static void check_edge(const struct kt_drawing *d, size_t e)
{
	const struct kt_drawn_edge *edge = &d->edges[e];
	uint64_t sum = 0;
	uint64_t max = 0;

	CU_ASSERT_FALSE(d->states[edge->from].hidden);
	CU_ASSERT_FALSE(d->states[edge->to].hidden);
	CU_ASSERT_TRUE(edge->n >= 1);
	CU_ASSERT_EQUAL(nth(d, e, 0)->from, edge->from);
	CU_ASSERT_EQUAL(nth(d, e, edge->n - 1)->to, edge->to);
	CU_ASSERT_TRUE(!edge->chain || edge->from != edge->to);
	for (size_t i = 0; i < edge->n; i++) {
		const struct kt_fsm_transition *t = nth(d, e, i);

		sum += t->count;
		max = t->count > max ? t->count : max;
		if (edge->chain && i + 1 < edge->n) {
			CU_ASSERT_TRUE(d->states[t->to].hidden);
			CU_ASSERT_EQUAL(t->to, nth(d, e, i + 1)->from);
		} else if (!edge->chain) {
			CU_ASSERT_EQUAL(t->from, edge->from);
			CU_ASSERT_EQUAL(t->to, edge->to);
			CU_ASSERT_TRUE(i == 0 || t[0].count <= nth(d, e, i - 1)->count);
		}
	}
	CU_ASSERT_EQUAL(edge->count, edge->chain ? max : sum);
	CU_ASSERT_TRUE(edge->count <= d->max_edge);
	CU_ASSERT_TRUE(e == 0 || d->edges[e - 1].from < edge->from ||
		       (d->edges[e - 1].from == edge->from &&
			d->edges[e - 1].ordinal < edge->ordinal));
	CU_ASSERT_TRUE(edge->chain == (edge->n > 1 && edge->chain));
}

/* Checks that the edges contain every transition exactly once. */
static void check_all_transitions(const struct kt_drawing *d)
{
	unsigned char seen[STATES_MAX * LETTERS_MAX] = {0};
	size_t n = 0;

	for (size_t e = 0; e < d->n_edges; e++) {
		CU_ASSERT_EQUAL(d->edges[e].first, n);
		n += d->edges[e].n;
	}
	CU_ASSERT_EQUAL_FATAL(n, fsm.n_transitions);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(seen[d->order[i]]++, 0);
	}
}

static void check_states(const struct kt_drawing *d, bool collapse)
{
	size_t drawn = 0;

	for (uint32_t s = 0; s < fsm.n_states; s++) {
		drawn += !d->states[s].hidden;
		CU_ASSERT_TRUE(collapse || !d->states[s].hidden);
		CU_ASSERT_FALSE(d->states[s].opened && d->states[s].hidden);
		if (d->states[s].hidden) {
			CU_ASSERT_EQUAL(d->states[s].marks, 0);
			CU_ASSERT_EQUAL(degree(s, true), 1);
			CU_ASSERT_EQUAL(degree(s, false), 1);
		}
		CU_ASSERT_EQUAL(!!(d->states[s].marks & KT_MARK_START), s == fsm.start);
		CU_ASSERT_EQUAL(!!(d->states[s].marks & KT_MARK_END), states[s].ends > 0);
	}
	CU_ASSERT_EQUAL(drawn, d->n_drawn);
}

static void expands_to_every_transition(void)
{
	for (seed = 1; seed < 4000;) {
		unsigned long long next = seed + 1;

		make_random();
		for (int collapse = 0; collapse < 2; collapse++) {
			struct kt_drawing *d = draw(collapse);

			check_all_transitions(d);
			check_states(d, collapse);
			for (size_t e = 0; e < d->n_edges; e++) {
				check_edge(d, e);
			}
			kt_drawing_free(d);
		}
		seed = next;
	}
}

/* Checks that the transitions and hidden states of an edge have the edge's origin. */
static void check_presence(const struct kt_drawing *d)
{
	for (size_t e = 0; e < d->n_edges; e++) {
		const struct kt_drawn_edge *edge = &d->edges[e];
		uint64_t in_old = 0;
		uint64_t in_new = 0;

		for (size_t i = 0; i < edge->n; i++) {
			const struct kt_fsm_transition *t = nth(d, e, i);
			const struct kt_fsm_origin *o = &counts[t - transitions];

			CU_ASSERT_EQUAL(t->presence, edge->presence);
			CU_ASSERT_TRUE(!d->states[t->to].hidden ||
				       states[t->to].presence == edge->presence);
			in_old = edge->chain ? (o->in_old > in_old ? o->in_old : in_old)
					     : in_old + o->in_old;
			in_new = edge->chain ? (o->in_new > in_new ? o->in_new : in_new)
					     : in_new + o->in_new;
		}
		CU_ASSERT_EQUAL(edge->origin.in_old, in_old);
		CU_ASSERT_EQUAL(edge->origin.in_new, in_new);
	}
}

/* Two thirds of the results are "in both machines", so that chains of one origin occur. */
static enum kt_presence random_presence(void)
{
	unsigned presence = random_below(6);

	return presence < 2 ? KT_PRESENCE_OLD + presence : KT_PRESENCE_BOTH;
}

static void add_presence(void)
{
	fsm.state_origins = ids;
	fsm.transition_origins = counts;
	for (size_t i = 0; i < fsm.n_states; i++) {
		states[i].presence = random_presence();
	}
	for (size_t i = 0; i < fsm.n_transitions; i++) {
		struct kt_fsm_transition *t = &transitions[i];

		t->presence =
			random_below(4) ? states[t->from].presence : random_presence();
		counts[i].in_old = t->presence == KT_PRESENCE_NEW ? 0 : random_below(9);
		counts[i].in_new = t->presence == KT_PRESENCE_OLD ? 0 : random_below(9);
		t->count = counts[i].in_old + counts[i].in_new;
	}
}

static void never_joins_versions(void)
{
	for (seed = 1; seed < 4000;) {
		unsigned long long next = seed + 1;

		make_random();
		add_presence();
		for (int collapse = 0; collapse < 2; collapse++) {
			struct kt_drawing *d = draw(collapse);

			CU_ASSERT_TRUE(d->diff);
			check_all_transitions(d);
			check_states(d, collapse);
			check_presence(d);
			for (size_t e = 0; e < d->n_edges; e++) {
				check_edge(d, e);
			}
			kt_drawing_free(d);
		}
		seed = next;
	}
}

/*
 * Kept transitions form a chain before and after a removed transition, which has its own
 * edge.
 */
static void hides_unchanged_chains(void)
{
	struct kt_drawing *d;

	begin(10);
	for (uint32_t s = 0; s < 9; s++) {
		add(s, 0, s + 1, 2);
		transitions[s].presence = s == 4 ? KT_PRESENCE_OLD : KT_PRESENCE_BOTH;
	}
	for (uint32_t s = 0; s < 10; s++) {
		states[s].presence = KT_PRESENCE_BOTH;
	}
	fsm.state_origins = ids;
	fsm.transition_origins = counts;
	memset(counts, 0, sizeof(counts));
	states[9].ends = 1;
	d = draw(true);
	CU_ASSERT_EQUAL(d->n_drawn, 4);
	CU_ASSERT_EQUAL_FATAL(d->n_edges, 3);
	CU_ASSERT_EQUAL(d->edges[0].n, 4);
	CU_ASSERT_EQUAL(d->edges[0].presence, KT_PRESENCE_BOTH);
	CU_ASSERT_EQUAL(d->edges[1].n, 1);
	CU_ASSERT_EQUAL(d->edges[1].presence, KT_PRESENCE_OLD);
	CU_ASSERT_EQUAL(d->edges[2].n, 4);
	kt_drawing_free(d);
}

/* Transitions of different origins between the same states do not share an edge. */
static void parts_alternatives(void)
{
	struct kt_drawing *d;

	begin(2);
	for (uint32_t l = 0; l < 4; l++) {
		add(0, l, 1, 1);
		transitions[l].presence = l % 2 ? KT_PRESENCE_BOTH : KT_PRESENCE_NEW;
	}
	fsm.state_origins = ids;
	fsm.transition_origins = counts;
	d = draw(true);
	CU_ASSERT_EQUAL_FATAL(d->n_edges, 2);
	CU_ASSERT_EQUAL(d->edges[0].n, 2);
	CU_ASSERT_EQUAL(d->edges[0].presence, KT_PRESENCE_NEW);
	CU_ASSERT_EQUAL(d->edges[1].n, 2);
	CU_ASSERT_EQUAL(d->edges[1].ordinal, 1);
	kt_drawing_free(d);
}

/* A difference has counts if a transition's count or a state's visits are not 0. */
static void knows_what_was_counted(void)
{
	struct kt_drawing *d;

	begin(2);
	add(0, 0, 1, 0);
	fsm.state_origins = ids;
	fsm.transition_origins = counts;
	d = draw(true);
	CU_ASSERT_FALSE(d->counted);
	kt_drawing_free(d);
	transitions[0].count = 1;
	d = draw(true);
	CU_ASSERT_TRUE(d->counted);
	kt_drawing_free(d);
	states[1].visits = 1;
	transitions[0].count = 0;
	d = draw(true);
	CU_ASSERT_TRUE(d->counted);
	kt_drawing_free(d);
}

static void hides_a_chain(void)
{
	struct kt_drawing *d;

	begin(5);
	for (uint32_t s = 0; s < 4; s++) {
		add(s, s, s + 1, 3);
	}
	states[4].ends = 1;
	d = draw(true);
	CU_ASSERT_EQUAL(d->n_drawn, 2);
	CU_ASSERT_EQUAL_FATAL(d->n_edges, 1);
	CU_ASSERT_TRUE(d->edges[0].chain);
	CU_ASSERT_EQUAL(d->edges[0].n, 4);
	CU_ASSERT_EQUAL(d->edges[0].to, 4);
	kt_drawing_free(d);
}

static void joins_alternatives(void)
{
	struct kt_drawing *d;

	begin(2);
	add(0, 0, 1, 2);
	add(0, 1, 0, 9);
	add(0, 2, 1, 7);
	add(0, 3, 1, 2);
	d = draw(true);
	CU_ASSERT_EQUAL_FATAL(d->n_edges, 2);
	CU_ASSERT_EQUAL(d->edges[0].n, 3);
	CU_ASSERT_EQUAL(d->edges[0].count, 11);
	CU_ASSERT_EQUAL(nth(d, 0, 0)->letter, 2);
	CU_ASSERT_EQUAL(nth(d, 0, 1)->letter, 0);
	CU_ASSERT_EQUAL(nth(d, 0, 2)->letter, 3);
	CU_ASSERT_EQUAL(d->edges[1].to, 0);
	CU_ASSERT_EQUAL(d->edges[1].ordinal, 1);
	kt_drawing_free(d);
}

/* A cycle that nothing else enters must not vanish: two of its states are drawn. */
static void keeps_cycles(void)
{
	struct kt_drawing *d;

	begin(5);
	add(1, 0, 2, 1);
	add(2, 0, 3, 1);
	add(3, 0, 4, 1);
	add(4, 0, 1, 1);
	d = draw(true);
	CU_ASSERT_EQUAL(d->n_drawn, 3);
	CU_ASSERT_FALSE(d->states[1].hidden);
	CU_ASSERT_FALSE(d->states[3].hidden);
	CU_ASSERT_TRUE(d->states[3].opened);
	CU_ASSERT_EQUAL(d->n_edges, 2);
	kt_drawing_free(d);
}

static void keeps_marked_states(void)
{
	struct kt_drawing *d;

	begin(6);
	for (uint32_t s = 0; s < 5; s++) {
		add(s, 0, s + 1, 1);
	}
	fsm.n_words = 3;
	words[0] = (struct kt_fsm_word){.entry = 0, .exit = 5, .complete = true};
	words[1] = (struct kt_fsm_word){.entry = 1, .exit = 5};
	words[2] = (struct kt_fsm_word){.entry = 0, .exit = 3};
	states[5].ends = 2;
	d = draw(true);
	CU_ASSERT_EQUAL(d->states[0].marks, KT_MARK_START);
	CU_ASSERT_EQUAL(d->states[1].marks, KT_MARK_ENTRY);
	CU_ASSERT_TRUE(d->states[2].hidden);
	CU_ASSERT_EQUAL(d->states[3].marks, KT_MARK_CUT);
	CU_ASSERT_TRUE(d->states[4].hidden);
	CU_ASSERT_EQUAL(d->states[5].marks, KT_MARK_END);
	CU_ASSERT_EQUAL(d->states[0].begins, 2);
	CU_ASSERT_EQUAL(d->states[3].cuts, 1);
	kt_drawing_free(d);
}

/*
 * Each drawn state is listed once. The start and the entries come first; the visits of the
 * other states rise up to the middle and then fall.
 */
static void arranges_states(void)
{
	const unsigned first_marks = KT_MARK_START | KT_MARK_ENTRY;

	for (seed = 1; seed < 500;) {
		unsigned long long next = seed + 1;
		unsigned char seen[STATES_MAX] = {0};
		struct kt_drawing *d;
		uint32_t *order = NULL;
		size_t first = 0;

		make_random();
		d = draw(true);
		CU_ASSERT_EQUAL_FATAL(kt_arrange_states(&order, d), KT_OK);
		for (size_t i = 0; i < d->n_drawn; i++) {
			bool marked = d->states[order[i]].marks & first_marks;

			CU_ASSERT_EQUAL(seen[order[i]]++, 0);
			CU_ASSERT_FALSE(d->states[order[i]].hidden);
			CU_ASSERT_TRUE(!marked || first == i);
			first += marked;
		}
		for (size_t i = first + 1; i < d->n_drawn; i++) {
			uint64_t before = states[order[i - 1]].visits;
			uint64_t here = states[order[i]].visits;

			CU_ASSERT_TRUE(i - first <= (d->n_drawn - first) / 2
					       ? before <= here
					       : before >= here);
		}
		free(order);
		kt_drawing_free(d);
		seed = next;
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"expands to every transition", expands_to_every_transition},
		{"never joins sides", never_joins_versions},
		{"hides unchanged chains", hides_unchanged_chains},
		{"parts alternatives", parts_alternatives},
		{"knows what was counted", knows_what_was_counted},
		{"hides a chain", hides_a_chain},
		{"joins alternatives", joins_alternatives},
		{"keeps cycles", keeps_cycles},
		{"keeps marked states", keeps_marked_states},
		{"arranges states", arranges_states},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("collapse", tests);
}
