/* SPDX-License-Identifier: MIT */
/* Finds the row of a symbol, slowly. */
#ifndef KTAIL_TESTS_API_ORACLE_H
#define KTAIL_TESTS_API_ORACLE_H

#include "decode/api-functions.h"

/* Like kt_api_function_find(); name has 200 characters at most. O(rows * length). */
const struct kt_api_function *api_oracle_find(const char *name);

#endif
