/* SPDX-License-Identifier: MIT */
/*
 * Whichever allocation fails while a curve is made, it says so and leaves nothing behind,
 * igraph's allocations among them. The allocation functions of this program count, and one
 * of them refuses.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <ktail/ktail.h>

#include "infer/graph/curve.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

KT_EXPORT void *malloc(size_t size);
KT_EXPORT void *calloc(size_t n, size_t size);
KT_EXPORT void *realloc(void *memory, size_t size);
KT_EXPORT void free(void *memory);

static long until_failure = -1; /* allocations that still work; negative: all */
static long live;
static bool failed;

static bool refuse(void)
{
	if (until_failure == 0) {
		failed = true;
		until_failure = -1;
		return true;
	}
	until_failure -= until_failure > 0;
	return false;
}

void *malloc(size_t size)
{
	void *memory = refuse() ? NULL : __libc_malloc(size);

	live += memory != NULL;
	return memory;
}

void *calloc(size_t n, size_t size)
{
	void *memory = refuse() ? NULL : __libc_calloc(n, size);

	live += memory != NULL;
	return memory;
}

void *realloc(void *memory, size_t size)
{
	void *grown = refuse() ? NULL : __libc_realloc(memory, size);

	live += !memory && grown;
	return grown;
}

void free(void *memory)
{
	live -= memory != NULL;
	__libc_free(memory);
}

static int add_letter(kt_words *words, char letter)
{
	uint32_t number;
	int code = kt_words_letter(&number, words, &letter, 1);

	return code ? code : kt_words_append(words, &number, 1);
}

static int add_word(kt_words *words, const char *letters)
{
	struct kt_word_info info = KT_WORD_INFO_INIT;
	int code = kt_words_begin(words, &info);

	for (; *letters && !code; letters++) {
		code = add_letter(words, *letters);
	}
	return code;
}

static int make_curve(void)
{
	struct kt_sweep_options options = KT_SWEEP_OPTIONS_INIT;
	struct kt_curve curve = {0};
	kt_words *words = NULL;
	int code = kt_words_new(&words);

	options.lo = 0;
	options.hi = 8;
	code = code ? code : add_word(words, "iwdpwdpqqqwdpwwdpwdpx");
	code = code ? code : add_word(words, "iwdpabcabcabcwdpqqdpx");
	code = code ? code : kt_curve_make(&curve, words, &options);
	if (!code && (curve.n_points != 9 || !curve.points[3].measures.components)) {
		code = KT_E_INTERNAL;
	}
	kt_curve_clear(&curve);
	kt_words_free(words);
	return code;
}

int main(void)
{
	long n = 0;

	/* igraph keeps some memory from its first use on. */
	if (make_curve() != KT_OK) {
		return 1;
	}
	do {
		long before = live;
		int code;

		failed = false;
		until_failure = n++;
		code = make_curve();
		until_failure = -1;
		if ((code && (code != KT_E_MEMORY || !failed ||
			      !strstr(kt_error_message(), "out of memory"))) ||
		    live != before) {
			fprintf(stderr, "allocation %ld: %d, %s; %ld left\n", n, code,
				kt_error_message(), live - before);
			return 1;
		}
	} while (failed);
	return n <= 100;
}
