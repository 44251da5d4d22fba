/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* stpcpy */
#include <ktail/reduce.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"
#include "infer/compare/joint.h"

/* --- letters --- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes "(a|b)+", with the letters in byte order. The caller frees *out. */
static int name_run(char **out, const struct kt_reduction *reduction)
{
	size_t n = reduction->n;
	const char **sorted = calloc(n + 1, sizeof(*sorted));
	size_t size = 4;
	char *end;

	for (size_t i = 0; sorted && i < n; i++) {
		sorted[i] = reduction->letters[i];
		size += strlen(sorted[i]) + 1;
	}
	*out = sorted ? malloc(size) : NULL;
	if (!*out) {
		free(sorted);
		return kt_no_memory("reduce letters");
	}
	qsort(sorted, n, sizeof(*sorted), compare_names);
	end = stpcpy(*out, "(");
	for (size_t i = 0; i < n; i++) {
		/* Skip duplicate names. */
		if (i == 0 || strcmp(sorted[i - 1], sorted[i]) != 0) {
			end = i ? stpcpy(end, "|") : end;
			end = stpcpy(end, sorted[i]);
		}
	}
	memcpy(end, ")+", 3);
	free(sorted);
	return KT_OK;
}

/*
 * Returns whether a letter is to be reduced: one of the letters of `reduction` or, if runs
 * are replaced, `run`, which stands for runs that an earlier reduction has replaced.
 */
static bool is_among(const char *name, const char *run,
		     const struct kt_reduction *reduction)
{
	for (size_t i = 0; i < reduction->n; i++) {
		if (strcmp(name, reduction->letters[i]) == 0) {
			return true;
		}
	}
	return !reduction->omit && strcmp(name, run) == 0;
}

/* --- words --- */

#define OMITTED UINT32_MAX

struct reducing {
	kt_words *out;         /* Weak */
	const kt_words *words; /* Weak */
	/* Owned by this: for each letter, its new number or OMITTED */
	uint32_t *number;
	uint32_t run; /* the letter that stands for runs, or OMITTED */
};

static int reduce_word(struct reducing *r, size_t i)
{
	struct kt_word_info info;
	uint32_t piece[1024];
	uint32_t last = OMITTED; /* new number of the previous letter */
	uint64_t n = 0;

	KT_TRY(kt_words_get(r->words, i, &info, &n));
	KT_TRY(kt_words_begin(r->out, &info));
	for (uint64_t at = 0; at < n;) {
		size_t some = n - at < 1024 ? (size_t)(n - at) : 1024;
		size_t kept = 0;

		KT_TRY(kt_words_read(r->words, i, at, some, piece));
		at += some;
		for (size_t j = 0; j < some; j++) {
			uint32_t letter = r->number[piece[j]];

			if (letter != OMITTED && (letter != r->run || last != r->run)) {
				piece[kept++] = letter;
			}
			last = letter;
		}
		KT_TRY(kt_words_append(r->out, piece, kept));
	}
	return KT_OK;
}

int kt_reduce_words(kt_words **out, const kt_words *words,
		    const struct kt_reduction *reduction)
{
	struct reducing r = {.words = words};
	size_t n_letters = kt_words_letter_count(words);
	char *run = NULL;
	int code;

	*out = NULL;
	KT_TRY(name_run(&run, reduction));
	KT_TRY_END(kt_words_new(out));
	r.out = *out;
	r.run = OMITTED;
	r.number = calloc(n_letters + 1, sizeof(*r.number));
	if (!r.number) {
		code = kt_no_memory("reduce letters");
		goto end;
	}
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(words, (uint32_t)i);
		bool less = is_among(name, run, reduction);

		r.number[i] = OMITTED;
		if (less && !reduction->omit) {
			KT_TRY_END(kt_words_letter(&r.run, *out, run, strlen(run)));
			r.number[i] = r.run;
		} else if (!less) {
			KT_TRY_END(kt_words_letter(&r.number[i], *out, name, strlen(name)));
		}
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		KT_TRY_END(reduce_word(&r, i));
	}
end:
	free(r.number);
	free(run);
	if (code) {
		kt_words_free(*out);
		*out = NULL;
	}
	return code;
}

/* --- a machine: subsets of states --- */

/*
 * A state of the new machine: the set of states of the original machine that a word may
 * have reached, and whether the word is within a run of reduced letters.
 */
struct subset {
	size_t begin; /* its states: members[begin] to members[begin + n - 1], ascending */
	size_t n;
	bool in_run;
};

