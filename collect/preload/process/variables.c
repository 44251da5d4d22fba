/* SPDX-License-Identifier: MIT */
#include "collect/preload/process/variables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "collect/preload/process/counters.h"

/* Appends text to the first wrong value; other than ASCII it gets '?', for terminals. */
static size_t append(size_t at, const char *text)
{
	for (; *text && at + 1 < sizeof(kt_counters->wrong_variable); text++) {
		kt_counters->wrong_variable[at++] =
			*text >= ' ' && *text <= '~' ? *text : '?';
	}
	return at;
}

void kt_variable_refuse(const char *variable, const char *value)
{
	if (atomic_fetch_add(&kt_counters->wrong_variables, 1) == 0) {
		kt_counters
			->wrong_variable[append(append(append(0, variable), "="), value)] =
			'\0';
	}
}

const char *kt_variable(const char *variable)
{
	const char *value = getenv(variable);

	return value && value[0] ? value : NULL;
}

unsigned kt_variable_choose(const char *variable, const char *const *names, unsigned n,
			    unsigned usual)
{
	const char *value = kt_variable(variable);

	for (unsigned i = 0; value && i < n; i++) {
		if (strcmp(value, names[i]) == 0) {
			return i;
		}
	}
	if (value) {
		kt_variable_refuse(variable, value);
	}
	return usual;
}

uint64_t kt_variable_number(const char *variable, uint64_t lo, uint64_t hi, uint64_t usual)
{
	const char *value = kt_variable(variable);
	const char *c = value;
	uint64_t n = 0;

	if (!value) {
		return usual;
	}
	for (; *c >= '0' && *c <= '9' && n <= (UINT64_MAX - 9) / 10; c++) {
		n = 10 * n + (uint64_t)(*c - '0');
	}
	if (*c || n < lo || n > hi) {
		kt_variable_refuse(variable, value);
		return usual;
	}
	return n;
}
