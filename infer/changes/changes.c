/* SPDX-License-Identifier: MIT */
#include "infer/changes/changes.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/call-letter.h"
#include "base/try.h"
#include "infer/changes/align.h"
#include "infer/changes/exact-test.h"

/* A word of one recording. */
struct word {
	const char *name;  /* Weak: without the name of the trace */
	int origin;        /* 0: old, 1: new */
	size_t recording;  /* index among all words as they were read, for sorting */
	uint32_t *letters; /* Owned by this: numbers in `letters` of struct kt_changes */
	size_t n;
};

struct finder {
	struct kt_changes *out;
	struct word *words; /* Owned by this: sorted by name, origin, recording */
	size_t n_words;
	size_t capacity;
	/* Owned by this: for each letter, whether it is noise for the current name */
	bool *noise;
	size_t n_letters;
};

/* --- reading --- */

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static int read_words(struct finder *f, const kt_words *words, int origin)
{
	const size_t n_letters = kt_words_letter_count(words);
	uint32_t *numbers = malloc((n_letters + 1) * sizeof(*numbers));
	int code = KT_OK;

	if (!numbers) {
		return kt_no_memory("find changes");
	}
	for (uint32_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(words, i);

		KT_TRY_END(
			kt_words_letter(&numbers[i], f->out->letters, name, strlen(name)));
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		struct word *word;
		uint64_t n;

		KT_TRY_END(kt_array_reserve(&f->words, &f->capacity, f->n_words + 1));
		KT_TRY_END(kt_words_get(words, i, &info, &n));
		word = &f->words[f->n_words];
		*word = (struct word){.name = last_part(info.name), .origin = origin};
		word->letters = malloc((n + 1) * sizeof(*word->letters));
		if (!word->letters) {
			code = kt_no_memory("find changes");
			goto end;
		}
		f->n_words++;
		KT_TRY_END(kt_words_read(words, i, 0, n, word->letters));
		for (word->n = 0; word->n < n; word->n++) {
			word->letters[word->n] = numbers[word->letters[word->n]];
		}
	}
end:
	free(numbers);
	return code;
}

static int compare_words(const void *a, const void *b)
{
	const struct word *x = a;
	const struct word *y = b;
	const int order = strcmp(x->name, y->name);

	if (order || x->origin != y->origin) {
		return order ? order : x->origin - y->origin;
	}
	/* Words of one name and side stay in the order of their recordings. */
	return (x->recording > y->recording) - (x->recording < y->recording);
}

/* --- noise --- */

/*
 * words[0..n) all have the same name. Marks as noise each letter whose number varies among
 * the old words and also among the new words. If a version has only one recording, nothing
 * varies in it, and the other version decides alone.
 */
static int mark_noise(struct finder *f, const struct word *words, size_t n)
{
	size_t *counts = calloc(f->n_letters + 1, sizeof(*counts));
	size_t *first = calloc(2 * (f->n_letters + 1), sizeof(*first));
	bool *varies = calloc(2 * (f->n_letters + 1), sizeof(*varies));
	size_t of[2] = {0, 0};

	if (!counts || !first || !varies) {
		free(counts);
		free(first);
		free(varies);
		return kt_no_memory("find changes");
	}
	for (size_t i = 0; i < n; i++) {
		const size_t row = (size_t)words[i].origin * f->n_letters;

		memset(counts, 0, f->n_letters * sizeof(*counts));
		for (size_t j = 0; j < words[i].n; j++) {
			counts[words[i].letters[j]]++;
		}
		for (size_t l = 0; l < f->n_letters; l++) {
			if (of[words[i].origin] == 0) {
				first[row + l] = counts[l];
			}
			varies[row + l] = varies[row + l] || counts[l] != first[row + l];
		}
		of[words[i].origin]++;
	}
	for (size_t l = 0; l < f->n_letters; l++) {
		if ((varies[l] || of[0] == 1) && (varies[f->n_letters + l] || of[1] == 1) &&
		    (varies[l] || varies[f->n_letters + l])) {
			f->noise[l] = true;
		}
	}
	free(counts);
	free(first);
	free(varies);
	return KT_OK;
}

static void leave_out_noise(const struct finder *f, struct word *word)
{
	size_t n = 0;

	for (size_t i = 0; i < word->n; i++) {
		if (!f->noise[word->letters[i]]) {
			word->letters[n++] = word->letters[i];
		}
	}
	word->n = n;
}

/* --- hunks --- */

static bool are_equal(const struct word *a, const struct word *b)
{
	return a->n == b->n &&
	       memcmp(a->letters, b->letters, a->n * sizeof(*a->letters)) == 0;
}

/* Returns the most frequent of words[0..n_old); of equally frequent ones, the first. */
static const struct word *choose_reference(const struct word *words, size_t n_old)
{
	const struct word *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < n_old; i++) {
		size_t same = 0;

		for (size_t j = 0; j < n_old; j++) {
			same += are_equal(&words[i], &words[j]);
		}
		if (same > most) {
			most = same;
			best = &words[i];
		}
	}
	return best;
}

