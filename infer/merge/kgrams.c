/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/word-set.h"
#include "infer/merge/kgram-set.h"

/*
 * Writes to *out the alphabet in the form that kt_kgrams stores. The caller frees *out.
 * KT_E_USAGE if the alphabet is not a JSON object.
 */
static int normalise_alphabet(char **out, const char *alphabet_json)
{
	json_t *root;

	*out = NULL;
	/* jansson may report a failed allocation as a syntax error, so errno is checked. */
	errno = 0;
	root = json_loads(alphabet_json, JSON_REJECT_DUPLICATES, NULL);
	if (!root && errno == ENOMEM) {
		return kt_no_memory("count windows");
	}
	if (!json_is_object(root)) {
		json_decref(root);
		return kt_error(KT_E_USAGE, "read alphabet: it is not a JSON object");
	}
	*out = json_dumps(root, JSON_PRESERVE_ORDER);
	json_decref(root);
	return *out ? KT_OK : kt_no_memory("count windows");
}

int kt_kgrams_new(kt_kgrams **out, uint64_t k, const char *word, const char *alphabet_json)
{
	kt_kgrams *kgrams = calloc(1, sizeof(*kgrams));

	*out = NULL;
	if (!kgrams) {
		return kt_no_memory("count windows");
	}
	kgrams->k = k;
	kgrams->word = strdup(word);
	kgrams->alphabet_json = alphabet_json ? strdup(alphabet_json) : NULL;
	if (!kgrams->word || (alphabet_json && !kgrams->alphabet_json)) {
		kt_kgrams_free(kgrams);
		return kt_no_memory("count windows");
	}
	*out = kgrams;
	return KT_OK;
}

void kt_kgrams_free(kt_kgrams *kgrams)
{
	if (!kgrams) {
		return;
	}
	for (size_t i = 0; i < kgrams->n_words; i++) {
		free(kgrams->words[i].name);
	}
	kt_words_free(kgrams->strings);
	free(kgrams->word);
	free(kgrams->alphabet_json);
	kt_versions_clear(&kgrams->versions);
	free(kgrams->counts);
	free(kgrams->words);
	free(kgrams);
}

/* --- from words --- */

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int count_words(kt_kgrams *kgrams, const kt_words *words)
{
	struct kt_kgram_source source = {.strings = words, .n_paths = words->n_words};
	struct kt_kgram_entry *entries = malloc((words->n_words + 1) * sizeof(*entries));
	struct kt_word_order order = {0};
	int code;

	/* kt_word_order_make() fails only for lack of memory, and sets no message. */
	if (!entries || kt_word_order_make(&order, words)) {
		code = kt_no_memory("count windows");
		goto end;
	}
	for (size_t i = 0; i < words->n_words; i++) {
		const struct kt_word *word = &words->words[i];
		uint64_t last = min(word->n, kgrams->k);

		entries[i] = (struct kt_kgram_entry){
			.name = word->name,
			.hash = order.hash[i],
			.n = word->n,
			.lost = word->lost,
			.cut_begin = word->cut_begin,
			.cut_end = word->cut_end,
			.first = {i, 0, min(word->n, kgrams->k + 1)},
			.last = {i, word->n - last, last},
		};
	}
	source.words = entries;
	source.n_words = words->n_words;
	code = kt_kgrams_settle(kgrams, &source);
end:
	kt_word_order_clear(&order);
	free(entries);
	return code;
}

int kt_kgrams_count(kt_kgrams **out, const kt_words *words,
		    const struct kt_infer_options *options)
{
	kt_kgrams *kgrams = NULL;
	char *alphabet = NULL;
	int code;

	*out = NULL;
	if (!words || !options) {
		return kt_error(KT_E_USAGE, "count windows: no words or no options given");
	}
	if (options->machine != KT_MACHINE_CHAINS) {
		return kt_error(KT_E_USAGE, "count windows: only the machine of chains can "
					    "be inferred from windows");
	}
	if (options->k > INT64_MAX) {
		return kt_error(KT_E_USAGE, "count windows: k is more than 2^63 - 1");
	}
	if (options->alphabet_json) {
		KT_TRY(normalise_alphabet(&alphabet, options->alphabet_json));
	}
	code = kt_kgrams_new(&kgrams, options->k, options->word ? options->word : "process",
			     alphabet);
	free(alphabet);
	KT_TRY(code);
	KT_TRY_END(kt_words_versions(&kgrams->versions, words));
	KT_TRY_END(count_words(kgrams, words));
	*out = kgrams;
	kgrams = NULL;
end:
	kt_kgrams_free(kgrams);
	return code;
}

