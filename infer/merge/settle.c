/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/merge/kgram-set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "base/try.h"
#include "infer/engine/word-set.h"
#include "infer/merge/windows.h"

#define CHUNK 4096

/* --- the check --- */

/*
 * Checks whether words with these statistics can exist. A string of k letters is entered by
 * windows that end with it and by words that begin with it; it is left by windows that
 * begin with it and by words that end with it. Each string must be entered as often as it
 * is left (Euler's condition for walks in the graph of windows). If this holds, each state
 * of the machine is entered as often as it is left, whichever of the possible word sets the
 * statistics come from.
 */

#define LENGTH "the piece has %" PRIu64 " letters, must have %" PRIu64

/*
 * Returns an error about the letters that begin at a position of the text. The message
 * names the string of the file that contains them: the first source->n_paths strings are in
 * the member "windows", the others in "pieces".
 */
static int malformed_at(const struct kt_kgram_source *source, const struct kt_text *text,
			size_t position, const char *what)
{
	size_t string = 0;
	bool window;
	int code;

	while (string + 1 < text->words->n_words &&
	       kt_text_begin(text, string + 1) <= position) {
		string++;
	}
	window = string < source->n_paths;
	code = kt_json_error(window ? "letters" : "", "those from number %zu on %s",
			     position - kt_text_begin(text, string), what);
	return kt_json_within(code, window ? "windows" : "pieces",
			      window ? string : string - source->n_paths);
}

static size_t begin_of(const struct kt_text *text, const struct kt_kgram_span *span)
{
	return kt_text_begin(text, span->string) + (size_t)span->from;
}

/*
 * Checks the two pieces of a word, which hold at most its first k + 1 letters and at most
 * its last k letters. In a word of at most 2k letters the pieces overlap, and must be equal
 * in the overlap.
 */
static int check_word(const struct kt_kgram_entry *word, const struct kt_text *text,
		      uint64_t k)
{
	uint64_t first = word->n > k ? k + 1 : word->n;
	uint64_t last = word->n > k ? k : word->n;
	uint64_t both = first + last > word->n ? first + last - word->n : 0;

	if (word->first.n != first) {
		return kt_json_error("first", LENGTH, word->first.n, first);
	}
	if (word->last.n != last) {
		return kt_json_error("last", LENGTH, word->last.n, last);
	}
	if (memcmp(text->bytes + (begin_of(text, &word->first) + (size_t)(first - both)) *
					 text->width,
		   text->bytes + begin_of(text, &word->last) * text->width,
		   (size_t)both * text->width) != 0) {
		return kt_json_error("last", "does not match the piece of \"first\"");
	}
	return KT_OK;
}

static int check_flow(const struct kt_kgram_source *source, const struct kt_text *text,
		      const struct kt_windows *windows, uint64_t k)
{
	const uint32_t *node_of = windows->node_of;
	uint64_t *in =
		calloc(windows->n_nodes + (size_t)1, sizeof(*in)); /* indexed by node */
	uint64_t *out = calloc(windows->n_nodes + (size_t)1, sizeof(*out));
	int code = KT_OK;

	if (!in || !out) {
		code = kt_no_memory("check statistics");
		goto end;
	}
	for (size_t i = 0; i < windows->n; i++) {
		out[node_of[windows->first[i]]] += windows->count[i];
		in[node_of[windows->first[i] + 1]] += windows->count[i];
	}
	for (size_t i = 0; i < source->n_words; i++) {
		const struct kt_kgram_entry *word = &source->words[i];

		if (word->n > k) {
			in[node_of[begin_of(text, &word->first) + !word->cut_begin]]++;
			out[node_of[begin_of(text, &word->last)]]++;
		}
	}
	for (size_t p = 0; p < text->n; p++) {
		uint32_t node = node_of[p];

		if (node != KT_NO_NODE && in[node] != out[node]) {
			code = malformed_at(source, text, p,
					    "are entered more often or less than left, by "
					    "\"counts\" and \"words\"");
			break;
		}
	}
end:
	free(in);
	free(out);
	return code;
}

/*
 * Reports the first duplicate window. Windows are sorted by their first positions. Walks
 * through the windows and through all positions in parallel. The first position that is not
 * that of the next window repeats an earlier window.
 */
