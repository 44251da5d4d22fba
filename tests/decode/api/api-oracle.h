/* SPDX-License-Identifier: MIT */
/* Finds the table row of an API symbol by comparing it with all rows. */
#ifndef KTAIL_TESTS_API_ORACLE_H
#define KTAIL_TESTS_API_ORACLE_H

#include "decode/api-functions.h"

/*
 * Does the same as kt_api_function_find(), in O(rows * length); a name has at most 200
 * characters.
 */
const struct kt_api_function *api_oracle_find(const char *name);

#endif