static const char *name_of(const struct finder *f, uint32_t letter)
{
	return kt_words_letter_name(f->out->letters, letter);
}

static const char **copy_names(const struct finder *f, const uint32_t *letters, size_t n)
{
	const char **names = malloc((n + 1) * sizeof(*names));

	for (size_t i = 0; names && i < n; i++) {
		names[i] = name_of(f, letters[i]);
	}
	return names;
}

static bool has_letters(const char *const *names, size_t n_names, const struct finder *f,
			const uint32_t *letters, size_t n)
{
	bool same = n_names == n;

	for (size_t i = 0; same && i < n; i++) {
		same = names[i] == name_of(f, letters[i]);
	}
	return same;
}

static const char *find_call(const struct finder *f, const struct word *reference,
			     size_t at)
{
	while (at-- > 0) {
		const char *name = name_of(f, reference->letters[at]);

		if (kt_is_call_letter(name)) {
			return name;
		}
	}
	return NULL;
}

/*
 * Searches the changes from `first` on for the change that a hunk stands for, and adds the
 * change if it is new. Notes that the i-th word of the group has the change.
 */
static int note_hunk(struct finder *f, size_t first, const struct word *reference,
		     const struct word *word, const struct kt_hunk *hunk, size_t i,
		     size_t n_group)
{
	struct kt_changes *out = f->out;
	struct kt_change *change;
	size_t capacity = out->n;
	const uint32_t *added = word->letters + hunk->to;
	const size_t end = hunk->at + hunk->removed;

	for (size_t j = first; j < out->n; j++) {
		change = &out->items[j];
		if (change->at == hunk->at && change->n_removed == hunk->removed &&
		    has_letters(change->added, change->n_added, f, added, hunk->added)) {
			change->in[i] = true;
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&out->items, &capacity, out->n + 1));
	change = &out->items[out->n];
	*change = (struct kt_change){
		.kind = !hunk->removed ? KT_CHANGE_ADDED
			: hunk->added  ? KT_CHANGE_REPLACED
				       : KT_CHANGE_REMOVED,
		.word = reference->name,
		.removed = copy_names(f, reference->letters + hunk->at, hunk->removed),
		.n_removed = hunk->removed,
		.added = copy_names(f, added, hunk->added),
		.n_added = hunk->added,
		.position = {hunk->at ? name_of(f, reference->letters[hunk->at - 1]) : NULL,
			     end < reference->n ? name_of(f, reference->letters[end])
						: NULL},
		.at = hunk->at,
		.call = find_call(f, reference, hunk->at),
		.in = calloc(n_group, sizeof(*change->in)),
	};
	out->n++; /* from here on kt_changes_free() frees the change */
	if (!change->removed || !change->added || !change->in) {
		return kt_no_memory("find changes");
	}
	change->in[i] = true;
	return KT_OK;
}

static int align_word(struct finder *f, size_t first, const struct word *reference,
		      const struct word *word, size_t i, size_t n_group)
{
	struct kt_hunks hunks = {0};
	int code;

	if (are_equal(reference, word)) {
		return KT_OK;
	}
	code = kt_align(&hunks, reference->letters, reference->n, word->letters, word->n);
	if (code == KT_E_USAGE) {
		f->out->unaligned++;
		code = KT_OK;
	}
	for (size_t j = 0; !code && j < hunks.n; j++) {
		code = note_hunk(f, first, reference, word, &hunks.items[j], i, n_group);
	}
	free(hunks.items);
	return code;
}

static void free_change(struct kt_change *change)
{
	free(change->removed);
	free(change->added);
	free(change->in);
}

/* Returns whether `to` adds the letters that `from` removes, in the same recordings. */
static bool is_move(const struct kt_change *from, const struct kt_change *to, size_t n)
{
	if (from->kind != KT_CHANGE_REMOVED || to->kind != KT_CHANGE_ADDED ||
	    from->n_removed != to->n_added ||
	    memcmp(from->in, to->in, n * sizeof(*from->in)) != 0) {
		return false;
	}
	for (size_t i = 0; i < from->n_removed; i++) {
		if (from->removed[i] != to->added[i]) {
			return false;
		}
	}
	return true;
}

/*
 * Among the changes from `first` on, replaces each removal and addition of the same letters
 * by one move.
 */
static void join_moves(struct kt_changes *out, size_t first, size_t n_group)
{
	for (size_t i = first; i < out->n; i++) {
		for (size_t j = first; j < out->n; j++) {
			if (!is_move(&out->items[i], &out->items[j], n_group)) {
				continue;
			}
			out->items[i].kind = KT_CHANGE_MOVED;
			out->items[i].elsewhere = out->items[j].position;
			free_change(&out->items[j]);
			memmove(&out->items[j], &out->items[j + 1],
				(out->n - j - 1) * sizeof(*out->items));
			out->n--;
			i -= j < i;
			break;
		}
	}
}

