/* SPDX-License-Identifier: MIT */
/*
 * Programs and libraries that are linked with the API's libraries: the pointers that the
 * loader has put into them are replaced by wrapped ones.
 */
#ifndef KTAIL_COLLECT_API_IMPORTS_H
#define KTAIL_COLLECT_API_IMPORTS_H

#include <stdbool.h>

/*
 * Looks through the objects that were loaded since the last time, if any were. Cheap if
 * not. Keeps errno. Takes the loader's lock for its list, so the recorder's must not be
 * held. Another thread that is at it is waited for, but not for ever.
 */
void kt_api_imports_scan(void);

/*
 * How many loaded objects define that function or variable; *of_api: one of them is the
 * API's. 0 also where another thread is at it for too long. The recorder's lock must not be
 * held.
 */
unsigned kt_api_imports_definers(const char *name, bool *of_api);

/* Whether where a library is looked for may depend on who loads it, see interpose-dlsym.c.
 */
bool kt_api_imports_any_rpath(void);

/*
 * Around a fork, before the recorder's lock is taken and after it is given back: a child in
 * which a thread that it does not have holds the loader's lock would wait for ever. In the
 * parent with what the first has given.
 */
bool kt_api_imports_before_fork(void);
void kt_api_imports_in_parent(bool begun);

/* In a forked child, from its begin on nothing is looked for, until it is set up. */
void kt_api_imports_in_child(void);
void kt_api_imports_after_fork(void);

#endif
