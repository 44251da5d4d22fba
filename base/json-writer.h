/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON sequentially: the writer adds commas, quotes and line breaks. A failed stream
 * is detected at the end, with ferror().
 *
 * A compact document is a line without spaces. In the other layout a space follows each
 * comma and colon, and lines break where the caller requests it. A new line is indented by
 * two columns for each enclosing container that is a member, and by one for each that is an
 * element, so that it aligns with the element's bracket.
 */
#ifndef KTAIL_BASE_JSON_WRITER_H
#define KTAIL_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KT_JSON_DEPTH 8 /* maximum nesting of containers */

struct kt_json_level {
	bool array;
	bool rows;       /* each element is on a line of its own */
	unsigned indent; /* indentation of its lines */
};

/* A writer; initialise with {.out = out}, and .compact for a compact document. */
struct kt_json_writer {
	FILE *out; /* Weak */
	bool compact;
	bool line;      /* the next value or key begins a line */
	bool filled;    /* the innermost container is not empty */
	bool keyed;     /* a key was written, its value is next */
	unsigned depth; /* number of open levels */
	struct kt_json_level levels[KT_JSON_DEPTH + 1];
	unsigned used; /* bytes of buffer not yet written to the stream */
	char buffer[512];
};

/* Begins a document that is not compact: "{ " and its format. */
struct kt_json_writer kt_json_document(FILE *out, const char *format);

/* Continues the outermost object of a document, after a member. */
struct kt_json_writer kt_json_resume(FILE *out);

/*
 * Writes all buffered output to the stream, as the end of a document does. The stream may
 * then be written to directly.
 */
void kt_json_flush(struct kt_json_writer *w);

/* Begins a line before the next value, key or end of a container. Returns w. */
struct kt_json_writer *kt_json_line(struct kt_json_writer *w);

/* --- containers; key is NULL for an element, and after kt_json_key() --- */

void kt_json_object(struct kt_json_writer *w, const char *key);
void kt_json_array(struct kt_json_writer *w, const char *key);
/* Begins an array: each element is on a line of its own, and so is the end of the array
 * unless it is empty. */
void kt_json_rows(struct kt_json_writer *w, const char *key);
/* Ends the innermost container. The end of a compact document also ends the line. */
void kt_json_end(struct kt_json_writer *w);
/* Ends a document that is not compact. KT_E_IO if this or an earlier write failed. */
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
	KT_JSON_TEXT, /* NULL: no member */
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
/* A number, or null if not known. */
#define KT_KNOWN(name, n, known)                                                           \
	KT_JSON_MEMBER_(name, (known) ? KT_JSON_NUMBER : KT_JSON_NULL, .number = (n))

/* Writes the members before the first one without a key. */
void kt_json_members(struct kt_json_writer *w, const struct kt_json_member *members);
void kt_json_object_of(struct kt_json_writer *w, const char *key,
		       const struct kt_json_member *members);

/*
 * Writes members of an object, in order: KT_JSON(w, KT_STR("name", name), KT_U64("n", n));
 */
#define KT_JSON(w, ...)                                                                    \
	kt_json_members(w, (const struct kt_json_member[]){__VA_ARGS__, {.key = NULL}})

/* Writes an object; name NULL: an element. */
#define KT_OBJECT(w, name, ...)                                                            \
	kt_json_object_of(w, name,                                                         \
			  (const struct kt_json_member[]){__VA_ARGS__, {.key = NULL}})

/* Writes a value formatted like printf(); key NULL: an element. */
void kt_json_print(struct kt_json_writer *w, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Writes the key, if any, and returns the stream, to which the caller then writes the
 * value.
 */
FILE *kt_json_stream(struct kt_json_writer *w, const char *key);

/* Write arrays. */
void kt_json_texts(struct kt_json_writer *w, const char *key, char *const *texts, size_t n);
void kt_json_numbers(struct kt_json_writer *w, const char *key, const uint32_t *numbers,
		     size_t n);

#endif
