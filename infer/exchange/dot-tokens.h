/* SPDX-License-Identifier: MIT */
/* The tokens of the DOT language (Graphviz: "DOT Language"). */
#ifndef KTAIL_EXCHANGE_DOT_TOKENS_H
#define KTAIL_EXCHANGE_DOT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kt_dot_kind {
	KT_DOT_END = 0,
	KT_DOT_ID,    /* a name, a number, a string */
	KT_DOT_ARROW, /* -> */
	KT_DOT_LINE,  /* -- */
	KT_DOT_MARK,  /* one of { } [ ] = ; , : + */
};

struct kt_dot_token {
	enum kt_dot_kind kind;
	char mark;
	bool quoted;      /* a string or HTML: never a keyword */
	const char *text; /* of an ID: valid until the next token */
	size_t length;
};

struct kt_dot_lexer {
	const char *at; /* Weak */
	const char *end;
	uint64_t line;
	char *string; /* Owned by this: the string found last */
	size_t string_capacity;
};

/*
 * The next token. In a string, \" becomes ", a backslash before the end of a line vanishes
 * with it; other backslashes stay. KT_E_MALFORMED without the line.
 */
int kt_dot_next(struct kt_dot_lexer *lexer, struct kt_dot_token *out);

#endif
