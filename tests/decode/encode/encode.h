/* SPDX-License-Identifier: MIT */
/*
 * Writes what the decoder reads: headers and data of methods, ring entries, by name from
 * the tables (method-tables.h). It shares no code with the decoder: shifts are written out
 * as NVIDIA's class headers have them. For tests.
 */
#ifndef KTAIL_TESTS_ENCODE_H
#define KTAIL_TESTS_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/decode/methods/method-tables.h"

/* How a header deals its words out; the numbers are the header's own. */
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
/* These abort if there is no memory. */
void kt_encode_word(struct kt_encoder *encoder, uint32_t word);
void kt_encode_header(struct kt_encoder *encoder, enum kt_form form, unsigned subchannel,
		      uint32_t offset, uint32_t count);

/*
 * The offset of a method of a class: "NAME", "NAME(3)" of an array, or a number for one
 * that has no name. false: there is none.
 */
bool kt_encode_method(const struct kt_table *table, uint32_t class_, const char *text,
		      uint32_t *offset);

/* The name of the class's method at an offset, without an element's number; or NULL. */
const char *kt_encode_name(const struct kt_table *table, uint32_t class_, uint32_t offset);

/*
 * A word of data: a number, or "FIELD=VALUE,FIELD=VALUE..." of that method, VALUE a number
 * or a name. false: it has no such field or value, or the number is too wide.
 */
bool kt_encode_value(const struct kt_table *table, uint32_t class_, const char *method,
		     const char *text, uint32_t *value);

struct kt_ring_flags {
	bool subroutine;
	bool wait;
	bool conditional;
};

/* An entry that names a segment, and one that does not. */
void kt_encode_entry(uint32_t out[2], uint64_t address, uint32_t words,
		     struct kt_ring_flags flags);
void kt_encode_control(uint32_t out[2], unsigned opcode, uint32_t operand);

#endif
