/* SPDX-License-Identifier: MIT */
/* Reads any bytes as examples: nothing crashes, and accepted words survive a round trip. */
#include <stdlib.h>
#include <string.h>

#include "tests/exchange/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const kt_words *words, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out || kt_words_write_abbadingo(words, out)) {
		abort();
	}
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	kt_words *words = NULL;
	kt_words *again = NULL;

	if (kt_words_new(&words) || kt_words_new(&again)) {
		abort();
	}
	if (rig_read_words(words, (const char *)data, size, NULL) == 0) {
		size_t sizes[2];
		char *texts[2];

		texts[0] = print(words, &sizes[0]);
		if (rig_read_words(again, texts[0], sizes[0], NULL)) {
			abort();
		}
		texts[1] = print(again, &sizes[1]);
		/* Compares the texts from the end of their first lines on. */
		if (strcmp(strchr(texts[0], '\n'), strchr(texts[1], '\n')) != 0) {
			abort();
		}
		free(texts[0]);
		free(texts[1]);
	}
	kt_words_free(words);
	kt_words_free(again);
	return 0;
}
