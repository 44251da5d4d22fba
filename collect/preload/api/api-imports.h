/* SPDX-License-Identifier: MIT */
/*
 * Wraps the API functions that the program and its libraries import: replaces the pointers
 * to these functions, which the loader has stored in each object, by pointers to stubs.
 */
#ifndef KTAIL_COLLECT_API_IMPORTS_H
#define KTAIL_COLLECT_API_IMPORTS_H

#include <stdbool.h>

/*
 * Scans the objects loaded since the last scan; cheap if there are none. Keeps errno. Takes
 * the loader's list lock, so the caller must not hold the recorder's lock. If another
 * thread scans for too long, does nothing.
 */
void kt_api_imports_scan(void);

/*
 * Returns how many loaded objects define a function or variable `name`, and sets *of_api to
 * whether a library of the API defines a function `name`. If another thread scans for too
 * long, returns 0. The caller must not hold the recorder's lock.
 */
unsigned kt_api_imports_definers(const char *name, bool *of_api);

/*
 * Returns whether a loaded library has DT_RPATH: the search path of dlopen() may then
 * depend on the object that calls dlopen() (interpose-dlsym.c).
 */
bool kt_api_imports_any_rpath(void);

/*
 * Call before a fork and, in the parent, after it. In between, no other thread can scan. A
 * fork during a scan could copy a loader lock that the scanning thread holds, and the child
 * would wait for this lock for ever. The caller must not hold the recorder's lock. `begun`
 * is the result of kt_api_imports_before_fork().
 */
bool kt_api_imports_before_fork(void);
void kt_api_imports_in_parent(bool begun);

/*
 * Call in a forked child. kt_api_imports_in_child() disables scans;
 * kt_api_imports_after_fork(), called after the child's set-up, enables scans again.
 */
void kt_api_imports_in_child(void);
void kt_api_imports_after_fork(void);

#endif
