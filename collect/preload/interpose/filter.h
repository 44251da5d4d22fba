/* SPDX-License-Identifier: MIT */
/*
 * System call filters (seccomp(2)) that the program installs. One that kills for what the
 * recorder or LTTng calls, or refuses what they cannot do without, would end or hang the
 * program where it goes on without them: so the word ends before it, and nothing of ours
 * runs in the process from then on, nor in programs that take its place.
 */
#ifndef KTAIL_COLLECT_FILTER_H
#define KTAIL_COLLECT_FILTER_H

#include <alloca.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Before prctl(2) or seccomp(2) with these arguments: if it will install such a filter, or
 * strict mode, the recording of this process ends here.
 */
void kt_filter_before_prctl(long option, long mode, const void *program);
void kt_filter_before_seccomp(unsigned operation, unsigned flags, const void *program);

/*
 * The environment for a program that takes this one's place, without the recorder in
 * LD_PRELOAD where a filter is on. In `room`, whose size kt_filter_space() gives; 0: as it
 * is.
 */
size_t kt_filter_space(char *const envp[]);
char *const *kt_filter_environment(char *const envp[], size_t bytes, void *space);

/* The same, on the caller's stack. */
#define KT_FILTER_ENVIRONMENT(envp)                                                        \
	do {                                                                               \
		size_t bytes_ = kt_filter_space(envp);                                     \
		(envp) = kt_filter_environment(envp, bytes_,                               \
					       bytes_ ? alloca(bytes_) : NULL);            \
	} while (0)

#endif
