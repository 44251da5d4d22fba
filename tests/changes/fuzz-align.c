/* SPDX-License-Identifier: MIT */
/*
 * For any two sequences of letters, the hunks turn the first into the second, and have as
 * many edits as the hunks that turn the second into the first.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/changes/align.h"

#define MOST 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int what)
{
	if (!what) {
		abort();
	}
}

/* Checks the hunks and returns their edits. */
static size_t check(const struct kt_hunks *hunks, const uint32_t *a, size_t n_a,
		    const uint32_t *b, size_t n_b)
{
	size_t edits = 0;
	size_t i = 0;
	size_t j = 0;

	for (size_t h = 0; h < hunks->n; h++) {
		const struct kt_hunk *hunk = &hunks->items[h];

		expect(hunk->at >= i && hunk->at - i == hunk->to - j);
		expect(h == 0 || hunk->at > i);
		expect(hunk->removed + hunk->added > 0);
		expect(hunk->at + hunk->removed <= n_a && hunk->to + hunk->added <= n_b);
		expect(memcmp(a + i, b + j, (hunk->at - i) * sizeof(*a)) == 0);
		edits += hunk->removed + hunk->added;
		i = hunk->at + hunk->removed;
		j = hunk->to + hunk->added;
	}
	expect(n_a - i == n_b - j);
	expect(memcmp(a + i, b + j, (n_a - i) * sizeof(*a)) == 0);
	return edits;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t letters[2][MOST];
	size_t n[2] = {0, 0};
	struct kt_hunks there = {.n = 0};
	struct kt_hunks back = {.n = 0};

	/* The low bit of a byte chooses the sequence, the other bits the letter. */
	for (size_t i = 0; i < size; i++) {
		const int which = data[i] & 1;

		if (n[which] < MOST) {
			letters[which][n[which]++] = (uint32_t)(data[i] >> 1) % 5;
		}
	}
	expect(kt_align(&there, letters[0], n[0], letters[1], n[1]) == KT_OK);
	expect(kt_align(&back, letters[1], n[1], letters[0], n[0]) == KT_OK);
	expect(check(&there, letters[0], n[0], letters[1], n[1]) ==
	       check(&back, letters[1], n[1], letters[0], n[0]));
	free(there.items);
	free(back.items);
	return 0;
}
