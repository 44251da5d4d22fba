/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/api/api-stubs.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/api/api-entry.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#define STUB 16u /* bytes; the first place of a page holds where they all go */

static void put32(unsigned char *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* endbr64; mov $number, %r11d; jmp *(the page's begin) */
static void write_stub(unsigned char *page, uint32_t i, uint32_t number)
{
	static const unsigned char code[STUB] = {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb,
						 0,    0,    0,    0,    0xff, 0x25};
	unsigned char *stub = page + (size_t)STUB * (i + 1);

	memcpy(stub, code, sizeof(code));
	put32(stub + 6, number);
	put32(stub + 12, (uint32_t)(page - (stub + STUB)));
}

const unsigned char *kt_api_stubs_make(uint32_t first)
{
	void (*const entry)(void) = kt_api_wrap_entry;
	long got = KT_KERNEL_TRY(SYS_mmap, NULL, KT_PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *page;

	if (kt_kernel_failed(got)) {
		return NULL;
	}
	page = (unsigned char *)got;
	memcpy(page, &entry, sizeof(entry));
	for (uint32_t i = 0; i < KT_API_STUBS; i++) {
		write_stub(page, i, first + i);
	}
	if (kt_kernel_failed(
		    KT_KERNEL_TRY(SYS_mprotect, page, KT_PAGE, PROT_READ | PROT_EXEC))) {
		KT_KERNEL(SYS_munmap, page, KT_PAGE);
		return NULL;
	}
	return page;
}

uintptr_t kt_api_stub_at(const unsigned char *page, uint32_t i)
{
	return (uintptr_t)page + (uintptr_t)STUB * (i + 1);
}
