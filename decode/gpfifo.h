/* SPDX-License-Identifier: MIT */
/*
 * A channel's ring of entries (GPFIFO) and its control area (USERD). The same from Kepler
 * to Blackwell; the extended base came with Hopper. Source: NVIDIA's open-gpu-doc, clc86f.h
 * (MIT).
 */
#ifndef KTAIL_DECODE_GPFIFO_H
#define KTAIL_DECODE_GPFIFO_H

#include <stdbool.h>
#include <stdint.h>

#define KT_GPFIFO_ENTRY_BYTES 8
#define KT_USERD_BYTES        512
#define KT_USERD_GP_GET       0x88 /* 32 bits: the entry that the host fetches next */
#define KT_USERD_GP_PUT       0x8c /* 32 bits: one past the last entry written */

#define KT_GPFIFO_MAX_WORDS 0x1fffffu

enum kt_gpfifo_opcode {
	KT_GPFIFO_NOP = 0,
	KT_GPFIFO_ILLEGAL = 1,
	KT_GPFIFO_GP_CRC = 2,
	KT_GPFIFO_PB_CRC = 3,
	KT_GPFIFO_SET_EXTENDED_BASE =
		4, /* operand: bits 56:40 of the segments' addresses */
};

struct kt_gpfifo_entry {
	uint64_t address; /* of the segment, 4-byte aligned, bits 39:0 */
	uint32_t words;   /* its length; 0: a control entry */
	bool subroutine;  /* LEVEL */
	bool wait;        /* SYNC: fetch when all before it has been processed */
	bool conditional; /* FETCH */
	uint8_t opcode;   /* of a control entry */
	uint32_t operand; /* of a control entry; of SET_EXTENDED_BASE its field */
};

void kt_gpfifo_decode(struct kt_gpfifo_entry *out, const uint32_t words[static 2]);

/* Bits that the encoding has no place for are cut off. */
void kt_gpfifo_encode(uint32_t words[static 2], const struct kt_gpfifo_entry *entry);

#endif
