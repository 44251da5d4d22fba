/* SPDX-License-Identifier: MIT */
/*
 * Makes one word of a process that both sources recorded (KT_SOURCE_BOTH). Most kinds of
 * events are recorded by both, and nothing in two such events says that they are the same
 * one; so these kinds are taken from user space, which records more of each. From the
 * kernel come the kinds that only it records (KT_EVENT_KERNEL). Interrupts name no process:
 * one belongs to the process that used the device at that time, if there was only one.
 *
 * The events of either source keep their order; the two are merged by time. A clock that
 * both traces have is read as one clock, although each trace states another time of its
 * zero. Merged records get new sequence numbers, in which the missing events of either
 * source are missing, so words are split at the gaps of both.
 */
#ifndef KTAIL_WORDS_BOTH_H
#define KTAIL_WORDS_BOTH_H

#include "infer/words/split/collector.h"

/*
 * Call it once the sources are chosen. Lists in each process the kernel's instances that
 * are merged into it, and finds the process of each interrupt. KT_E_USAGE if the events are
 * of one source, or if there is nothing to merge. O(interrupts x processes).
 */
int kt_both_prepare(kt_collector *collector);

/*
 * Replaces the records of a process, which are sorted as those of its `parts` are, by the
 * merged ones. Frees the records of the parts.
 */
int kt_both_merge(kt_collector *collector, struct kt_process *process);

#endif
