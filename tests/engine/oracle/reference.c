/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "reference-internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void *reference_allocate(size_t n, size_t size)
{
	void *memory = calloc(n + 1, size);

	if (!memory) {
		abort();
	}
	return memory;
}

/* --- the words, and the canonical machine --- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_letters(struct reference *r)
{
	size_t n = kt_words_letter_count(r->set);
	bool *occurs = reference_allocate(n, sizeof(*occurs));

	for (size_t i = 0; i < r->n_words; i++) {
		for (size_t j = 0; j < r->words[i].n; j++) {
			occurs[r->words[i].letters[j]] = true;
		}
	}
	r->letters = reference_allocate(n, sizeof(*r->letters));
	for (uint32_t i = 0; i < n; i++) {
		if (occurs[i]) {
			r->letters[r->n_letters] = strdup(kt_words_letter_name(r->set, i));
			r->n_letters++;
		}
	}
	free(occurs);
	qsort(r->letters, r->n_letters, sizeof(*r->letters), compare_names);
}

static void rename_letters(struct reference *r)
{
	for (size_t i = 0; i < r->n_words; i++) {
		for (size_t j = 0; j < r->words[i].n; j++) {
			uint32_t *letter = &r->words[i].letters[j];
			const char *name = kt_words_letter_name(r->set, *letter);
			char **found = bsearch(&name, r->letters, r->n_letters,
					       sizeof(*r->letters), compare_names);

			*letter = (uint32_t)(found - r->letters);
		}
	}
}

static void hash_word(struct reference_word *word, char *const *letters)
{
	size_t size = 0;
	char *text;
	char *at;
	XXH128_hash_t hash;

	for (size_t i = 0; i < word->n; i++) {
		size += strlen(letters[word->letters[i]]) + 1;
	}
	text = at = reference_allocate(size, 1);
	for (size_t i = 0; i < word->n; i++) {
		at = stpcpy(at, letters[word->letters[i]]);
		*at++ = '\n';
	}
	hash = XXH3_128bits(text, size);
	snprintf(word->hash, sizeof(word->hash), "%016llx%016llx",
		 (unsigned long long)hash.high64, (unsigned long long)hash.low64);
	free(text);
}

static bool complete(const struct reference_word *word)
{
	return !word->cut_begin && !word->cut_end;
}

static int compare_words(const void *a, const void *b)
{
	const struct reference_word *x = a;
	const struct reference_word *y = b;

	if (strcmp(x->name, y->name) != 0) {
		return strcmp(x->name, y->name);
	}
	if (strcmp(x->hash, y->hash) != 0) {
		return strcmp(x->hash, y->hash);
	}
	if (x->n != y->n) {
		return x->n < y->n ? -1 : 1;
	}
	if (x->lost != y->lost) {
		return x->lost < y->lost ? -1 : 1;
	}
	if (complete(x) != complete(y)) {
		return complete(y) ? -1 : 1;
	}
	if (x->cut_begin != y->cut_begin) {
		return y->cut_begin ? -1 : 1;
	}
	return (int)x->cut_end - (int)y->cut_end;
}

static void read_words(struct reference *r)
{
	r->n_words = kt_words_count(r->set);
	r->words = reference_allocate(r->n_words, sizeof(*r->words));
	for (size_t i = 0; i < r->n_words; i++) {
		struct reference_word *word = &r->words[i];
		struct kt_word_info info;
		uint64_t n;

		if (kt_words_get(r->set, i, &info, &n) != KT_OK) {
			abort();
		}
		word->name = info.name;
		word->lost = info.lost;
		word->cut_begin = info.cut_begin;
		word->cut_end = info.cut_end;
		word->n = (size_t)n;
		word->letters = reference_allocate(word->n, sizeof(*word->letters));
		word->states = reference_allocate(word->n + 1, sizeof(*word->states));
		if (kt_words_read(r->set, i, 0, word->n, word->letters) != KT_OK) {
			abort();
		}
	}
}

/* Makes a chain for each word: from the start or, for a fragment, from an entry state. */
static void build_states(struct reference *r)
{
	size_t n = 1;

	for (size_t i = 0; i < r->n_words; i++) {
		n += r->words[i].n + 1;
	}
	r->states = reference_allocate(n, sizeof(*r->states));
	r->n_states = 1;
	for (size_t i = 0; i < r->n_words; i++) {
		struct reference_word *word = &r->words[i];

		for (size_t j = 0; j <= word->n; j++) {
			if (j == 0 && !word->cut_begin) {
				word->states[j] = 0;
				continue;
			}
			word->states[j] = (uint32_t)r->n_states;
			r->states[r->n_states++] = (struct reference_state){word, j};
		}
	}
}

