/* SPDX-License-Identifier: MIT */
/*
 * A script of `ktail raw` (ktail-raw(1)): commands in the form that `ktail decode` prints,
 * and statements about buffers. Commands are kept as the dwords of segments and the ring
 * entries that point to them.
 */
#ifndef KTAIL_RAW_SCRIPT_H
#define KTAIL_RAW_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_raw_memory {
	KT_RAW_DEVICE = 0, /* device memory */
	KT_RAW_HOST,       /* page-locked host memory */
	KT_RAW_LOW,        /* system memory below 2^40, where QMDs must lie */
};

struct kt_raw_buffer {
	char *name; /* Owned by the script */
	uint64_t bytes;
	enum kt_raw_memory memory;
};

/*
 * A dword that depends on where a buffer lies:
 * dword |= ((address of the buffer + addend) >> shift & mask) << left.
 */
struct kt_raw_fixup {
	size_t word; /* index in the script's words */
	size_t buffer;
	uint64_t addend;
	uint32_t mask;
	uint8_t shift;
	uint8_t left;
	uint32_t column;
	/* the bits of the address that are taken, by this dword or the one with the other
	 * half; an address with others is an error */
	uint64_t taken;
};

/* Where a dword comes from. */
struct kt_raw_origin {
	uint32_t line;
	uint32_t class_number; /* that the line names for the method of this dword; 0: none
				*/
};

/* A ring entry. The entry's address is that of the listing, or 0. */
struct kt_raw_entry {
	uint32_t raw[2];
	size_t line;
	size_t first_word; /* its segment: words [first_word, first_word + n_words) */
	size_t n_words;    /* 0: a control entry */
};

/* Bytes of a buffer. */
struct kt_raw_range {
	size_t buffer;
	uint64_t offset;
};

/* Recorded addresses [address, address + bytes) become those from `to` on. */
struct kt_raw_move {
	uint64_t address;
	uint64_t bytes;
	struct kt_raw_range to;
};

enum kt_raw_kind {
	KT_RAW_SUBMIT, /* entries [first, first + n) are submitted by one doorbell */
	KT_RAW_WAIT,   /* until all submissions are done */
	KT_RAW_SET,    /* words [first, first + n) are stored at `at` */
	KT_RAW_FILL, /* `bytes` at `at` become the dword `first`; n == 0: become 0, 1, 2 ...
		      */
	KT_RAW_PRINT,  /* `bytes` at `at` */
	KT_RAW_EXPECT, /* words [first, first + n) must be at `at` */
	KT_RAW_SAME,   /* `bytes` at `at` must equal those at `other` */
};

struct kt_raw_step {
	enum kt_raw_kind kind;
	size_t line;
	struct kt_raw_range at;
	struct kt_raw_range other;
	uint64_t bytes;
	size_t first;
	size_t n;
};

struct kt_raw_script {
	const char *file;              /* Weak: its name in messages */
	struct kt_raw_buffer *buffers; /* Owned by this, like the other arrays */
	size_t n_buffers, buffers_capacity;
	struct kt_raw_step *steps;
	size_t n_steps, steps_capacity;
	struct kt_raw_entry *entries;
	size_t n_entries, entries_capacity;
	uint32_t *words;
	size_t n_words, words_capacity;
	struct kt_raw_origin *origins; /* of the words */
	size_t origins_capacity;
	struct kt_raw_move *moves;
	size_t n_moves, moves_capacity;
	struct kt_raw_fixup *fixups; /* in ascending order of words */
	size_t n_fixups, fixups_capacity;
};

/*
 * Reads the script text[0..length), named `file` in messages. KT_E_MALFORMED with a message
 * "FILE:LINE:COLUMN: reason", or KT_E_MEMORY. The caller frees *out with
 * kt_raw_script_free(), also on failure. O(length + methods of the classes per line).
 */
int kt_raw_script_read(struct kt_raw_script *out, const char *file, const char *text,
		       size_t length);

void kt_raw_script_free(struct kt_raw_script *script);

/*
 * Completes the words for buffers at the GPU addresses addresses[0..n_buffers). To be
 * called once. KT_E_MALFORMED if an address has bits that are lost, unless the text
 * names the part to take.
 */
int kt_raw_script_resolve(struct kt_raw_script *script, const uint64_t *addresses);

#endif
