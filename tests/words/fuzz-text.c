/* SPDX-License-Identifier: MIT */
/*
 * Parses any input as an alphabet, a .events file or packets: each gives an error or a
 * result. The first byte selects the parser.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>
#include <ktail/words.h>

#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/file/events-file.h"
#include "infer/words/read/ctf-folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds) {
		abort();
	}
}

/* Evaluates the rules of every event with fields that are numbers, then strings. */
static void use(const kt_alphabet *alphabet, kt_letters *letters)
{
	for (size_t i = 0; i < alphabet->n_events; i++) {
		struct kt_value values[KT_ALPHABET_MAX_FIELDS];

		for (int kind = KT_VALUE_UNSIGNED; kind <= KT_VALUE_STRING; kind++) {
			uint32_t letter;
			enum kt_run run;

			for (size_t j = 0; j < KT_ALPHABET_MAX_FIELDS; j++) {
				values[j] = (struct kt_value){kind, j - 3, "text"};
			}
			if (!kt_letters_eval(letters, &alphabet->events[i], values, &letter,
					     &run) &&
			    letter != KT_NO_LETTER) {
				check(kt_letters_name(letters, letter) != NULL);
			}
		}
	}
}

static void fuzz_alphabet(const char *text, size_t size)
{
	kt_alphabet *alphabet;
	kt_alphabet *again;
	kt_letters *letters;
	char *json;

	if (kt_alphabet_parse(&alphabet, "fuzz", "fuzz", text, size)) {
		check(!alphabet);
		return;
	}
	if (kt_letters_new(&letters) == KT_OK) {
		use(alphabet, letters);
		kt_letters_free(letters);
	}
	check(kt_alphabet_json(&json, alphabet) == KT_OK);
	check(kt_alphabet_from_json(&again, json, "m.json") == KT_OK);
	check(kt_alphabet_same(alphabet, again));
	kt_alphabet_free(again);
	free(json);
	kt_alphabet_free(alphabet);
}

static void fuzz_events(const char *text, size_t size)
{
	kt_words *words;

	if (kt_words_new(&words) == KT_OK) {
		int code = kt_events_parse(words, "fuzz", "fuzz", text, size);

		check(code || kt_words_count(words) == 1);
		kt_words_free(words);
	}
}

static void fuzz_packets(const uint8_t *data, size_t size)
{
	bool known;

	check(kt_ctf_whole_packets(data, size, &known) <= size);
	kt_ctf_discarded_first(data, size);
	kt_ctf_is_timeless(data, size);
	kt_ctf_metadata_is_whole(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has the exact size, so that sanitizers detect reads past its end. */
	char *text = size > 0 ? malloc(size > 1 ? size - 1 : 1) : NULL;

	if (text) {
		memcpy(text, data + 1, size - 1);
		switch (data[0] % 3) {
		case 0: fuzz_alphabet(text, size - 1); break;
		case 1: fuzz_events(text, size - 1); break;
		default: fuzz_packets((const uint8_t *)text, size - 1); break;
		}
		free(text);
	}
	return 0;
}
