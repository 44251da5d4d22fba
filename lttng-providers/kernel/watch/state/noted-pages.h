/* SPDX-License-Identifier: GPL-2.0 */
/* What is noted of the pages of a mapping whose accesses are traced. */
#ifndef DW_NOTED_PAGES_H
#define DW_NOTED_PAGES_H

#include <linux/mm.h>

struct dw_mapping;

struct dw_access {
	struct list_head of_space;
	struct dw_mapping *mapping; /* Weak */
	unsigned long base;         /* its first page */
	unsigned long n;            /* pages */
	pteval_t *entries;   /* Owned; of each page, open for reading and writing; 0: not
				known */
	struct page **pages; /* Owned, a reference to each; NULL: the driver counts none */
};

static inline bool dw_access_page_is_known(const struct dw_access *access,
					   unsigned long address)
{
	unsigned long i = (address - access->base) >> PAGE_SHIFT;

	return address >= access->base && i < access->n && READ_ONCE(access->entries[i]);
}

/* The physical page that the driver has mapped at an address, open or closed. mmap_lock is
 * held. 0, or -EINVAL: not known, or NULL. */
static inline int dw_noted_pfn(const struct dw_access *access, unsigned long address,
			       unsigned long *pfn)
{
	if (!access || !dw_access_page_is_known(access, address)) {
		return -EINVAL;
	}
	*pfn = pte_pfn(__pte(access->entries[(address - access->base) >> PAGE_SHIFT]));
	return 0;
}

#endif
