/* SPDX-License-Identifier: MIT */
/*
 * Reads the lines of a listing of `ktail decode` into the entries and dwords of a script.
 *
 * A line may say a value twice: as the dword at its beginning (with --raw) and by name.
 * What differs from the dword counts, because only that can have been edited. Methods
 * without a header get one.
 */
#ifndef KTAIL_RAW_READ_COMMANDS_H
#define KTAIL_RAW_READ_COMMANDS_H

#include "decode/method-stream.h"
#include "raw/text/read-expression.h"
#include "raw/text/read-names.h"
#include "raw/text/script.h"

/* Data that a header announced and that have not come yet. */
struct kt_raw_pending {
	uint32_t left; /* dwords; 1 for the data in an IMMEDIATE header */
	bool first;
	size_t line;                    /* of the header */
	size_t word;                    /* index of the header */
	struct kt_method_header header; /* `offset` is that of the next method */
};

/* Data that a channel's last segment left to the next one. */
struct kt_raw_carry {
	uint64_t channel; /* handle */
	struct kt_raw_pending pending;
};

struct kt_raw_commands {
	struct kt_raw_script *script; /* Weak */
	bool submitting;              /* the last step is a KT_RAW_SUBMIT to be continued */
	bool in_entry;                /* the last entry takes dwords */
	uint64_t channel;
	struct kt_raw_carry *carries; /* Owned by this */
	size_t n_carries, carries_capacity;
	struct kt_raw_pending pending;
	/* The last method, for lines of fields and for more values. */
	struct {
		bool known;
		bool added_header; /* its header is not in the text */
		uint32_t class_number;
		uint8_t subchannel;
		uint16_t offset;
		size_t header; /* index of the header that was made */
		size_t word;   /* index of its dword; of the header if IMMEDIATE */
		bool immediate;
		bool has_base; /* `base` is the dword at the line's beginning */
		uint32_t base;
		bool has_value; /* the line has a value */
		bool is_address;
		uint32_t value;
	} last;
};

/* A line that begins with doorbell or ring: begins a submission. */
int kt_raw_read_doorbell(struct kt_raw_commands *c, struct kt_raw_line *line);
/* A line that begins with entry. */
int kt_raw_read_entry(struct kt_raw_commands *c, struct kt_raw_line *line);
/* A header, a method or a block of data, with or without index and dword. */
int kt_raw_read_dwords(struct kt_raw_commands *c, struct kt_raw_line *line);
/* NAME = VALUE: a field of the last method. */
int kt_raw_read_field(struct kt_raw_commands *c, struct kt_raw_line *line);
/* Ends a submission, if one is open. */
int kt_raw_end_submission(struct kt_raw_commands *c);

/* --- for the functions above --- */

/* A line with dwords begins: begins an entry if none is open. */
int kt_raw_begin_dwords(struct kt_raw_commands *c, const struct kt_raw_line *line);
/* What follows "PB" in a line; `base` is the dword at the line's beginning. */
int kt_raw_read_header(struct kt_raw_commands *c, struct kt_raw_line *line, bool has_base,
		       uint32_t base);
/* Writes the value of an IMMEDIATE header, the last method, into it. */
int kt_raw_set_immediate(struct kt_raw_commands *c, const struct kt_raw_line *line,
			 const struct kt_token *token, uint32_t value);
/*
 * Applies the number that a line gives for a part of a dword. *now is the part in the dword
 * so far, `was` that in the dword at the line's beginning. Returns false if two edits
 * contradict.
 */
bool kt_raw_edit(bool has_base, uint32_t was, uint32_t given, uint32_t *now);
int kt_raw_add_number(struct kt_raw_script *script, const struct kt_raw_line *line,
		      uint32_t number);
/* Adds a dword of an expression to the script's words. */
int kt_raw_add_word(struct kt_raw_script *script, const struct kt_raw_line *line,
		    const struct kt_token *token, const struct kt_raw_expression *e);

#endif
