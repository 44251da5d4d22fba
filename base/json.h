/* SPDX-License-Identifier: MIT */
/*
 * Helpers for readers and writers of the project's JSON formats.
 *
 * Parsed JSON has no line numbers, so errors name a member by its path:
 * "transitions[17].letter: must be ..., not ...". The reader of an object names the member,
 * the reader of the enclosing array prepends "transitions[17]" with kt_json_within(), and
 * the caller that knows the file prepends "read FILE".
 */
#ifndef KTAIL_BASE_JSON_H
#define KTAIL_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Reads one JSON text. The caller releases *out with json_decref(). `name` is used in
 * messages. KT_E_IO, KT_E_MALFORMED; duplicate members are malformed.
 */
int kt_json_load(json_t **out, FILE *in, const char *name);

/* --- errors --- */

/*
 * Sets the message "member: reason" and returns KT_E_MALFORMED. member is "" for an
 * element of an array.
 */
int kt_json_error(const char *member, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Sets the message "member: must be WHAT, not VALUE", or "member: is missing, must be
 * WHAT" if value is NULL. Returns KT_E_MALFORMED.
 */
int kt_json_mismatch(const char *member, const json_t *value, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* Prepend "key." or "key[i]." to the message if code is KT_E_MALFORMED; return code. */
int kt_json_in_member(int code, const char *key);
int kt_json_within(int code, const char *key, size_t i);

/* --- members of an object: KT_E_MALFORMED if missing or of another type --- */

/* Gets a number from 0 to limit, which is at most INT64_MAX. */
int kt_json_get_number(uint64_t *out, const json_t *object, const char *key,
		       uint64_t limit);

/* Gets a copy of a string; the caller frees *out. KT_E_MEMORY. */
int kt_json_get_string(char **out, const json_t *object, const char *key);

int kt_json_get_boolean(bool *out, const json_t *object, const char *key);

/* Gets an array of fewer than UINT32_MAX elements; *out belongs to the object. */
int kt_json_get_array(const json_t **out, const json_t *object, const char *key);

/* Checks that the member is the string `text`. */
int kt_json_check_text(const json_t *object, const char *key, const char *text);

/* Gets a hash of 32 lower-case hex digits; *out belongs to the object. */
int kt_json_get_hash(const char **out, const json_t *object, const char *key);

/* --- building --- */

/* Returns an integer with the value n, at most INT64_MAX; NULL if memory is exhausted. */
json_t *kt_json_integer(uint64_t n);

/* Takes over the reference to `value`. Returns false if memory is exhausted. */
bool kt_json_append(json_t *array, json_t *value);

/*
 * Returns `value` if `whole` is true, that is, nothing failed while `value` was built. If
 * `whole` is false, releases `value` and returns NULL.
 */
json_t *kt_json_if_whole(json_t *value, bool whole);

#endif
