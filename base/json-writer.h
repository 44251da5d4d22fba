/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON sequentially, and adds commas, quotes and line breaks. Write errors are
 * detected at the end, by ferror().
 *
 * A compact document is one line without spaces. In any other document a space follows
 * each comma and colon, and lines break where the caller requests it. In a container that
 * is a member, lines are indented to the next even column after the indentation around the
 * container. In a container that is an element, lines are indented by one more column than
 * the container, so that they align with the first key of the container.
 */
#ifndef KTAIL_BASE_JSON_WRITER_H
#define KTAIL_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KT_JSON_DEPTH 9 /* maximum nesting of containers */

struct kt_json_level {
	bool array;
	bool rows;       /* each element is on a line of its own */
	unsigned indent; /* columns by which lines in the container are indented */
};

/* A writer. Initialise with {.out = out}, for a compact document also with .compact = true. */
struct kt_json_writer {
	FILE *out; /* Weak */
	bool compact;
	bool line;      /* the next value or key begins a line */
	bool filled;    /* the innermost container is not empty */
	bool keyed;     /* a key was written, its value is next */
	unsigned depth; /* number of open containers */
	struct kt_json_level levels[KT_JSON_DEPTH + 1];
	unsigned used; /* bytes of buffer not yet written to the stream */
	char buffer[512];
};

/* Begins a document that is not compact: writes "{ " and the member "format". */
struct kt_json_writer kt_json_document(FILE *out, const char *format);

/* Continues a document that is not compact, after a member of its outermost object. */
struct kt_json_writer kt_json_resume(FILE *out);

/*
 * Writes all buffered output to the stream, to which the caller may then write directly. The
 * end of a document flushes too.
 */
void kt_json_flush(struct kt_json_writer *w);

/* Begins a line before the next value, key or end of a container. Returns w. */
struct kt_json_writer *kt_json_line(struct kt_json_writer *w);

/* --- containers; key is NULL for an element, and after kt_json_key() --- */

void kt_json_object(struct kt_json_writer *w, const char *key);
void kt_json_array(struct kt_json_writer *w, const char *key);
/*
 * Begins an array. Each element and the end of the array begin a line of their own; an
 * empty array is written as "[]".
 */
void kt_json_rows(struct kt_json_writer *w, const char *key);
/* Ends the innermost container. The end of a compact document also ends the line. */
void kt_json_end(struct kt_json_writer *w);
/*
 * Ends a document that is not compact. KT_E_IO with the message "WHAT: reason" if this or an
 * earlier write failed.
 */
int kt_json_finish(struct kt_json_writer *w, const char *what);

/* --- values: elements of an array, or values after kt_json_key() --- */

void kt_json_key(struct kt_json_writer *w, const char *key);
void kt_json_text(struct kt_json_writer *w, const char *text);
void kt_json_number(struct kt_json_writer *w, uint64_t number);
void kt_json_bool(struct kt_json_writer *w, bool value);
void kt_json_null(struct kt_json_writer *w);

/* --- members --- */

enum kt_json_kind {
	KT_JSON_NUMBER,
	KT_JSON_SIGNED,
	KT_JSON_HEX, /* a string: "0x2a" */
	KT_JSON_BOOL,
	KT_JSON_TEXT, /* if the text is NULL, the member is omitted */
	KT_JSON_RAW,  /* JSON text, written unchanged */
	KT_JSON_NULL,
};

struct kt_json_member {
	const char *key;
	enum kt_json_kind kind;
	uint64_t number;
	const char *text;
};

#define KT_JSON_MEMBER_(name, as, ...)                                                     \
	{                                                                                  \
		.key = (name), .kind = (as), __VA_ARGS__                                   \
	}
#define KT_U64(name, n)  KT_JSON_MEMBER_(name, KT_JSON_NUMBER, .number = (n))
#define KT_I64(name, n)  KT_JSON_MEMBER_(name, KT_JSON_SIGNED, .number = (uint64_t)(n))
#define KT_HEX(name, n)  KT_JSON_MEMBER_(name, KT_JSON_HEX, .number = (n))
#define KT_BOOL(name, b) KT_JSON_MEMBER_(name, KT_JSON_BOOL, .number = (b))
#define KT_STR(name, t)  KT_JSON_MEMBER_(name, KT_JSON_TEXT, .text = (t))
#define KT_RAW(name, t)  KT_JSON_MEMBER_(name, KT_JSON_RAW, .text = (t))
/* A number if `known`, else null. */
#define KT_KNOWN(name, n, known)                                                           \
	KT_JSON_MEMBER_(name, (known) ? KT_JSON_NUMBER : KT_JSON_NULL, .number = (n))

/* Write members, or an object with these members. A member whose key is NULL ends `members`. */
void kt_json_members(struct kt_json_writer *w, const struct kt_json_member *members);
void kt_json_object_of(struct kt_json_writer *w, const char *key,
		       const struct kt_json_member *members);

/*
 * Writes members of an object, in order: KT_JSON(w, KT_STR("name", name), KT_U64("n", n));
 */
#define KT_JSON(w, ...)                                                                    \
	kt_json_members(w, (const struct kt_json_member[]){__VA_ARGS__, {.key = NULL}})

/* Writes an object. If name is NULL, the object is an element of an array. */
#define KT_OBJECT(w, name, ...)                                                            \
	kt_json_object_of(w, name,                                                         \
			  (const struct kt_json_member[]){__VA_ARGS__, {.key = NULL}})

/*
 * Writes a value formatted like printf(). If key is NULL, the value is an element of an
 * array.
 */
void kt_json_print(struct kt_json_writer *w, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Writes the key unless it is NULL, flushes, and returns the stream, to which the caller then
 * writes the value.
 */
FILE *kt_json_stream(struct kt_json_writer *w, const char *key);

/* Write an array of n values. */
void kt_json_texts(struct kt_json_writer *w, const char *key, char *const *texts, size_t n);
void kt_json_numbers(struct kt_json_writer *w, const char *key, const uint32_t *numbers,
		     size_t n);

#endif