static int refuse_twin(const struct kt_kgram_source *source, const struct kt_text *text,
		       const struct kt_windows *windows, uint64_t k)
{
	size_t known = 0;

	for (size_t i = 0; i < source->n_paths; i++) {
		const struct kt_word *path = &text->words->words[i];
		size_t begin = kt_text_begin(text, i);

		for (uint64_t j = 0; path->n - j > k; j++) {
			if (known == windows->n || windows->first[known] != begin + j) {
				return malformed_at(source, text, begin + (size_t)j,
						    "repeat an earlier window");
			}
			known++;
		}
	}
	return kt_error(KT_E_MALFORMED, "windows: duplicate window");
}

/* Makes all checks. `text` holds source->strings; `windows` are the windows of `text`. */
static int check(const struct kt_kgram_source *source, const struct kt_text *text,
		 const struct kt_windows *windows, uint64_t k)
{
	uint64_t letters = 0;
	uint64_t expected = 0; /* number of windows of all words; cannot overflow, because
				* it is at most `letters` */
	uint64_t sum = 0;

	for (size_t i = 0; i < source->n_words; i++) {
		const struct kt_kgram_entry *word = &source->words[i];
		int code = check_word(word, text, k);

		if (!code && word->n > INT64_MAX - letters) {
			code = kt_json_error("events", "too large to add up");
		}
		if (code) {
			return kt_json_within(code, "words", i);
		}
		letters += word->n;
		expected += word->n > k ? word->n - k - !word->cut_begin : 0;
	}
	if (windows->n_positions != windows->n) {
		return refuse_twin(source, text, windows, k);
	}
	for (size_t i = 0; i < windows->n; i++) {
		if (windows->count[i] > expected - sum) {
			return kt_error(KT_E_MALFORMED,
					"the \"counts\" of \"windows\" add up to more than "
					"the %" PRIu64 " windows of \"words\"",
					expected);
		}
		sum += windows->count[i];
	}
	if (sum != expected) {
		return kt_error(KT_E_MALFORMED,
				"the \"counts\" of \"windows\" add up to %" PRIu64
				", less than the %" PRIu64 " windows of \"words\"",
				sum, expected);
	}
	return check_flow(source, text, windows, k);
}

/* --- letters and strings of the result --- */

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

	while (n) {
		size_t m = n < CHUNK ? (size_t)n : CHUNK;

		for (size_t i = 0; i < m; i++) {
			chunk[i] = kt_text_symbol(text, position++) -
				   (uint32_t)KT_SYMBOL_LETTER;
		}
		KT_TRY(kt_words_append(kgrams->strings, chunk, m));
		n -= m;
	}
	return KT_OK;
}

/* --- paths --- */

static int add_paths(kt_kgrams *kgrams, const struct kt_windows *windows,
		     const struct kt_text *text)
{
	struct kt_paths paths = {0};
	size_t k = (size_t)kgrams->k;
	int code;

	kgrams->counts = malloc((windows->n + 1) * sizeof(*kgrams->counts));
	if (!kgrams->counts) {
		return kt_no_memory("check statistics");
	}
	KT_TRY(kt_paths_string(&paths, windows, text, kgrams->k));
	for (size_t i = 0; i < paths.n; i++) {
		uint32_t head = paths.heads[i];

		KT_TRY_END(begin_string(kgrams));
		KT_TRY_END(append_letters(kgrams, text, windows->first[head], k));
		for (uint32_t w = head; w != KT_NO_WINDOW; w = paths.next[w]) {
			KT_TRY_END(append_letters(kgrams, text, windows->first[w] + k, 1));
			kgrams->counts[kgrams->n_windows++] = windows->count[w];
		}
		kgrams->n_paths++;
	}
	code = KT_OK;
end:
	kt_paths_clear(&paths);
	return code;
}

/* --- pieces --- */

/*
 * The letters at one end of a word, as a span of the text. Spans with equal letters become
 * one piece; *piece gets its number.
 */
struct piece_span {
	size_t position;
	size_t n;
	uint32_t *piece; /* Weak */
};

static int compare_spans(const void *a, const void *b, void *context)
{
	const struct kt_text *text = context;
	const struct piece_span *x = a;
	const struct piece_span *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	int sign = memcmp(text->bytes + x->position * text->width,
			  text->bytes + y->position * text->width, n * text->width);

	return sign ? sign : (x->n > y->n) - (x->n < y->n);
}

