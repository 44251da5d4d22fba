/* SPDX-License-Identifier: MIT */
/*
 * The loaded libraries of the APIs: of CUDA (libcuda.so.* and libcudart.so.*), OpenCL, EGL,
 * OpenGL and Vulkan, recognised by file name or DT_SONAME. The caller holds the recorder's
 * lock.
 */
#ifndef KTAIL_COLLECT_API_LIBRARIES_H
#define KTAIL_COLLECT_API_LIBRARIES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/api/elf-object.h"

#define KT_API_NAME 96 /* bytes of a name, with its NUL */
#define KT_API_CODE 4  /* executable segments of a library, at most */

/* An exported symbol, copied because it may be used after the library was unloaded. */
struct kt_api_export {
	uintptr_t function;
	char name[KT_API_NAME];
};

/* The pointers in `object` are not owned; they are valid while the library is loaded. */
struct kt_api_library {
	const char *api; /* as kt_api_library_kind() returns */
	struct kt_elf_object object;
	struct {
		uintptr_t begin;
		uintptr_t end;
	} code[KT_API_CODE];           /* executable ranges; 0, 0: unused */
	struct kt_api_export *exports; /* Owned by the table: functions to wrap */
	size_t n_exports;
	size_t capacity;
	bool seen; /* found by the last scan */
};

/*
 * Returns "driver" or "runtime" (CUDA), "opencl", "egl", "opengl" or "vulkan" if the file
 * is a library of that API, else NULL. A driver's library that a library of the API loads,
 * such as libEGL_mesa.so.0, does not belong to the API. path may be NULL.
 */
const char *kt_api_library_kind(const char *path);

/*
 * Returns the API, named as above, to which the function `name` belongs, or NULL if
 * functions of this name are not wrapped. Names of CUDA begin with "cu", except for
 * "cudbg...", the functions for debuggers. The names of the other APIs are listed in
 * decode/tables/api-khronos.tsv, because functions that belong to no API may have names
 * with the same beginning ("clearenv"). Lock-free.
 */
const char *kt_api_of_name(const char *name);

/*
 * Adds a library and its exports. Returns false, and adds nothing, if the library is in the
 * table already or the table of 16 libraries is full.
 */
bool kt_api_library_add(const struct kt_api_library *library);

/*
 * Call before and after a scan of all loaded objects, which calls kt_api_library_add() for
 * each library of the API. kt_api_libraries_end() removes the libraries for which the scan
 * made no such call, because they have been unloaded.
 */
void kt_api_libraries_begin(void);
void kt_api_libraries_end(void);

size_t kt_api_libraries(void);
const struct kt_api_library *kt_api_library_at(size_t i);

/* Returns the library whose code contains the address, or NULL. */
const struct kt_api_library *kt_api_library_of(uintptr_t address);

/*
 * Returns the name under which the library exports the function at the address, or NULL if
 * the library exports no function there. If the function has several names, prefers
 * `asked`, the requested name, then a name that begins with `asked` ("cuMemAlloc_v2" for
 * "cuMemAlloc"). Sets *is_data to whether a variable is at the address. Linear in the
 * number of symbols of the library.
 */
const char *kt_api_library_name(const struct kt_api_library *library, uintptr_t address,
				const char *asked, bool *is_data);

#endif
