/* SPDX-License-Identifier: MIT */
/*
 * The recorder's own memory, and accesses to the application's memory that survive invalid
 * addresses. No function here calls the application's allocator, which may hold a lock of
 * its own while it waits for the recorder's lock.
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

/* Frees a table of kt_table_reserve(); `items` may be NULL. */
void kt_table_free(void *items, size_t capacity, size_t size);

/*
 * Copies `length` bytes, which may be unmapped, and returns the number of leading bytes
 * copied. The kernel makes the copy. If the kernel refuses (a seccomp filter), guarded
 * loads make the copy; the result is then 0 if any byte is unmapped. Signal-safe.
 */
size_t kt_memory_read(void *buffer, uint64_t address, size_t length);

/*
 * Returns the PROT_* bits of [start, start + length); -1 if the bits vary, cannot be read,
 * or a part is unmapped. Reads /proc/self/maps: slow, but signal-safe.
 */
int kt_memory_protection(uintptr_t start, size_t length);

/*
 * Returns whether the range is readable, executable, not writable and private to this
 * process.
 */
bool kt_memory_is_private_code(uintptr_t start, size_t length);

/*
 * Writes `length` bytes to `address`, which may be unmapped, and returns the number of
 * leading bytes written; 0 if the kernel, which makes the copy, refuses. Signal-safe.
 */
size_t kt_memory_write(uint64_t address, const void *buffer, size_t length);

/*
 * Overwrites a pointer that other threads may be reading, such as a slot of a global offset
 * table. `may_be_closed`: its page may be read-only, and is then opened for the one store.
 * Returns false if the kernel refuses. Signal-safe.
 */
bool kt_memory_put_pointer(uintptr_t slot, uintptr_t value, bool may_be_closed);

#endif
