/* SPDX-License-Identifier: MIT */
/*
 * Decodes and encodes GPFIFO entries of a channel's ring, and gives the offsets of GP_GET
 * and GP_PUT in the channel's control area (USERD). Entries and offsets are identical from
 * Kepler to Blackwell, except that Hopper added the extended base. Source: NVIDIA's
 * open-gpu-doc, clc86f.h (MIT).
 */
#ifndef KTAIL_DECODE_GPFIFO_H
#define KTAIL_DECODE_GPFIFO_H

#include <stdbool.h>
#include <stdint.h>

#define KT_GPFIFO_ENTRY_BYTES 8
#define KT_USERD_BYTES        512
#define KT_USERD_GP_GET       0x88 /* 32 bits: the next entry that the host fetches */
#define KT_USERD_GP_PUT       0x8c /* 32 bits: one past the last entry written */

#define KT_GPFIFO_MAX_WORDS 0x1fffffu

enum kt_gpfifo_opcode {
	KT_GPFIFO_NOP = 0,
	KT_GPFIFO_ILLEGAL = 1,
	KT_GPFIFO_GP_CRC = 2,
	KT_GPFIFO_PB_CRC = 3,
	/* the operand gives bits 56:40 of the addresses of the segments that follow */
	KT_GPFIFO_SET_EXTENDED_BASE = 4,
};

struct kt_gpfifo_entry {
	uint64_t address; /* bits 39:0 of the segment's address, 4-byte aligned */
	uint32_t words;   /* length of the segment in dwords; 0: a control entry */
	bool subroutine;  /* NVIDIA's field LEVEL */
	/* NVIDIA's field SYNC: fetch only after all earlier entries were processed */
	bool wait;
	bool conditional; /* NVIDIA's field FETCH */
	uint8_t opcode;   /* opcode of a control entry */
	uint32_t operand; /* of a control entry; SET_EXTENDED_BASE: address bits 56:40 */
};

void kt_gpfifo_decode(struct kt_gpfifo_entry *out, const uint32_t words[static 2]);

/* Encodes an entry, truncating values to their fields. */
void kt_gpfifo_encode(uint32_t words[static 2], const struct kt_gpfifo_entry *entry);

#endif
