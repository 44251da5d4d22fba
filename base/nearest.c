/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 63

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Returns the optimal string alignment distance. Only the last three rows of the table of
 * distances between prefixes are kept.
 */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0];
	size_t *last = rows[1];
	size_t *row = rows[2];

	for (size_t j = 0; j <= m; j++) {
		last[j] = j;
	}
	for (size_t i = 1; i <= n; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]),
				       least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1]) {
				row[j] = least(row[j], before[j - 2] + 1);
			}
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[m];
}

void kt_nearest_try(struct kt_nearest *nearest, const char *name)
{
	size_t n = nearest->length ? nearest->length
		   : nearest->word ? strlen(nearest->word)
				   : 0;
	size_t m = strlen(name);
	size_t here;

	if (n == 0 || n > LONGEST || m > LONGEST) {
		return;
	}
	if (n > 1 && n < m && memcmp(nearest->word, name, n) == 0) {
		here = 1;
	} else {
		here = distance(nearest->word, n, name, m);
		if (here > (n + 1) / 3) {
			return;
		}
	}
	if (!nearest->found || here < nearest->distance) {
		nearest->found = name;
		nearest->distance = here;
	}
}

const char *kt_nearest_of(const char *word, const char *const *names)
{
	struct kt_nearest nearest = {.word = word};

	for (; *names; names++) {
		kt_nearest_try(&nearest, *names);
	}
	return nearest.found;
}

const char *kt_did_you_mean(char out[KT_DID_YOU_MEAN], const char *name)
{
	out[0] = '\0';
	if (name) {
		snprintf(out, KT_DID_YOU_MEAN, "; did you mean '%s'?", name);
	}
	return out;
}
