/* SPDX-License-Identifier: MIT */
/* The processes beneath one, from /proc: what must not be left when it goes. */
#ifndef KTAIL_COLLECT_PROCESSES_H
#define KTAIL_COLLECT_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* The first child of that name ("comm", 15 characters); 0: there is none. */
pid_t kt_process_child(pid_t parent, const char *name);

/* Sends the signal to all descendants, not to the process itself. How many there are. */
int kt_process_signal_descendants(pid_t ancestor, int number);

#endif
