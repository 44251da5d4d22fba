/* SPDX-License-Identifier: MIT */
/* Lists folders of /proc whose entries are numbers: threads, descriptors. */
#ifndef KTAIL_COLLECT_PROC_NUMBERS_H
#define KTAIL_COLLECT_PROC_NUMBERS_H

/*
 * Calls visit for each number in the folder. Does not use readdir(3), because it calls the
 * application's allocator (collect/preload/process/memory.h). Returns 0, or -errno if not
 * all entries could be read.
 */
int kt_proc_numbers(const char *folder, void (*visit)(int number, void *context),
		    void *context);

#endif
