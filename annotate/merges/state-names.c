/* SPDX-License-Identifier: MIT */
#include "annotate/merges/state-names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/label-rules.h"
#include "base/array.h"
#include "base/hash-index.h"
#include "base/order.h"
#include "base/try.h"

/* --- from a name to states --- */

/* Moves from the states in in[] to those in next[] by the letters that fit the patterns. */
static void step(bool *next, const bool *in, const struct kt_fsm *fsm, const char *patterns,
		 size_t length)
{
	memset(next, 0, fsm->n_states * sizeof(*next));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (in[t->from] && !next[t->to]) {
			next[t->to] =
				kt_patterns_fit(patterns, length, fsm->letters[t->letter]);
		}
	}
}

int kt_states_after(bool *in, const struct kt_fsm *fsm, const char *name)
{
	const bool from_start = name[0] == '^' && (name[1] == ',' || !name[1]);
	bool *next = calloc(fsm->n_states + 1, sizeof(*next));

	if (!next) {
		return kt_no_memory("find states");
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		in[i] = !from_start || i == fsm->start;
	}
	for (const char *at = name + (from_start ? 1 + (name[1] == ',') : 0); *at;) {
		size_t length = strcspn(at, ",");

		step(next, in, fsm, at, length);
		memcpy(in, next, fsm->n_states * sizeof(*in));
		at += length + (at[length] == ',');
	}
	free(next);
	return KT_OK;
}

/* --- from states to names --- */

#define SETS_MAX    1000000
#define MEMBERS_MAX 16000000
#define NO_SET      UINT32_MAX
#define LONGER      2 /* a name may have this many letters more than the shortest name */

/*
 * The states that a sequence of letters leads to. The sequence consists of the letters of
 * the set's parent and one more letter. Set 0 holds all states, set 1 the start; they have
 * no parent.
 */
struct set {
	uint32_t parent;
	uint32_t letter;
	uint32_t length; /* number of letters */
	uint64_t count;  /* upper limit of how often the sequence was read: the count of its
			  * rarest step */
	size_t first;    /* index of the first member */
	size_t n;
};

/* The best name of a state so far: the letters of the set `parent`, then `letter`. */
struct best {
	uint32_t parent; /* NO_SET: none */
	uint32_t letter;
	uint32_t longest; /* LONGER more than the number of letters of the shortest name */
	uint64_t count;
};

/* A transition from a member of the current set. */
struct way {
	uint32_t letter;
	uint32_t to;
	uint64_t count;
};

struct search {
	const struct kt_fsm *fsm; /* Weak */
	const bool *wanted;       /* Weak */
	struct best *best;        /* Owned by this: by state */
	size_t missing;           /* wanted states without a name */
	uint32_t longest;         /* maximum number of letters that the best name of a state
				   * can have */
	size_t *leaving;  /* Owned by this: index of each state's first transition */
	struct set *sets; /* Owned by this; in the order of their shortest words */
	size_t n_sets;
	size_t sets_capacity;
	uint32_t *members; /* Owned by this: of all sets; the members of one set ascend */
	size_t n_members;
	size_t members_capacity;
	struct way *ways; /* Owned by this */
	size_t ways_capacity;
	struct kt_hash_index index; /* sets by their members */
};

/* Writes a letter as a pattern: bytes that have a meaning in a name become *. */
static void put_letter(FILE *out, const char *letter)
{
	for (const char *at = letter; *at; at++) {
		bool special = (unsigned char)*at <= ' ' || *at == ',' || *at == '|' ||
			       (*at == '^' && !at[1]);

		putc(special ? '*' : *at, out);
	}
}

