/* SPDX-License-Identifier: MIT */
/*
 * Replaces the API pointers that the loader has put into programs and libraries linked with
 * the API's libraries by wrapped ones.
 */
#ifndef KTAIL_COLLECT_API_IMPORTS_H
#define KTAIL_COLLECT_API_IMPORTS_H

#include <stdbool.h>

/*
 * Scans the objects loaded since the last scan. Cheap if there are none. Keeps errno. Takes
 * the loader's list lock, so the caller must not hold the recorder's. Waits for a scan by
 * another thread, but not for ever.
 */
void kt_api_imports_scan(void);

/*
 * Returns how many loaded objects define that function or variable, and sets *of_api to
 * whether one of them is a library of the API. Returns 0 also if another thread scans for
 * too long. The caller must not hold the recorder's lock.
 */
unsigned kt_api_imports_definers(const char *name, bool *of_api);

/*
 * Returns whether the search path of a library may depend on the object that loads it, see
 * interpose-dlsym.c.
 */
bool kt_api_imports_any_rpath(void);

/*
 * Bracket a fork, before the recorder's lock is taken and after it is released: otherwise
 * a child could wait for ever for the loader's lock, held by a thread that it does not
 * have. The parent passes the first call's result to the second.
 */
bool kt_api_imports_before_fork(void);
void kt_api_imports_in_parent(bool begun);

/* In a forked child: disables scans from its start until it is set up. */
void kt_api_imports_in_child(void);
void kt_api_imports_after_fork(void);

#endif
