/* SPDX-License-Identifier: MIT */
#include "decode/gpfifo.h"

#include <string.h>

#include "decode/bits.h"

#define FETCH        0, 0
#define GET          31, 2
#define GET_HI       7, 0
#define LEVEL        9, 9
#define LENGTH       30, 10
#define SYNC         31, 31
#define OPCODE       7, 0
#define BASE_OPERAND 24, 8

void kt_gpfifo_decode(struct kt_gpfifo_entry *out, const uint32_t words[static 2])
{
	memset(out, 0, sizeof(*out));
	out->words = kt_bits_in(LENGTH, words[1]);
	out->subroutine = kt_bits_in(LEVEL, words[1]);
	out->wait = kt_bits_in(SYNC, words[1]);
	if (out->words == 0) {
		out->opcode = (uint8_t)kt_bits_in(OPCODE, words[1]);
		out->operand = out->opcode == KT_GPFIFO_SET_EXTENDED_BASE
				       ? kt_bits_in(BASE_OPERAND, words[0])
				       : words[0];
		return;
	}
	out->conditional = kt_bits_in(FETCH, words[0]);
	out->address = (uint64_t)kt_bits_in(GET_HI, words[1]) << 32 |
		       (uint64_t)kt_bits_in(GET, words[0]) << 2;
}

void kt_gpfifo_encode(uint32_t words[static 2], const struct kt_gpfifo_entry *entry)
{
	words[1] = kt_bits(LENGTH, entry->words) | kt_bits(LEVEL, entry->subroutine) |
		   kt_bits(SYNC, entry->wait);
	if (entry->words == 0) {
		words[0] = entry->opcode == KT_GPFIFO_SET_EXTENDED_BASE
				   ? kt_bits(BASE_OPERAND, entry->operand)
				   : entry->operand;
		words[1] |= kt_bits(OPCODE, entry->opcode);
		return;
	}
	words[0] = kt_bits(GET, (uint32_t)(entry->address >> 2)) |
		   kt_bits(FETCH, entry->conditional);
	words[1] |= kt_bits(GET_HI, (uint32_t)(entry->address >> 32));
}
