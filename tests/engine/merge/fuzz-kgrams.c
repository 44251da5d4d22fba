/* SPDX-License-Identifier: MIT */
/*
 * Reads any bytes as a file of k-grams: nothing crashes, and k-grams that were read are the
 * same after they are written and read again, can be merged with themselves, and give
 * machines that pass the engine's self-check (conserve.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int code)
{
	if (code != KT_OK) {
		fprintf(stderr, "%s\n", kt_error_message());
		abort();
	}
}

static int parse(kt_kgrams **out, const char *data, size_t size)
{
	/* fmemopen() does not take const memory, although this stream only reads. */
	char *copy = malloc(size + 1);
	FILE *in = copy ? fmemopen(copy, size, "r") : NULL;
	int code = KT_E_MEMORY;

	if (in) {
		memcpy(copy, data, size);
		code = kt_kgrams_read(out, in, "fuzz");
		fclose(in);
	}
	free(copy);
	return code;
}

static char *print(const kt_kgrams *kgrams, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	must(out ? kt_kgrams_write(kgrams, out) : KT_E_MEMORY);
	fclose(out);
	return text;
}

static void check_file(const kt_kgrams *kgrams)
{
	kt_kgrams *again = NULL;
	size_t sizes[2];
	char *texts[2];

	texts[0] = print(kgrams, &sizes[0]);
	must(parse(&again, texts[0], sizes[0]));
	texts[1] = print(again, &sizes[1]);
	if (sizes[0] != sizes[1] || memcmp(texts[0], texts[1], sizes[0]) != 0) {
		abort();
	}
	free(texts[0]);
	free(texts[1]);
	kt_kgrams_free(again);
}

static void check_machine(const kt_kgrams *kgrams, uint64_t k)
{
	struct kt_fsm *fsm = NULL;
	int code = kt_kgrams_infer(&fsm, kgrams, k);

	must(kt_kgrams_words(kgrams) || code != KT_E_EMPTY ? code : KT_OK);
	kt_fsm_free(fsm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	kt_kgrams *kgrams = NULL;
	kt_kgrams *twice = NULL;
	int code;

	if (size == 0 || parse(&kgrams, (const char *)data, size) != KT_OK) {
		return 0;
	}
	check_file(kgrams);
	check_machine(kgrams, kt_kgrams_k(kgrams));
	check_machine(kgrams, kt_kgrams_k(kgrams) / 2);
	code = kt_kgrams_merge(&twice, (const kt_kgrams *[]){kgrams, kgrams}, 2);
	if (code != KT_E_USAGE) { /* KT_E_USAGE: too many letters to count */
		must(code);
		check_machine(twice, kt_kgrams_k(twice));
	}
	kt_kgrams_free(twice);
	kt_kgrams_free(kgrams);
	return 0;
}
