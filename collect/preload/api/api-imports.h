/* SPDX-License-Identifier: MIT */
/*
 * In the programs and libraries that are linked with the API's libraries, replaces the
 * pointers to API functions that the loader has put there by pointers to wrapped functions.
 */
#ifndef KTAIL_COLLECT_API_IMPORTS_H
#define KTAIL_COLLECT_API_IMPORTS_H

#include <stdbool.h>

/*
 * Scans the objects loaded since the last scan; cheap if there are none. Keeps errno. Takes
 * the loader's list lock, so the caller must not hold the recorder's lock. Waits for a scan
 * by another thread, but only for a limited time.
 */
void kt_api_imports_scan(void);

/*
 * Returns how many loaded objects define a function or variable of that name, and sets
 * *of_api to whether a library of the API defines the function. Also returns 0 if another
 * thread scans for too long. The caller must not hold the recorder's lock.
 */
unsigned kt_api_imports_definers(const char *name, bool *of_api);

/*
 * Returns whether the search path of a library may depend on the object that loads it, see
 * interpose-dlsym.c.
 */
bool kt_api_imports_any_rpath(void);

/*
 * Call before and after a fork, without holding the recorder's lock. Otherwise a child
 * could wait for ever for the loader's lock, because the thread that held it exists only in
 * the parent. The parent passes the first call's result to the second.
 */
bool kt_api_imports_before_fork(void);
void kt_api_imports_in_parent(bool begun);

/* In a forked child: the first disables scans, the second enables them after set-up. */
void kt_api_imports_in_child(void);
void kt_api_imports_after_fork(void);

#endif
