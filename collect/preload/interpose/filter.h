/* SPDX-License-Identifier: MIT */
/*
 * System call filters (seccomp(2)) that the program installs. A filter may kill the process
 * for calls of the recorder or LTTng, or refuse calls that they cannot do without: the
 * program would end or hang only because it is recorded. So the word ends before such a
 * filter is installed, and the recorder stays off in this process and in programs that
 * replace it.
 */
#ifndef KTAIL_COLLECT_FILTER_H
#define KTAIL_COLLECT_FILTER_H

#include <alloca.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Call before prctl(2) or seccomp(2) with these arguments: if it will install such a
 * filter, or strict mode, the recording of this process ends here.
 */
void kt_filter_before_prctl(long option, long mode, const void *program);
void kt_filter_before_seccomp(unsigned operation, unsigned flags, const void *program);

/*
 * Returns the environment for a program that replaces this one, without the recorder in
 * LD_PRELOAD if a filter is installed. It is written to `space` of kt_filter_space() bytes;
 * 0 bytes: the environment stays unchanged.
 */
size_t kt_filter_space(char *const envp[]);
char *const *kt_filter_environment(char *const envp[], size_t bytes, void *space);

/* Likewise, on the caller's stack. */
#define KT_FILTER_ENVIRONMENT(envp)                                                        \
	do {                                                                               \
		size_t bytes_ = kt_filter_space(envp);                                     \
		(envp) = kt_filter_environment(envp, bytes_,                               \
					       bytes_ ? alloca(bytes_) : NULL);            \
	} while (0)

#endif
