/* SPDX-License-Identifier: MIT */
/*
 * Makes one word of a process that both sources recorded (KT_SOURCE_BOTH). Both sources
 * record most kinds of events, but nothing tells which two of their events are the same
 * event. These kinds are therefore taken from user space, which records more about each
 * event. The kernel adds the kinds that only it records (KT_EVENT_KERNEL). An interrupt
 * names no process: it belongs to the process that used the device at that time, if there
 * was only one. Interrupts that are missing from a line are missing in each process that
 * used the device between the two interrupts around them.
 *
 * The events of either source keep their order; the two are merged by time. If both traces
 * have the same clock, their times are compared by that clock, although the traces state
 * different times for its zero. Merged records get new sequence numbers, with a gap
 * wherever events of either source are missing, so words are split at the gaps of both
 * sources.
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
 * Replaces the records of a process by the merged ones. The records of the process and of
 * its `parts` must be sorted. Frees the records of the parts.
 */
int kt_both_merge(kt_collector *collector, struct kt_process *process);

#endif
