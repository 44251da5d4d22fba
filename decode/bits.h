/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes bit fields of commands and descriptors. A field is given as a pair:
 * highest bit, lowest bit. The field macros of decode/method-names.h expand to such pairs,
 * as in kt_bits(KT_C8B5_LAUNCH_DMA__SRC_TYPE, 1).
 */
#ifndef KTAIL_DECODE_BITS_H
#define KTAIL_DECODE_BITS_H

#include <stdint.h>

/*
 * Returns `value`, truncated to the field's width and shifted to the field's position in a
 * dword.
 */
static inline uint32_t kt_bits_at(unsigned hi, unsigned lo, uint32_t value)
{
	uint32_t mask = hi - lo == 31 ? UINT32_MAX : (1u << (hi - lo + 1)) - 1;

	return (value & mask) << lo;
}

static inline uint32_t kt_bits_of(unsigned hi, unsigned lo, uint32_t word)
{
	uint32_t mask = hi - lo == 31 ? UINT32_MAX : (1u << (hi - lo + 1)) - 1;

	return word >> lo & mask;
}

/*
 * Returns a field of at most 32 bits from an array of dwords. Bit 0 is the lowest bit of
 * dword 0.
 */
static inline uint32_t kt_bits_get_at(const uint32_t *words, unsigned hi, unsigned lo)
{
	uint64_t pair = words[lo / 32];

	if (hi / 32 != lo / 32) {
		pair |= (uint64_t)words[hi / 32] << 32;
	}
	return (uint32_t)(pair >> lo % 32 & ((UINT64_C(2) << (hi - lo)) - 1));
}

static inline void kt_bits_set_at(uint32_t *words, unsigned hi, unsigned lo, uint32_t value)
{
	uint64_t mask = ((UINT64_C(2) << (hi - lo)) - 1) << lo % 32;
	uint64_t bits = (uint64_t)value << lo % 32 & mask;

	words[lo / 32] = (words[lo / 32] & ~(uint32_t)mask) | (uint32_t)bits;
	if (hi / 32 != lo / 32) {
		words[hi / 32] =
			(words[hi / 32] & ~(uint32_t)(mask >> 32)) | (uint32_t)(bits >> 32);
	}
}

/* Like the functions above, but take a field's macro in place of the two bit numbers. */
#define kt_bits(...)     kt_bits_at(__VA_ARGS__)
#define kt_bits_in(...)  kt_bits_of(__VA_ARGS__)
#define kt_bits_get(...) kt_bits_get_at(__VA_ARGS__)
#define kt_bits_set(...) kt_bits_set_at(__VA_ARGS__)

#endif
