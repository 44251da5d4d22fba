/* SPDX-License-Identifier: MIT */
/* Growing a plain array: amortised O(1) an element, overflow-checked. */
#ifndef KTAIL_BASE_ARRAY_H
#define KTAIL_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <ktail/status.h>

/*
 * Makes room for `need` elements of `size` bytes in *items, whose capacity is *capacity.
 * On failure nothing changes. New elements are not initialised.
 */
static inline int kt_array_reserve_(void **items, size_t *capacity, size_t need,
				    size_t size)
{
	size_t target = *capacity < 8 ? 8 : *capacity;
	void *grown;

	if (need <= *capacity) {
		return KT_OK;
	}
	while (target < need) {
		if (target > SIZE_MAX / 3) {
			return kt_error(KT_E_MEMORY, "grow array: too many elements");
		}
		target += target / 2;
	}
	if (target > SIZE_MAX / size) {
		return kt_error(KT_E_MEMORY, "grow array: too many elements");
	}
	grown = realloc(*items, target * size);
	if (!grown) {
		return kt_error(KT_E_MEMORY, "grow array to %zu bytes: out of memory",
				target * size);
	}
	*items = grown;
	*capacity = target;
	return KT_OK;
}

#define kt_array_reserve(items, capacity, need)                                            \
	kt_array_reserve_((void **)(items), (capacity), (need), sizeof(**(items)))

#endif
