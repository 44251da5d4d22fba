/* SPDX-License-Identifier: MIT */
/*
 * Signals of the recorder's that are sent to the program while it blocks them: each waits
 * in the kernel as its carrier (collect/preload/signals/signal-mask.h), and becomes itself
 * again where the program takes it, or where another program takes the place of this one.
 */
#ifndef KTAIL_COLLECT_SIGNAL_CARRY_H
#define KTAIL_COLLECT_SIGNAL_CARRY_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define KT_SIGNAL_BIT(signal) (UINT64_C(1) << ((signal)-1))
#define KT_OUR_SIGNALS        3

struct kt_our_signal {
	int number;
	int carrier;
};

extern const struct kt_our_signal kt_our_signals[KT_OUR_SIGNALS];

/* All of the recorder's signals. */
#define KT_OUR_MASK                                                                        \
	(KT_SIGNAL_BIT(SIGSEGV) | KT_SIGNAL_BIT(SIGBUS) | KT_SIGNAL_BIT(SIGTRAP))

/* The signal's carrier, and whose carrier a signal is; 0: it is none. */
int kt_signal_carrier(int signal);
int kt_signal_carried(int carrier);

/* Sends it on as its carrier, to whom it was sent. In a signal handler. */
void kt_carry(int signal, const siginfo_t *info);

/*
 * What the kernel gave for a signal: if it is a carrier's, one that was sent while the
 * application had blocked it, the siginfo becomes the sender's again. Gives the number.
 */
int kt_carry_undo(int signal, siginfo_t *info);

/*
 * The same for what has been read from a descriptor that may be a signalfd: `result` bytes
 * in `n` parts. All else is left as it is. O(1) for what does not begin like it.
 */
void kt_carry_undo_read(const struct iovec *parts, size_t n, ssize_t result);

/*
 * Before an exec, with the recorder's signals and their carriers blocked: what waits for
 * this thread as a carrier waits as itself. Afterwards the thread alone has it.
 */
void kt_carry_undo_pending(void);

#endif
