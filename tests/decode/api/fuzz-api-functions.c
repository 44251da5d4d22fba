/* SPDX-License-Identifier: MIT */
/*
 * Looks up any text as the name of a function: the lookup agrees with a slow oracle, and
 * arguments are read within bounds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/decode/api/api-oracle.h"

#define LONGEST 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t words[KT_API_ARGUMENTS] = {1, 2, 3, 4, 5, 6};
	uint64_t arguments[KT_API_ARGUMENTS] = {0};
	char name[LONGEST + 1] = "";
	const struct kt_api_function *function;
	uint64_t bytes;

	memcpy(name, data, size < LONGEST ? size : LONGEST);
	function = kt_api_function_find(name);
	if (function != api_oracle_find(name) ||
	    kt_api_arguments_of_registers(arguments, function, words) > KT_API_ARGUMENTS ||
	    (kt_api_bytes(&bytes, function, arguments, size % 7) && !function)) {
		abort();
	}
	return 0;
}