struct subsets {
	const struct kt_joint *joint; /* Weak: the machine joined with itself */
	/* Owned by this: for each letter, whether it is reduced */
	bool *less;
	bool omit;
	uint32_t run;        /* the letter of the new machine that stands for runs */
	uint32_t *number;    /* Owned by this: for each letter that stays, its new number */
	struct subset *sets; /* Owned by this: states of the new machine */
	size_t n_sets;
	size_t sets_capacity;
	uint32_t *members; /* Owned by this: states of the sets, one set after another */
	size_t n_members;
	size_t members_capacity;
	struct kt_hash_index by_members; /* Owned by this: index of the sets */
	uint64_t *arcs; /* Owned by this: new letter << 32 | target, from the current set */
	size_t n_arcs;
	size_t arcs_capacity;
	/* Owned by this: for each state, whether it is in the unfinished set */
	bool *mark;
	struct kt_fsm *fsm; /* Weak */
	size_t transitions_capacity;
	uint32_t most;
	uint64_t steps; /* steps left */
	bool cut;
};

static int add_member(struct subsets *s, uint32_t state)
{
	if (!s->mark[state]) {
		s->mark[state] = true;
		KT_TRY(kt_array_reserve(&s->members, &s->members_capacity,
					s->n_members + 1));
		s->members[s->n_members++] = state;
	}
	return KT_OK;
}

static void spend(struct subsets *s, uint64_t steps)
{
	s->cut = s->cut || steps > s->steps;
	s->steps -= steps < s->steps ? steps : s->steps;
}

/*
 * Adds to the unfinished set, which begins at members[begin], all states that are reachable
 * from its states through reduced letters.
 */
static int close_run(struct subsets *s, size_t begin)
{
	const struct kt_joint_machine *machine = &s->joint->machine[0];

	for (size_t i = begin; !s->cut && i < s->n_members; i++) {
		uint32_t state = s->members[i];
		size_t end = machine->first[state + (size_t)1];

		spend(s, 1 + end - machine->first[state]);
		for (size_t t = machine->first[state]; t < end; t++) {
			if (s->less[kt_joint_letter(machine, t)]) {
				KT_TRY(add_member(s, machine->fsm->transitions[t].to));
			}
		}
	}
	return KT_OK;
}

/*
 * Finishes the set that begins at members[begin], and writes its number to *out. If an
 * equal set exists, writes the number of that set and drops the members.
 */
static int end_set(uint32_t *out, struct subsets *s, size_t begin, bool in_run)
{
	struct subset set = {.begin = begin, .n = s->n_members - begin, .in_run = in_run};
	struct kt_hash_probe probe;
	uint64_t mixed = in_run;
	uint32_t hash;

	qsort(s->members + begin, set.n, sizeof(*s->members), kt_compare_u32);
	for (size_t i = begin; i < s->n_members; i++) {
		s->mark[s->members[i]] = false;
		mixed = (mixed ^ s->members[i]) * UINT64_C(0x9e3779b97f4a7c15);
		mixed ^= mixed >> 29;
	}
	hash = (uint32_t)mixed;
	probe = kt_hash_probe(&s->by_members, hash);
	while (kt_hash_next(&s->by_members, &probe, out)) {
		const struct subset *known = &s->sets[*out];

		if (known->n == set.n && known->in_run == in_run &&
		    memcmp(s->members + known->begin, s->members + begin,
			   set.n * sizeof(*s->members)) == 0) {
			s->n_members = begin;
			return KT_OK;
		}
	}
	if (s->n_sets >= s->most || s->n_members / 16 >= s->most) {
		s->cut = true;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&s->sets, &s->sets_capacity, s->n_sets + 1));
	KT_TRY(kt_hash_add(&s->by_members, hash, s->n_sets));
	*out = (uint32_t)s->n_sets;
	s->sets[s->n_sets++] = set;
	return KT_OK;
}

static int leave_set(struct subsets *s, uint32_t which)
{
	const struct subset set = s->sets[which]; /* a copy, since sets may be
						   * reallocated */
	const struct kt_joint_machine *machine = &s->joint->machine[0];
	struct kt_fsm *fsm = s->fsm;

	/*
	 * Collect all arcs, with letters of the new machine. A set within a run has no arc
	 * for the letter of runs.
	 */
	s->n_arcs = 0;
	for (size_t i = 0; i < set.n; i++) {
		uint32_t state = s->members[set.begin + i];
		size_t end = machine->first[state + (size_t)1];

		spend(s, 1 + end - machine->first[state]);
		for (size_t t = machine->first[state]; t < end; t++) {
			uint32_t letter = kt_joint_letter(machine, t);
			bool less = s->less[letter];

			if (less && (set.in_run || s->omit)) {
				continue;
			}
			KT_TRY(kt_array_reserve(&s->arcs, &s->arcs_capacity,
						s->n_arcs + 1));
			s->arcs[s->n_arcs++] = (uint64_t)(less ? s->run : s->number[letter])
						       << 32 |
					       machine->fsm->transitions[t].to;
		}
	}
	if (s->n_arcs > 1) {
		qsort(s->arcs, s->n_arcs, sizeof(*s->arcs), kt_compare_u64);
	}
	for (size_t i = 0; !s->cut && i < s->n_arcs;) {
		uint32_t letter = (uint32_t)(s->arcs[i] >> 32);
		bool in_run = !s->omit && letter == s->run;
		size_t begin = s->n_members;
		uint32_t to = 0;

		for (; i < s->n_arcs && s->arcs[i] >> 32 == letter; i++) {
			KT_TRY(add_member(s, (uint32_t)s->arcs[i]));
		}
		if (in_run || s->omit) {
			KT_TRY(close_run(s, begin));
		}
		KT_TRY(end_set(&to, s, begin, in_run));
		if (s->cut) {
			break;
		}
		KT_TRY(kt_array_reserve(&fsm->transitions, &s->transitions_capacity,
					fsm->n_transitions + 1));
		fsm->transitions[fsm->n_transitions++] = (struct kt_fsm_transition){
			.from = which, .letter = letter, .to = to};
	}
	return KT_OK;
}

