/* SPDX-License-Identifier: MIT */
/*
 * Whether statistics can be those of words. Each string of k letters has to be entered, by
 * a window or by a word that begins there, as often as it is left, by a window or by a word
 * whose last letters it is (Euler's condition for walks in the graph of windows); then the
 * machine is conserved whatever walks they were.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json.h"
#include "base/try.h"
#include "infer/engine/word-set.h"
#include "infer/merge/settle.h"
#include "infer/merge/windows.h"

#define LENGTH "the piece has %" PRIu64 " letters, must have %" PRIu64

/*
 * Says what is wrong with the letters from a position of the text on: by member of the file
 * that the strings were read from, first windows, then pieces.
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

static size_t place_of(const struct kt_text *text, const struct kt_kgram_span *span)
{
	return kt_text_begin(text, span->string) + (size_t)span->from;
}

/* The first and the last letters overlap in a word of 2k letters or less. */
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
	if (memcmp(text->bytes + (place_of(text, &word->first) + (size_t)(first - both)) *
					 text->width,
		   text->bytes + place_of(text, &word->last) * text->width,
		   (size_t)both * text->width) != 0) {
		return kt_json_error("last",
				     "the piece does not go with that of \"first\"");
	}
	return KT_OK;
}

static int check_flow(const struct kt_kgram_source *source, const struct kt_text *text,
		      const struct kt_windows *windows, uint64_t k)
{
	const uint32_t *node_of = windows->node_of;
	uint64_t *in = calloc(windows->n_nodes + (size_t)1, sizeof(*in)); /* by node */
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
			in[node_of[place_of(text, &word->first) + !word->cut_begin]]++;
			out[node_of[place_of(text, &word->last)]]++;
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

/* Windows are in order of their first positions: the first that is not in turn is a twin.
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
						    "are a window that was there before");
			}
			known++;
		}
	}
	return kt_error(KT_E_MALFORMED, "windows: one is there twice");
}

int kt_kgrams_check(const struct kt_kgram_source *source, const struct kt_text *text,
		    const struct kt_windows *windows, uint64_t k)
{
	uint64_t letters = 0;
	uint64_t expected =
		0; /* windows of the words: as the letters, they fit an int64_t */
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
	if (windows->n_places != windows->n) {
		return refuse_twin(source, text, windows, k);
	}
	for (size_t i = 0; i < windows->n; i++) {
		if (windows->count[i] > expected - sum) {
			return kt_error(KT_E_MALFORMED,
					"the \"counts\" of \"windows\" are more than the "
					"%" PRIu64 " windows of \"words\"",
					expected);
		}
		sum += windows->count[i];
	}
	if (sum != expected) {
		return kt_error(KT_E_MALFORMED,
				"the \"counts\" of \"windows\" are %" PRIu64
				" in all, less than the %" PRIu64 " windows of \"words\"",
				sum, expected);
	}
	return check_flow(source, text, windows, k);
}