/* Writes the letters of a set, then `more` unless it is NULL. */
static int put_word(FILE *out, const struct search *s, uint32_t set, const char *more)
{
	uint32_t n = s->sets[set].length;
	uint32_t *letters = malloc((n + (size_t)1) * sizeof(*letters));
	const char *comma = "";

	if (!letters) {
		return kt_no_memory("name states");
	}
	for (uint32_t i = n; i > 0; i--) {
		letters[i - 1] = s->sets[set].letter;
		set = s->sets[set].parent;
	}
	if (set == 1) {
		fputs("^", out);
		comma = ",";
	}
	for (uint32_t i = 0; i < n; i++) {
		fputs(comma, out);
		put_letter(out, s->fsm->letters[letters[i]]);
		comma = ",";
	}
	free(letters);
	if (more) {
		fputs(comma, out);
		put_letter(out, more);
	}
	return KT_OK;
}

/*
 * Notes that the letters of a set lead to one state alone. Of all such names with up to
 * LONGER letters more than the shortest, keeps the one whose letters were read most often:
 * it is the likeliest to fit another trace.
 */
static void note_name(struct search *s, uint32_t state, const struct set *set)
{
	struct best *best = &s->best[state];

	if (!s->wanted[state] || state == s->fsm->start) {
		return;
	}
	if (best->parent == NO_SET) {
		s->missing--;
		best->longest = set->length + LONGER;
		s->longest = best->longest > s->longest ? best->longest : s->longest;
	} else if (set->length > best->longest || set->count <= best->count) {
		return;
	}
	best->parent = set->parent;
	best->letter = set->letter;
	best->count = set->count;
}

/*
 * Adds a set, unless there are too many. Its members are the n ascending states that were
 * appended to members[]; `first` need not be set.
 */
static int add_set(struct search *s, struct set set)
{
	const uint32_t *members = s->members + s->n_members;
	const uint32_t hash = kt_hash_bytes(members, set.n * sizeof(*members));
	struct kt_hash_probe probe = kt_hash_probe(&s->index, hash);
	uint32_t number;

	if (set.n == 1) {
		note_name(s, *members, &set);
	}
	while (kt_hash_next(&s->index, &probe, &number)) {
		const struct set *other = &s->sets[number];

		if (other->n == set.n && memcmp(s->members + other->first, members,
						set.n * sizeof(*members)) == 0) {
			return KT_OK;
		}
	}
	/*
	 * Sets of one state are added even beyond these limits: they are few, and give a
	 * name to each state that words reach.
	 */
	if (set.n > 1 && (s->n_sets >= SETS_MAX || s->n_members + set.n > MEMBERS_MAX)) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&s->sets, &s->sets_capacity, s->n_sets + 1));
	KT_TRY(kt_hash_add(&s->index, hash, (uint32_t)s->n_sets));
	set.first = s->n_members;
	s->sets[s->n_sets++] = set;
	s->n_members += set.n;
	return KT_OK;
}

static int compare_ways(const void *a, const void *b)
{
	const struct way *x = a;
	const struct way *y = b;

	if (x->letter != y->letter) {
		return x->letter < y->letter ? -1 : 1;
	}
	return (x->to > y->to) - (x->to < y->to);
}

/* Adds the sets that one more letter leads to. */
static int expand(struct search *s, uint32_t set)
{
	const struct kt_fsm_transition *transitions = s->fsm->transitions;
	size_t n = 0;

	for (size_t i = 0; i < s->sets[set].n; i++) {
		uint32_t state = s->members[s->sets[set].first + i];

		for (size_t t = s->leaving[state]; t < s->leaving[state + (size_t)1]; t++) {
			KT_TRY(kt_array_reserve(&s->ways, &s->ways_capacity, n + 1));
			s->ways[n++] =
				(struct way){transitions[t].letter, transitions[t].to,
					     transitions[t].count};
		}
	}
	if (n > 0) {
		qsort(s->ways, n, sizeof(*s->ways), compare_ways);
	}
	for (size_t i = 0, end; i < n; i = end) {
		const struct set *parent = &s->sets[set];
		uint64_t count = 0;
		size_t kept = 0;

		for (end = i; end < n && s->ways[end].letter == s->ways[i].letter; end++) {
			KT_TRY(kt_array_reserve(&s->members, &s->members_capacity,
						s->n_members + kept + 1));
			count += s->ways[end].count;
			if (end == i || s->ways[end].to != s->ways[end - 1].to) {
				s->members[s->n_members + kept++] = s->ways[end].to;
			}
		}
		KT_TRY(add_set(
			s, (struct set){
				   .parent = set,
				   .letter = s->ways[i].letter,
				   .length = parent->length + 1,
				   .count = count < parent->count ? count : parent->count,
				   .n = kept,
			   }));
	}
	return KT_OK;
}

