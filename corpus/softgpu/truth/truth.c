/* SPDX-License-Identifier: MIT */
/*
 * Converts the automaton of program points to a deterministic machine in three steps:
 *
 * 1. Product of the automaton with the state of the current run of accesses: each read or
 * write becomes a letter or silent, as the alphabet defines. A run is consecutive accesses
 * to one mapping with no other letter in between; it yields R if it starts with a read, and
 * W at its first write. The next access to memory declared `many` may be to the same
 * mapping or to another: both remain possible. The product is explored as needed and never
 * stored.
 *
 * In letters of `roles`, the accesses of a run may be to several mappings of one role, and
 * the product also includes the state of the last doorbell, whose letter says whether a
 * poll is to come. Parts of the product are left out if the end of the points cannot be
 * reached from them in a way that makes all guesses come true. So the words are the
 * beginnings of words of processes that run to their end.
 *
 * 2. Subset construction (Rabin and Scott). Members without an outgoing letter are
 * dropped: two sets that differ only in such members have the same future.
 *
 * 3. States with the same points and the same future are merged by partition refinement
 * (Moore), starting from a partition by points. Merged states differ only in the calls that
 * led to them.
 *
 * These steps share no code with infer/, so that this machine can check infer's results.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"
#include "corpus/softgpu/truth/automaton.h"
#include "infer/words/alphabet/alphabet.h"

/*
 * The run state before a statement: no run, or a run of accesses, with or without a write
 * so far. In letters of table1 a run is of one memory, in letters of roles of one role.
 */
#define NO_RUN         0u
#define RUN(of, wrote) (1 + 2 * (of) + (wrote))

/*
 * The state of the last doorbell, in letters of roles. The letter of a doorbell says
 * whether its poll is to come, so each doorbell is followed under both guesses, and moves
 * that make a guess false do not exist. SETTLED: no doorbell yet, or its guess has come
 * true. PROMISED: R:poll was a letter, and a later read of the current run must be the
 * poll.
 */
#define SETTLED  0u
#define PROMISED 1u
/* Number of letters since the doorbell, at most LETTERS_TO_POLL, under either guess. */
#define POLLED(since)   (2u + (since))
#define UNPOLLED(since) (POLLED(LETTERS_TO_POLL + 1u) + (since))
/*
 * Added to every state except SETTLED if a read of a semaphore since the doorbell may not
 * have been recorded: of consecutive reads of a mapping the recorder writes only the first.
 * ktail then takes a later read of that semaphore for the first, which is a poll.
 */
#define UNSEEN      (UNPOLLED(LETTERS_TO_POLL + 1u) - PROMISED)
#define N_DOORBELLS (PROMISED + 2u * UNSEEN)
/* The maximum number of letters between a doorbell and its R:poll (role-letters.c). */
#define LETTERS_TO_POLL 8u

/* A state of the machine. */
struct set {
	uint32_t *items; /* Owned by this: ascending */
	size_t n;
	uint32_t *points; /* Owned by this: points that yield the next letter; ascending */
	size_t n_points;
};

/* A state of the automaton with the states of run and doorbell. */
struct item {
	uint32_t state;
	uint32_t run;
	uint32_t doorbell;
};

/* The target of an edge from an item. */
struct move {
	uint32_t to;    /* item */
	uint32_t point; /* point of the letter; KT_NONE: without a letter */
	uint32_t which; /* index of the letter in the statement's letters */
};

struct work {
	const struct kt_points *points; /* Weak */
	struct kt_automaton in;         /* Owned by this */
	const char **letters; /* Owned by this, but not the strings; in byte order */
	size_t n_letters;
	/* Owned by this: letters of each point, KT_POINTS_MAX_PARTS of them; KT_NONE: none
	 */
	uint32_t *letter_of;
	struct set *sets; /* Owned by this; the first is the start */
	size_t n;
	size_t sets_capacity;
	uint32_t *next; /* Owned by this: indexed by set, then letter; KT_NONE: no set */
	size_t next_capacity;
	struct kt_hash_index index; /* of the sets */
	struct move *moves;         /* Owned by this: space for the moves of an item */
	size_t n_moves;
	bool *seen;      /* Owned by this: indexed by item */
	uint32_t *found; /* Owned by this: the seen items, in order of discovery */
	size_t n_found;
	/*
	 * Owned by this: indexed by item, whether the process can run from the item to its
	 * end so that all guesses come true; NULL: not known yet. Moves lead only to such
	 * items.
	 */
	bool *live;
	uint32_t n_runs;
	uint32_t n_doorbells;
};

