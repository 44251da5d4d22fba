/* SPDX-License-Identifier: MIT */
/* What the parts of the parser of driver.points share: the line at hand, and what is open.
 */
#ifndef KTAIL_SOFTGPU_POINTS_PARSER_H
#define KTAIL_SOFTGPU_POINTS_PARSER_H

#include "corpus/softgpu/truth/points.h"

#define KT_PARSER_TOKENS 16
#define KT_PARSER_LINE   256

struct kt_parser {
	struct kt_points *points; /* Weak */
	size_t line;
	const char *tokens[KT_PARSER_TOKENS]; /* of the line, in `text` */
	size_t n;
	char text[KT_PARSER_LINE];
	struct kt_procedure *procedure;                 /* Weak; that is open, or NULL */
	struct kt_statement *open[KT_POINTS_MAX_DEPTH]; /* Weak; with braces */
	size_t depth;
};

/* --- points-words.c: KT_E_MALFORMED with file and line; the words of a line --- */

int kt_parser_malformed(const struct kt_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int kt_parser_duplicate(char **out, const char *text);

/* Divides a line into words; what is behind a '#' is a comment. */
int kt_parser_split(struct kt_parser *p, const char *text, size_t length);
/* Whether word i of the line is that. */
bool kt_parser_is(const struct kt_parser *p, size_t i, const char *word);
bool kt_parser_is_made_of(const char *text, const char *characters);
bool kt_parser_is_space(const char *text);   /* "sys", "0x2080" */
bool kt_parser_is_request(const char *text); /* "0x2b", "uvm:0x49" */
int kt_parser_expect_words(const struct kt_parser *p, size_t n, const char *form);
int kt_parser_expect_name(const struct kt_parser *p, const char *name);

/* --- points-declarations.c --- */

int kt_parser_read_memory(struct kt_parser *p);
int kt_parser_read_setting(struct kt_parser *p);
int kt_parser_read_procedure(struct kt_parser *p);
int kt_parser_find_memory(const struct kt_points *points, const char *name, uint32_t *out);
int kt_parser_find_procedure(const struct kt_points *points, const char *name,
			     uint32_t *out);

/* --- points-statements.c --- */

int kt_parser_read_ioctl(struct kt_parser *p);
int kt_parser_read_map(struct kt_parser *p); /* and unmap */
int kt_parser_read_doorbell(struct kt_parser *p);
int kt_parser_read_access(struct kt_parser *p); /* read, write */
int kt_parser_read_call(struct kt_parser *p);
int kt_parser_read_maybe(struct kt_parser *p);
int kt_parser_read_repeat(struct kt_parser *p);
int kt_parser_read_some(struct kt_parser *p);
int kt_parser_read_choose(struct kt_parser *p);
int kt_parser_read_when(struct kt_parser *p);
int kt_parser_read_close(struct kt_parser *p); /* "}" and "} or {" */

#endif
