/* SPDX-License-Identifier: MIT */
#include "base/order.h"

#include <stdlib.h>

#include <ktail/status.h>

int kt_group_(struct kt_groups *out, const void *items, size_t size, size_t key, size_t n,
	      size_t n_keys, const uint32_t *order, const char *what)
{
	const char *keys = n ? (const char *)items + key : NULL;
	size_t *first = calloc(n_keys + 2, sizeof(*first));
	uint32_t *member = malloc((n + 1) * sizeof(*member));

	*out = (struct kt_groups){.first = first, .member = member};
	if (!first || !member || n > UINT32_MAX) {
		kt_groups_clear(out);
		return kt_no_memory(what);
	}
	for (size_t i = 0; i < n; i++) {
		first[*(const uint32_t *)(keys + i * size) + (size_t)2]++;
	}
	for (size_t k = 2; k <= n_keys; k++) {
		first[k] += first[k - 1];
	}
	/*
	 * During this loop first[k + 1] is the slot for the next item of key k. After the
	 * loop first[k + 1] is the slot of the first item of key k + 1.
	 */
	for (size_t i = 0; i < n; i++) {
		uint32_t item = order ? order[i] : (uint32_t)i;

		member[first[*(const uint32_t *)(keys + item * size) + (size_t)1]++] = item;
	}
	return KT_OK;
}

void kt_groups_clear(struct kt_groups *groups)
{
	free(groups->first);
	free(groups->member);
	*groups = (struct kt_groups){0};
}