/* --- merging --- */

#define CHUNK 4096

/*
 * Appends strings [from, to) of a part to `strings`, translated to the letter numbers of
 * `strings`.
 */
static int copy_strings(kt_words *strings, const kt_kgrams *part, size_t from, size_t to)
{
	const struct kt_word_info info = {.name = "", .cut_begin = true, .cut_end = true};
	size_t n_letters = kt_words_letter_count(part->strings);
	uint32_t *map = malloc((n_letters + 1) * sizeof(*map));
	uint32_t chunk[CHUNK];
	int code = KT_OK;

	if (!map) {
		return kt_no_memory("merge statistics");
	}
	for (uint32_t i = 0; i < n_letters; i++) {
		const char *name = kt_words_letter_name(part->strings, i);

		KT_TRY_END(kt_words_letter(&map[i], strings, name, strlen(name)));
	}
	for (size_t i = from; i < to; i++) {
		const struct kt_word *string = &part->strings->words[i];

		KT_TRY_END(kt_words_begin(strings, &info));
		for (uint64_t at = 0; at < string->n; at += CHUNK) {
			size_t n =
				string->n - at < CHUNK ? (size_t)(string->n - at) : CHUNK;

			for (size_t j = 0; j < n; j++) {
				uint64_t position = string->begin + at + j;

				chunk[j] = map[kt_word_set_letter(part->strings, position)];
			}
			KT_TRY_END(kt_words_append(strings, chunk, n));
		}
	}
end:
	free(map);
	return code;
}

/*
 * Returns the span that covers a whole piece of a part. `base` is the index in `strings` of
 * the part's first piece.
 */
static struct kt_kgram_span span_of(const kt_words *strings, size_t base, uint32_t piece)
{
	return (struct kt_kgram_span){base + piece, 0, strings->words[base + piece].n};
}

int kt_kgrams_settle_parts(kt_kgrams *kgrams, const kt_kgrams *const *parts, size_t n,
			   bool check)
{
	struct kt_kgram_source source = {.check = check};
	kt_words *strings = NULL; /* the paths of all parts, then the pieces of all parts */
	struct kt_kgram_entry *entries;
	uint64_t *counts;
	size_t n_windows = 0;
	size_t n_words = 0;
	int code;

	for (size_t i = 0; i < n; i++) {
		n_windows += parts[i]->n_windows;
		n_words += parts[i]->n_words;
	}
	counts = malloc((n_windows + 1) * sizeof(*counts));
	entries = malloc((n_words + 1) * sizeof(*entries));
	KT_TRY_END(counts && entries ? kt_words_new(&strings)
				     : kt_no_memory("merge statistics"));
	n_windows = 0;
	for (size_t i = 0; i < n; i++) {
		const kt_kgrams *part = parts[i];

		KT_TRY_END(kt_versions_add_all(&kgrams->versions, &part->versions));
		KT_TRY_END(copy_strings(strings, part, 0, part->n_paths));
		if (part->n_windows) {
			memcpy(counts + n_windows, part->counts,
			       part->n_windows * sizeof(*counts));
		}
		source.n_paths += part->n_paths;
		n_windows += part->n_windows;
	}
	for (size_t i = 0; i < n; i++) {
		const kt_kgrams *part = parts[i];
		size_t base = kt_words_count(strings);

		KT_TRY_END(copy_strings(strings, part, part->n_paths,
					kt_words_count(part->strings)));
		for (size_t j = 0; j < part->n_words; j++) {
			const struct kt_kgram_word *word = &part->words[j];

			entries[source.n_words++] = (struct kt_kgram_entry){
				.name = word->name,
				.hash = word->hash,
				.n = word->n,
				.lost = word->lost,
				.cut_begin = word->cut_begin,
				.cut_end = word->cut_end,
				.first = span_of(strings, base, word->first),
				.last = span_of(strings, base, word->last),
			};
		}
	}
	source.strings = strings;
	source.counts = counts;
	source.words = entries;
	code = kt_kgrams_settle(kgrams, &source);
end:
	kt_words_free(strings);
	free(counts);
	free(entries);
	return code;
}

/*
 * Returns whether the letter filters ("runs" and "without") of two alphabets are equal;
 * NULL stands for no alphabet, hence no filter.
 */
static bool same_filter(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"runs", "without"};
	bool same = true;

	for (size_t i = 0; i < 2 && same; i++) {
		const json_t *x = json_object_get(a, keys[i]);
		const json_t *y = json_object_get(b, keys[i]);

		same = x && y ? json_equal(x, y) : !x && !y;
	}
	return same;
}

