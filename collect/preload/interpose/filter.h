/* SPDX-License-Identifier: MIT */
/*
 * System call filters (seccomp(2)) that the program installs. A filter may kill the process
 * for calls of the recorder or LTTng, or refuse calls that they need: the program would end
 * or hang only because it is recorded. The word therefore ends before such a filter is
 * installed, and the recorder stays off in this process and in programs that it execs.
 */
#ifndef KTAIL_COLLECT_FILTER_H
#define KTAIL_COLLECT_FILTER_H

#include <alloca.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Call before prctl(2) or seccomp(2) with these arguments. If the call will install strict
 * mode, or a filter that stops the recorder or LTTng, ends the recording of this process.
 */
void kt_filter_before_prctl(long option, long mode, const void *program);
void kt_filter_before_seccomp(unsigned operation, unsigned flags, const void *program);

/*
 * kt_filter_environment() returns the environment for a program that this process execs: if
 * the recording has ended because of a filter, LD_PRELOAD is without the recorder. The
 * caller provides `space`, of the size that kt_filter_space() returned, and passes this
 * size as `bytes`. If the size is 0, envp is returned unchanged.
 */
size_t kt_filter_space(char *const envp[]);
char *const *kt_filter_environment(char *const envp[], size_t bytes, void *space);

/* Replaces envp by the result of kt_filter_environment(), made on the caller's stack. */
#define KT_FILTER_ENVIRONMENT(envp)                                                        \
	do {                                                                               \
		size_t bytes_ = kt_filter_space(envp);                                     \
		(envp) = kt_filter_environment(envp, bytes_,                               \
					       bytes_ ? alloca(bytes_) : NULL);            \
	} while (0)

#endif
