/* SPDX-License-Identifier: MIT */
/*
 * Decodes instructions of a GPU program (SASS) and how the compiler scheduled them. From
 * Volta on, an instruction has 16 bytes, little-endian. Its bits 125:105 (struct
 * kt_sass_control) determine when it can issue and what later instructions have to wait
 * for.
 *
 * Sources: Z. Jia, M. Maggioni, B. Staiger, D. P. Scarpazza, "Dissecting the NVIDIA Volta
 * GPU Architecture via Microbenchmarking", arXiv:1804.06826, 2018 (fields, their order and
 * meaning); CuAssembler, CuAsm/CuSMVersion.py (bit 105, 7.x and 8.x; "Y" for a clear bit
 * 109); Mesa, src/nouveau/compiler/nak/sm70_encode.rs (the same positions). Allocates
 * nothing.
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
	 * True if bit 109 is clear: the scheduler prefers another warp next, at the cost of
	 * a cycle and of the operands kept for reuse. False: it prefers this warp.
	 */
	bool yield;
	/* Bits 112:110: barrier released when the result is written. */
	uint8_t write_barrier;
	/* Bits 115:113: barrier released when the operands have been read. */
	uint8_t read_barrier;
	uint8_t wait_mask; /* bits 121:116: barriers to wait for; bit 116: barrier 0 */
	uint8_t reuse;     /* bits 125:122: operand slots kept for reuse; bit 122: slot 0 */
};

void kt_sass_control_decode(struct kt_sass_control *out,
			    const uint8_t bytes[static KT_SASS_BYTES]);

/*
 * Formats the control bits like CuAssembler: "R---:B0-----:R-:W2:Y:S05" means reuse slot 0,
 * wait for barrier 0, no read barrier, write barrier 2, yield, 5 cycles.
 */
#define KT_SASS_CONTROL_TEXT 25 /* including the NUL */
void kt_sass_control_text(char text[static KT_SASS_CONTROL_TEXT],
			  const struct kt_sass_control *control);

struct kt_sass_instruction {
	unsigned sm;          /* compute capability: 90 for 9.0 */
	const char *function; /* name of the section after ".text.", in the file's memory */
	uint64_t offset;      /* bytes from the beginning of the function */
	const uint8_t *bytes; /* KT_SASS_BYTES bytes, in the file's memory */
	struct kt_sass_control control;
};

/* Called for each instruction; returns true to continue. */
typedef bool kt_sass_fn(void *context, const struct kt_sass_instruction *instruction);

enum kt_sass_status {
	KT_SASS_OK = 0,
	KT_SASS_NO_CUBIN,  /* not a 64-bit little-endian ELF file for CUDA */
	KT_SASS_OLD,       /* for a GPU older than Volta */
	KT_SASS_MALFORMED, /* a table or section is wrong, for example outside the file */
	KT_SASS_STATUSES,
};
/* Returns a phrase such as "for a GPU older than Volta". */
const char *kt_sass_status_text(enum kt_sass_status status);

/* The position and kind of an error in a file. */
struct kt_sass_fault {
	const char *what; /* static, such as "is not within the file" */
	uint64_t section; /* the section whose table entry or contents are wrong */
	uint64_t offset;  /* bytes from the beginning of the file */
};

/*
 * Calls `each` for all instructions in the sections .text.* of a cubin in memory, in order
 * of the section table. Never reads outside file[0..size). If the file is malformed, *fault
 * (unless `fault` is NULL) describes the error; the instructions before the error have then
 * been reported. O(size).
 */
enum kt_sass_status kt_sass_each(const void *file, size_t size, kt_sass_fn *each,
				 void *context, struct kt_sass_fault *fault);

#endif
