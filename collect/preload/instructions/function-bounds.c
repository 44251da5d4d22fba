/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/trampoline.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Pointer encodings (DW_EH_PE_*) that linkers write. */
#define PC_RELATIVE_32    0x1b
#define TABLE_RELATIVE_32 0x3b
#define COUNT_32          0x03
#define POINTER_64        0x00
#define SIZE_MASK         0x0f /* bits of an encoding that give the pointer's size */
#define LONG_FORM         0xffffffffu

struct header {
	uint8_t version; /* must be 1 */
	uint8_t frame_encoding;
	uint8_t count_encoding;
	uint8_t table_encoding;
	int32_t frame;
	uint32_t count;
	struct {
		int32_t start;
		int32_t entry; /* `start` and `entry` are relative to the header */
	} table[];
};

/* NULL with older versions of libc, which lack the function: then all lookups fail. */
extern int _dl_find_object(void *address, struct dl_find_object *result)
	__attribute__((weak));

static uint32_t read_32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t read_number(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

/*
 * Returns the pointer encoding of function addresses in the entries (FDEs) that refer to
 * this common entry (CIE), or -1 if the encoding is unknown.
 */
static int function_encoding(const uint8_t *common)
{
	const char *letters = (const char *)common + 9; /* after length, CIE id, version */
	const uint8_t *at = (const uint8_t *)letters + strlen(letters) + 1;
	uint8_t version = common[8];

	if (letters[0] != 'z') {
		return letters[0] == '\0' ? POINTER_64 : -1;
	}
	read_number(&at); /* code alignment, then data alignment */
	read_number(&at);
	if (version == 1) {
		at++;
	} else {
		read_number(&at);
	}
	read_number(&at); /* length of the augmentation data */
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R': return *at;
		case 'L': at++; break;
		case 'P':
			if ((*at & SIZE_MASK) != (PC_RELATIVE_32 & SIZE_MASK)) {
				return -1;
			}
			at += 5;
			break;
		case 'S':
		case 'B': break;
		default: return -1;
		}
	}
	return POINTER_64;
}

bool kt_function_bounds(uintptr_t ip, uintptr_t *start, uintptr_t *end)
{
	struct dl_find_object object;
	const uint8_t *entry;
	const struct header *h;
	uint32_t back;
	uint32_t i = 0; /* in the end: index of the first function that begins above ip */
	uint32_t hi;
	uintptr_t length;
	uintptr_t lo;

	*start = 0;
	*end = 0;
	if (!_dl_find_object || _dl_find_object((void *)ip, &object) != 0 ||
	    !object.dlfo_eh_frame) {
		return false;
	}
	h = object.dlfo_eh_frame;
	if (h->version != 1 || h->frame_encoding != PC_RELATIVE_32 ||
	    h->count_encoding != COUNT_32 || h->table_encoding != TABLE_RELATIVE_32) {
		return false;
	}
	hi = h->count;
	while (i < hi) {
		uint32_t mid = i + (hi - i) / 2;

		if ((uintptr_t)h + (uintptr_t)h->table[mid].start <= ip) {
			i = mid + 1;
		} else {
			hi = mid;
		}
	}
	if (i == 0) {
		return false;
	}
	lo = (uintptr_t)h + (uintptr_t)h->table[i - 1].start;
	entry = (const uint8_t *)h + h->table[i - 1].entry;
	back = read_32(entry + 4);
	if (read_32(entry) == LONG_FORM || back == 0 ||
	    function_encoding(entry + 4 - back) != PC_RELATIVE_32 ||
	    (uintptr_t)(entry + 8) + (uintptr_t)(int32_t)read_32(entry + 8) != lo) {
		return false; /* an encoding that this code cannot read */
	}
	length = read_32(entry + 12);
	if (ip - lo >= length) {
		return false;
	}
	*start = lo;
	*end = lo + length;
	return true;
}
