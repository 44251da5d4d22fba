/* SPDX-License-Identifier: MIT */
/* Numbers for names: each distinct name gets the next one, and keeps it. */
#ifndef KTAIL_ENGINE_INTERN_H
#define KTAIL_ENGINE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash-index.h"

struct kt_name {
	char *text;      /* Owned by this */
	uint32_t length; /* in bytes, without the NUL */
};

/* All zero is an empty table. */
struct kt_intern {
	struct kt_name *names; /* Owned by this */
	size_t n_names;
	size_t names_capacity;
	struct kt_hash_index index; /* by the low half of a name's XXH3-64 */
};

void kt_intern_clear(struct kt_intern *intern);

/*
 * The number of name[0..length), which is copied when new. KT_E_MALFORMED, and no change,
 * if the name is empty or no printable UTF-8. O(length), expected.
 */
int kt_intern_name(uint32_t *out, struct kt_intern *intern, const char *name,
		   size_t length);

#endif