static struct piece_span span_of(const struct kt_text *text,
				 const struct kt_kgram_span *span, uint32_t *piece)
{
	return (struct piece_span){
		.position = kt_text_begin(text, span->string) + (size_t)span->from,
		.n = (size_t)span->n,
		.piece = piece,
	};
}

static int add_pieces(kt_kgrams *kgrams, const struct kt_kgram_source *source,
		      const struct kt_text *text)
{
	/* qsort_r() takes no pointer to const; compare_spans() only reads the text. */
	union {
		const struct kt_text *read_only;
		void *context;
	} pun = {.read_only = text};
	size_t n = 2 * source->n_words;
	struct piece_span *spans = malloc((n + 1) * sizeof(*spans));
	uint32_t piece = UINT32_MAX;
	int code = KT_OK;

	if (!spans) {
		return kt_no_memory("check statistics");
	}
	for (size_t i = 0; i < source->n_words; i++) {
		spans[2 * i] =
			span_of(text, &source->words[i].first, &kgrams->words[i].first);
		spans[2 * i + 1] =
			span_of(text, &source->words[i].last, &kgrams->words[i].last);
	}
	qsort_r(spans, n, sizeof(*spans), compare_spans, pun.context);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || compare_spans(&spans[i - 1], &spans[i], pun.context) != 0) {
			piece++;
			KT_TRY_END(begin_string(kgrams));
			KT_TRY_END(append_letters(kgrams, text, spans[i].position,
						  spans[i].n));
		}
		*spans[i].piece = piece;
	}
end:
	free(spans);
	return code;
}

/* --- words --- */

/*
 * Sorts as order.h does. Different words that compare equal there, because they have the
 * same hash, are sorted by their pieces, so that their order does not depend on the order
 * of the input.
 */
static int compare_words(const void *a, const void *b)
{
	const struct kt_kgram_word *x = a;
	const struct kt_kgram_word *y = b;
	int sign =
		kt_word_key_compare(&(struct kt_word_key){x->name, x->hash, x->n, x->lost,
							  x->cut_begin, x->cut_end},
				    &(struct kt_word_key){y->name, y->hash, y->n, y->lost,
							  y->cut_begin, y->cut_end});

	sign = sign ? sign : (x->first > y->first) - (x->first < y->first);
	return sign ? sign : (x->last > y->last) - (x->last < y->last);
}

int kt_kgrams_settle(kt_kgrams *kgrams, const struct kt_kgram_source *source)
{
	struct kt_windows_options options = {
		.k = kgrams->k, .n_words = source->n_paths, .counts = source->counts};
	struct kt_windows windows = {0};
	struct kt_text text;
	int code;

	KT_TRY(kt_text_lay_out(&text, source->strings));
	KT_TRY_END(kt_windows_gather(&windows, &text, &options));
	if (source->check) {
		KT_TRY_END(check(source, &text, &windows, kgrams->k));
	}
	/*
	 * Adds letters in the order of their symbols, so that the number of a letter is its
	 * symbol in the text minus KT_SYMBOL_LETTER.
	 */
	KT_TRY_END(kt_words_new(&kgrams->strings));
	for (uint32_t i = 0; i < text.n_letters; i++) {
		const char *name = kt_words_letter_name(text.words, text.letters[i]);
		uint32_t number;

		KT_TRY_END(kt_words_letter(&number, kgrams->strings, name, strlen(name)));
	}
	KT_TRY_END(add_paths(kgrams, &windows, &text));
	kt_windows_clear(&windows);

	kgrams->words = calloc(source->n_words + 1, sizeof(*kgrams->words));
	if (!kgrams->words) {
		code = kt_no_memory("check statistics");
		goto end;
	}
	for (size_t i = 0; i < source->n_words; i++) {
		const struct kt_kgram_entry *entry = &source->words[i];
		struct kt_kgram_word *word = &kgrams->words[i];

		word->name = strdup(entry->name);
		if (!word->name) {
			code = kt_no_memory("check statistics");
			goto end;
		}
		kgrams->n_words++;
		word->n = entry->n;
		word->lost = entry->lost;
		word->cut_begin = entry->cut_begin;
		word->cut_end = entry->cut_end;
		memcpy(word->hash, entry->hash, sizeof(word->hash));
	}
	KT_TRY_END(add_pieces(kgrams, source, &text));
	qsort(kgrams->words, kgrams->n_words, sizeof(*kgrams->words), compare_words);
end:
	kt_windows_clear(&windows);
	kt_text_clear(&text);
	return code;
}
