/* SPDX-License-Identifier: MIT */
/*
 * Locks of the dynamic loader around a fork. A forked child starts LTTng anew, which loads
 * a library and lists the loaded libraries. glibc's fork() ignores these locks: a lock that
 * another thread held stays locked in the child, which then waits for ever, and a
 * half-loaded library ends the child with an assertion.
 */
#ifndef KTAIL_COLLECT_LOADER_LOCKS_H
#define KTAIL_COLLECT_LOADER_LOCKS_H

#include <stdbool.h>

/* The locks that the forking thread holds. */
struct kt_loader_locks {
	bool loading;
	bool list;
};

/* Finds the locks. A failure is counted, and the functions below do nothing. */
void kt_loader_locks_init(void);

/*
 * Before a fork: waits until no other thread loads or lists libraries, and takes both
 * locks. Gives up after a fifth of a second if the loader's tables are consistent, and
 * after ten seconds if they are not: a library's constructor may run for long, and may
 * wait for this very thread.
 */
void kt_loader_hold(struct kt_loader_locks *held);

void kt_loader_in_parent(const struct kt_loader_locks *held);

/* In the child: frees both locks, even if another thread of the parent held them. */
void kt_loader_in_child(void);

#endif
