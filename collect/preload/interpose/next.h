/* SPDX-License-Identifier: MIT */
/*
 * Functions of libc that stand behind ours and wait: called through a file's own static
 * `next`, because a thread may be cancelled in them. The file's constructor resolve() finds
 * them, KT_NEXT_LAST as the last one: it tells that all are there.
 */
#ifndef KTAIL_COLLECT_NEXT_H
#define KTAIL_COLLECT_NEXT_H

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define NEXT(field, name)                                                                  \
	do {                                                                               \
		void *symbol_ = dlsym(RTLD_NEXT, name);                                    \
		memcpy(&next.field, &symbol_, sizeof(symbol_));                            \
	} while (0)

/* Libraries that are ready before this one may wait too. */
#define NEXT_CALL(function, ...)                                                           \
	((next.KT_NEXT_LAST ? (void)0 : resolve()),                                        \
	 (next.function ? next.function(__VA_ARGS__) : (errno = ENOSYS, -1)))

#endif
