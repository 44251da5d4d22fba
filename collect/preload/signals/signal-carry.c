/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/signal-carry.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>

#include "collect/preload/process/kernel.h"

/*
 * The upper half of a carried signal's si_errno is this mark, and the lower half is the
 * sender's si_code. The mark is in si_errno, because a signalfd reports that field. The
 * sender's si_errno (usually 0) is kept in the four bytes at ERRNO_AT: sent signals do not
 * use these bytes, which are among the 48 bytes of a siginfo that the kernel keeps.
 */
#define MARK      0x6b740000u
#define MARK_MASK 0xffff0000u
#define ERRNO_AT  40

/*
 * Each signal with its carrier. The kernel never sends SIGSTKFLT. The two real-time signals
 * are far from both ends of their range, because programs count from the ends. A program
 * that uses a carrier itself receives it, but cannot block it separately from the
 * recorder's signal.
 */
const struct kt_our_signal kt_our_signals[KT_OUR_SIGNALS] = {
	{SIGSEGV, SIGSTKFLT},
	{SIGBUS, 53},
	{SIGTRAP, 51},
};

static_assert(sizeof(siginfo_t) == 128, "the kernel keeps 48 bytes of it");
static_assert(sizeof(struct signalfd_siginfo) == 128, "a record of a signalfd");

int kt_signal_carrier(int signal)
{
	for (int i = 0; i < KT_OUR_SIGNALS; i++) {
		if (kt_our_signals[i].number == signal) {
			return kt_our_signals[i].carrier;
		}
	}
	return 0;
}

int kt_signal_carried(int carrier)
{
	for (int i = 0; i < KT_OUR_SIGNALS; i++) {
		if (kt_our_signals[i].carrier == carrier) {
			return kt_our_signals[i].number;
		}
	}
	return 0;
}

static bool is_marked(int code, uint32_t error)
{
	return code == SI_QUEUE && (error & MARK_MASK) == MARK;
}

void kt_carry(int signal, const siginfo_t *info)
{
	int carrier = kt_signal_carrier(signal);
	siginfo_t copy = *info;
	uint64_t pending = 0;

	KT_KERNEL(SYS_rt_sigpending, &pending, sizeof(pending));
	if (pending & KT_SIGNAL_BIT(carrier)) {
		return; /* a standard signal can be pending only once */
	}
	copy.si_signo = carrier;
	copy.si_code = SI_QUEUE;
	copy.si_errno = (int)(MARK | (uint16_t)info->si_code);
	memcpy((char *)&copy + ERRNO_AT, &info->si_errno, sizeof(info->si_errno));
	if (info->si_code == SI_TKILL) {
		KT_KERNEL(SYS_rt_tgsigqueueinfo, KT_KERNEL(SYS_getpid, 0),
			  KT_KERNEL(SYS_gettid, 0), carrier, &copy);
	} else {
		KT_KERNEL(SYS_rt_sigqueueinfo, KT_KERNEL(SYS_getpid, 0), carrier, &copy);
	}
}

int kt_carry_undo(int signal, siginfo_t *info)
{
	int carried = kt_signal_carried(signal);

	if (!carried || !is_marked(info->si_code, (uint32_t)info->si_errno)) {
		return signal;
	}
	info->si_signo = carried;
	info->si_code = (int16_t)info->si_errno;
	memcpy(&info->si_errno, (const char *)info + ERRNO_AT, sizeof(info->si_errno));
	memset((char *)info + ERRNO_AT, 0, sizeof(info->si_errno));
	return carried;
}

/* --- read from a signalfd --- */

/*
 * Replaces the record by the one that the kernel would have filled for the original
 * si_code. The kernel has filled *record for SI_QUEUE, because the carrier was queued.
 */
static void undo_record(struct signalfd_siginfo *record, int carried)
{
	struct signalfd_siginfo sent = {
		.ssi_signo = (uint32_t)carried,
		.ssi_code = (int16_t)record->ssi_errno,
	};

	switch (sent.ssi_code) {
	case SI_TIMER:
		sent.ssi_tid = record->ssi_pid;
		sent.ssi_overrun = record->ssi_uid;
		sent.ssi_ptr = record->ssi_ptr;
		sent.ssi_int = record->ssi_int;
		break;
	case SI_SIGIO:
		sent.ssi_band = record->ssi_pid;
		sent.ssi_fd = record->ssi_int;
		break;
	default:
		sent.ssi_pid = record->ssi_pid;
		sent.ssi_uid = record->ssi_uid;
		sent.ssi_ptr = record->ssi_ptr;
		sent.ssi_int = record->ssi_int;
		break;
	}
	*record = sent;
}

/*
 * Copies the data at offset `at` of the parts to the record or, if `back`, copies the
 * record to the parts.
 */
static void copy_record(const struct iovec *parts, size_t at,
			struct signalfd_siginfo *record, bool back)
{
	size_t done = 0;

	for (; done < sizeof(*record); parts++) {
		size_t left = parts->iov_len > at ? parts->iov_len - at : 0;
		size_t now = left < sizeof(*record) - done ? left : sizeof(*record) - done;
		char *there = (char *)parts->iov_base + at;
		char *here = (char *)record + done;

		if (now) {
			memcpy(back ? there : here, back ? here : there, now);
		}
		at = left ? 0 : at - parts->iov_len;
		done += now;
	}
}

void kt_carry_undo_read(const struct iovec *parts, size_t n, ssize_t result)
{
	struct signalfd_siginfo record;
	int carried;

	if (n == 0 || result <= 0 || (size_t)result % sizeof(record) != 0) {
		return;
	}
	for (size_t at = 0; at < (size_t)result; at += sizeof(record)) {
		copy_record(parts, at, &record, false);
		if (record.ssi_signo < 1 || record.ssi_signo > 64) {
			return; /* the data is not from a signalfd */
		}
		carried = kt_signal_carried((int)record.ssi_signo);
		if (carried && is_marked(record.ssi_code, (uint32_t)record.ssi_errno)) {
			undo_record(&record, carried);
			copy_record(parts, at, &record, true);
		}
	}
}

/* --- before an exec --- */

void kt_carry_undo_pending(void)
{
	static const struct timespec none = {0, 0};
	siginfo_t info;

	for (int i = 0; i < KT_OUR_SIGNALS; i++) {
		int carrier = kt_our_signals[i].carrier;
		uint64_t one = KT_SIGNAL_BIT(carrier);
		int got = (int)KT_KERNEL(SYS_rt_sigtimedwait, &one, &info, &none,
					 sizeof(one));

		if (got == carrier) {
			got = kt_carry_undo(carrier, &info);
			KT_KERNEL(SYS_rt_tgsigqueueinfo, KT_KERNEL(SYS_getpid, 0),
				  KT_KERNEL(SYS_gettid, 0), got, &info);
		}
	}
}
