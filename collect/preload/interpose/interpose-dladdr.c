/* SPDX-License-Identifier: MIT */
/*
 * dladdr and kin: whoever asks what a wrapped function is, and in which library, is told of
 * the function itself. They do not go by their callers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "collect/preload/api/api-table.h"
#include "collect/preload/process/interpose.h"

static struct {
	int (*find)(const void *, Dl_info *);
	int (*find_more)(const void *, Dl_info *, void **, int);
} next;

__attribute__((constructor)) static void resolve(void)
{
	void *more = dlsym(RTLD_NEXT, "dladdr1");
	void *symbol = dlsym(RTLD_NEXT, "dladdr");

	memcpy(&next.find_more, &more, sizeof(more));
	memcpy(&next.find, &symbol,
	       sizeof(symbol)); /* last: it tells that both are there */
}

/* The address that was asked for begins the function, as far as its caller knows. */
static void name_as_asked(Dl_info *info, const void *asked, uintptr_t function)
{
	if ((uintptr_t)asked != function && (uintptr_t)info->dli_saddr == function) {
		info->dli_saddr = (void *)(uintptr_t)asked;
	}
}

KT_INTERPOSE int(dladdr)(const void *address, Dl_info *info)
{
	uintptr_t function = kt_api_function_of((uintptr_t)address);
	int found;

	if (!next.find) {
		resolve();
	}
	found = next.find ? next.find((void *)function, info) : 0;
	if (found) {
		name_as_asked(info, address, function);
	}
	return found;
}

KT_INTERPOSE int dladdr1(const void *address, Dl_info *info, void **more, int flags)
{
	uintptr_t function = kt_api_function_of((uintptr_t)address);
	int found;

	if (!next.find_more) {
		resolve();
	}
	found = next.find_more ? next.find_more((void *)function, info, more, flags) : 0;
	if (found) {
		name_as_asked(info, address, function);
	}
	return found;
}