/* --- the product --- */

static uint32_t number_of(const struct work *w, struct item item)
{
	return (item.state * w->n_runs + item.run) * w->n_doorbells + item.doorbell;
}

static struct item item_of(const struct work *w, uint32_t number)
{
	return (struct item){
		.state = number / w->n_doorbells / w->n_runs,
		.run = number / w->n_doorbells % w->n_runs,
		.doorbell = number % w->n_doorbells,
	};
}

static bool is_unseen(uint32_t doorbell)
{
	return doorbell >= PROMISED + UNSEEN;
}

/* Returns the same state as if all reads had been recorded. */
static uint32_t all_seen(uint32_t doorbell)
{
	return is_unseen(doorbell) ? doorbell - UNSEEN : doorbell;
}

static bool is_polled(uint32_t doorbell)
{
	return all_seen(doorbell) >= POLLED(0u) &&
	       all_seen(doorbell) <= POLLED(LETTERS_TO_POLL);
}

static bool of_roles(const struct work *w)
{
	return w->points->alphabet == KT_POINTS_ROLES;
}

static void add_move(struct work *w, struct item to, uint32_t point, uint32_t which)
{
	const uint32_t number = number_of(w, to);

	if (!w->live || w->live[number]) {
		w->moves[w->n_moves++] = (struct move){number, point, which};
	}
}

/*
 * Adds a move with the letter of any event except a doorbell, unless the letter makes a
 * guess false: the poll would come after too many letters, or a run ends before its
 * promised poll.
 */
static void add_letter(struct work *w, struct item to, uint32_t point, uint32_t which)
{
	const uint32_t doorbell = all_seen(to.doorbell);

	if (doorbell == PROMISED || doorbell == POLLED(LETTERS_TO_POLL)) {
		return;
	}
	if (doorbell != SETTLED) {
		to.doorbell =
			doorbell == UNPOLLED(LETTERS_TO_POLL) ? SETTLED : to.doorbell + 1;
	}
	add_move(w, to, point, which);
}

/* Adds the moves of ioctls, mappings and doorbells, which end a run. */
static void move_by_letter(struct work *w, struct item to, uint32_t point)
{
	const struct kt_statement *s = w->in.points[point].statement;

	to.run = NO_RUN;
	if (!of_roles(w) || !s->letters[KT_POINTS_ROLES][1]) {
		add_letter(w, to, point, 0);
		return;
	}
	if (all_seen(to.doorbell) != PROMISED && !is_polled(to.doorbell)) {
		to.doorbell = POLLED(0);
		add_move(w, to, point, 0);
		to.doorbell = UNPOLLED(0);
		add_move(w, to, point, 1);
	}
}

/*
 * Adds the moves of a read of a semaphore in letters of roles. The first poll after a
 * doorbell turns the letter of its run into R:poll. The letter stands at the beginning of
 * the run, so it may be R:poll before the poll occurs.
 */
static void read_semaphore(struct work *w, struct item to, const struct kt_edge *edge)
{
	const uint32_t run = RUN(KT_POINTS_SEMAPHORE, 0u);
	const struct item settled = {to.state, run, SETTLED};
	const bool unseen = is_unseen(to.doorbell);
	const struct item promised = {to.state, run, PROMISED + (unseen ? UNSEEN : 0u)};
	const bool opens = to.run != run;
	const bool polled = is_polled(to.doorbell);

	to.run = run;
	if (edge->poll != KT_POLL_NEVER || unseen) {
		if (opens && (polled || to.doorbell == SETTLED)) {
			add_move(w, settled, edge->point, polled);
		} else if (!opens &&
			   (all_seen(to.doorbell) == PROMISED || to.doorbell == SETTLED)) {
			add_move(w, settled, KT_NONE, 0);
		}
	}
	if (!opens) {
		to.doorbell += to.doorbell == SETTLED || unseen ? 0u : UNSEEN;
		add_move(w, to, KT_NONE, 0);
	} else if (edge->poll != KT_POLL_ALWAYS) {
		if (polled && all_seen(to.doorbell) < POLLED(LETTERS_TO_POLL)) {
			add_move(w, promised, edge->point, 1);
		}
		add_letter(w, to, edge->point, 0);
	}
}

