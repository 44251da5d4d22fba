/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_COLLECT_INTERPOSE_THREADS_H
#define KTAIL_COLLECT_INTERPOSE_THREADS_H

#include <stdbool.h>

/* Finds LTTng's function for new threads; after the provider is loaded. */
void kt_threads_init(void);

/* Whether the calling thread is the program's only one. */
bool kt_threads_alone(void);

/* In a forked child: it has one thread. */
void kt_threads_after_fork(void);

#endif
