/* SPDX-License-Identifier: MIT */
#include "infer/changes/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * reach[d][k + d] is the largest number of letters of a that can be read with d edits on
 * diagonal k, that is, with k = (letters read of a) - (letters read of b). k is one of -d,
 * -d + 2, ..., d.
 */
struct search {
	const uint32_t *a;
	const uint32_t *b;
	size_t n_a;
	size_t n_b;
	size_t **reach; /* Owned by this, and so are the rows */
	size_t edits;   /* number of rows; row d is for d edits */
};

/*
 * Returns how many letters of a have been read immediately after the d-th edit, if this
 * edit leads to diagonal k. The edit adds a letter of b if *down, else removes a letter of
 * a.
 */
static size_t first_step(const struct search *s, size_t d, long k, bool *down)
{
	const size_t *row = s->reach[d - 1];
	const long n = (long)d - 1;
	const bool has_left = k - 1 >= -n;
	const bool has_right = k + 1 <= n;
	const size_t left = has_left ? row[k - 1 + n] + 1 : 0;
	const size_t right = has_right ? row[k + 1 + n] : 0;

	*down = !has_left || (has_right && right >= left);
	return *down ? right : left;
}

static bool is_within(const struct search *s, size_t x, long k)
{
	return x <= s->n_a && (long)x - k >= 0 && (size_t)((long)x - k) <= s->n_b;
}

/* Fills a row for each number of edits, until a row reaches the end of both sequences. */
static int find_path(struct search *s)
{
	for (size_t d = 0; d <= KT_ALIGN_MAX; d++) {
		size_t *row = calloc(2 * d + 1, sizeof(*row));

		if (!row) {
			return kt_no_memory("align words");
		}
		s->reach[d] = row;
		s->edits = d + 1;
		for (long k = -(long)d; k <= (long)d; k += 2) {
			bool down = false;
			size_t x = d ? first_step(s, d, k, &down) : 0;

			while (is_within(s, x + 1, k) && s->a[x] == s->b[(long)x - k]) {
				x++;
			}
			row[k + (long)d] = x;
			if (x == s->n_a && (long)x - k == (long)s->n_b) {
				return KT_OK;
			}
		}
	}
	return kt_error(KT_E_USAGE, "align words: more than %d edits", KT_ALIGN_MAX);
}

/*
 * Adds an edit that comes before all hunks so far, which are in reverse order. If the edit
 * meets the earliest hunk, extends the hunk.
 */
static int add_edit(struct kt_hunks *out, size_t at, size_t removed, size_t to,
		    size_t added)
{
	struct kt_hunk *last = out->n ? &out->items[out->n - 1] : NULL;

	if (last && at + removed == last->at && to + added == last->to) {
		last->at = at;
		last->to = to;
		last->removed += removed;
		last->added += added;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&out->items, &out->capacity, out->n + 1));
	out->items[out->n++] = (struct kt_hunk){at, removed, to, added};
	return KT_OK;
}

/*
 * Follows the path from its end to its beginning, and writes the hunks in ascending order.
 */
static int read_path(struct kt_hunks *out, const struct search *s)
{
	long k = (long)s->n_a - (long)s->n_b;

	for (size_t d = s->edits - 1; d > 0; d--) {
		bool down;
		const size_t x = first_step(s, d, k, &down);
		const size_t y = (size_t)((long)x - k);

		KT_TRY(down ? add_edit(out, x, 0, y - 1, 1)
			    : add_edit(out, x - 1, 1, y, 0));
		k += down ? 1 : -1;
	}
	for (size_t i = 0; i < out->n / 2; i++) {
		const struct kt_hunk hunk = out->items[i];

		out->items[i] = out->items[out->n - 1 - i];
		out->items[out->n - 1 - i] = hunk;
	}
	return KT_OK;
}

/*
 * Moves each hunk that only removes letters, or only adds letters, as far as possible
 * towards the end of the sequences. Then joins adjacent hunks.
 */
static void slide(struct kt_hunks *hunks, const struct search *s)
{
	size_t n = 0;

	for (size_t i = hunks->n; i > 0; i--) {
		struct kt_hunk *h = &hunks->items[i - 1];
		const struct kt_hunk *next = i < hunks->n ? &hunks->items[i] : NULL;
		const size_t end = next ? next->at : s->n_a;

		while ((h->removed == 0) != (h->added == 0) && h->at + h->removed < end &&
		       (h->removed ? s->a[h->at] == s->a[h->at + h->removed]
				   : s->b[h->to] == s->b[h->to + h->added])) {
			h->at++;
			h->to++;
		}
	}
	for (size_t i = 0; i < hunks->n; i++) {
		struct kt_hunk *last = n ? &hunks->items[n - 1] : NULL;

		if (last && last->at + last->removed == hunks->items[i].at &&
		    last->to + last->added == hunks->items[i].to) {
			last->removed += hunks->items[i].removed;
			last->added += hunks->items[i].added;
		} else {
			hunks->items[n++] = hunks->items[i];
		}
	}
	hunks->n = n;
}

int kt_align(struct kt_hunks *out, const uint32_t *a, size_t n_a, const uint32_t *b,
	     size_t n_b)
{
	struct search s = {.a = a, .b = b, .n_a = n_a, .n_b = n_b};
	int code;

	s.reach = calloc(KT_ALIGN_MAX + 1, sizeof(*s.reach));
	if (!s.reach) {
		return kt_no_memory("align words");
	}
	KT_TRY_END(find_path(&s));
	KT_TRY_END(read_path(out, &s));
	slide(out, &s);
end:
	for (size_t d = 0; d < s.edits; d++) {
		free(s.reach[d]);
	}
	free(s.reach);
	return code;
}
