/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/engine/word-set.h"
#include "infer/merge/settle.h"

#define CHUNK 4096

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "merge statistics: out of memory");
}

/* --- whether they can be merged --- */

static int check_head(const kt_kgrams *a, const kt_kgrams *b)
{
	if (a->k != b->k) {
		return kt_error(KT_E_USAGE,
				"merge statistics: k is %" PRIu64 " here and %" PRIu64
				" there",
				a->k, b->k);
	}
	if (strcmp(a->word, b->word) != 0) {
		return kt_error(KT_E_USAGE,
				"merge statistics: a word is a %s here and a %s there",
				a->word, b->word);
	}
	return KT_OK;
}

/* Words that came without an alphabet go with those of any. */
static int find_alphabet(const char **alphabet, const kt_kgrams *const *parts, size_t n)
{
	*alphabet = NULL;
	for (size_t i = 0; i < n; i++) {
		if (*alphabet && parts[i]->alphabet_json &&
		    strcmp(*alphabet, parts[i]->alphabet_json) != 0) {
			return kt_error(
				KT_E_USAGE,
				"merge statistics: their alphabets are not the same");
		}
		*alphabet = *alphabet ? *alphabet : parts[i]->alphabet_json;
	}
	return KT_OK;
}

static int check_parts(const char **alphabet, const kt_kgrams *const *parts, size_t n)
{
	uint64_t events = 0;

	if (n == 0) {
		return kt_error(KT_E_USAGE, "merge statistics: none given");
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t more = kt_kgrams_events(parts[i]);
		int code = check_head(parts[0], parts[i]);

		if (code) {
			return code;
		}
		if (more > INT64_MAX - events) {
			return kt_error(
				KT_E_USAGE,
				"merge statistics: more letters than can be counted");
		}
		events += more;
	}
	return find_alphabet(alphabet, parts, n);
}

/* --- one source of all --- */

struct merger {
	kt_words *strings; /* Owned by this: all paths, behind them all pieces */
	size_t n_paths;
	uint64_t *counts; /* Owned by this */
	size_t n_windows;
	struct kt_kgram_entry *entries; /* Owned by this */
	size_t n_entries;
};

/* The numbers that a part's letters have in the merger. */
static int map_letters(uint32_t **map, struct merger *m, const kt_kgrams *part)
{
	size_t n = kt_words_letter_count(part->strings);
	int code = KT_OK;

	*map = malloc((n + 1) * sizeof(**map));
	if (!*map) {
		return out_of_memory();
	}
	for (uint32_t i = 0; !code && i < n; i++) {
		const char *name = kt_words_letter_name(part->strings, i);

		code = kt_words_letter(&(*map)[i], m->strings, name, strlen(name));
	}
	return code;
}

static int copy_string(struct merger *m, const kt_words *strings, size_t i,
		       const uint32_t *map)
{
	const struct kt_word *string = &strings->words[i];
	struct kt_word_info info = {.name = "", .cut_begin = true, .cut_end = true};
	uint32_t chunk[CHUNK];
	int code = kt_words_begin(m->strings, &info);

	for (uint64_t from = 0; !code && from < string->n;) {
		size_t n = string->n - from < CHUNK ? (size_t)(string->n - from) : CHUNK;

		for (size_t j = 0; j < n; j++) {
			chunk[j] =
				map[kt_word_set_letter(strings, string->begin + from + j)];
		}
		code = kt_words_append(m->strings, chunk, n);
		from += n;
	}
	return code;
}

static int copy_strings(struct merger *m, const kt_kgrams *part, size_t from, size_t to)
{
	uint32_t *map = NULL;
	int code = map_letters(&map, m, part);

	for (size_t i = from; !code && i < to; i++) {
		code = copy_string(m, part->strings, i, map);
	}
	free(map);
	return code;
}

static int copy_paths(struct merger *m, const kt_kgrams *part)
{
	int code = copy_strings(m, part, 0, part->n_paths);

	if (part->n_windows) {
		memcpy(m->counts + m->n_windows, part->counts,
		       part->n_windows * sizeof(*m->counts));
	}
	m->n_paths += part->n_paths;
	m->n_windows += part->n_windows;
	return code;
}

/* A piece of a part, whose first one is string `base` of the merger. */
static struct kt_kgram_span span_of(const struct merger *m, size_t base, uint32_t piece)
{
	return (struct kt_kgram_span){base + piece, 0, m->strings->words[base + piece].n};
}

static int copy_words(struct merger *m, const kt_kgrams *part)
{
	size_t base = kt_words_count(m->strings);
	int code = copy_strings(m, part, part->n_paths, kt_words_count(part->strings));

	for (size_t i = 0; !code && i < part->n_words; i++) {
		const struct kt_kgram_word *word = &part->words[i];

		m->entries[m->n_entries++] = (struct kt_kgram_entry){
			.name = word->name,
			.hash = word->hash,
			.n = word->n,
			.lost = word->lost,
			.cut_begin = word->cut_begin,
			.cut_end = word->cut_end,
			.first = span_of(m, base, word->first),
			.last = span_of(m, base, word->last),
		};
	}
	return code;
}

static int make_room(struct merger *m, const kt_kgrams *const *parts, size_t n)
{
	size_t n_windows = 0;
	size_t n_words = 0;

	for (size_t i = 0; i < n; i++) {
		n_windows += parts[i]->n_windows;
		n_words += parts[i]->n_words;
	}
	m->counts = malloc((n_windows + 1) * sizeof(*m->counts));
	m->entries = malloc((n_words + 1) * sizeof(*m->entries));
	if (!m->counts || !m->entries) {
		return out_of_memory();
	}
	return kt_words_new(&m->strings);
}

int kt_kgrams_settle_parts(kt_kgrams *kgrams, const kt_kgrams *const *parts, size_t n,
			   bool check)
{
	struct merger m = {0};
	int code = make_room(&m, parts, n);

	for (size_t i = 0; !code && i < n; i++) {
		code = copy_paths(&m, parts[i]);
	}
	for (size_t i = 0; !code && i < n; i++) {
		code = copy_words(&m, parts[i]);
	}
	if (!code) {
		struct kt_kgram_source source = {
			.strings = m.strings,
			.n_paths = m.n_paths,
			.counts = m.counts,
			.words = m.entries,
			.n_words = m.n_entries,
			.check = check,
		};

		code = kt_kgrams_settle(kgrams, &source);
	}
	kt_words_free(m.strings);
	free(m.counts);
	free(m.entries);
	return code;
}

int kt_kgrams_merge(kt_kgrams **out, const kt_kgrams *const *parts, size_t n)
{
	kt_kgrams *kgrams = NULL;
	const char *alphabet = NULL;
	int code = check_parts(&alphabet, parts, n);

	*out = NULL;
	code = code ? code : kt_kgrams_new(&kgrams, parts[0]->k, parts[0]->word, alphabet);
	code = code ? code : kt_kgrams_settle_parts(kgrams, parts, n, false);
	if (code) {
		kt_kgrams_free(kgrams);
		return code;
	}
	*out = kgrams;
	return KT_OK;
}
