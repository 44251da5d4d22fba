/* SPDX-License-Identifier: MIT */
/* Splits the lines of a script into tokens, which blanks separate; `#` begins a comment. */
#ifndef KTAIL_RAW_READ_TOKEN_H
#define KTAIL_RAW_READ_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/nearest.h"

/* A line, and the position of the next token. */
struct kt_raw_line {
	const char *file; /* Weak */
	size_t number;    /* from 1 */
	const char *text; /* Weak; without the newline */
	size_t length;
	size_t at;
};

struct kt_token {
	const char *text; /* Weak: in the line, not terminated */
	size_t length;    /* 0: the line has ended */
	size_t column;    /* from 1 */
};

/* Takes the next token. */
struct kt_token kt_token_take(struct kt_raw_line *line);
/* Returns the next token without taking it. */
struct kt_token kt_token_peek(const struct kt_raw_line *line);
bool kt_token_is(const struct kt_token *token, const char *text);

/* Begins a search for names near to text[0..length). */
static inline struct kt_nearest kt_nearest_begin(const char *text, size_t length)
{
	return (struct kt_nearest){.word = length ? text : NULL, .length = length};
}

/* Parses a whole token: decimal digits, or 0x and hexadecimal digits. */
bool kt_token_number(const struct kt_token *token, uint64_t *out);
/* Parses a token of exactly eight hexadecimal digits without 0x, as a listing has data. */
bool kt_token_data(const struct kt_token *token, uint32_t *out);

/* Fails as kt_token_fail() unless the line has ended. */
int kt_token_end(struct kt_raw_line *line);
/*
 * Returns whether a line, from its first token on, has a form: words, `N` for a number, `W`
 * for any word, and at the end `*` for any rest. Commas and colons after numbers are no
 * part of them.
 */
bool kt_token_form(const struct kt_raw_line *line, const char *form);

/* Sets the message "FILE:LINE:COLUMN: text" and returns KT_E_MALFORMED. */
int kt_token_fail(const struct kt_raw_line *line, const struct kt_token *token,
		  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* For a token in printf(): "%.*s". At most 60 bytes. */
#define KT_TOKEN(token) (int)((token)->length < 60 ? (token)->length : 60), (token)->text

#endif
