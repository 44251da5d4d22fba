/* SPDX-License-Identifier: MIT */
/*
 * Which functions of the APIs are traced (ktail record --api-calls). Calls of the others
 * are only counted.
 */
#ifndef KTAIL_COLLECT_API_CHOICE_H
#define KTAIL_COLLECT_API_CHOICE_H

#include <stdbool.h>

#include "decode/api-functions.h"

/*
 * Sets the choice, once, at start: a value of KT_API_CALLS_VARIABLE, which is copied. NULL,
 * "" and values of KT_API_CALLS_TEXT bytes or more choose "work". Returns false for a value
 * that ktail record refuses; a name that is not in the tables chooses nothing.
 */
bool kt_api_choose(const char *value);

/* The value that was set; static. */
const char *kt_api_choice(void);

/*
 * Returns whether calls of the function `name` are traced. `known` is its row in the
 * tables, NULL if it has none. O(length of the choice). Signal-safe.
 */
bool kt_api_is_chosen(const char *name, const struct kt_api_function *known);

#endif
