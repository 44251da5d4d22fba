/* SPDX-License-Identifier: MIT */
/*
 * Chooses the source of each process that was recorded both from user space and by the
 * kernel. All readers of such traces call this, so that words and events leave out the same
 * process instances.
 *
 * A user and a kernel instance may be the same process instance if
 * - their traces come from one host, or a trace does not name its host;
 * - they have the same pid: the pid of user-space events equals the kernel's vpid (the pid
 *   in the process's own pid namespace) or, if the vpid is unknown, the kernel's pid;
 * - they overlap in time, by their first and last events, because pids are used again and
 *   an exec begins a new instance;
 * - their process_begin events, if both have one, name the same program.
 *
 * The best pairs are formed first. The criteria, the most important first: the pids are
 * equal without vpid, as they are outside of pid namespaces; the names are equal; the
 * overlap is a large part of the time that the two instances cover together; the instances
 * began early. Each instance is paired only once, because many containers have a process 7.
 * If the pids are equal without vpid, an instance may be paired with several others,
 * because some traces contain one process twice.
 *
 * A paired instance of the unwanted source is left out, unless it has driver events and its
 * partner has none. The kernel's instance therefore stays if the user-space recorder was
 * not loaded, as in a statically linked program, or recorded nothing of what the program
 * did.
 */
#ifndef KTAIL_WORDS_SOURCES_H
#define KTAIL_WORDS_SOURCES_H

#include <stddef.h>

#include "infer/words/split/instances.h"

/*
 * Pairs instances[0..n), which are in order of first events, marks those that are left out
 * (`dropped`), and numbers the rest in the same order. KT_E_MEMORY with a message. O(n log
 * n), plus the cost of sorting, for each pid, all pairs of a user and a kernel instance.
 */
int kt_sources_choose(struct kt_instance *const *instances, size_t n,
		      enum kt_source source);

#endif
