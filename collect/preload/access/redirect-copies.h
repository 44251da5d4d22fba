/* SPDX-License-Identifier: MIT */
/*
 * Redirects calls of memcpy(3), memmove(3) and memset(3), whose loads and stores cannot be
 * patched because the recorder itself runs libc's code. A library calls such a function
 * through a slot of its global offset table. If the function often faults when called from
 * there, the slot is made to point to a function of the recorder. This function notes a
 * copy from or to watched memory as one access, and passes the call on with the address of
 * the recorder's second mapping, so that nothing faults.
 */
#ifndef KTAIL_COLLECT_REDIRECT_COPIES_H
#define KTAIL_COLLECT_REDIRECT_COPIES_H

#include <stdbool.h>
#include <ucontext.h>

/* Looks up the functions. Call before kt_copies_redirect(); not signal-safe. */
void kt_copies_init(void);

/*
 * Redirects the caller of the function in which the context has faulted, if that is one of
 * the three functions and was called through a slot. Returns whether the slot was changed.
 * The caller holds the lock. Signal-safe.
 */
bool kt_copies_redirect(const ucontext_t *context);

#endif
