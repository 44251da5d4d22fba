/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/engine/order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <ktail/status.h>

#include "infer/engine/word-set.h"

#define BUFFER_SIZE 65536

struct hasher {
	XXH3_state_t *state; /* Owned by this */
	char *buffer;        /* Owned by this */
	size_t used;
};

static void feed(struct hasher *hasher, const char *bytes, size_t n)
{
	if (n > BUFFER_SIZE - hasher->used) {
		XXH3_128bits_update(hasher->state, hasher->buffer, hasher->used);
		hasher->used = 0;
	}
	if (n > BUFFER_SIZE) {
		XXH3_128bits_update(hasher->state, bytes, n);
		return;
	}
	memcpy(hasher->buffer + hasher->used, bytes, n);
	hasher->used += n;
}

struct comparison {
	const kt_words *words;
	char (*hash)[KT_HASH_SIZE];
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int kt_word_key_compare(const struct kt_word_key *a, const struct kt_word_key *b)
{
	int sign = strcmp(a->name, b->name);

	sign = sign ? sign : strcmp(a->hash, b->hash);
	sign = sign ? sign : compare_numbers(a->n, b->n);
	sign = sign ? sign : compare_numbers(a->lost, b->lost);
	sign = sign ? sign
		    : compare_numbers(!(a->cut_begin || a->cut_end),
				      !(b->cut_begin || b->cut_end));
	sign = sign ? sign : compare_numbers(a->cut_begin, b->cut_begin);
	return sign ? sign : compare_numbers(a->cut_end, b->cut_end);
}

static struct kt_word_key key_of(const struct comparison *comparison, size_t i)
{
	const struct kt_word *word = &comparison->words->words[i];

	return (struct kt_word_key){word->name, comparison->hash[i], word->n,
				    word->lost, word->cut_begin,     word->cut_end};
}

static int compare_words(const void *a, const void *b, void *context)
{
	struct kt_word_key x = key_of(context, *(const size_t *)a);
	struct kt_word_key y = key_of(context, *(const size_t *)b);

	return kt_word_key_compare(&x, &y);
}

int kt_word_order_make(struct kt_word_order *order, const kt_words *words)
{
	static const char digits[] = "0123456789abcdef";
	struct hasher hasher = {.state = XXH3_createState(), .buffer = malloc(BUFFER_SIZE)};
	struct comparison comparison = {.words = words};
	int code = KT_OK;

	order->words = calloc(words->n_words + 1, sizeof(*order->words));
	order->hash = calloc(words->n_words + 1, sizeof(*order->hash));
	if (!order->words || !order->hash || !hasher.state || !hasher.buffer) {
		kt_word_order_clear(order);
		code = KT_E_MEMORY;
		goto end;
	}
	for (size_t i = 0; i < words->n_words; i++) {
		const struct kt_word *word = &words->words[i];
		XXH128_canonical_t canonical;
		char *hex = order->hash[i];

		XXH3_128bits_reset(hasher.state);
		hasher.used = 0;
		for (uint64_t j = 0; j < word->n; j++) {
			uint32_t letter = kt_word_set_letter(words, word->begin + j);
			const struct kt_name *name = &words->letters.names[letter];

			feed(&hasher, name->text, name->length);
			feed(&hasher, "\n", 1);
		}
		XXH3_128bits_update(hasher.state, hasher.buffer, hasher.used);
		XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(hasher.state));
		for (size_t j = 0; j < sizeof(canonical.digest); j++) {
			hex[2 * j] = digits[canonical.digest[j] >> 4];
			hex[2 * j + 1] = digits[canonical.digest[j] & 15];
		}
		hex[2 * sizeof(canonical.digest)] = '\0';
	}
	for (size_t i = 0; i < words->n_words; i++) {
		order->words[i] = i;
	}
	comparison.hash = order->hash;
	qsort_r(order->words, words->n_words, sizeof(*order->words), compare_words,
		&comparison);
end:
	XXH3_freeState(hasher.state);
	free(hasher.buffer);
	return code;
}

void kt_word_order_clear(struct kt_word_order *order)
{
	free(order->words);
	free(order->hash);
	*order = (struct kt_word_order){0};
}
