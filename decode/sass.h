/* SPDX-License-Identifier: MIT */
/*
 * Instructions of a GPU program (SASS) and how the compiler scheduled them. From Volta on
 * an instruction has 16 bytes, little-endian, of which bits 125:105 tell the hardware when
 * it may start and what the next ones have to wait for: struct kt_sass_control.
 *
 * Sources: Z. Jia, M. Maggioni, B. Staiger, D. P. Scarpazza, "Dissecting the NVIDIA Volta
 * GPU Architecture via Microbenchmarking", arXiv:1804.06826, 2018 (fields, their order and
 * meaning); CuAssembler, CuAsm/CuSMVersion.py (bit 105, 7.x and 8.x; "Y" for a clear bit
 * 109); Mesa, src/nouveau/compiler/nak/sm70_encode.rs (the same places). Nothing here
 * allocates.
 */
#ifndef KTAIL_DECODE_SASS_H
#define KTAIL_DECODE_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_SASS_BYTES      16
#define KT_SASS_NO_BARRIER 7 /* barriers are 0 to 5 */

struct kt_sass_control {
	uint8_t stall; /* bits 108:105: cycles before the next instruction of the warp */
	/*
	 * Bit 109 is clear: rather another warp next, at the cost of a cycle and of what
	 * the next instruction would have reused. If it is set, rather this warp.
	 */
	bool yield;
	/* Bits 112:110: barrier that is freed when the result is written. */
	uint8_t write_barrier;
	/* Bits 115:113: barrier that is freed when the operands are read. */
	uint8_t read_barrier;
	uint8_t wait_mask; /* bits 121:116: barriers, 0 lowest, that must be free */
	uint8_t reuse;     /* bits 125:122: operand slots, 0 lowest, that are kept */
};

void kt_sass_control_decode(struct kt_sass_control *out,
			    const uint8_t bytes[static KT_SASS_BYTES]);

/*
 * As CuAssembler writes it: "R---:B0-----:R-:W2:Y:S05" is slot 0 reused, waits for barrier
 * 0, no read barrier, write barrier 2, yield, 5 cycles.
 */
#define KT_SASS_CONTROL_TEXT 25 /* with the zero byte */
void kt_sass_control_text(char text[static KT_SASS_CONTROL_TEXT],
			  const struct kt_sass_control *control);

struct kt_sass_instruction {
	unsigned sm;          /* 90: compute capability 9.0 */
	const char *function; /* its section's name after ".text.", in the file's memory */
	uint64_t offset;      /* bytes from the function's begin */
	const uint8_t *bytes; /* KT_SASS_BYTES of them, in the file's memory */
	struct kt_sass_control control;
};

/* true: go on. */
typedef bool kt_sass_fn(void *context, const struct kt_sass_instruction *instruction);

enum kt_sass_status {
	KT_SASS_OK = 0,
	KT_SASS_NO_CUBIN,  /* no 64-bit little-endian ELF file for CUDA */
	KT_SASS_OLD,       /* for a GPU older than Volta */
	KT_SASS_MALFORMED, /* its tables or sections are not within the file, or longer */
	KT_SASS_STATUSES,
};
/* A few words, "for a GPU older than Volta". */
const char *kt_sass_status_text(enum kt_sass_status status);

/* Where a file is malformed: at that byte of it, `what` is wrong. */
struct kt_sass_fault {
	const char *what; /* static: "is not within the file" */
	uint64_t section; /* whose entry of the section table, or contents, it is about */
	uint64_t offset;  /* bytes from the file's begin */
};

/*
 * Calls `each` for all instructions of the sections .text.* of a cubin in memory, in the
 * order of the file's section table. Reads nothing outside of file[0..size) whatever it
 * holds. What was found before something malformed has been given, and *fault, unless it is
 * NULL, says where that is. O(size).
 */
enum kt_sass_status kt_sass_each(const void *file, size_t size, kt_sass_fn *each,
				 void *context, struct kt_sass_fault *fault);

#endif