/* Compares old with new words. All words[0..n) have the same name; old words come first. */
static int compare_group(struct finder *f, struct word *words, size_t n)
{
	struct kt_changes *out = f->out;
	const size_t first = out->n;
	const struct word *reference;
	size_t of[2] = {0, 0};

	for (size_t i = 0; i < n; i++) {
		of[words[i].origin]++;
	}
	if (!of[0] || !of[1]) {
		return KT_OK;
	}
	for (int s = 0; s < 2; s++) {
		out->recordings[s] =
			of[s] > out->recordings[s] ? of[s] : out->recordings[s];
	}
	memset(f->noise, 0, f->n_letters * sizeof(*f->noise));
	KT_TRY(mark_noise(f, words, n));
	for (size_t l = 0; l < f->n_letters; l++) {
		const char *name = name_of(f, (uint32_t)l);
		bool known = !f->noise[l];

		for (size_t i = 0; i < out->n_noise; i++) {
			known = known || out->noise[i] == name;
		}
		if (!known) {
			out->noise[out->n_noise++] = name;
		}
	}
	for (size_t i = 0; i < n; i++) {
		leave_out_noise(f, &words[i]);
	}
	reference = choose_reference(words, of[0]);
	for (size_t i = 0; i < n; i++) {
		KT_TRY(align_word(f, first, reference, &words[i], i, n));
	}
	join_moves(out, first, n);
	for (size_t i = first; i < out->n; i++) {
		struct kt_change *change = &out->items[i];

		for (size_t j = 0; j < n; j++) {
			change->shown[words[j].origin] += change->in[j];
		}
		change->of[0] = of[0];
		change->of[1] = of[1];
		change->p = kt_fisher(change->shown[0], of[0], change->shown[1], of[1]);
	}
	return KT_OK;
}

/* --- tests --- */

static bool have_same_recordings(const struct kt_change *a, const struct kt_change *b)
{
	return a->word == b->word &&
	       memcmp(a->in, b->in, (a->of[0] + a->of[1]) * sizeof(*a->in)) == 0;
}

/*
 * Decides which differences are changes. Differences that occur in exactly the same
 * recordings count as one comparison.
 */
static int test_all(struct kt_changes *out)
{
	double *least = malloc((out->n + 1) * sizeof(*least));
	struct kt_change *sorted = malloc((out->n + 1) * sizeof(*sorted));
	double bound;
	size_t n = 0;

	if (!least || !sorted) {
		free(least);
		free(sorted);
		return kt_no_memory("find changes");
	}
	for (size_t i = 0; i < out->n; i++) {
		const struct kt_change *change = &out->items[i];
		bool counted = false;

		for (size_t j = 0; j < i && !counted; j++) {
			counted = have_same_recordings(&out->items[j], change);
		}
		if (!counted) {
			least[n++] = kt_fisher_least(change->shown[0] + change->shown[1],
						     change->of[0], change->of[1]);
		}
	}
	bound = kt_tarone_bound(least, n, KT_CHANGES_LEVEL);
	for (int found = 1; found >= 0; found--) {
		size_t at = found ? 0 : out->n_found;

		for (size_t i = 0; i < out->n; i++) {
			out->items[i].found = out->items[i].p <= bound;
			if (out->items[i].found == (found == 1)) {
				sorted[at++] = out->items[i];
			}
		}
		out->n_found = found ? at : out->n_found;
	}
	if (out->n) {
		memcpy(out->items, sorted, out->n * sizeof(*sorted));
	}
	free(least);
	free(sorted);
	return KT_OK;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int kt_changes_find(struct kt_changes *out, const kt_words *old, const kt_words *new)
{
	struct finder f = {.out = out};
	int code;

	*out = (struct kt_changes){.n = 0};
	KT_TRY(kt_words_new(&out->letters));
	KT_TRY_END(read_words(&f, old, 0));
	KT_TRY_END(read_words(&f, new, 1));
	f.n_letters = kt_words_letter_count(out->letters);
	f.noise = calloc(f.n_letters + 1, sizeof(*f.noise));
	out->noise = calloc(f.n_letters + 1, sizeof(*out->noise));
	if (!f.noise || !out->noise) {
		code = kt_no_memory("find changes");
		goto end;
	}
	for (size_t i = 0; i < f.n_words; i++) {
		f.words[i].recording = i;
	}
	if (f.n_words) {
		qsort(f.words, f.n_words, sizeof(*f.words), compare_words);
	}
	for (size_t i = 0, n; i < f.n_words; i += n) {
		n = 1;
		while (i + n < f.n_words &&
		       strcmp(f.words[i].name, f.words[i + n].name) == 0) {
			n++;
		}
		KT_TRY_END(compare_group(&f, f.words + i, n));
	}
	if (out->n_noise) {
		qsort(out->noise, out->n_noise, sizeof(*out->noise), compare_names);
	}
	code = test_all(out);
end:
	for (size_t i = 0; i < f.n_words; i++) {
		free(f.words[i].letters);
	}
	free(f.words);
	free(f.noise);
	return code;
}

void kt_changes_free(struct kt_changes *changes)
{
	for (size_t i = 0; i < changes->n; i++) {
		free_change(&changes->items[i]);
	}
	free(changes->items);
	free(changes->noise);
	kt_words_free(changes->letters);
	*changes = (struct kt_changes){.n = 0};
}
