/* SPDX-License-Identifier: MIT */
/*
 * Chooses the source of each process that was recorded both from user space and by the
 * kernel. All readers of such traces call this, so that words and events leave out the same
 * process instances.
 *
 * Instances of the two sources may be the same if
 * - they are of one host, as far as the traces say;
 * - they have the same pid: the kernel's vpid, the pid in the process's own pid namespace,
 *   equals the pid of user-space events; if the vpid is unknown, the kernel's pid is used;
 * - they overlap in time, by their first and last events: a pid belongs to one process at a
 *   time, but exec begins a new instance;
 * - their process_begin events, if both have one, name the same program.
 *
 * Pairs are formed in this order: pairs whose pids are equal without vpid, as outside of
 * pid namespaces; pairs with the same name; pairs whose overlap is the largest part of the
 * time that either covers; pairs of the instances that began first. Each instance is paired
 * only once, because many containers have a process 7. If the pids are equal without vpid,
 * an instance may be paired with several, because some traces contain one process twice.
 *
 * A paired instance of the unwanted source is left out, unless only this instance of the
 * two has driver events. The kernel's instance therefore stays if the recorder was not
 * loaded, as in a statically linked program, or recorded nothing of what the program did.
 */
#ifndef KTAIL_WORDS_SOURCES_H
#define KTAIL_WORDS_SOURCES_H

#include <stddef.h>

#include "infer/words/split/instances.h"

/*
 * Pairs instances[0..n), which are in order of first events, marks those to be dropped in
 * favour of the other source, and numbers the others in the same order. KT_E_MEMORY with a
 * message. O(n log n), plus the cost of sorting, for each pid, all pairs of a user and a
 * kernel instance.
 */
int kt_sources_choose(struct kt_instance *const *instances, size_t n,
		      enum kt_source source);

#endif
