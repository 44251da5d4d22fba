/* SPDX-License-Identifier: MIT */
/* What the readers of our JSON formats share. */
#ifndef KTAIL_BASE_JSON_H
#define KTAIL_BASE_JSON_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Reads one JSON text in which no member is there twice; the caller gives *out back with
 * json_decref(). `name` stands in messages. KT_E_IO, KT_E_MALFORMED.
 */
int kt_json_load(json_t **out, FILE *in, const char *name);

/* The member of an object, a number of 0 to limit (which INT64_MAX is the most of). */
int kt_json_get_number(uint64_t *out, const json_t *object, const char *key,
		       uint64_t limit);

/* The member of an object, a string; the caller frees *out. */
int kt_json_get_string(char **out, const json_t *object, const char *key);

#endif
