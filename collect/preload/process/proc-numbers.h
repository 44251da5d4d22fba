/* SPDX-License-Identifier: MIT */
/* Folders of /proc whose entries are numbers: threads, descriptors. */
#ifndef KTAIL_COLLECT_PROC_NUMBERS_H
#define KTAIL_COLLECT_PROC_NUMBERS_H

/*
 * Calls visit for each number in the folder. Without readdir(3), which allocates: see
 * collect/preload/process/memory.h. 0, or -errno where not all could be read.
 */
int kt_proc_numbers(const char *folder, void (*visit)(int number, void *context),
		    void *context);

#endif
