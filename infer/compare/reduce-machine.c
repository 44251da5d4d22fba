/* SPDX-License-Identifier: MIT */
#include <ktail/reduce.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "infer/compare/joint.h"
#include "infer/compare/reduce-run.h"

/* --- subsets of states --- */

/* Where a word may have led: states of the machine, in a run or not. */
struct subset {
	size_t begin; /* in members, ascending */
	size_t n;
	bool in_run;
};

struct subsets {
	const struct kt_joint *joint; /* Weak: the machine with itself */
	const bool *less;             /* Weak: of a letter, whether it is made less of */
	bool omit;
	uint32_t run;           /* the letter of the new machine for them */
	const uint32_t *number; /* Weak: of the other letters, theirs */
	struct subset *sets;    /* Owned by this: the new machine's states */
	size_t n_sets;
	size_t sets_capacity;
	uint32_t *members; /* Owned by this */
	size_t n_members;
	size_t members_capacity;
	uint32_t *slots; /* Owned by this: sets by hash, UINT32_MAX: free */
	size_t n_slots;
	uint64_t
		*arcs; /* Owned by this: letter and target of what leaves the set at hand */
	size_t n_arcs;
	size_t arcs_capacity;
	bool *mark;         /* Owned by this: states of the set that is being made */
	struct kt_fsm *fsm; /* Weak */
	size_t transitions_capacity;
	uint32_t most;
	uint64_t steps; /* that are left */
	bool cut;
};

