/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/word-set.h"
#include "infer/merge/settle.h"

#define CHUNK 4096

/* Strings [from, to) of a part, whose letters have other numbers among all. */
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
				uint64_t place = string->begin + at + j;

				chunk[j] = map[kt_word_set_letter(part->strings, place)];
			}
			KT_TRY_END(kt_words_append(strings, chunk, n));
		}
	}
end:
	free(map);
	return code;
}

/* A piece of a part, whose first one is string `base` of all. */
static struct kt_kgram_span span_of(const kt_words *strings, size_t base, uint32_t piece)
{
	return (struct kt_kgram_span){base + piece, 0, strings->words[base + piece].n};
}

int kt_kgrams_settle_parts(kt_kgrams *kgrams, const kt_kgrams *const *parts, size_t n,
			   bool check)
{
	struct kt_kgram_source source = {.check = check};
	kt_words *strings = NULL; /* all paths, behind them all pieces */
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
	/* Words that came without an alphabet go with those of any. */
	for (size_t i = 0; i < n; i++) {
		if (alphabet && parts[i]->alphabet_json &&
		    strcmp(alphabet, parts[i]->alphabet_json) != 0) {
			return kt_error(
				KT_E_USAGE,
				"merge statistics: their alphabets are not the same");
		}
		alphabet = alphabet ? alphabet : parts[i]->alphabet_json;
	}
	KT_TRY(kt_kgrams_new(&kgrams, parts[0]->k, parts[0]->word, alphabet));
	code = kt_kgrams_settle_parts(kgrams, parts, n, false);
	if (code) {
		kt_kgrams_free(kgrams);
		return code;
	}
	*out = kgrams;
	return KT_OK;
}
