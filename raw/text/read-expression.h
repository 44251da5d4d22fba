/* SPDX-License-Identifier: MIT */
/*
 * Reads values in a script: a number, or an address in a buffer, of which a dword takes a
 * part: 0x182   $a   $a+16   lo($a)   hi($a+16)   $a>>8   $a>>38&0x3ff|0x40000
 */
#ifndef KTAIL_RAW_READ_EXPRESSION_H
#define KTAIL_RAW_READ_EXPRESSION_H

#include "raw/text/read-token.h"
#include "raw/text/script.h"

struct kt_raw_expression {
	bool is_address;
	bool whole;      /* an address of which no part is named */
	uint64_t number; /* a number, or the bits to add to a part of an address */
	size_t buffer;
	uint64_t addend;
	uint8_t shift;
	uint32_t mask;
	uint64_t taken; /* as in struct kt_raw_fixup */
};

/* KT_E_MALFORMED with a message. O(buffers). */
int kt_raw_expression(const struct kt_raw_script *script, const struct kt_raw_line *line,
		      const struct kt_token *token, struct kt_raw_expression *out);

/* Reads a whole address, $NAME or $NAME+NUMBER, that lies in the buffer. */
int kt_raw_range(const struct kt_raw_script *script, const struct kt_raw_line *line,
		 const struct kt_token *token, struct kt_raw_range *out);

#endif