/*
 * Adds the moves of another access. It continues the run if the mapping may be the same,
 * and starts a new run if the mapping may be another. Both may be possible; a run of a role
 * may extend over several mappings.
 */
static void move_by_access(struct work *w, struct item to, const struct kt_edge *edge)
{
	const struct kt_statement *s = w->in.points[edge->point].statement;
	const struct kt_memory_role *memory = &w->points->memories[s->index];
	const uint32_t of = of_roles(w) ? memory->parts[edge->part] : s->index;
	const bool write = s->kind == KT_STATEMENT_WRITE;
	const bool wrote = to.run == RUN(of, 1u);
	const bool same = wrote || to.run == RUN(of, 0u);

	if (same) {
		to.run = RUN(of, wrote || write);
		if (write && !wrote) {
			add_letter(w, to, edge->point, edge->part);
		} else {
			add_move(w, to, KT_NONE, 0);
		}
	}
	if (!same || (memory->many && !of_roles(w))) {
		to.run = RUN(of, write);
		add_letter(w, to, edge->point, edge->part);
	}
}

/* Writes the moves of an item to w->moves. */
static void find_moves(struct work *w, uint32_t number)
{
	const struct item from = item_of(w, number);
	const struct kt_edge *edge;

	w->n_moves = 0;
	for (uint32_t i = w->in.first[from.state]; i != KT_NONE; i = edge->next) {
		const struct kt_statement *s;
		struct item to = from;

		edge = &w->in.edges[i];
		to.state = edge->to;
		if (edge->point == KT_NONE) {
			add_move(w, to, KT_NONE, 0);
			continue;
		}
		s = w->in.points[edge->point].statement;
		if (s->kind == KT_STATEMENT_LETTER) {
			move_by_letter(w, to, edge->point);
		} else if (of_roles(w) && s->kind == KT_STATEMENT_READ &&
			   w->points->memories[s->index].parts[0] == KT_POINTS_SEMAPHORE) {
			read_semaphore(w, to, edge);
		} else {
			move_by_access(w, to, edge);
		}
	}
}

static void find_item(struct work *w, uint32_t item)
{
	if (!w->seen[item]) {
		w->seen[item] = true;
		w->found[w->n_found++] = item;
	}
}

static void forget_found(struct work *w)
{
	for (size_t i = 0; i < w->n_found; i++) {
		w->seen[w->found[i]] = false;
	}
	w->n_found = 0;
}

/* --- letters --- */

/* Index in w->letter_of of a move's letter. */
static size_t letter_index(const struct move *move)
{
	return (size_t)move->point * KT_POINTS_MAX_PARTS + move->which;
}

static const char *const *letter_at(const struct work *w, size_t index)
{
	return &w->in.points[index / KT_POINTS_MAX_PARTS]
			.statement
			->letters[w->points->alphabet][index % KT_POINTS_MAX_PARTS];
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Sets w->live. All reachable items must be found. An item is found before most items that
 * it leads to, so items are visited from the last one found to the first.
 */
static int find_live(struct work *w)
{
	bool *live =
		calloc((size_t)w->in.n_states * w->n_runs * w->n_doorbells, sizeof(*live));
	bool changed = true;

	if (!live) {
		return kt_no_memory("determinise");
	}
	for (size_t i = 0; i < w->n_found; i++) {
		const struct item item = item_of(w, w->found[i]);

		live[w->found[i]] = item.state == w->in.end &&
				    all_seen(item.doorbell) != PROMISED &&
				    !is_polled(item.doorbell);
	}
	while (changed) {
		changed = false;
		for (size_t i = w->n_found; i-- > 0;) {
			const uint32_t item = w->found[i];

			find_moves(w, item);
			for (size_t j = 0; j < w->n_moves && !live[item]; j++) {
				changed |= live[item] = live[w->moves[j].to];
			}
		}
	}
	w->live = live;
	return KT_OK;
}

/*
 * Sets w->letters to the letters of all points that occur in moves: sorted, each letter
 * once.
 */
static void sort_letters(struct work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->in.n_points * KT_POINTS_MAX_PARTS; i++) {
		if (w->letter_of[i] != KT_NONE) {
			w->letters[n++] = *letter_at(w, i);
		}
	}
	qsort(w->letters, n, sizeof(*w->letters), compare_texts);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(w->letters[w->n_letters - 1], w->letters[i]) != 0) {
			w->letters[w->n_letters++] = w->letters[i];
		}
	}
}

