/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* qsort_r */
#include "infer/merge/paths.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

struct stringer {
	struct kt_paths *paths;           /* Weak */
	const struct kt_windows *windows; /* Weak */
	const struct kt_text *text;       /* Weak */
	size_t k;
	unsigned char *seen; /* Owned by this: by window, whether it is in a path so far */
	uint32_t *circle;    /* Owned by this: windows of the circle at hand */
	size_t circle_capacity;
};

/* --- which window follows which --- */

/* One side of the nodes: the windows that enter, or those that leave. */
struct side {
	size_t node;   /* where in a window its node begins */
	size_t letter; /* and where its letter stands that is not the node's */
};

static uint32_t node_of(const struct stringer *s, uint32_t window, const struct side *side)
{
	return s->windows->node_of[s->windows->first[window] + side->node];
}

static uint32_t letter_of(const struct stringer *s, uint32_t window,
			  const struct side *side)
{
	return kt_text_symbol(s->text, s->windows->first[window] + side->letter);
}

typedef uint32_t (*key_fn)(const struct stringer *s, uint32_t window,
			   const struct side *side);

/* Moves windows from `from` to `to` in order of their keys, below n_keys; stable. */
static int sort_by(uint32_t *to, const uint32_t *from, const struct stringer *s, key_fn key,
		   const struct side *side, size_t n_keys)
{
	uint32_t *place = calloc(n_keys + 1, sizeof(*place));

	if (!place) {
		return kt_no_memory("string windows");
	}
	for (size_t i = 0; i < s->windows->n; i++) {
		place[key(s, from[i], side) + 1]++;
	}
	for (size_t i = 0; i < n_keys; i++) {
		place[i + 1] += place[i];
	}
	for (size_t i = 0; i < s->windows->n; i++) {
		to[place[key(s, from[i], side)]++] = from[i];
	}
	free(place);
	return KT_OK;
}

/* All windows in order of their nodes, those of one node in order of their letters. */
static int sort_side(uint32_t **sorted, const struct stringer *s, const struct side *side)
{
	size_t n = s->windows->n;
	uint32_t *scratch = malloc((n + 1) * sizeof(*scratch));
	int code;

	*sorted = malloc((n + 1) * sizeof(**sorted));
	if (!*sorted || !scratch) {
		code = kt_no_memory("string windows");
		goto end;
	}
	for (size_t i = 0; i < n; i++) {
		(*sorted)[i] = (uint32_t)i;
	}
	KT_TRY_END(sort_by(scratch, *sorted, s, letter_of, side,
			   s->text->n_letters + (size_t)KT_SYMBOL_LETTER));
	code = sort_by(*sorted, scratch, s, node_of, side, s->windows->n_nodes);
end:
	free(scratch);
	return code;
}

/* The i-th that enters a node is followed by the i-th that leaves it. */
static int link_windows(struct stringer *s)
{
	const struct side entering = {.node = 1, .letter = 0};
	const struct side leaving = {.node = 0, .letter = s->k};
	uint32_t *in = NULL;
	uint32_t *out = NULL;
	size_t n = s->windows->n;
	int code;

	KT_TRY_END(sort_side(&in, s, &entering));
	KT_TRY_END(sort_side(&out, s, &leaving));
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

/* --- where paths begin --- */

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
 * Which window of the circle is the least: the one at which the circle's letters, read
 * round and round, are least, since no two windows are equal. Of two that agree on l
 * letters and then differ, neither the greater nor the l behind it can be it (the least
 * rotation of a string, in linear time).
 */
static size_t find_least(const struct stringer *s, size_t n)
{
	const struct side first = {.node = 0, .letter = 0};
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
		code = kt_no_memory("string windows");
		goto end;
	}
	memset(paths->next, 0xff, size);
	KT_TRY_END(link_windows(&s));
	/* What no window precedes; afterwards `seen` are those that can be reached from
	 * there. */
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
	/* Those not seen now are in circles: each is opened in front of its least window.
	 */
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