struct reference *reference_new(const kt_words *words)
{
	return reference_new_from(words, KT_MACHINE_CHAINS);
}

struct reference *reference_new_from(const kt_words *words, enum kt_machine machine)
{
	struct reference *r = reference_allocate(1, sizeof(*r));

	r->set = words;
	r->machine = machine;
	read_words(r);
	sort_letters(r);
	rename_letters(r);
	for (size_t i = 0; i < r->n_words; i++) {
		hash_word(&r->words[i], r->letters);
	}
	qsort(r->words, r->n_words, sizeof(*r->words), compare_words);
	if (machine == KT_MACHINE_PTA) {
		reference_build_tree(r);
	} else {
		build_states(r);
	}
	r->tails = reference_allocate(r->n_states, sizeof(*r->tails));
	r->old_tails = reference_allocate(r->n_states, sizeof(*r->old_tails));
	r->merged = reference_allocate(r->n_states, sizeof(*r->merged));
	r->seen = reference_allocate(r->n_states * (r->n_letters + 1), sizeof(*r->seen));
	r->sorted = reference_allocate(r->n_states, sizeof(*r->sorted));
	return r;
}

void reference_free(struct reference *r)
{
	if (!r) {
		return;
	}
	for (size_t i = 0; i < r->n_words; i++) {
		free(r->words[i].letters);
		free(r->words[i].states);
	}
	for (size_t i = 0; i < r->n_letters; i++) {
		free(r->letters[i]);
	}
	kt_fsm_free(r->fsm);
	free(r->words);
	free(r->letters);
	free(r->states);
	free(r->nodes);
	free(r->tails);
	free(r->old_tails);
	free(r->merged);
	free(r->seen);
	free(r->sorted);
	free(r);
}

/* --- equality of k-tails --- */

/* Returns the number of letters that follow a chain state, k at most. */
static size_t window(const struct reference *r, const struct reference_word *word,
		     size_t position)
{
	size_t remaining = word->n - position;

	return remaining < r->k ? remaining : (size_t)r->k;
}

static bool chain_tail_is_unknown(const struct reference *r, uint32_t state)
{
	const struct reference_state *s = &r->states[state];
	bool any = false;

	if (s->word) {
		return s->word->cut_end && s->word->n - s->position < r->k;
	}
	for (size_t i = 0; i < r->n_words; i++) {
		const struct reference_word *word = &r->words[i];

		if (!word->cut_begin) {
			any = true;
			if (word->cut_end && word->n < r->k) {
				return true;
			}
		}
	}
	return r->k >= 1 && !any;
}

bool reference_tail_is_unknown(const struct reference *r, uint32_t state)
{
	return r->machine == KT_MACHINE_PTA ? reference_tree_tail_is_unknown(r, state)
					    : chain_tail_is_unknown(r, state);
}

/* Compares the next letters of two chain states, k at most; 0 iff they are equal. */
static int compare_windows(const void *a, const void *b, void *reference)
{
	const struct reference *r = reference;
	const struct reference_state *x = &r->states[*(const uint32_t *)a];
	const struct reference_state *y = &r->states[*(const uint32_t *)b];
	size_t nx = window(r, x->word, x->position);
	size_t ny = window(r, y->word, y->position);

	for (size_t i = 0; i < nx && i < ny; i++) {
		uint32_t lx = x->word->letters[x->position + i];
		uint32_t ly = y->word->letters[y->position + i];

		if (lx != ly) {
			return lx < ly ? -1 : 1;
		}
	}
	return (nx > ny) - (nx < ny);
}

/*
 * Returns whether the start and a chain state have equal k-tails. The start's k-tail
 * consists of all prefixes of the first k letters of each word that begins there. It equals
 * the chain state's k-tail iff these beginnings are prefixes of the longest of them, and
 * the longest of them is the chain state's next k letters.
 */
