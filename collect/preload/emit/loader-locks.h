/* SPDX-License-Identifier: MIT */
/*
 * The locks of the dynamic loader around a fork. A forked child sets LTTng up again, and
 * LTTng loads a library and lists the loaded ones for it. glibc's fork() does not care for
 * the loader: a lock that another thread held stays taken in the child, which then waits
 * for ever, and a library that was half loaded ends the child by an assertion.
 */
#ifndef KTAIL_COLLECT_LOADER_LOCKS_H
#define KTAIL_COLLECT_LOADER_LOCKS_H

#include <stdbool.h>

/* What of them the thread that forks holds. */
struct kt_loader_locks {
	bool loading;
	bool list;
};

/* Finds the locks. Where it does not, that is counted, and the functions below do nothing.
 */
void kt_loader_locks_init(void);

/*
 * Before a fork: waits until no thread loads or lists libraries, and keeps them from it.
 * The constructor of a library may run for long, and wait for this very thread: so it gives
 * up after a fifth of a second where the loader's tables are whole, and after ten seconds
 * where they are not.
 */
void kt_loader_hold(struct kt_loader_locks *held);

void kt_loader_in_parent(const struct kt_loader_locks *held);

/* Both are free then, even if another thread held them in the parent. */
void kt_loader_in_child(void);

#endif
