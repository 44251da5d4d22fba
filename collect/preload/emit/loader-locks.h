/* SPDX-License-Identifier: MIT */
/*
 * Locks of the dynamic loader, which the recorder holds around a fork. A forked child
 * starts LTTng again, which loads a library and lists the loaded libraries. glibc's fork()
 * does not take these locks. If another thread held one of the locks at the fork, the lock
 * would stay taken in the child, and the child would wait for it for ever. If another
 * thread had loaded half of a library, the loader would end the child with a failed
 * assertion.
 */
#ifndef KTAIL_COLLECT_LOADER_LOCKS_H
#define KTAIL_COLLECT_LOADER_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns how many libraries were loaded and unloaded. Takes the loader's list lock. Not
 * signal-safe.
 */
uint64_t kt_loader_changes(void);

/* The locks that the forking thread holds. */
struct kt_loader_locks {
	bool loading;
	bool list;
};

/*
 * Finds the locks. If they are not found, counts a set-up failure, and the functions below
 * do nothing.
 */
void kt_loader_locks_init(void);

/*
 * Call before a fork: takes both locks, after waiting until no other thread loads or lists
 * libraries. Gives up after a fifth of a second in which the loader's tables are consistent
 * and do not change, and in any case after ten seconds. The wait is limited because a
 * thread that loads a library runs its constructor, which may take long or wait for the
 * forking thread.
 */
void kt_loader_hold(struct kt_loader_locks *held);

void kt_loader_in_parent(const struct kt_loader_locks *held);

/* In the child: frees both locks, even if another thread of the parent held them. */
void kt_loader_in_child(void);

#endif
