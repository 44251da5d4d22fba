/* SPDX-License-Identifier: MIT */
#include "infer/merge/windows.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/engine/suffixes.h"
#include "infer/engine/word-set.h"

/* What is known of each position, a bit each. */
struct marks {
	unsigned char *node;        /* Owned by this: k letters remain */
	unsigned char *window;      /* Owned by this: a window is counted here */
	unsigned char *same_node;   /* Owned by this: k letters like its neighbour */
	unsigned char *same_window; /* Owned by this: k + 1 letters like its neighbour */
};

static void set_bit(unsigned char *bits, size_t i)
{
	bits[i >> 3] |= (unsigned char)(1u << (i & 7));
}

static bool get_bit(const unsigned char *bits, size_t i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}

/*
 * Marks the positions of each word, also that of its separator. When p agrees with its
 * neighbour on l letters, p + 1 agrees with its own on l - 1 at least (see quotient.c).
 * Only p's letters are compared, so that no separator ever agrees.
 */
static void mark(struct marks *marks, const uint32_t *previous, const struct kt_text *text,
		 const struct kt_windows_options *options)
{
	uint64_t k = options->k;

	for (size_t i = 0; i < text->words->n_words; i++) {
		const struct kt_word *word = &text->words->words[i];
		size_t begin = kt_text_begin(text, i);
		size_t end = begin + (size_t)word->n;
		size_t agree = 0;

		for (size_t p = begin; p <= end && end - p >= k; p++) {
			size_t enough = end - p > k ? (size_t)k + 1 : (size_t)k;
			size_t q = previous[p];

			set_bit(marks->node, p);
			if (q == KT_NO_POSITION) {
				agree = 0;
				continue;
			}
			while (agree < enough && kt_text_symbol(text, p + agree) ==
							 kt_text_symbol(text, q + agree)) {
				agree++;
			}
			if (agree >= k) {
				set_bit(marks->same_node, p);
			}
			if (agree > k) {
				set_bit(marks->same_window, p);
			}
			agree -= agree > 0;
		}
		if (i >= options->n_words) {
			continue;
		}
		for (uint64_t j = !word->cut_begin; j < word->n && word->n - j > k; j++) {
			set_bit(marks->window, begin + (size_t)j);
		}
	}
}

/*
 * Numbers groups of equal positions, which stand side by side in the order, in order of
 * their first members; what is no member gets KT_NO_POSITION.
 */
static uint32_t number_groups(uint32_t *group_of, const uint32_t *order, size_t n,
			      const unsigned char *same, const unsigned char *member)
{
	uint32_t groups = 0;
	size_t end;

	for (size_t begin = 0; begin < n; begin = end) {
		uint32_t first = KT_NO_POSITION;

		for (end = begin; end == begin || (end < n && get_bit(same, order[end]));
		     end++) {
			if (get_bit(member, order[end]) && order[end] < first) {
				first = order[end];
			}
		}
		for (size_t i = begin; i < end; i++) {
			group_of[order[i]] =
				get_bit(member, order[i]) ? first : KT_NO_POSITION;
		}
	}
	for (size_t p = 0; p < n; p++) {
		if (group_of[p] != KT_NO_POSITION) {
			group_of[p] = group_of[p] == p ? groups++ : group_of[group_of[p]];
		}
	}
	return groups;
}

static int count(struct kt_windows *windows, const uint32_t *window_of, size_t n,
		 const uint64_t *counts)
{
	size_t known = 0;

	windows->first = malloc((windows->n + 1) * sizeof(*windows->first));
	windows->count = calloc(windows->n + 1, sizeof(*windows->count));
	if (!windows->first || !windows->count) {
		return kt_no_memory("gather windows");
	}
	for (size_t p = 0; p < n; p++) {
		uint32_t window = window_of[p];

		if (window == KT_NO_POSITION) {
			continue;
		}
		if (window == known) {
			windows->first[known++] = (uint32_t)p;
		}
		windows->count[window] += counts ? counts[windows->n_places] : 1;
		windows->n_places++;
	}
	return KT_OK;
}

int kt_windows_gather(struct kt_windows *windows, const struct kt_text *text,
		      const struct kt_windows_options *options)
{
	size_t size = (text->n + 1) * sizeof(uint32_t);
	size_t n_bytes = text->n / 8 + 1;
	struct marks marks = {calloc(n_bytes, 1), calloc(n_bytes, 1), calloc(n_bytes, 1),
			      calloc(n_bytes, 1)};
	uint32_t *window_of = malloc(size);
	uint32_t *order = NULL;
	int code = KT_OK;

	*windows = (struct kt_windows){.node_of = malloc(size)};
	if (!marks.node || !marks.window || !marks.same_node || !marks.same_window ||
	    !window_of || !windows->node_of) {
		code = kt_no_memory("gather windows");
	}
	if (!code) {
		code = kt_suffixes_sort(&order, text);
	}
	if (!code) {
		kt_suffixes_link(window_of, order, text->n);
		mark(&marks, window_of, text, options);
		windows->n_nodes = number_groups(windows->node_of, order, text->n,
						 marks.same_node, marks.node);
		windows->n = number_groups(window_of, order, text->n, marks.same_window,
					   marks.window);
	}
	free(order);
	free(marks.node);
	free(marks.window);
	free(marks.same_node);
	free(marks.same_window);
	if (!code) {
		code = count(windows, window_of, text->n, options->counts);
	}
	free(window_of);
	if (code) {
		kt_windows_clear(windows);
	}
	return code;
}

void kt_windows_clear(struct kt_windows *windows)
{
	free(windows->node_of);
	free(windows->first);
	free(windows->count);
	*windows = (struct kt_windows){0};
}
