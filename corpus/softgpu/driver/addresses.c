/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/driver/addresses.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "corpus/softgpu/abi.h"

#define ALIGNMENT ((uint64_t)KT_ABI_BIG_PAGE)
#define FLAGS     (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* Refusals in a row after which a range is thought to be somebody else's. */
#define MAX_REFUSALS 1024

/*
 * Where NVIDIA's driver has its mappings, and another range for programs in which the first
 * is taken: that of the address sanitizer's shadow is.
 */
static struct range {
	uint64_t begin;
	uint64_t end;
	uint64_t next; /* to be tried */
	bool refused;
} ranges[] = {
	{UINT64_C(0x200000000), UINT64_C(0x10000000000), UINT64_C(0x200000000), false},
	{UINT64_C(0x10000000), UINT64_C(0x7fe00000), UINT64_C(0x10000000), false},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t aligned(uint64_t address)
{
	return (address + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static uint64_t take_in(struct range *range, uint64_t bytes)
{
	bool wrapped = false;

	if (range->refused || bytes > range->end - range->begin) {
		return 0;
	}
	for (unsigned refusals = 0; refusals < MAX_REFUSALS; refusals++) {
		uint64_t address = range->next;
		void *got;

		if (bytes > range->end - address) {
			if (wrapped) {
				return 0;
			}
			wrapped = true;
			address = range->begin;
		}
		range->next = address + ALIGNMENT;
		got = mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
			   FLAGS | MAP_FIXED_NOREPLACE, -1, 0);
		if ((uintptr_t)got == address) {
			range->next = aligned(address + bytes);
			return address;
		}
		/* An older kernel, or a simulated one, may take the address as a mere hint.
		 */
		if (got != MAP_FAILED) {
			munmap(got, bytes);
		}
	}
	range->refused = range == ranges;
	return 0;
}

uint64_t kt_addresses_take_low(uint64_t bytes)
{
	uint64_t address = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; !address && i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		address = take_in(&ranges[i], bytes);
	}
	pthread_mutex_unlock(&lock);
	return address;
}

uint64_t kt_addresses_take(uint64_t bytes)
{
	uint64_t all = bytes + ALIGNMENT;
	uint64_t begin;
	uint64_t address;
	void *got;

	if (all < bytes) {
		return 0;
	}
	got = mmap(NULL, all, PROT_NONE, FLAGS, -1, 0);
	if (got == MAP_FAILED) {
		return 0;
	}
	begin = (uintptr_t)got;
	address = aligned(begin);
	if (address > begin) {
		kt_addresses_give(begin, address - begin);
	}
	kt_addresses_give(address + bytes, begin + all - (address + bytes));
	return address;
}

void kt_addresses_give(uint64_t address, uint64_t bytes)
{
	munmap((void *)(uintptr_t)address, bytes);
}
