/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/merge/windows.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/engine/suffixes.h"
#include "infer/engine/word-set.h"

/* Bit arrays with one bit for each position of the text. */
struct marks {
	unsigned char *node;      /* Owned by this: at least k letters of the word follow */
	unsigned char *window;    /* Owned by this: a window is counted here */
	unsigned char *same_node; /* Owned by this: the next k letters equal those at the
				   * position before it in the order of suffixes */
	unsigned char *same_window; /* Owned by this: likewise for k + 1 letters */
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
 * Marks the positions of each word, including its separator. Each position is compared with
 * its neighbour, the position before it in the order of suffixes. If p agrees with its
 * neighbour on l letters, p + 1 agrees with the neighbour of p + 1 on at least l - 1
 * letters (see chains.c), so these are not compared again. Only the letters from p to the
 * end of the word are compared, never its separator.
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
 * Numbers groups of equal positions in the order in which their first members occur in the
 * text. Equal positions are adjacent in order[]. Positions not set in `member` belong to no
 * group: they get KT_NO_POSITION.
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
		windows->count[window] += counts ? counts[windows->n_positions] : 1;
		windows->n_positions++;
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

struct stringer {
	struct kt_paths *paths;           /* Weak */
	const struct kt_windows *windows; /* Weak */
	const struct kt_text *text;       /* Weak */
	size_t k;
	/*
	 * Owned by this: for each window, first whether it has a predecessor, later whether
	 * it is already part of a path
	 */
	unsigned char *seen;
	uint32_t *circle; /* Owned by this: windows of the current circle */
	size_t circle_capacity;
};

/* --- successors of windows --- */

/* Offsets in the windows that enter a node, or in the windows that leave a node. */
struct direction {
	size_t node;   /* offset of the node */
	size_t letter; /* offset of the letter that is not part of the node */
};

static uint32_t node_of(const struct stringer *s, uint32_t window,
			const struct direction *direction)
{
	return s->windows->node_of[s->windows->first[window] + direction->node];
}

static uint32_t letter_of(const struct stringer *s, uint32_t window,
			  const struct direction *direction)
{
	return kt_text_symbol(s->text, s->windows->first[window] + direction->letter);
}

typedef uint32_t (*key_fn)(const struct stringer *s, uint32_t window,
			   const struct direction *direction);

/* Writes the windows of `from` to `to`, sorted by keys below n_keys; stable. */
static int sort_by(uint32_t *to, const uint32_t *from, const struct stringer *s, key_fn key,
		   const struct direction *direction, size_t n_keys)
{
	uint32_t *offset = calloc(n_keys + 1, sizeof(*offset));

	if (!offset) {
		return kt_no_memory("join windows");
	}
	for (size_t i = 0; i < s->windows->n; i++) {
		offset[key(s, from[i], direction) + 1]++;
	}
	for (size_t i = 0; i < n_keys; i++) {
		offset[i + 1] += offset[i];
	}
	for (size_t i = 0; i < s->windows->n; i++) {
		to[offset[key(s, from[i], direction)]++] = from[i];
	}
	free(offset);
	return KT_OK;
}

/* Sorts all windows by node, then by letter. */
static int sort_direction(uint32_t **sorted, const struct stringer *s,
			  const struct direction *direction)
{
	size_t n = s->windows->n;
	uint32_t *scratch = malloc((n + 1) * sizeof(*scratch));
	int code;

	*sorted = malloc((n + 1) * sizeof(**sorted));
	if (!*sorted || !scratch) {
		code = kt_no_memory("join windows");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		(*sorted)[i] = (uint32_t)i;
	}
	KT_TRY_END(sort_by(scratch, *sorted, s, letter_of, direction,
			   s->text->n_letters + (size_t)KT_SYMBOL_LETTER));
	code = sort_by(*sorted, scratch, s, node_of, direction, s->windows->n_nodes);
end:
	free(scratch);
	return code;
}

/*
 * Makes the i-th window that leaves a node the successor of the i-th window that enters the
 * node.
 */
static int link_windows(struct stringer *s)
{
	const struct direction entering = {.node = 1, .letter = 0};
	const struct direction leaving = {.node = 0, .letter = s->k};
	uint32_t *in = NULL;
	uint32_t *out = NULL;
	size_t n = s->windows->n;
	int code;

	KT_TRY_END(sort_direction(&in, s, &entering));
	KT_TRY_END(sort_direction(&out, s, &leaving));
	for (size_t i = 0, j = 0; i < n && j < n;) {
		uint32_t a = node_of(s, in[i], &entering);
		uint32_t b = node_of(s, out[j], &leaving);

		if (a == b) {
			s->paths->next[in[i]] = out[j];
			s->seen[out[j]] = 1;
		}
		i += a <= b;
		j += a >= b;
	}
end:
	free(in);
	free(out);
	return code;
}

/* --- heads of paths --- */

static int compare_heads(const void *a, const void *b, void *stringer)
{
	const struct stringer *s = stringer;
	size_t width = s->text->width;

	return memcmp(s->text->bytes + s->windows->first[*(const uint32_t *)a] * width,
		      s->text->bytes + s->windows->first[*(const uint32_t *)b] * width,
		      (s->k + 1) * width);
}

static int add_head(struct stringer *s, uint32_t window)
{
	struct kt_paths *paths = s->paths;

	KT_TRY(kt_array_reserve(&paths->heads, &paths->capacity, paths->n + 1));
	paths->heads[paths->n++] = window;
	return KT_OK;
}

/*
 * Finds the least window of a circle: the one from which the circle's letters, read around,
 * are least. There is only one, since all windows differ. If two candidates agree on l
 * letters and then differ, neither the greater candidate nor any of the l windows after it
 * can be the least (least rotation of a string, in linear time).
 */
static size_t find_least(const struct stringer *s, size_t n)
{
	const struct direction first = {.node = 0, .letter = 0};
	size_t i = 0;
	size_t j = 1;
	size_t agree = 0;

	while (i < n && j < n && agree < n) {
		uint32_t x = letter_of(s, s->circle[(i + agree) % n], &first);
		uint32_t y = letter_of(s, s->circle[(j + agree) % n], &first);

		if (x == y) {
			agree++;
			continue;
		}
		if (x > y) {
			i += agree + 1;
		} else {
			j += agree + 1;
		}
		j += i == j;
		agree = 0;
	}
	return i < j ? i : j;
}

int kt_paths_string(struct kt_paths *paths, const struct kt_windows *windows,
		    const struct kt_text *text, uint64_t k)
{
	struct stringer s = {
		.paths = paths, .windows = windows, .text = text, .k = (size_t)k};
	size_t size = (windows->n + 1) * sizeof(*paths->next);
	int code;

	*paths = (struct kt_paths){.next = malloc(size)};
	s.seen = calloc(windows->n + 1, 1);
	if (!paths->next || !s.seen) {
		code = kt_no_memory("join windows");
		goto end;
	}
	memset(paths->next, 0xff, size);
	KT_TRY_END(link_windows(&s));
	/*
	 * Windows that are not in `seen` yet have no predecessor: they are heads. From here
	 * on, `seen` has the windows that can be reached from heads.
	 */
	for (size_t i = 0; i < windows->n; i++) {
		if (!s.seen[i]) {
			KT_TRY_END(add_head(&s, (uint32_t)i));
		}
	}
	memset(s.seen, 0, windows->n);
	for (size_t i = 0; i < paths->n; i++) {
		for (uint32_t w = paths->heads[i]; w != KT_NO_WINDOW; w = paths->next[w]) {
			s.seen[w] = 1;
		}
	}
	/* The remaining windows form circles: open each circle before its least window. */
	for (size_t i = 0; i < windows->n; i++) {
		uint32_t w = (uint32_t)i;
		size_t least;
		size_t n = 0;

		if (s.seen[i]) {
			continue;
		}
		do {
			KT_TRY_END(kt_array_reserve(&s.circle, &s.circle_capacity, n + 1));
			s.circle[n++] = w;
			s.seen[w] = 1;
			w = paths->next[w];
		} while (w != i);
		least = find_least(&s, n);
		paths->next[s.circle[(least + n - 1) % n]] = KT_NO_WINDOW;
		KT_TRY_END(add_head(&s, s.circle[least]));
	}
	if (paths->n > 1) {
		qsort_r(paths->heads, paths->n, sizeof(*paths->heads), compare_heads, &s);
	}
end:
	free(s.seen);
	free(s.circle);
	if (code) {
		kt_paths_clear(paths);
	}
	return code;
}

void kt_paths_clear(struct kt_paths *paths)
{
	free(paths->next);
	free(paths->heads);
	*paths = (struct kt_paths){0};
}
