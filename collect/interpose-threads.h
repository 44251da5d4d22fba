/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_COLLECT_INTERPOSE_THREADS_H
#define KTAIL_COLLECT_INTERPOSE_THREADS_H

/* Finds LTTng's function for new threads; after the provider is loaded. */
void kt_threads_init(void);

/* In a forked child: it has one thread. */
void kt_threads_after_fork(void);

#endif