/* --- a machine: letters --- */

static int add_letter(struct kt_fsm *fsm, const char *name)
{
	fsm->letters[fsm->n_letters] = strdup(name);
	if (!fsm->letters[fsm->n_letters]) {
		return kt_no_memory("reduce letters");
	}
	fsm->n_letters++;
	return KT_OK;
}

/* Copies the letters that stay, and inserts the letter of runs, all in byte order. */
static int make_alphabet(struct subsets *s, const struct kt_fsm *fsm,
			 const struct kt_reduction *reduction)
{
	struct kt_fsm *out = s->fsm;
	bool placed = reduction->omit;
	char *run = NULL;
	int code;

	KT_TRY(name_run(&run, reduction));
	s->less = calloc(fsm->n_letters + 1, sizeof(*s->less));
	s->number = calloc(fsm->n_letters + 1, sizeof(*s->number));
	out->letters = calloc(fsm->n_letters + 2, sizeof(*out->letters));
	if (!s->less || !s->number || !out->letters) {
		code = kt_no_memory("reduce letters");
		goto end;
	}
	for (size_t i = 0; i <= fsm->n_letters; i++) {
		const char *next = i < fsm->n_letters ? fsm->letters[i] : NULL;

		if (!placed && (!next || strcmp(run, next) <= 0)) {
			placed = true;
			s->run = (uint32_t)out->n_letters;
			KT_TRY_END(add_letter(out, run));
		}
		if (next) {
			s->less[i] = is_among(next, run, reduction);
			s->number[i] = (uint32_t)out->n_letters;
			KT_TRY_END(s->less[i] ? KT_OK : add_letter(out, next));
		}
	}
	code = KT_OK;
end:
	free(run);
	return code;
}

static int copy_head(struct kt_fsm *out, const struct kt_fsm *fsm)
{
	out->k = fsm->k;
	out->no_k = fsm->no_k;
	out->machine = strdup(fsm->machine ? fsm->machine : "chains");
	out->word = strdup(fsm->word ? fsm->word : "process");
	out->alphabet_json = fsm->alphabet_json ? strdup(fsm->alphabet_json) : NULL;
	KT_TRY(kt_versions_add_all(&out->versions, &fsm->versions));
	return out->machine && out->word && (out->alphabet_json || !fsm->alphabet_json)
		       ? KT_OK
		       : kt_no_memory("reduce letters");
}

int kt_reduce_machine(struct kt_fsm **out, bool *cut, const struct kt_fsm *fsm,
		      const struct kt_reduction *reduction, uint32_t most, uint64_t *steps)
{
	struct kt_joint joint = {0};
	struct subsets s = {
		.joint = &joint,
		.omit = reduction->omit,
		.most = most,
		.steps = steps ? *steps : UINT64_MAX,
	};
	uint32_t first = 0;
	int code;

	*cut = false;
	*out = NULL;
	KT_TRY(kt_joint_init(&joint, fsm, fsm));
	KT_TRY_END(kt_fsm_new(out));
	s.fsm = *out;
	KT_TRY_END(copy_head(*out, fsm));
	KT_TRY_END(make_alphabet(&s, fsm, reduction));
	s.mark = calloc(fsm->n_states, sizeof(*s.mark));
	if (!s.mark) {
		code = kt_no_memory("reduce letters");
		goto end;
	}
	KT_TRY_END(add_member(&s, fsm->start));
	if (s.omit) {
		KT_TRY_END(close_run(&s, 0));
	}
	KT_TRY_END(end_set(&first, &s, 0, false));
	for (size_t i = 0; !s.cut && i < s.n_sets; i++) {
		KT_TRY_END(leave_set(&s, (uint32_t)i));
	}
	*cut = s.cut;
	if (!s.cut) {
		(*out)->states = calloc(s.n_sets, sizeof(*(*out)->states));
		(*out)->n_states = (*out)->states ? s.n_sets : 0;
		code = (*out)->states ? KT_OK : kt_no_memory("reduce letters");
	}
end:
	if (steps) {
		*steps = s.steps;
	}
	free(s.less);
	free(s.number);
	free(s.sets);
	free(s.members);
	kt_hash_free(&s.by_members);
	free(s.arcs);
	free(s.mark);
	kt_joint_clear(&joint);
	if (code || *cut) {
		kt_fsm_free(*out);
		*out = NULL;
	}
	return code;
}
