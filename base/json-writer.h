/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON as it comes: commas, quotes and lines are the writer's, what there is to say
 * the caller's. A stream that failed is seen at the end, by ferror().
 *
 * A compact document is a line without spaces. The other layout has a space after commas
 * and colons, and lines where the caller asks for them: indented by two for each container
 * that is a member, by one for one that is an element, to stand right of its bracket.
 */
#ifndef KTAIL_BASE_JSON_WRITER_H
#define KTAIL_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KT_JSON_DEPTH 8 /* containers within each other, at most */

struct kt_json_level {
	bool array;
	bool rows;       /* each element on a line of its own */
	unsigned indent; /* of a line in it */
};

/* Begins as {.out = out}, with .compact or without. */
struct kt_json_writer {
	FILE *out; /* Weak */
	bool compact;
	bool line;      /* what comes next begins one */
	bool filled;    /* the innermost container is not empty */
	bool keyed;     /* a key waits for its value */
	unsigned depth; /* of levels that are open */
	struct kt_json_level levels[KT_JSON_DEPTH + 1];
	unsigned used; /* of buffer: not in the stream yet */
	char buffer[512];
};

/* Begins a document that is not compact: "{ " and what format it has. */
struct kt_json_writer kt_json_document(FILE *out, const char *format);

/* Goes on in a document's outermost object, after a member. */
struct kt_json_writer kt_json_resume(FILE *out);

/*
 * Gives the stream all that was said, as the end of a document does: the stream may be
 * written to by others then.
 */
void kt_json_flush(struct kt_json_writer *w);

/* What comes next, if only the end of a container, begins a line. Gives w. */
struct kt_json_writer *kt_json_line(struct kt_json_writer *w);

/* --- containers; key NULL: an element, or behind kt_json_key() --- */

void kt_json_object(struct kt_json_writer *w, const char *key);
void kt_json_array(struct kt_json_writer *w, const char *key);
/* An array whose elements have a line each, as has its end if there are any. */
void kt_json_rows(struct kt_json_writer *w, const char *key);
/* Ends the innermost one, and the line with it if it is a compact document. */
void kt_json_end(struct kt_json_writer *w);
/* Ends a document that is not compact. KT_E_IO, also of what was written before. */
int kt_json_finish(struct kt_json_writer *w, const char *what);

/* --- values: elements, or behind kt_json_key() --- */

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
	KT_JSON_RAW,  /* JSON, written as it is */
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
/* A number, or null. */
#define KT_KNOWN(name, n, known)                                                           \
	KT_JSON_MEMBER_(name, (known) ? KT_JSON_NUMBER : KT_JSON_NULL, .number = (n))

/* Those up to one without a key. */
void kt_json_members(struct kt_json_writer *w, const struct kt_json_member *members);
void kt_json_object_of(struct kt_json_writer *w, const char *key,
		       const struct kt_json_member *members);

/* Members of an object, in order: KT_JSON(w, KT_STR("name", name), KT_U64("n", n)); */
#define KT_JSON(w, ...)                                                                    \
	kt_json_members(w, (const struct kt_json_member[]){__VA_ARGS__, {.key = NULL}})

/* A whole object, key NULL: an element. */
#define KT_OBJECT(w, name, ...)                                                            \
	kt_json_object_of(w, name,                                                         \
			  (const struct kt_json_member[]){__VA_ARGS__, {.key = NULL}})

/* A value that is written as printf() does; key NULL: an element. */
void kt_json_print(struct kt_json_writer *w, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The stream, to which the caller writes the value of that member. */
FILE *kt_json_stream(struct kt_json_writer *w, const char *key);

/* Arrays. */
void kt_json_texts(struct kt_json_writer *w, const char *key, char *const *texts, size_t n);
void kt_json_numbers(struct kt_json_writer *w, const char *key, const uint32_t *numbers,
		     size_t n);

#endif
