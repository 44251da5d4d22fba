/* SPDX-License-Identifier: MIT */
/*
 * Every file of the recorder's fault-injection variant includes this file first, so that
 * its calls of libc can fail. System calls use KT_KERNEL_TRY or name a site.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/preload/process/faults.h"

/*
 * Fails only the recorder's own lookups, by which it finds functions of LTTng that may be
 * missing.
 */
static inline void *kt_fault_dlsym(void *library, const char *name)
{
	return library == RTLD_DEFAULT && kt_fault_now(name) ? NULL : dlsym(library, name);
}

#define dlsym(library, name)     kt_fault_dlsym(library, name)
#define dlopen(path, flags)      (kt_fault_now("dlopen") ? NULL : dlopen(path, flags))
#define dladdr(address, info)    (kt_fault_now("dladdr") ? 0 : dladdr(address, info))
#define malloc(size)             (kt_fault_now("malloc") ? NULL : malloc(size))
#define readlink(path, to, size) (kt_fault_now("readlink") ? -1 : readlink(path, to, size))
