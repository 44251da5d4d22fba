/* SPDX-License-Identifier: MIT */
/*
 * Encodes input of the decoder for tests: headers and data of methods by name, from the
 * tables (method-tables.h), and ring entries. It shares no code with the decoder: shifts
 * are written out as in NVIDIA's class headers.
 */
#ifndef KTAIL_TESTS_ENCODE_H
#define KTAIL_TESTS_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/decode/methods/method-tables.h"

/*
 * How the dwords after a header are distributed over offsets; values as in NVIDIA's
 * headers.
 */
enum kt_form {
	KT_FORM_OLD_INC = 0,
	KT_FORM_INC = 1,
	KT_FORM_OLD_NON = 2,
	KT_FORM_NON = 3,
	KT_FORM_IMMEDIATE = 4, /* the count is the data */
	KT_FORM_ONCE = 5,
	KT_FORM_END = 7,
};

/* Old forms have 11 bits for the count, the others 13. */
#define KT_FORM_OLD_MOST 0x7ffu
#define KT_FORM_MOST     0x1fffu

struct kt_encoder {
	uint32_t *words; /* Owned by this */
	size_t n;
	size_t capacity;
};

void kt_encoder_free(struct kt_encoder *encoder);
/* The functions below abort if there is no memory. */
void kt_encode_word(struct kt_encoder *encoder, uint32_t word);
void kt_encode_header(struct kt_encoder *encoder, enum kt_form form, unsigned subchannel,
		      uint32_t offset, uint32_t count);

/*
 * Finds the offset of a class's method by "NAME", "NAME(3)" for element 3 of an array, or a
 * number for a method without a name. Returns false if there is none.
 */
bool kt_encode_method(const struct kt_table *table, uint32_t class_, const char *text,
		      uint32_t *offset);

/*
 * Returns the name of the class's method at an offset, without the number of an element;
 * NULL if there is none.
 */
const char *kt_encode_name(const struct kt_table *table, uint32_t class_, uint32_t offset);

/*
 * Encodes a dword of data: a number, or "FIELD=VALUE,FIELD=VALUE..." of that method, where
 * VALUE is a number or a name. Returns false if there is no such field or value, or if the
 * number is too wide.
 */
bool kt_encode_value(const struct kt_table *table, uint32_t class_, const char *method,
		     const char *text, uint32_t *value);

struct kt_ring_flags {
	bool subroutine;
	bool wait;
	bool conditional;
};

/* Encode a ring entry that points to a segment, and a control entry. */
void kt_encode_entry(uint32_t out[2], uint64_t address, uint32_t words,
		     struct kt_ring_flags flags);
void kt_encode_control(uint32_t out[2], unsigned opcode, uint32_t operand);

#endif
