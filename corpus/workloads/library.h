/* SPDX-License-Identifier: MIT */
/* Looks up functions of a shared library at run time. */
#ifndef KTAIL_CORPUS_LIBRARY_H
#define KTAIL_CORPUS_LIBRARY_H

#include <stddef.h>

enum kt_library_load {
	KT_LIBRARY_LOADED = 0,
	KT_LIBRARY_ABSENT,    /* the library was not found, or cannot be loaded */
	KT_LIBRARY_NO_SYMBOL, /* a function is missing: the library is too old or too new */
};

/*
 * Loads a library, which stays loaded until the process ends, and stores the addresses of
 * its n functions `names` into `functions`, a struct of n function pointers in the same
 * order. On failure *reason is dlerror()'s message, or the name of the missing function;
 * the caller must not free *reason.
 */
enum kt_library_load kt_library_load(const char *library, const char *const *names,
				     size_t n, void *functions, const char **reason);

#endif