static int begin(struct search *s)
{
	const struct kt_fsm *fsm = s->fsm;

	s->leaving = calloc(fsm->n_states + 2, sizeof(*s->leaving));
	s->best = malloc((fsm->n_states + 1) * sizeof(*s->best));
	if (!s->leaving || !s->best) {
		return kt_no_memory("name states");
	}
	memset(s->best, 0xff, (fsm->n_states + 1) * sizeof(*s->best));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		s->leaving[fsm->transitions[i].from + (size_t)1]++;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		s->leaving[i + 1] += s->leaving[i];
		s->missing += s->wanted[i] && i != fsm->start;
	}
	/* add_set() cannot add sets 0 and 1, because they can be equal. */
	KT_TRY(kt_array_reserve(&s->members, &s->members_capacity, fsm->n_states + 1));
	KT_TRY(kt_array_reserve(&s->sets, &s->sets_capacity, 2));
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		s->members[i] = i;
	}
	s->members[fsm->n_states] = fsm->start;
	s->sets[0] = (struct set){NO_SET, 0, 0, UINT64_MAX, 0, fsm->n_states};
	s->sets[1] = (struct set){NO_SET, 0, 0, UINT64_MAX, fsm->n_states, 1};
	s->n_sets = 2;
	s->n_members = fsm->n_states + 1;
	return kt_hash_add(&s->index, kt_hash_bytes(&fsm->start, sizeof(fsm->start)), 1);
}

/*
 * Writes the best name of a state to *out; NULL if the patterns of the name fit other
 * states, too.
 */
static int write_name(char **out, const struct search *s, uint32_t state)
{
	bool *in = calloc(s->fsm->n_states + 1, sizeof(*in));
	size_t size = 0;
	FILE *text = open_memstream(out, &size);
	size_t n = 0;
	int code = KT_OK;

	if (text) {
		code = state == s->fsm->start
			       ? put_word(text, s, 1, NULL)
			       : put_word(text, s, s->best[state].parent,
					  s->fsm->letters[s->best[state].letter]);
	}
	if (!text || fclose(text) != 0 || !in) {
		code = kt_no_memory("name states");
	}
	if (code) {
		goto end;
	}
	KT_TRY_END(kt_states_after(in, s->fsm, *out));
	for (size_t i = 0; i < s->fsm->n_states; i++) {
		n += in[i];
	}
	if (n != 1) {
		free(*out);
		*out = NULL;
	}
end:
	free(in);
	return code;
}

int kt_state_names(char **names, const struct kt_fsm *fsm, const bool *wanted)
{
	struct search search = {.fsm = fsm, .wanted = wanted};
	int code;

	memset(names, 0, fsm->n_states * sizeof(*names));
	KT_TRY_END(begin(&search));
	for (uint32_t i = 0; i < search.n_sets; i++) {
		if (search.sets[i].length >=
		    (search.missing == 0 ? search.longest : KT_STATE_NAME_LETTERS)) {
			break;
		}
		KT_TRY_END(expand(&search, i));
	}
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		if (wanted[i] && (i == fsm->start || search.best[i].parent != NO_SET)) {
			KT_TRY_END(write_name(&names[i], &search, i));
		}
	}
end:
	free(search.best);
	free(search.leaving);
	free(search.sets);
	free(search.members);
	free(search.ways);
	kt_hash_free(&search.index);
	return code;
}
