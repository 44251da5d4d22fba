/* SPDX-License-Identifier: MIT */
/*
 * What the readers of our JSON formats share.
 *
 * JSON that parses but does not add up has no line any more, so a complaint names the
 * member by its path: "transitions[17].letter: must be ..., not ...". A reader of an object
 * names its member; the reader of the array that the object is in puts the rest in front
 * with kt_json_within(), and the caller that knows the file "read FILE".
 */
#ifndef KTAIL_BASE_JSON_H
#define KTAIL_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Reads one JSON text in which no member is there twice; the caller gives *out back with
 * json_decref(). `name` stands in messages. KT_E_IO, KT_E_MALFORMED.
 */
int kt_json_load(json_t **out, FILE *in, const char *name);

/* --- complaints: all give KT_E_MALFORMED --- */

/* "member: reason"; member "" is the value itself, an element of an array. */
int kt_json_error(const char *member, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "member: must be WHAT, not VALUE", or "is missing, must be WHAT" if value is NULL. */
int kt_json_mismatch(const char *member, const json_t *value, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "key." and "key[i]." in front if code is KT_E_MALFORMED; give code. */
int kt_json_in_member(int code, const char *key);
int kt_json_within(int code, const char *key, size_t i);

/* --- members of an object --- */

/* A number of 0 to limit (which INT64_MAX is the most of). */
int kt_json_get_number(uint64_t *out, const json_t *object, const char *key,
		       uint64_t limit);

/* A string; the caller frees *out. */
int kt_json_get_string(char **out, const json_t *object, const char *key);

int kt_json_get_boolean(bool *out, const json_t *object, const char *key);

/* An array of fewer than UINT32_MAX elements; *out belongs to the object. */
int kt_json_get_array(const json_t **out, const json_t *object, const char *key);

/* Whether it is that very string. */
int kt_json_check_text(const json_t *object, const char *key, const char *text);

/* 32 digits of a hash; *out belongs to the object. */
int kt_json_get_hash(const char **out, const json_t *object, const char *key);

#endif