/*
 * Finds all items and determines which of them are live, collects the letters of their
 * moves, and sets the numbers of the points' letters.
 */
static int number_letters(struct work *w)
{
	const size_t n = w->in.n_points * KT_POINTS_MAX_PARTS;

	w->letters = calloc(n + 1, sizeof(*w->letters));
	w->letter_of = malloc((n + 1) * sizeof(*w->letter_of));
	if (!w->letters || !w->letter_of) {
		return kt_no_memory("determinise");
	}
	memset(w->letter_of, 0xff, n * sizeof(*w->letter_of));
	find_item(w, 0);
	for (size_t i = 0; i < w->n_found; i++) {
		find_moves(w, w->found[i]);
		for (size_t j = 0; j < w->n_moves; j++) {
			find_item(w, w->moves[j].to);
		}
	}
	KT_TRY(find_live(w));
	for (size_t i = 0; i < w->n_found; i++) {
		if (!w->live[w->found[i]]) {
			continue;
		}
		find_moves(w, w->found[i]);
		for (size_t j = 0; j < w->n_moves; j++) {
			if (w->moves[j].point != KT_NONE) {
				w->letter_of[letter_index(&w->moves[j])] = 0;
			}
		}
	}
	forget_found(w);
	sort_letters(w);
	for (size_t i = 0; i < n; i++) {
		if (w->letter_of[i] != KT_NONE) {
			const char **letter =
				bsearch(letter_at(w, i), w->letters, w->n_letters,
					sizeof(*w->letters), compare_texts);

			w->letter_of[i] = (uint32_t)(letter - w->letters);
		}
	}
	return KT_OK;
}

/* --- subsets --- */

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Builds a set from the found items and their silent closure, and lists its points. */
static int make_set(struct work *w, struct set *set)
{
	bool *here = calloc(w->in.n_points + 1, sizeof(*here));

	*set = (struct set){
		.items = NULL,
		.points = calloc(w->in.n_points + 1, sizeof(*set->points)),
	};
	if (!here || !set->points) {
		goto no_memory;
	}
	for (size_t i = 0; i < w->n_found; i++) {
		find_moves(w, w->found[i]);
		for (size_t j = 0; j < w->n_moves; j++) {
			if (w->moves[j].point == KT_NONE) {
				find_item(w, w->moves[j].to);
			}
		}
	}
	set->items = calloc(w->n_found + 1, sizeof(*set->items));
	if (!set->items) {
		goto no_memory;
	}
	for (size_t i = 0; i < w->n_found; i++) {
		bool letter = false;

		find_moves(w, w->found[i]);
		for (size_t j = 0; j < w->n_moves; j++) {
			if (w->moves[j].point != KT_NONE) {
				here[w->moves[j].point] = letter = true;
			}
		}
		if (letter) {
			set->items[set->n++] = w->found[i];
		}
	}
	for (uint32_t i = 0; i < w->in.n_points; i++) {
		if (here[i]) {
			set->points[set->n_points++] = i;
		}
	}
	free(here);
	forget_found(w);
	qsort(set->items, set->n, sizeof(*set->items), compare_numbers);
	return KT_OK;

no_memory:
	free(here);
	free(set->points);
	return kt_no_memory("determinise");
}

/* Sets *out to the number of the set that the found items form; adds it if it is new. */
static int find_set(struct work *w, uint32_t *out)
{
	struct set set;
	struct kt_hash_probe probe;
	uint32_t hash;
	size_t bytes;
	int code;

	KT_TRY(make_set(w, &set));
	bytes = set.n * sizeof(*set.items);
	hash = kt_hash_bytes(set.items, bytes);
	probe = kt_hash_probe(&w->index, hash);
	while (kt_hash_next(&w->index, &probe, out)) {
		if (w->sets[*out].n == set.n &&
		    memcmp(w->sets[*out].items, set.items, bytes) == 0) {
			code = KT_OK;
			goto end;
		}
	}
	if (w->n == KT_AUTOMATON_MAX_STATES) {
		code = kt_error(KT_E_MALFORMED, "determinise: more than %d states",
				KT_AUTOMATON_MAX_STATES);
		goto end;
	}
	KT_TRY_END(kt_array_reserve(&w->sets, &w->sets_capacity, w->n + 1));
	KT_TRY_END(kt_array_reserve(&w->next, &w->next_capacity,
				    (w->n + 1) * (w->n_letters + 1)));
	KT_TRY_END(kt_hash_add(&w->index, hash, w->n));
	*out = (uint32_t)w->n;
	w->sets[w->n++] = set;
	return KT_OK;
end:
	free(set.items);
	free(set.points);
	return code;
}

