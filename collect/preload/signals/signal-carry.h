/* SPDX-License-Identifier: MIT */
/*
 * Signals of the recorder's that are sent while the program blocks them. Such a signal is
 * pending in the kernel as its carrier (collect/preload/signals/signal-mask.h), and becomes
 * itself again when the program takes it or another program replaces this one.
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

/* Return the signal's carrier, and the signal that a carrier stands for; 0 if none. */
int kt_signal_carrier(int signal);
int kt_signal_carried(int carrier);

/*
 * Sends the signal on as its carrier, to the same thread or process. Called in a signal
 * handler.
 */
void kt_carry(int signal, const siginfo_t *info);

/*
 * Undoes kt_carry(): if the kernel delivered a carrier, restores the sender's siginfo.
 * Returns the original signal number, or `signal` if it was not a carrier.
 */
int kt_carry_undo(int signal, siginfo_t *info);

/*
 * Likewise for data read from a descriptor that may be a signalfd: `result` bytes in `n`
 * parts. Other data is left unchanged. O(1) unless the data begins like a record.
 */
void kt_carry_undo_read(const struct iovec *parts, size_t n, ssize_t result);

/*
 * Call before an exec, with the recorder's signals and their carriers blocked. Signals that
 * are pending as carriers become pending as themselves, and from now on for this thread
 * only.
 */
void kt_carry_undo_pending(void);

#endif
