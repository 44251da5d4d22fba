/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <sys/mman.h>

#include "corpus/softgpu/driver/driver.h"

struct kt_host {
	struct kt_host *next;
	struct kt_context *context; /* Weak */
	uint64_t address;           /* address known to the program */
	uint64_t bytes;
	uint64_t first_page; /* start of the pages that contain the range */
	uint64_t page_bytes;
	bool allocated; /* by the driver; false: registered by the program */
	bool ready;     /* false: registration or release is in progress */
	struct kt_memory object;
};

static struct kt_host *hosts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void withdraw(struct kt_host *host)
{
	pthread_mutex_lock(&lock);
	for (struct kt_host **at = &hosts; *at; at = &(*at)->next) {
		if (*at == host) {
			*at = host->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	free(host);
}

static int add(struct kt_context *context, void *memory, size_t bytes, bool allocated)
{
	uint64_t address = (uintptr_t)memory;
	uint64_t page = KT_ABI_PAGE - 1;
	struct kt_host *host = calloc(1, sizeof(*host));
	bool taken = false;
	int code;

	if (!host) {
		return KT_CU_OUT_OF_MEMORY;
	}
	host->context = context;
	host->address = address;
	host->bytes = bytes;
	host->first_page = address & ~page;
	host->page_bytes = ((address + bytes + page) & ~page) - host->first_page;
	host->allocated = allocated;
	/*
	 * Enters the range into the list before the pages are registered, so that one of
	 * two threads that register the same pages is refused.
	 */
	pthread_mutex_lock(&lock);
	for (struct kt_host *at = hosts; at && !taken; at = at->next) {
		taken = at->first_page < host->first_page + host->page_bytes &&
			host->first_page < at->first_page + at->page_bytes;
	}
	if (!taken) {
		host->next = hosts;
		hosts = host;
	}
	pthread_mutex_unlock(&lock);
	if (taken) {
		free(host);
		return KT_CU_HOST_ALREADY_REGISTERED;
	}
	code = kt_memory_register(&host->object, (void *)(uintptr_t)host->first_page,
				  host->page_bytes);
	if (code) {
		withdraw(host);
		return code;
	}
	pthread_mutex_lock(&lock);
	host->ready = true;
	pthread_mutex_unlock(&lock);
	return KT_CU_OK;
}

int kt_host_allocate(struct kt_context *context, void **memory, size_t bytes)
{
	/* Rounds up to whole pages; 0 on overflow. */
	size_t mapped = (bytes + KT_ABI_PAGE - 1) & ~(size_t)(KT_ABI_PAGE - 1);
	void *pages;
	int code;

	if (!mapped) {
		return KT_CU_OUT_OF_MEMORY;
	}
	pages = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (pages == MAP_FAILED) {
		return KT_CU_OUT_OF_MEMORY;
	}
	code = add(context, pages, bytes, true);
	if (code) {
		munmap(pages, mapped);
		return code;
	}
	*memory = pages;
	return KT_CU_OK;
}

int kt_host_register(struct kt_context *context, void *memory, size_t bytes)
{
	uint64_t end;

	if (__builtin_add_overflow((uintptr_t)memory, bytes, &end) ||
	    end > UINT64_MAX - KT_ABI_PAGE) {
		return KT_CU_INVALID_VALUE;
	}
	return add(context, memory, bytes, false);
}

/*
 * Unregisters the pages before the range leaves the list, because another thread may
 * register the pages as soon as the range has left the list.
 */
static void release(struct kt_host *host)
{
	uint64_t pages = host->first_page;
	uint64_t bytes = host->page_bytes;
	bool allocated = host->allocated;

	kt_memory_destroy(&host->object);
	withdraw(host);
	if (allocated) {
		munmap((void *)(uintptr_t)pages, bytes);
	}
}

static int remove_one(const void *memory, bool allocated, int unknown)
{
	struct kt_host *host = NULL;
	int code;

	/* Clears `ready`, so that no other thread releases the range as well. */
	pthread_mutex_lock(&lock);
	for (struct kt_host *at = hosts; at && !host; at = at->next) {
		if (at->ready && at->address == (uintptr_t)memory &&
		    at->allocated == allocated) {
			at->ready = false;
			host = at;
		}
	}
	pthread_mutex_unlock(&lock);
	if (!host) {
		return unknown;
	}
	code = kt_wait_all(host->context);
	release(host);
	return code;
}

int kt_host_free(void *memory)
{
	return remove_one(memory, true, KT_CU_INVALID_VALUE);
}

int kt_host_unregister(void *memory)
{
	return remove_one(memory, false, KT_CU_HOST_NOT_REGISTERED);
}

bool kt_host_holds(const void *memory, size_t bytes)
{
	uint64_t address = (uintptr_t)memory;
	bool holds = false;

	pthread_mutex_lock(&lock);
	for (const struct kt_host *at = hosts; at && !holds; at = at->next) {
		holds = at->ready && address >= at->address &&
			address - at->address < at->bytes &&
			bytes <= at->bytes - (address - at->address);
	}
	pthread_mutex_unlock(&lock);
	return holds;
}

void kt_host_clear(struct kt_context *context)
{
	struct kt_host *found;

	do {
		found = NULL;
		pthread_mutex_lock(&lock);
		for (struct kt_host *at = hosts; at && !found; at = at->next) {
			if (at->ready && at->context == context) {
				at->ready = false;
				found = at;
			}
		}
		pthread_mutex_unlock(&lock);
		if (found) {
			(void)kt_wait_all(context);
			release(found);
		}
	} while (found);
}
