/* SPDX-License-Identifier: MIT */
/* Which part of an address a method takes, by the names in its table. */
#ifndef KTAIL_RAW_ADDRESS_PARTS_H
#define KTAIL_RAW_ADDRESS_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/methods.h"

struct kt_address_part {
	uint8_t shift; /* position in the address: 0 lower half, 32 upper half, 8 without 8
			  bits */
	int8_t mate;   /* distance in bytes of the method for the other half; 0: none */
	uint32_t bits; /* of the dword that the method's fields have */
};

/* Returns the bits of an address that the method and its mate take. */
static inline uint64_t kt_raw_taken(const struct kt_address_part *part)
{
	const uint64_t half = UINT32_MAX;

	return (uint64_t)part->bits << part->shift | (part->mate == 0 ? 0
						      : part->shift   ? half
								      : half << 32);
}

/*
 * Sets *out to the part that the method takes. Returns false if the method's names say
 * nothing of an address. class_ may be NULL. O(methods).
 */
bool kt_raw_address_part(const struct kt_method_class *class_, uint32_t offset,
			 struct kt_address_part *out);

#endif