static uint64_t hash_set(const struct subsets *s, const struct subset *set)
{
	uint64_t hash = set->in_run;

	for (size_t i = 0; i < set->n; i++) {
		hash = (hash ^ s->members[set->begin + i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool same_set(const struct subsets *s, const struct subset *a,
		     const struct subset *b)
{
	return a->n == b->n && a->in_run == b->in_run &&
	       memcmp(s->members + a->begin, s->members + b->begin,
		      a->n * sizeof(*s->members)) == 0;
}

static uint32_t *find_slot(const struct subsets *s, const struct subset *set)
{
	size_t i = hash_set(s, set) & (s->n_slots - 1);

	while (s->slots[i] != UINT32_MAX && !same_set(s, &s->sets[s->slots[i]], set)) {
		i = (i + 1) & (s->n_slots - 1);
	}
	return &s->slots[i];
}

static int grow_slots(struct subsets *s)
{
	size_t n_slots = s->n_slots ? s->n_slots * 2 : 64;
	uint32_t *slots = malloc(n_slots * sizeof(*slots));

	if (!slots) {
		return kt_reduce_no_memory();
	}
	memset(slots, 0xff, n_slots * sizeof(*slots));
	free(s->slots);
	s->slots = slots;
	s->n_slots = n_slots;
	for (size_t i = 0; i < s->n_sets; i++) {
		*find_slot(s, &s->sets[i]) = (uint32_t)i;
	}
	return KT_OK;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int add_member(struct subsets *s, uint32_t state)
{
	int code = KT_OK;

	if (!s->mark[state]) {
		s->mark[state] = true;
		code = kt_array_reserve(&s->members, &s->members_capacity,
					s->n_members + 1);
		if (!code) {
			s->members[s->n_members++] = state;
		}
	}
	return code;
}

static void spend(struct subsets *s, uint64_t steps)
{
	s->cut = s->cut || steps > s->steps;
	s->steps -= steps < s->steps ? steps : s->steps;
}

/* Adds all that a run's further letters lead to from the members behind `begin`. */
static int close_run(struct subsets *s, size_t begin)
{
	const struct kt_joint_machine *machine = &s->joint->side[0];
	int code = KT_OK;

	for (size_t i = begin; !code && !s->cut && i < s->n_members; i++) {
		uint32_t state = s->members[i];

		spend(s, 1 + machine->first[state + (size_t)1] - machine->first[state]);
		for (size_t t = machine->first[state];
		     !code && t < machine->first[state + (size_t)1]; t++) {
			if (s->less[kt_joint_letter(machine, t)]) {
				code = add_member(s, machine->fsm->transitions[t].to);
			}
		}
	}
	return code;
}

/* The set of the members behind `begin`, which are dropped if it is there already. */
static int end_set(uint32_t *out, struct subsets *s, size_t begin, bool in_run)
{
	struct subset set = {.begin = begin, .n = s->n_members - begin, .in_run = in_run};
	uint32_t *slot;
	int code = s->n_slots <= s->n_sets * 2 ? grow_slots(s) : KT_OK;

	if (code) {
		return code;
	}
	qsort(s->members + begin, set.n, sizeof(*s->members), compare_numbers);
	for (size_t i = begin; i < s->n_members; i++) {
		s->mark[s->members[i]] = false;
	}
	slot = find_slot(s, &set);
	*out = *slot;
	if (*slot != UINT32_MAX) {
		s->n_members = begin;
		return KT_OK;
	}
	if (s->n_sets >= s->most || s->n_members / 16 >= s->most) {
		s->cut = true;
		return KT_OK;
	}
	code = kt_array_reserve(&s->sets, &s->sets_capacity, s->n_sets + 1);
	if (!code) {
		*slot = (uint32_t)s->n_sets;
		*out = *slot;
		s->sets[s->n_sets++] = set;
	}
	return code;
}

/* All arcs of a set, by the new machine's letters; within a run there is none for it. */
static int list_arcs(struct subsets *s, const struct subset *set)
{
	const struct kt_joint_machine *machine = &s->joint->side[0];
	int code = KT_OK;

	s->n_arcs = 0;
	for (size_t i = 0; i < set->n; i++) {
		uint32_t state = s->members[set->begin + i];

		spend(s, 1 + machine->first[state + (size_t)1] - machine->first[state]);
		for (size_t t = machine->first[state];
		     !code && t < machine->first[state + (size_t)1]; t++) {
			uint32_t letter = kt_joint_letter(machine, t);
			bool less = s->less[letter];

			if (less && (set->in_run || s->omit)) {
				continue;
			}
			code = kt_array_reserve(&s->arcs, &s->arcs_capacity, s->n_arcs + 1);
			if (!code) {
				s->arcs[s->n_arcs++] =
					(uint64_t)(less ? s->run : s->number[letter])
						<< 32 |
					machine->fsm->transitions[t].to;
			}
		}
	}
	return code;
}

static int compare_arcs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int add_transition(struct subsets *s, uint32_t from, uint32_t letter, uint32_t to)
{
	struct kt_fsm *fsm = s->fsm;
	int code = kt_array_reserve(&fsm->transitions, &s->transitions_capacity,
				    fsm->n_transitions + 1);

	if (!code) {
		fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
			.from = from, .letter = letter, .to = to};
	}
	return code;
}

static int leave_set(struct subsets *s, uint32_t which)
{
	const struct subset set = s->sets[which]; /* sets may move */
	int code = list_arcs(s, &set);

	if (!code && s->n_arcs > 1) {
		qsort(s->arcs, s->n_arcs, sizeof(*s->arcs), compare_arcs);
	}
	for (size_t i = 0; !code && !s->cut && i < s->n_arcs;) {
		uint32_t letter = (uint32_t)(s->arcs[i] >> 32);
		size_t begin = s->n_members;
		uint32_t to = 0;
		bool in_run;

		for (; !code && i < s->n_arcs && s->arcs[i] >> 32 == letter; i++) {
			code = add_member(s, (uint32_t)s->arcs[i]);
		}
		in_run = !s->omit && letter == s->run;
		code = code || !(in_run || s->omit) ? code : close_run(s, begin);
		code = code ? code : end_set(&to, s, begin, in_run);
		if (!code && !s->cut) {
			code = add_transition(s, which, letter, to);
		}
	}
	return code;
}

static int walk(struct subsets *s)
{
	uint32_t first = 0;
	int code = add_member(s, s->joint->side[0].fsm->start);

	code = code || !s->omit ? code : close_run(s, 0);
	code = code ? code : end_set(&first, s, 0, false);
	for (size_t i = 0; !code && !s->cut && i < s->n_sets; i++) {
		code = leave_set(s, (uint32_t)i);
	}
	if (code || s->cut) {
		return code;
	}
	s->fsm->states = calloc(s->n_sets, sizeof(*s->fsm->states));
	if (!s->fsm->states) {
		return kt_reduce_no_memory();
	}
	s->fsm->n_states = s->n_sets;
	return KT_OK;
}

/* --- letters --- */

struct alphabet {
	bool *less;       /* Owned by this: of a letter, whether it is made less of */
	uint32_t *number; /* Owned by this: of a letter, its number in the new machine */
	uint32_t run;
};

static int add_letter(struct kt_fsm *fsm, const char *name)
{
	fsm->letters[fsm->n_letters] = strdup(name);
	if (!fsm->letters[fsm->n_letters]) {
		return kt_reduce_no_memory();
	}
	fsm->n_letters++;
	return KT_OK;
}

/* The letters that stay, and the one for runs at its place among them. */
static int make_alphabet(struct alphabet *a, struct kt_fsm *out, const struct kt_fsm *fsm,
			 const char *run, const struct kt_reduction *reduction)
{
	bool placed = reduction->omit;
	int code = KT_OK;

	a->less = calloc(fsm->n_letters + 1, sizeof(*a->less));
	a->number = calloc(fsm->n_letters + 1, sizeof(*a->number));
	out->letters = calloc(fsm->n_letters + 2, sizeof(*out->letters));
	if (!a->less || !a->number || !out->letters) {
		return kt_reduce_no_memory();
	}
	for (size_t i = 0; !code && i <= fsm->n_letters; i++) {
		const char *next = i < fsm->n_letters ? fsm->letters[i] : NULL;

		if (!placed && (!next || strcmp(run, next) <= 0)) {
			placed = true;
			a->run = (uint32_t)out->n_letters;
			code = add_letter(out, run);
		}
		if (!code && next) {
			a->less[i] = kt_reduce_is_among(next, run, reduction);
			a->number[i] = (uint32_t)out->n_letters;
			code = a->less[i] ? KT_OK : add_letter(out, next);
		}
	}
	return code;
}

static int copy_head(struct kt_fsm *out, const struct kt_fsm *fsm)
{
	out->k = fsm->k;
	out->no_k = fsm->no_k;
	out->machine = strdup(fsm->machine ? fsm->machine : "chains");
	out->word = strdup(fsm->word ? fsm->word : "process");
	out->alphabet_json = fsm->alphabet_json ? strdup(fsm->alphabet_json) : NULL;
	return out->machine && out->word && (out->alphabet_json || !fsm->alphabet_json)
		       ? KT_OK
		       : kt_reduce_no_memory();
}

static int make_subsets(struct kt_fsm *out, bool *cut, const struct kt_joint *joint,
			const struct alphabet *alphabet, bool omit, uint32_t most,
			uint64_t *steps)
{
	struct subsets s = {
		.joint = joint,
		.less = alphabet->less,
		.number = alphabet->number,
		.run = alphabet->run,
		.omit = omit,
		.fsm = out,
		.most = most,
		.steps = steps ? *steps : UINT64_MAX,
	};
	int code;

	s.mark = calloc(joint->side[0].fsm->n_states, sizeof(*s.mark));
	code = s.mark ? walk(&s) : kt_reduce_no_memory();
	*cut = s.cut;
	if (steps) {
		*steps = s.steps;
	}
	free(s.sets);
	free(s.members);
	free(s.slots);
	free(s.arcs);
	free(s.mark);
	return code;
}

int kt_reduce_machine(struct kt_fsm **out, bool *cut, const struct kt_fsm *fsm,
		      const struct kt_reduction *reduction, uint32_t most, uint64_t *steps)
{
	struct alphabet alphabet = {0};
	struct kt_joint joint = {0};
	char *run = NULL;
	int code = kt_reduce_name_run(&run, reduction);

	*cut = false;
	*out = NULL;
	code = code ? code : kt_joint_init(&joint, fsm, fsm);
	code = code ? code : kt_fsm_new(out);
	code = code ? code : copy_head(*out, fsm);
	code = code ? code : make_alphabet(&alphabet, *out, fsm, run, reduction);
	code = code ? code
		    : make_subsets(*out, cut, &joint, &alphabet, reduction->omit, most,
				   steps);
	free(alphabet.less);
	free(alphabet.number);
	free(run);
	kt_joint_clear(&joint);
	if (code || *cut) {
		kt_fsm_free(*out);
		*out = NULL;
	}
	return code;
}
