/* SPDX-License-Identifier: MIT */
/*
 * The engine against the reference on whatever libFuzzer thinks of. First byte: k; then
 * words: 0xff opens the next one, whose first byte says how it is cut; every other byte is
 * a letter.
 */
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

#define LETTERS_MAX 300 /* the reference is slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "%s\n", kt_error_message());
		abort();
	}
}

static kt_words *read_words(const uint8_t *data, size_t size)
{
	struct kt_word_info info = KT_WORD_INFO_INIT;
	bool open = false;
	kt_words *words;

	must(kt_words_new(&words));
	for (size_t i = 0; i < size; i++) {
		char name[8];
		uint32_t letter;

		if (!open || data[i] == 0xff) {
			i += open;
			info.cut_begin = i < size && (data[i] & 1);
			info.cut_end = i < size && (data[i] & 2);
			info.lost = i < size ? data[i] >> 2 & 3 : 0;
			must(kt_words_begin(words, &info));
			open = true;
			continue;
		}
		must(kt_words_letter(&letter, words, name,
				     (size_t)snprintf(name, sizeof(name), "%u", data[i])));
		must(kt_words_append(words, &letter, 1));
	}
	return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct reference *reference;
	struct kt_fsm *fsm = NULL;
	kt_words *words;
	char text[200];

	if (size < 2 || size > LETTERS_MAX) {
		return 0;
	}
	options.k = data[0];
	words = read_words(data + 1, size - 1);
	must(kt_infer(&fsm, words, &options));
	reference = reference_new(words);
	if (!same_machine(fsm, reference_infer(reference, options.k), text, sizeof(text))) {
		fprintf(stderr, "k %u: engine and reference: %s\n", data[0], text);
		abort();
	}
	reference_free(reference);
	kt_fsm_free(fsm);
	kt_words_free(words);
	return 0;
}
