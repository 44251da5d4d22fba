/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_COLLECT_INTERPOSE_PROCESS_H
#define KTAIL_COLLECT_INTERPOSE_PROCESS_H

/* Finds LTTng's functions for forks and threads; after the provider is loaded. */
void kt_process_init(void);

#endif
