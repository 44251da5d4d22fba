/* SPDX-License-Identifier: MIT */
/*
 * Handles the recorder's signals that are sent while the program blocks them. The kernel
 * keeps such a signal pending as another signal, its carrier
 * (collect/preload/signals/signal-mask.h). The original signal is restored when the program
 * takes it or calls exec.
 */
#ifndef KTAIL_COLLECT_SIGNAL_CARRY_H
#define KTAIL_COLLECT_SIGNAL_CARRY_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define KT_SIGNAL_BIT(signal) (UINT64_C(1) << ((signal)-1))

/*
 * libc's private signals, for pthread_cancel(3) and for setuid(2) in all threads, which it
 * never lets a program block.
 */
#define KT_LIBC_SIGNALS       (KT_SIGNAL_BIT(32) | KT_SIGNAL_BIT(33))
#define KT_OUR_SIGNALS        3

struct kt_our_signal {
	int number;
	int carrier;
};

extern const struct kt_our_signal kt_our_signals[KT_OUR_SIGNALS];

/* All of the recorder's signals. */
#define KT_OUR_MASK                                                                        \
	(KT_SIGNAL_BIT(SIGSEGV) | KT_SIGNAL_BIT(SIGBUS) | KT_SIGNAL_BIT(SIGTRAP))

/* Return the carrier of a signal, and the signal that a carrier stands for; 0 if none. */
int kt_signal_carrier(int signal);
int kt_signal_carried(int carrier);

/*
 * Sends the signal on as its carrier, to the same thread or process. Called in a signal
 * handler.
 */
void kt_carry(int signal, const siginfo_t *info);

/*
 * Undoes kt_carry(): if kt_carry() sent the delivered signal, restores the sender's siginfo
 * and returns the original signal's number. Otherwise returns `signal`.
 */
int kt_carry_undo(int signal, siginfo_t *info);

/*
 * Undoes kt_carry() in data that was read from a descriptor, perhaps a signalfd: `result`
 * bytes in `n` parts. Data that is not from a signalfd is left unchanged. O(1) unless the
 * data begins like a signalfd's record.
 */
void kt_carry_undo_read(const struct iovec *parts, size_t n, ssize_t result);

/*
 * Call before an exec, with the recorder's signals and their carriers blocked. Replaces
 * each pending carrier by the original signal, which is then pending for this thread only.
 */
void kt_carry_undo_pending(void);

#endif
