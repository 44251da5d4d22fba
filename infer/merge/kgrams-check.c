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

static bool same_letters(const struct kt_text *text, size_t p, size_t q, uint64_t n)
{
	return memcmp(text->bytes + p * text->width, text->bytes + q * text->width,
		      (size_t)n * text->width) == 0;
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
	if (!same_letters(text, place_of(text, &word->first) + (size_t)(first - both),
			  place_of(text, &word->last), both)) {
		return kt_json_error("last",
				     "the piece does not go with that of \"first\"");
	}
	return KT_OK;
}

/* Letters of the words, and how many windows they must have: both fit an int64_t. */
static int check_words(const struct kt_kgram_source *source, const struct kt_text *text,
		       uint64_t k, uint64_t *windows)
{
	uint64_t letters = 0;
	int code = KT_OK;

	*windows = 0;
	for (size_t i = 0; !code && i < source->n_words; i++) {
		const struct kt_kgram_entry *word = &source->words[i];

		code = check_word(word, text, k);
		if (!code && word->n > INT64_MAX - letters) {
			code = kt_json_error("events", "too large to add up");
		}
		if (code) {
			return kt_json_within(code, "words", i);
		}
		letters += word->n;
		*windows += word->n > k ? word->n - k - !word->cut_begin : 0;
	}
	return code;
}

struct flow {
	uint64_t *in; /* Owned by this: by node */
	uint64_t *out;
};

static int check_flow(const struct kt_kgram_source *source, const struct kt_text *text,
		      const struct kt_windows *windows, uint64_t k, struct flow *flow)
{
	const uint32_t *node_of = windows->node_of;

	for (size_t i = 0; i < windows->n; i++) {
		flow->out[node_of[windows->first[i]]] += windows->count[i];
		flow->in[node_of[windows->first[i] + 1]] += windows->count[i];
	}
	for (size_t i = 0; i < source->n_words; i++) {
		const struct kt_kgram_entry *word = &source->words[i];

		if (word->n > k) {
			flow->in[node_of[place_of(text, &word->first) +
					 !word->cut_begin]]++;
			flow->out[node_of[place_of(text, &word->last)]]++;
		}
	}
	for (size_t p = 0; p < text->n; p++) {
		uint32_t node = node_of[p];

		if (node != KT_NO_NODE && flow->in[node] != flow->out[node]) {
			return malformed_at(source, text, p,
					    "are entered more often or less than left, by "
					    "\"counts\" and \"words\"");
		}
	}
	return KT_OK;
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
	size_t size = (windows->n_nodes + (size_t)1) * sizeof(uint64_t);
	struct flow flow = {0};
	uint64_t expected = 0;
	uint64_t sum = 0;
	int code = check_words(source, text, k, &expected);

	if (!code && windows->n_places != windows->n) {
		return refuse_twin(source, text, windows, k);
	}
	for (size_t i = 0; !code && i < windows->n; i++) {
		if (windows->count[i] > expected - sum) {
			code = kt_error(KT_E_MALFORMED,
					"the \"counts\" of \"windows\" are more than the "
					"%" PRIu64 " windows of \"words\"",
					expected);
		}
		sum += windows->count[i];
	}
	if (!code && sum != expected) {
		code = kt_error(KT_E_MALFORMED,
				"the \"counts\" of \"windows\" are %" PRIu64
				" in all, less than the %" PRIu64 " windows of \"words\"",
				sum, expected);
	}
	if (code) {
		return code;
	}
	flow.in = calloc(1, size);
	flow.out = calloc(1, size);
	code = flow.in && flow.out
		       ? check_flow(source, text, windows, k, &flow)
		       : kt_error(KT_E_MEMORY, "check statistics: out of memory");
	free(flow.in);
	free(flow.out);
	return code;
}
