/* SPDX-License-Identifier: MIT */
/*
 * Memory of the recorder's own, and a careful look at the application's. Nothing here calls
 * the application's allocator: that may hold a lock of its own while it waits for ours.
 */
#ifndef KTAIL_COLLECT_MEMORY_H
#define KTAIL_COLLECT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_PAGE 4096u

static inline size_t kt_whole_pages(size_t bytes)
{
	return (bytes + KT_PAGE - 1) & ~(size_t)(KT_PAGE - 1);
}

static inline uintptr_t kt_page_of(uintptr_t address)
{
	return address & ~(uintptr_t)(KT_PAGE - 1);
}

/*
 * Makes room for `need` elements of `size` bytes in *items, whose capacity is *capacity, in
 * pages of its own. false: out of memory, nothing has changed. Not for signal handlers.
 */
bool kt_table_reserve(void **items, size_t *capacity, size_t need, size_t size);

/* Gives such a table back. NULL is allowed. */
void kt_table_free(void *items, size_t capacity, size_t size);

/*
 * Copies memory that may not be there, through the kernel: how many bytes could be read.
 * Where the kernel refuses to (a seccomp filter), it is read directly. Signal-safe.
 */
size_t kt_memory_read(void *buffer, uint64_t address, size_t length);

/*
 * PROT_* bits of [start, start + length) as the kernel has them, if they are the same
 * throughout; else -1. Reads /proc/self/maps: slow, but signal-safe.
 */
int kt_memory_protection(uintptr_t start, size_t length);

/* Whether it can be read and run, and not written to, and is this process's alone. */
bool kt_memory_is_private_code(uintptr_t start, size_t length);

/*
 * The other way: how many bytes could be written, none where the kernel refuses to. They
 * are the first ones. Signal-safe.
 */
size_t kt_memory_write(uint64_t address, const void *buffer, size_t length);

#endif
