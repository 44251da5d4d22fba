/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/merge/settle.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/engine/word-set.h"
#include "infer/merge/paths.h"
#include "infer/merge/windows.h"

#define CHUNK 4096

static int out_of_memory(void)
{
	return kt_error(KT_E_MEMORY, "settle statistics: out of memory");
}

/* --- letters and strings of the result --- */

/* A symbol of the text, less KT_SYMBOL_LETTER, becomes the number of the letter. */
static int add_letters(kt_kgrams *kgrams, const struct kt_text *text)
{
	int code = kt_words_new(&kgrams->strings);

	for (uint32_t i = 0; !code && i < text->n_letters; i++) {
		const char *name = kt_words_letter_name(text->words, text->letters[i]);
		uint32_t number;

		code = kt_words_letter(&number, kgrams->strings, name, strlen(name));
	}
	return code;
}

static int begin_string(kt_kgrams *kgrams)
{
	return kt_words_begin(
		kgrams->strings,
		&(struct kt_word_info){.name = "", .cut_begin = true, .cut_end = true});
}

static int append_letters(kt_kgrams *kgrams, const struct kt_text *text, size_t position,
			  uint64_t n)
{
	uint32_t chunk[CHUNK];
	int code = KT_OK;

	while (!code && n) {
		size_t m = n < CHUNK ? (size_t)n : CHUNK;

		for (size_t i = 0; i < m; i++) {
			chunk[i] = kt_text_symbol(text, position++) -
				   (uint32_t)KT_SYMBOL_LETTER;
		}
		code = kt_words_append(kgrams->strings, chunk, m);
		n -= m;
	}
	return code;
}

/* --- paths --- */

static int append_path(kt_kgrams *kgrams, const struct kt_paths *paths,
		       const struct kt_windows *windows, const struct kt_text *text,
		       uint32_t head)
{
	size_t k = (size_t)kgrams->k;
	int code = begin_string(kgrams);

	code = code ? code : append_letters(kgrams, text, windows->first[head], k);
	for (uint32_t w = head; !code && w != KT_NO_WINDOW; w = paths->next[w]) {
		code = append_letters(kgrams, text, windows->first[w] + k, 1);
		kgrams->counts[kgrams->n_windows++] = windows->count[w];
	}
	return code;
}

static int add_paths(kt_kgrams *kgrams, const struct kt_windows *windows,
		     const struct kt_text *text)
{
	struct kt_paths paths = {0};
	int code;

	kgrams->counts = malloc((windows->n + 1) * sizeof(*kgrams->counts));
	if (!kgrams->counts) {
		return out_of_memory();
	}
	code = kt_paths_string(&paths, windows, text, kgrams->k);
	for (size_t i = 0; !code && i < paths.n; i++) {
		code = append_path(kgrams, &paths, windows, text, paths.heads[i]);
		kgrams->n_paths++;
	}
	kt_paths_clear(&paths);
	return code;
}

/* --- pieces --- */

/* A span in the text, and what is to learn which piece it is. */
struct place {
	size_t position;
	size_t n;
	uint32_t *piece; /* Weak */
};

static int compare_places(const void *a, const void *b, void *context)
{
	const struct kt_text *text = context;
	const struct place *x = a;
	const struct place *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	int sign = memcmp(text->bytes + x->position * text->width,
			  text->bytes + y->position * text->width, n * text->width);

	return sign ? sign : (x->n > y->n) - (x->n < y->n);
}

static struct place place_of(const struct kt_text *text, const struct kt_kgram_span *span,
			     uint32_t *piece)
{
	return (struct place){
		.position = kt_text_begin(text, span->string) + (size_t)span->from,
		.n = (size_t)span->n,
		.piece = piece,
	};
}

