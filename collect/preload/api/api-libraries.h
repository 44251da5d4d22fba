/* SPDX-License-Identifier: MIT */
/*
 * The libraries of the CUDA API that are loaded: the driver's (libcuda.so.*) and the
 * runtime's (libcudart.so.*), by the names of their files, or their own (DT_SONAME). The
 * recorder's lock is held for all functions here.
 */
#ifndef KTAIL_COLLECT_API_LIBRARIES_H
#define KTAIL_COLLECT_API_LIBRARIES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/api/elf-object.h"

#define KT_API_NAME 96 /* bytes of a name, with its end */
#define KT_API_CODE 4  /* pieces of a library */

/* A copy of what a library says: it may be gone when it is asked for. */
struct kt_api_export {
	uintptr_t function;
	char name[KT_API_NAME];
};

/* Weak pointers into the library, valid while it is loaded. */
struct kt_api_library {
	const char *api; /* "driver" or "runtime" */
	struct kt_elf_object object;
	struct {
		uintptr_t begin;
		uintptr_t end;
	} code[KT_API_CODE];           /* what of it can run; 0, 0: no more */
	struct kt_api_export *exports; /* its functions with names of the API's */
	size_t n_exports;
	size_t capacity;
	bool seen; /* when the loaded objects were looked through last */
};

/* Whether such a file is one of the API's: "driver", "runtime", or NULL. path may be NULL.
 */
const char *kt_api_library_kind(const char *path);

/* Whether the API's functions are named like that: "cu...", but not what debuggers use. */
bool kt_api_has_name(const char *name);

/* Notes it, with its exports, once. true: it is new. Out of room (16): false. */
bool kt_api_library_add(const struct kt_api_library *library);

/* Around a look at all loaded objects: those that were not added again are gone. */
void kt_api_libraries_begin(void);
void kt_api_libraries_end(void);

size_t kt_api_libraries(void);
const struct kt_api_library *kt_api_library_at(size_t i);

/* The library whose code is there, or NULL. */
const struct kt_api_library *kt_api_library_of(uintptr_t address);

/*
 * The name by which it exports the function there, which was asked for as `asked`: that
 * one, else one that begins so ("cuMemAlloc": "cuMemAlloc_v2"), else any, else NULL.
 * *is_data is set if what lies there is no function. Linear in its symbols.
 */
const char *kt_api_library_name(const struct kt_api_library *library, uintptr_t address,
				const char *asked, bool *is_data);

#endif