static bool start_equals(const struct reference *r, uint32_t state)
{
	const struct reference_state *s = &r->states[state];
	size_t n = window(r, s->word, s->position);
	size_t longest = 0;

	for (size_t i = 0; i < r->n_words; i++) {
		const struct reference_word *word = &r->words[i];
		size_t m = window(r, word, 0);

		if (word->cut_begin) {
			continue;
		}
		for (size_t j = 0; j < m; j++) {
			if (j >= n ||
			    word->letters[j] != s->word->letters[s->position + j]) {
				return false;
			}
		}
		longest = m > longest ? m : longest;
	}
	return longest == n;
}

static void number_chain_tails(struct reference *r)
{
	uint32_t tails = 0;
	size_t n = 0;

	for (uint32_t s = 1; s < r->n_states; s++) {
		if (chain_tail_is_unknown(r, s)) {
			r->tails[s] = tails++;
		} else {
			r->sorted[n++] = s;
		}
	}
	qsort_r(r->sorted, n, sizeof(*r->sorted), compare_windows, r);
	for (size_t i = 0; i < n; i++) {
		tails +=
			i == 0 || compare_windows(&r->sorted[i - 1], &r->sorted[i], r) != 0;
		r->tails[r->sorted[i]] = tails;
	}
	r->tails[0] = tails + 1;
	for (size_t i = 0; i < n && !chain_tail_is_unknown(r, 0); i++) {
		bool next = i == 0 || r->tails[r->sorted[i]] != r->tails[r->sorted[i - 1]];

		if (next && start_equals(r, r->sorted[i])) {
			r->tails[0] = r->tails[r->sorted[i]];
		}
	}
}

/* --- determinising --- */

static void merge(struct reference *r, uint32_t a, uint32_t b)
{
	for (size_t s = 0; s < r->n_states; s++) {
		if (r->merged[s] == b) {
			r->merged[s] = a;
		}
	}
}

static void merge_equal_tails(struct reference *r)
{
	for (uint32_t s = 0; s < r->n_states; s++) {
		r->sorted[r->tails[s]] = UINT32_MAX;
	}
	for (uint32_t s = 0; s < r->n_states; s++) {
		if (r->sorted[r->tails[s]] == UINT32_MAX) {
			r->sorted[r->tails[s]] = s;
		}
		r->merged[s] = r->sorted[r->tails[s]];
	}
}

/*
 * Merges targets of equal states and letters, in one pass over all words. seen[state,
 * letter] is the first target found; it counts only if its upper half is this pass.
 */
static bool merge_targets(struct reference *r, uint64_t pass)
{
	bool changed = false;

	for (size_t i = 0; i < r->n_words; i++) {
		const struct reference_word *word = &r->words[i];

		for (size_t j = 0; j < word->n; j++) {
			size_t from = r->merged[word->states[j]];
			uint32_t to = r->merged[word->states[j + 1]];
			uint64_t *seen = &r->seen[from * r->n_letters + word->letters[j]];

			if (*seen >> 32 != pass) {
				*seen = pass << 32 | to;
			} else if (r->merged[(uint32_t)*seen] != to) {
				merge(r, r->merged[(uint32_t)*seen], to);
				changed = true;
			}
		}
	}
	return changed;
}

static void determinise(struct reference *r)
{
	uint64_t pass = 1;

	memset(r->seen, 0, r->n_states * (r->n_letters + 1) * sizeof(*r->seen));
	merge_equal_tails(r);
	while (merge_targets(r, pass)) {
		pass++;
	}
}

/* --- numbering and counting --- */

static uint32_t target(const struct reference *r, const uint64_t *targets, uint32_t state,
		       size_t letter)
{
	return (uint32_t)targets[state * r->n_letters + letter];
}

/* Writes the target + 1 of each merged state and letter to seen; 0 if there is none. */
static void list_targets(struct reference *r)
{
	memset(r->seen, 0, r->n_states * (r->n_letters + 1) * sizeof(*r->seen));
	for (size_t i = 0; i < r->n_words; i++) {
		const struct reference_word *word = &r->words[i];

		for (size_t j = 0; j < word->n; j++) {
			size_t from = r->merged[word->states[j]];

			r->seen[from * r->n_letters + word->letters[j]] =
				r->merged[word->states[j + 1]] + (uint64_t)1;
		}
	}
}