static int determinise(struct work *w)
{
	size_t items;
	uint32_t to;

	w->n_runs =
		RUN(of_roles(w) ? KT_POINTS_N_ROLES : (uint32_t)w->points->n_memories, 0u);
	w->n_doorbells = of_roles(w) ? N_DOORBELLS : 1;
	items = (size_t)w->in.n_states * w->n_runs * w->n_doorbells;
	/* An edge has at most three moves; only a read of a semaphore has three. */
	w->moves = calloc(3 * w->in.n_edges + 1, sizeof(*w->moves));
	w->found = calloc(items, sizeof(*w->found));
	w->seen = calloc(items, sizeof(*w->seen));
	if (!w->moves || !w->found || !w->seen) {
		return kt_no_memory("determinise");
	}
	KT_TRY(number_letters(w));
	find_item(w, 0);
	KT_TRY(find_set(w, &to));
	for (size_t i = 0; i < w->n; i++) {
		for (uint32_t letter = 0; letter < w->n_letters; letter++) {
			const struct set *set = &w->sets[i];

			for (size_t j = 0; j < set->n; j++) {
				find_moves(w, set->items[j]);
				for (size_t k = 0; k < w->n_moves; k++) {
					const struct move *move = &w->moves[k];

					if (move->point != KT_NONE &&
					    w->letter_of[letter_index(move)] == letter) {
						find_item(w, move->to);
					}
				}
			}
			to = KT_NONE;
			if (w->n_found > 0) {
				KT_TRY(find_set(w, &to));
			}
			w->next[i * w->n_letters + letter] = to;
		}
	}
	return KT_OK;
}

/* --- merging of states with the same future --- */

struct partition {
	const struct work *w;
	uint32_t *order;         /* Owned by this: states, sorted */
	uint32_t *class_of;      /* Owned by this */
	uint32_t *next_class_of; /* Owned by this */
};

static int compare_points(const void *a, const void *b, void *context)
{
	const struct partition *p = context;
	const struct set *x = &p->w->sets[*(const uint32_t *)a];
	const struct set *y = &p->w->sets[*(const uint32_t *)b];
	int order = compare_numbers(&(uint32_t){(uint32_t)x->n_points},
				    &(uint32_t){(uint32_t)y->n_points});

	return order ? order
		     : memcmp(x->points, y->points, x->n_points * sizeof(*x->points));
}

/* Compares by class, then by the classes that letters lead to. */
static int compare_futures(const void *a, const void *b, void *context)
{
	const struct partition *p = context;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	size_t n = p->w->n_letters;
	int order = compare_numbers(&p->class_of[x], &p->class_of[y]);

	for (size_t i = 0; !order && i < n; i++) {
		uint32_t s = p->w->next[x * n + i];
		uint32_t t = p->w->next[y * n + i];

		s = s == KT_NONE ? s : p->class_of[s];
		t = t == KT_NONE ? t : p->class_of[t];
		order = compare_numbers(&s, &t);
	}
	return order;
}

/* Assigns states that compare equal to one class; returns the number of classes. */
static uint32_t divide(struct partition *p,
		       int (*compare)(const void *, const void *, void *))
{
	uint32_t *swap = p->class_of;
	uint32_t n = 0;

	qsort_r(p->order, p->w->n, sizeof(*p->order), compare, p);
	for (size_t i = 0; i < p->w->n; i++) {
		n += i == 0 || compare(&p->order[i - 1], &p->order[i], p) != 0;
		p->next_class_of[p->order[i]] = n - 1;
	}
	p->class_of = p->next_class_of;
	p->next_class_of = swap;
	return n;
}

/* --- the machine --- */

static int write_points(struct kt_fsm_state *state, const struct work *w,
			const struct set *set)
{
	state->points = calloc(set->n_points + 1, sizeof(*state->points));
	if (!state->points) {
		return kt_no_memory("make truth");
	}
	for (size_t i = 0; i < set->n_points; i++) {
		const struct kt_point *point = &w->in.points[set->points[i]];

		if (asprintf(&state->points[i], "%s:%zu: %s", point->procedure,
			     point->statement->line,
			     point->statement->texts[w->points->alphabet]) < 0) {
			return kt_no_memory("make truth");
		}
		state->n_points++;
	}
	qsort(state->points, state->n_points, sizeof(*state->points), compare_texts);
	return KT_OK;
}

