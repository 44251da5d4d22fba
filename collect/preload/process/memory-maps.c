/* SPDX-License-Identifier: MIT */
/* Reads the protection of address ranges from /proc/self/maps. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#define SHARED 0x100 /* flag of a shared mapping, combined with PROT_* */

struct maps_reader {
	int fd;
	size_t at;
	size_t n;
	char buffer[1024];
};

static int next_char(struct maps_reader *r)
{
	if (r->at == r->n) {
		long n = KT_KERNEL(SYS_read, r->fd, r->buffer, sizeof(r->buffer));

		r->at = 0;
		r->n = n > 0 ? (size_t)n : 0;
	}
	return r->at < r->n ? (unsigned char)r->buffer[r->at++] : -1;
}

static int read_address(struct maps_reader *r, uintptr_t *value)
{
	int c;

	*value = 0;
	while ((c = next_char(r)) >= 0 && c != '-' && c != ' ') {
		*value = *value * 16 + (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return c;
}

/*
 * Returns those bits of `cares_for` that the range has: PROT_* and, for a shared mapping,
 * SHARED. Returns -1 if the bits vary within the range or cannot be read, or if a part of
 * the range is unmapped.
 */
static int read_protection(uintptr_t start, size_t length, int cares_for)
{
	struct maps_reader reader = {.fd = (int)KT_KERNEL_TRY(SYS_open, "/proc/self/maps",
							      O_RDONLY | O_CLOEXEC)};
	uintptr_t reached = start;
	uintptr_t lo;
	uintptr_t hi;
	int found = -1;
	int protection;
	int c;

	if (reader.fd < 0) {
		return -1;
	}
	while (reached < start + length) {
		/* Reads one line, "start-end rwxp ...". */
		if (read_address(&reader, &lo) < 0 || read_address(&reader, &hi) < 0) {
			break;
		}
		protection = PROT_NONE;
		while ((c = next_char(&reader)) >= 0 && c != ' ') {
			protection |= c == 'r'   ? PROT_READ
				      : c == 'w' ? PROT_WRITE
				      : c == 'x' ? PROT_EXEC
				      : c == 's' ? SHARED
						 : 0;
		}
		while (c >= 0 && c != '\n') {
			c = next_char(&reader);
		}
		if (hi <= reached) {
			continue;
		}
		protection &= cares_for;
		if (lo > reached || (found >= 0 && protection != found)) {
			found = -1;
			break;
		}
		found = protection;
		reached = hi;
	}
	KT_KERNEL(SYS_close, reader.fd);
	return reached >= start + length ? found : -1;
}

int kt_memory_protection(uintptr_t start, size_t length)
{
	return read_protection(start, length, PROT_READ | PROT_WRITE | PROT_EXEC);
}

bool kt_memory_is_private_code(uintptr_t start, size_t length)
{
	return read_protection(start, length, ~0) == (PROT_READ | PROT_EXEC);
}