static int number_pieces(kt_kgrams *kgrams, struct place *places, size_t n,
			 const struct kt_text *text)
{
	/* qsort_r() takes no constant context. */
	union {
		const struct kt_text *read_only;
		void *context;
	} pun = {.read_only = text};
	uint32_t piece = UINT32_MAX;
	int code = KT_OK;

	if (n) {
		qsort_r(places, n, sizeof(*places), compare_places, pun.context);
	}
	for (size_t i = 0; !code && i < n; i++) {
		if (i == 0 ||
		    compare_places(&places[i - 1], &places[i], pun.context) != 0) {
			piece++;
			code = begin_string(kgrams);
			code = code ? code
				    : append_letters(kgrams, text, places[i].position,
						     places[i].n);
		}
		*places[i].piece = piece;
	}
	return code;
}

static int add_pieces(kt_kgrams *kgrams, const struct kt_kgram_source *source,
		      const struct kt_text *text)
{
	struct place *places = malloc((2 * source->n_words + 1) * sizeof(*places));
	int code;

	if (!places) {
		return out_of_memory();
	}
	for (size_t i = 0; i < source->n_words; i++) {
		places[2 * i] =
			place_of(text, &source->words[i].first, &kgrams->words[i].first);
		places[2 * i + 1] =
			place_of(text, &source->words[i].last, &kgrams->words[i].last);
	}
	code = number_pieces(kgrams, places, 2 * source->n_words, text);
	free(places);
	return code;
}

/* --- words --- */

static int copy_words(kt_kgrams *kgrams, const struct kt_kgram_source *source)
{
	kgrams->words = calloc(source->n_words + 1, sizeof(*kgrams->words));
	if (!kgrams->words) {
		return out_of_memory();
	}
	for (size_t i = 0; i < source->n_words; i++) {
		const struct kt_kgram_entry *entry = &source->words[i];
		struct kt_kgram_word *word = &kgrams->words[i];

		word->name = strdup(entry->name);
		if (!word->name) {
			return out_of_memory();
		}
		kgrams->n_words++;
		word->n = entry->n;
		word->lost = entry->lost;
		word->cut_begin = entry->cut_begin;
		word->cut_end = entry->cut_end;
		memcpy(word->hash, entry->hash, sizeof(word->hash));
	}
	return KT_OK;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * The order of order.h. Words of one hash that are not the same may be in any order that
 * does not depend on where they came from.
 */
static int compare_words(const void *a, const void *b)
{
	const struct kt_kgram_word *x = a;
	const struct kt_kgram_word *y = b;
	int sign = strcmp(x->name, y->name);

	sign = sign ? sign : strcmp(x->hash, y->hash);
	sign = sign ? sign : compare_numbers(x->n, y->n);
	sign = sign ? sign : compare_numbers(x->lost, y->lost);
	sign = sign ? sign
		    : compare_numbers(!(x->cut_begin || x->cut_end),
				      !(y->cut_begin || y->cut_end));
	sign = sign ? sign : compare_numbers(x->cut_begin, y->cut_begin);
	sign = sign ? sign : compare_numbers(x->cut_end, y->cut_end);
	sign = sign ? sign : compare_numbers(x->first, y->first);
	return sign ? sign : compare_numbers(x->last, y->last);
}

int kt_kgrams_settle(kt_kgrams *kgrams, const struct kt_kgram_source *source)
{
	struct kt_windows_options options = {
		.k = kgrams->k, .n_words = source->n_paths, .counts = source->counts};
	struct kt_windows windows = {0};
	struct kt_text text;
	int code = kt_text_lay_out(&text, source->strings);

	if (code) {
		return code;
	}
	code = kt_windows_gather(&windows, &text, &options);
	if (!code && source->check) {
		code = kt_kgrams_check(source, &text, &windows, kgrams->k);
	}
	code = code ? code : add_letters(kgrams, &text);
	code = code ? code : add_paths(kgrams, &windows, &text);
	kt_windows_clear(&windows);
	code = code ? code : copy_words(kgrams, source);
	code = code ? code : add_pieces(kgrams, source, &text);
	if (!code && kgrams->n_words) {
		qsort(kgrams->words, kgrams->n_words, sizeof(*kgrams->words),
		      compare_words);
	}
	kt_text_clear(&text);
	return code;
}