/*
 * Writes one state per class, numbered breadth first. number[c] is 1 + the number of the
 * state written for class c, or 0 before the class has a number; queue[i] is the set that
 * was found first in the class of state i.
 */
static int write_states(struct kt_fsm *fsm, const struct work *w, const uint32_t *class_of,
			uint32_t *number, uint32_t *queue)
{
	queue[0] = 0;
	number[class_of[0]] = 1;
	fsm->n_states = 1;
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		KT_TRY(write_points(&fsm->states[i], w, &w->sets[queue[i]]));
		for (uint32_t j = 0; j < w->n_letters; j++) {
			uint32_t to = w->next[queue[i] * w->n_letters + j];

			if (to == KT_NONE) {
				continue;
			}
			if (number[class_of[to]] == 0) {
				queue[fsm->n_states++] = to;
				number[class_of[to]] = (uint32_t)fsm->n_states;
			}
			fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
				.from = i, .letter = j, .to = number[class_of[to]] - 1};
		}
	}
	return KT_OK;
}

static int write_machine(struct kt_fsm *fsm, const struct work *w)
{
	size_t n = w->n;
	struct partition p = {
		.w = w,
		.order = calloc(n, sizeof(*p.order)),
		.class_of = calloc(n, sizeof(*p.class_of)),
		.next_class_of = calloc(n, sizeof(*p.next_class_of)),
	};
	uint32_t n_classes;
	uint32_t before;
	int code = KT_OK;

	fsm->letters = calloc(w->n_letters + 1, sizeof(*fsm->letters));
	fsm->states = calloc(n, sizeof(*fsm->states));
	fsm->transitions = calloc(n * w->n_letters + 1, sizeof(*fsm->transitions));
	if (!p.order || !p.class_of || !p.next_class_of || !fsm->letters || !fsm->states ||
	    !fsm->transitions) {
		code = kt_no_memory("make truth");
		goto end;
	}
	for (uint32_t i = 0; i < n; i++) {
		p.order[i] = i;
	}
	n_classes = divide(&p, compare_points);
	do {
		before = n_classes;
		n_classes = divide(&p, compare_futures);
	} while (n_classes > before);
	for (size_t i = 0; i < w->n_letters; i++) {
		fsm->letters[i] = strdup(w->letters[i]);
		if (!fsm->letters[i]) {
			code = kt_no_memory("make truth");
			goto end;
		}
		fsm->n_letters++;
	}
	memset(p.next_class_of, 0, n * sizeof(*p.next_class_of));
	code = write_states(fsm, w, p.class_of, p.next_class_of, p.order);
end:
	free(p.order);
	free(p.class_of);
	free(p.next_class_of);
	return code;
}

int kt_truth_make(struct kt_fsm **out, const struct kt_points *points)
{
	struct work w = {.points = points};
	kt_alphabet *alphabet = NULL;
	struct kt_fsm *fsm = NULL;
	int code;

	*out = NULL;
	KT_TRY_END(kt_expand(&w.in, points));
	KT_TRY_END(determinise(&w));
	KT_TRY_END(kt_fsm_new(&fsm));
	KT_TRY_END(kt_alphabet_open(&alphabet, kt_points_alphabet_name(points)));
	KT_TRY_END(kt_alphabet_json(&fsm->alphabet_json, alphabet));
	fsm->no_k = true;
	fsm->machine = strdup("truth");
	fsm->word = strdup("process");
	if (!fsm->machine || !fsm->word) {
		code = kt_no_memory("make truth");
		goto end;
	}
	KT_TRY_END(write_machine(fsm, &w));
	*out = fsm;
end:
	if (code) {
		kt_fsm_free(fsm);
	}
	kt_alphabet_free(alphabet);
	for (size_t i = 0; i < w.n; i++) {
		free(w.sets[i].items);
		free(w.sets[i].points);
	}
	free(w.sets);
	free(w.next);
	kt_hash_free(&w.index);
	free(w.letters);
	free(w.letter_of);
	free(w.moves);
	free(w.seen);
	free(w.live);
	free(w.found);
	free(w.in.first);
	free(w.in.edges);
	free(w.in.points);
	return code;
}
