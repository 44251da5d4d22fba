/* SPDX-License-Identifier: MIT */
/*
 * Memory of the recorder's own, and guarded reads of the application's. Nothing here calls
 * the application's allocator, which may hold a lock of its own while it waits for ours.
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
 * Grows *items to at least `need` elements. *items is an array with *capacity elements of
 * `size` bytes in pages of its own. Returns false, and changes nothing, when out of memory.
 * Not signal-safe.
 */
bool kt_table_reserve(void **items, size_t *capacity, size_t need, size_t size);

/* Frees such a table; items may be NULL. */
void kt_table_free(void *items, size_t capacity, size_t size);

/*
 * Copies memory that may be unmapped, through the kernel, and returns the number of bytes
 * read. If the kernel refuses (a seccomp filter), reads the memory directly. Signal-safe.
 */
size_t kt_memory_read(void *buffer, uint64_t address, size_t length);

/*
 * Returns the PROT_* bits of [start, start + length), or -1 if they vary. Reads
 * /proc/self/maps: slow, but signal-safe.
 */
int kt_memory_protection(uintptr_t start, size_t length);

/*
 * Returns whether the range is readable, executable, not writable and private to this
 * process.
 */
bool kt_memory_is_private_code(uintptr_t start, size_t length);

/*
 * Writes to memory that may be unmapped, through the kernel, and returns the number of
 * leading bytes written; 0 if the kernel refuses. Signal-safe.
 */
size_t kt_memory_write(uint64_t address, const void *buffer, size_t length);

#endif
