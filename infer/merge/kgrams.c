/* SPDX-License-Identifier: MIT */
#include <ktail/kgrams.h>

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/word-set.h"
#include "infer/merge/kgram-set.h"
#include "infer/merge/settle.h"

/* The alphabet as kt_kgrams keeps it: the caller frees it. KT_E_USAGE: no JSON object. */
static int normalise_alphabet(char **out, const char *alphabet_json)
{
	json_t *root;

	*out = NULL;
	errno = 0; /* jansson takes a lack of memory for a syntax error now and then */
	root = json_loads(alphabet_json, JSON_REJECT_DUPLICATES, NULL);
	if (!root && errno == ENOMEM) {
		return kt_no_memory("count windows");
	}
	if (!json_is_object(root)) {
		json_decref(root);
		return kt_error(KT_E_USAGE, "read alphabet: it is no JSON object");
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

	/* The order has but that way to fail, and sets no message. */
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
		return kt_error(KT_E_USAGE,
				"count windows: only the machine of chains is made from "
				"windows");
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
	code = count_words(kgrams, words);
	if (code) {
		kt_kgrams_free(kgrams);
		return code;
	}
	*out = kgrams;
	return KT_OK;
}

/* --- what is in them --- */

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

/* Words are in order, twins side by side. */
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
