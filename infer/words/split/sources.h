/* SPDX-License-Identifier: MIT */
/*
 * Processes that are seen from both sides, from within user space and by the kernel, are
 * taken from one. Whoever reads a trace with both asks here which lives to leave out, so
 * that words and events are of the same ones.
 *
 * What one side tells of a life and what the other tells may be of the same life if
 * - they are of one host, as far as the traces say;
 * - the process has the same number: the kernel tells a process's number in its own pid
 *   namespace (vpid), which is the pid that its events in user space have; where that is
 *   not known the kernel's pid stands for it;
 * - they go on at the same time, by their first and last events: a pid is one process at
 *   a time, but a program that another one has replaced by exec is another life;
 * - their process_begin, where both have one, name the same program.
 * Of such pairs those come first whose pid is the same, which is in no namespace of its
 * own; then those with the same name; then those that share most of the time that either
 * takes; then the older ones. Each life is paired once: many containers have a process 7.
 * Only outside of a namespace one may be paired with several, as some traces tell of one
 * process twice.
 *
 * A life of the side that is not wanted is left out if it is paired, unless it alone of the
 * two has events of the driver. So the kernel's life stays where the recorder was not
 * loaded, as in a program that is linked statically, or where it saw nothing of what the
 * program did.
 */
#ifndef KTAIL_WORDS_SOURCES_H
#define KTAIL_WORDS_SOURCES_H

#include <stddef.h>

#include "infer/words/split/instances.h"

/*
 * Pairs lives[0..n), which are in order of their first events, says which are not of the
 * source, and numbers the others. KT_E_MEMORY with a message. O(n log n), and for each
 * number the product of how many lives either side has seen of it.
 */
int kt_sources_choose(struct kt_instance *const *instances, size_t n,
		      enum kt_source source);

#endif
