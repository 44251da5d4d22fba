/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_JSON_STRING_H
#define KTAIL_BASE_JSON_STRING_H

#include <stdio.h>

/*
 * Writes text as a JSON string, quotes included. Names of files may hold any bytes: what is
 * no UTF-8 becomes U+FFFD.
 */
void kt_json_string(FILE *out, const char *text);

#endif
