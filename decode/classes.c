/* SPDX-License-Identifier: MIT */
#include "decode/classes.h"

#include <stddef.h>

static const struct kt_class classes[] = {
#include "decode/classes.inc"
};

const struct kt_class *kt_class_find(uint32_t number)
{
	size_t lo = 0;
	size_t hi = sizeof(classes) / sizeof(classes[0]);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (classes[mid].number == number) {
			return &classes[mid];
		}
		if (classes[mid].number < number) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return NULL;
}

const struct kt_class *kt_class_at(size_t i)
{
	return i < sizeof(classes) / sizeof(classes[0]) ? &classes[i] : NULL;
}

const char *kt_class_space(uint32_t number, char buffer[static 12])
{
	const struct kt_class *class = kt_class_find(number);
	char *end = buffer + 11;

	if (number == 0) {
		return "other";
	}
	if (class && class->space) {
		return class->space;
	}
	/* No stdio: this also runs in signal handlers. */
	*end = '\0';
	do {
		*--end = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	*--end = 'x';
	*--end = '0';
	return end;
}