static void number_from(struct reference *r, uint32_t state, uint32_t *number)
{
	uint32_t *queue = reference_allocate(r->n_states, sizeof(*queue));
	size_t n = 0;

	state = r->merged[state];
	if (number[state] == UINT32_MAX) {
		number[state] = (uint32_t)r->fsm->n_states++;
		queue[n++] = state;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t letter = 0; letter < r->n_letters; letter++) {
			uint32_t to = target(r, r->seen, queue[i], letter);

			if (to && number[to - 1] == UINT32_MAX) {
				number[to - 1] = (uint32_t)r->fsm->n_states++;
				queue[n++] = to - 1;
			}
			if (to) {
				r->fsm->transitions[r->fsm->n_transitions++] =
					(struct kt_fsm_transition){.from = number[queue[i]],
								   .letter =
									   (uint32_t)letter,
								   .to = number[to - 1]};
			}
		}
	}
	free(queue);
}

static void count_word(struct reference *r, const struct reference_word *word,
		       const uint32_t *number)
{
	struct kt_fsm *fsm = r->fsm;
	struct kt_fsm_word *listed = &fsm->words[fsm->n_words++];
	uint32_t state = number[r->merged[word->states[0]]];

	listed->name = strdup(word->name);
	listed->events = word->n;
	listed->lost = word->lost;
	listed->complete = complete(word);
	memcpy(listed->hash, word->hash, sizeof(listed->hash));
	listed->entry = state;
	fsm->states[state].visits++;
	for (size_t j = 0; j < word->n; j++) {
		size_t low = 0;
		size_t high = fsm->n_transitions;

		while (low < high) {
			size_t middle = (low + high) / 2;
			const struct kt_fsm_transition *t = &fsm->transitions[middle];

			if (t->from < state ||
			    (t->from == state && t->letter < word->letters[j])) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		fsm->transitions[low].count++;
		state = fsm->transitions[low].to;
		fsm->states[state].visits++;
	}
	listed->exit = state;
	fsm->states[state].ends += !word->cut_end;
}

static void build_machine(struct reference *r)
{
	uint32_t *number = reference_allocate(r->n_states, sizeof(*number));
	struct kt_fsm *fsm;

	kt_fsm_free(r->fsm);
	if (kt_fsm_new(&r->fsm) != KT_OK) {
		abort();
	}
	fsm = r->fsm;
	fsm->machine = strdup(r->machine == KT_MACHINE_PTA ? "pta" : "chains");
	fsm->word = strdup("process");
	fsm->letters = reference_allocate(r->n_letters, sizeof(*fsm->letters));
	for (size_t i = 0; i < r->n_letters; i++) {
		fsm->letters[fsm->n_letters++] = strdup(r->letters[i]);
	}
	fsm->words = reference_allocate(r->n_words, sizeof(*fsm->words));
	fsm->states = reference_allocate(r->n_states, sizeof(*fsm->states));
	fsm->transitions =
		reference_allocate(r->n_states + r->n_words, sizeof(*fsm->transitions));
	list_targets(r);
	memset(number, 0xff, r->n_states * sizeof(*number));
	number_from(r, 0, number);
	for (size_t i = 0; i < r->n_words; i++) {
		number_from(r, r->words[i].states[0], number);
	}
	for (size_t i = 0; i < r->n_words; i++) {
		count_word(r, &r->words[i], number);
	}
	free(number);
}

const struct kt_fsm *reference_infer(struct reference *r, uint64_t k)
{
	size_t size = r->n_states * sizeof(*r->tails);

	r->k = k;
	memcpy(r->old_tails, r->tails, size);
	if (r->machine == KT_MACHINE_PTA) {
		reference_number_tree_tails(r);
	} else {
		number_chain_tails(r);
	}
	/* If the k-tails have the same numbers as before, the machine is the same. */
	if (!r->fsm || memcmp(r->old_tails, r->tails, size) != 0) {
		determinise(r);
		build_machine(r);
	}
	r->fsm->k = k;
	return r->fsm;
}
