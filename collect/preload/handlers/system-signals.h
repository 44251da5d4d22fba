/* SPDX-License-Identifier: MIT */
/* Signals by syscall(2): what the program sees of them is what it asked for. */
#ifndef KTAIL_COLLECT_SYSTEM_SIGNALS_H
#define KTAIL_COLLECT_SYSTEM_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/syscall-entry.h"

/* A set of signals as the kernel is to have it, and its place in pselect6(2). */
struct kt_system_mask {
	uint64_t mask;
	struct {
		const uint64_t *mask;
		size_t size;
	} pair;
};

/*
 * Where a call waits with another mask: lets the call give the kernel that mask, in
 * *translated, in which the recorder's signals are not really blocked. false: it has none,
 * or one that need not change.
 */
bool kt_system_mask(struct kt_system_call *call, struct kt_system_mask *translated);

/* true: the call was made, and this is what the kernel returned. */
bool kt_system_signal(const struct kt_system_call *call, long *result);

/* signalfd(2): the descriptor gives what waits as a carrier, too. As the kernel returns. */
long kt_signals_signalfd(int fd, const uint64_t *set, size_t size, int flags);

#endif
