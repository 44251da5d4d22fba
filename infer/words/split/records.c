/* SPDX-License-Identifier: MIT */
/*
 * The arrays of records, which hold most of a trace's memory. Small arrays use realloc().
 * Large arrays are in huge pages and grow with mremap(), which moves pages without copying.
 * A copy would need new memory, and clearing new memory in the kernel took a tenth of the
 * time of reading a large trace.
 */
#define _GNU_SOURCE
#include "infer/words/split/collector.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ktail/status.h>

#include "base/array.h"

#define HUGE_PAGE ((size_t)2 << 20)

int kt_process_grow(struct kt_process *p)
{
	size_t old = p->mapped;
	size_t size = old ? 2 * old : 2 * HUGE_PAGE;
	void *records;
	char *address;
	size_t skip;

	if (!p->mapped && p->capacity * sizeof(*p->records) < HUGE_PAGE) {
		return kt_array_reserve(&p->records, &p->capacity, p->n + 1);
	}
	/* Reserves address space of `size` bytes, aligned to a huge page. */
	address = size > old ? mmap(NULL, size + HUGE_PAGE, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			     : MAP_FAILED;
	if (address == MAP_FAILED) {
		return kt_no_memory("collect words");
	}
	skip = (HUGE_PAGE - (uintptr_t)address % HUGE_PAGE) % HUGE_PAGE;
	if (skip > 0) {
		munmap(address, skip);
		address += skip;
	}
	if (skip < HUGE_PAGE) {
		munmap(address + size, HUGE_PAGE - skip);
	}
	if (old) {
		records = mremap(p->records, old, size, MREMAP_MAYMOVE | MREMAP_FIXED,
				 address);
	} else {
		records = mmap(address, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	if (records == MAP_FAILED) {
		munmap(address, size);
		return kt_no_memory("collect words");
	}
	madvise(records, size, MADV_HUGEPAGE);
	if (!old) {
		memcpy(records, p->records, p->n * sizeof(*p->records));
		free(p->records);
	}
	p->records = records;
	p->mapped = size;
	p->capacity = size / sizeof(*p->records);
	return KT_OK;
}

void kt_process_set_records(struct kt_process *p, struct kt_record *records,
			    size_t capacity)
{
	if (p->mapped) {
		munmap(p->records, p->mapped);
	} else {
		free(p->records);
	}
	p->records = records;
	p->capacity = capacity;
	p->mapped = 0;
}