/* Returns whether an alphabet is more than a letter filter; false for NULL. */
static bool is_alphabet(const json_t *root)
{
	return root && (json_object_get(root, "name") || json_object_get(root, "rules") ||
			same_filter(root, NULL));
}

/*
 * Chooses the alphabet of the merged statistics; *out is weak. All parts must have the same
 * letter filter. Parts without an alphabet beyond the filter fit any alphabet.
 */
static int choose_alphabet(const char **out, const kt_kgrams *const *parts, size_t n)
{
	json_t *first = NULL;  /* the alphabet of the first part */
	json_t *chosen = NULL; /* the first alphabet that is more than a filter */
	int code = KT_OK;

	*out = NULL;
	for (size_t i = 0; i < n && !code; i++) {
		const char *text = parts[i]->alphabet_json;
		json_t *own = text ? json_loads(text, 0, NULL) : NULL;

		if (text && !own) {
			code = kt_no_memory("merge statistics");
		} else if (i > 0 && !same_filter(first, own)) {
			code = kt_error(KT_E_USAGE, "merge statistics: they were made with "
						    "different --runs or --without");
		} else if (chosen && is_alphabet(own) && !json_equal(chosen, own)) {
			code = kt_error(KT_E_USAGE,
					"merge statistics: their alphabets differ");
		}
		if (!chosen && is_alphabet(own)) {
			chosen = json_incref(own);
			*out = text;
		} else if (!*out) {
			*out = text;
		}
		first = i == 0 ? json_incref(own) : first;
		json_decref(own);
	}
	json_decref(first);
	json_decref(chosen);
	return code;
}

int kt_kgrams_merge(kt_kgrams **out, const kt_kgrams *const *parts, size_t n)
{
	kt_kgrams *kgrams = NULL;
	const char *alphabet = NULL;
	uint64_t events = 0;
	int code;

	*out = NULL;
	if (n == 0) {
		return kt_error(KT_E_USAGE, "merge statistics: none given");
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t more = kt_kgrams_events(parts[i]);

		if (parts[i]->k != parts[0]->k) {
			return kt_error(KT_E_USAGE,
					"merge statistics: k is %" PRIu64
					" here and %" PRIu64 " there",
					parts[0]->k, parts[i]->k);
		}
		if (strcmp(parts[i]->word, parts[0]->word) != 0) {
			return kt_error(KT_E_USAGE,
					"merge statistics: a word is a %s here and a %s "
					"there",
					parts[0]->word, parts[i]->word);
		}
		if (more > INT64_MAX - events) {
			return kt_error(
				KT_E_USAGE,
				"merge statistics: more letters than can be counted");
		}
		events += more;
	}
	KT_TRY(choose_alphabet(&alphabet, parts, n));
	KT_TRY(kt_kgrams_new(&kgrams, parts[0]->k, parts[0]->word, alphabet));
	code = kt_kgrams_settle_parts(kgrams, parts, n, false);
	if (code) {
		kt_kgrams_free(kgrams);
		return code;
	}
	*out = kgrams;
	return KT_OK;
}

/* --- accessors --- */

uint64_t kt_kgrams_k(const kt_kgrams *kgrams)
{
	return kgrams->k;
}

const char *kt_kgrams_word(const kt_kgrams *kgrams)
{
	return kgrams->word;
}

const char *kt_kgrams_alphabet(const kt_kgrams *kgrams)
{
	return kgrams->alphabet_json;
}

size_t kt_kgrams_words(const kt_kgrams *kgrams)
{
	return kgrams->n_words;
}

size_t kt_kgrams_windows(const kt_kgrams *kgrams)
{
	return kgrams->n_windows;
}

uint64_t kt_kgrams_events(const kt_kgrams *kgrams)
{
	uint64_t events = 0;

	for (size_t i = 0; i < kgrams->n_words; i++) {
		events += kgrams->words[i].n;
	}
	return events;
}

/*
 * Words are sorted by name, hash and number of letters first, so equal words are adjacent.
 */
size_t kt_kgrams_twins(const kt_kgrams *kgrams)
{
	size_t twins = 0;

	for (size_t i = 1; i < kgrams->n_words; i++) {
		const struct kt_kgram_word *word = &kgrams->words[i];

		twins += strcmp(word[-1].name, word->name) == 0 &&
			 strcmp(word[-1].hash, word->hash) == 0 && word[-1].n == word->n;
	}
	return twins;
}
