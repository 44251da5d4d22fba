/* SPDX-License-Identifier: MIT */
/*
 * Asks the kernel for the protection of address ranges: by an ioctl on /proc/self/maps,
 * which Linux has since 6.11, else by reading that file, whose length is that of all
 * mappings.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#define SHARED 0x100 /* flag of a shared mapping, combined with PROT_* */

/* struct procmap_query of linux/fs.h, which older systems do not have. */
struct query {
	uint64_t size;
	uint64_t flags;
	uint64_t address;
	uint64_t start;
	uint64_t end;
	uint64_t protection; /* bits as in query_bits[] */
	uint64_t unused[7];
};

#define QUERY _IOWR('f', 17, struct query) /* PROCMAP_QUERY */

static const int query_bits[] = {PROT_READ, PROT_WRITE, PROT_EXEC, SHARED};

/*
 * Finds the mapping at `address`: its end, and its PROT_* bits and SHARED. Returns false if
 * there is none, or the kernel cannot say.
 */
static bool ask(int fd, uintptr_t address, uintptr_t *end, int *protection)
{
	struct query query = {.size = sizeof(query), .address = address};

	/* Older kernels refuse, which changes nothing, so no test makes this call fail. */
	if (KT_KERNEL(SYS_ioctl, fd, QUERY, &query) != 0) {
		return false;
	}
	*end = query.end;
	*protection = PROT_NONE;
	for (unsigned i = 0; i < sizeof(query_bits) / sizeof(query_bits[0]); i++) {
		*protection |= query.protection & 1u << i ? query_bits[i] : 0;
	}
	return true;
}

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
	while (reached < start + length && ask(reader.fd, reached, &hi, &protection) &&
	       (found < 0 || (protection & cares_for) == found)) {
		found = protection & cares_for;
		reached = hi;
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
