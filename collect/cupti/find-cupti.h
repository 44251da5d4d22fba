/* SPDX-License-Identifier: MIT */
/* The places where a libcupti may be, the likeliest first. */
#ifndef KTAIL_COLLECT_CUPTI_FIND_CUPTI_H
#define KTAIL_COLLECT_CUPTI_FIND_CUPTI_H

#include <stdbool.h>

/*
 * What to do with a path or a name for dlopen(): `loaded` says to take it only if the
 * process has it already. true: that was it, no more.
 */
typedef bool (*kt_cupti_visitor)(void *context, const char *file, bool loaded);

/*
 * Visits: the file that KTAIL_RECORD_CUPTI names, and then nothing else; what the process
 * has loaded; what lies beside the CUDA runtime that it has loaded, whose version it is of;
 * what the loader finds by itself; the CUDA toolkit's folders. true: a visitor said so.
 */
bool kt_cupti_find(kt_cupti_visitor visit, void *context);

#endif
