/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/signal-mask.h"

#include <errno.h>
#include <string.h>

#include "collect/preload/process/kernel.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-defer.h"

/* If this signal is blocked, the application has probably blocked all signals. */
#define FULL_MASK_TELLER KT_SIGNAL_BIT(55)

static bool enabled;

/* The recorder's signals and carriers that the application blocks in this thread. */
static _Thread_local uint64_t asked_last;

uint64_t kt_mask_to_kernel(uint64_t asked)
{
	uint64_t real = asked & ~KT_OUR_MASK;

	for (int i = 0; i < KT_OUR_SIGNALS; i++) {
		if (asked & KT_SIGNAL_BIT(kt_our_signals[i].number)) {
			real |= KT_SIGNAL_BIT(kt_our_signals[i].carrier);
		}
	}
	return real;
}

const sigset_t *kt_mask_translated(const sigset_t *set, sigset_t *buffer)
{
	uint64_t mask;

	if (!set) {
		return NULL;
	}
	*buffer = *set;
	memcpy(&mask, set, sizeof(mask));
	mask = kt_mask_to_kernel(mask);
	memcpy(buffer, &mask, sizeof(mask));
	return buffer;
}

/*
 * Translates the kernel's mask `real` to the application's. Uses the remembered set
 * `memory` for each signal for which `memory` agrees with `real`; guesses for the others.
 */
static uint64_t to_application(uint64_t real, uint64_t memory)
{
	uint64_t seen = real;

	for (int i = 0; i < KT_OUR_SIGNALS; i++) {
		uint64_t number = KT_SIGNAL_BIT(kt_our_signals[i].number);
		uint64_t carrier = KT_SIGNAL_BIT(kt_our_signals[i].carrier);
		bool blocked = real & carrier;

		seen &= ~carrier;
		if (blocked == ((memory & (number | carrier)) != 0)) {
			seen |= memory & (number | carrier);
		} else if (blocked) {
			seen |= number | (real & FULL_MASK_TELLER ? carrier : 0);
		}
	}
	return seen;
}

uint64_t kt_mask_to_application(uint64_t real)
{
	return to_application(real, 0);
}

uint64_t kt_mask_seen(uint64_t real)
{
	return to_application(real, asked_last);
}

uint64_t kt_mask_memory(void)
{
	return asked_last;
}

/* Does nothing in a vfork child, which has its own mask but shares its parent's memory. */
void kt_mask_remember(uint64_t asked)
{
	const uint64_t ours = KT_OUR_MASK;

	asked &= ours | kt_mask_to_kernel(ours);
	if (asked != asked_last && kt_process_is_own()) {
		asked_last = asked;
	}
}

static uint64_t real_mask(void)
{
	uint64_t real = 0;

	KT_KERNEL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &real, sizeof(real));
	return real;
}

static void set_real_mask(uint64_t real)
{
	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &real, NULL, sizeof(real));
}

static bool change(uint64_t *seen, int how, uint64_t asked)
{
	switch (how) {
	case SIG_BLOCK: *seen |= asked; return true;
	case SIG_UNBLOCK: *seen &= ~asked; return true;
	case SIG_SETMASK: *seen = asked; return true;
	default: return false;
	}
}

/*
 * Within a critical section only LTTng calls this, to block SIGPIPE around a write. The
 * mask is then that of the section's end, while a signal is deferred.
 */
long kt_signals_mask(int how, const uint64_t *set, uint64_t *old, size_t size)
{
	bool in_section = kt_signals_blocked;
	uint64_t asked = 0;
	uint64_t before;
	uint64_t seen = 0;
	uint64_t real;

	if (!enabled || size != sizeof(asked)) {
		return KT_KERNEL(SYS_rt_sigprocmask, how, set, old, size);
	}
	if (set && !kt_guarded_copy(&asked, set, sizeof(asked))) {
		return -EFAULT;
	}
	if (set && !change(&seen, how, 0)) {
		return -EINVAL;
	}
	real = in_section ? kt_deferred_get_mask() : real_mask();
	before = kt_mask_seen(real);
	if (set) {
		seen = before;
		change(&seen, how, asked);
		kt_mask_remember(seen);
		real = kt_mask_to_kernel(seen);
	}
	if (in_section) {
		kt_deferred_set_mask(real);
	} else if (set) {
		set_real_mask(real);
	}
	return old && !kt_guarded_copy(old, &before, sizeof(before)) ? -EFAULT : 0;
}

void kt_mask_enable(void)
{
	uint64_t real = real_mask();

	enabled = true;
	/* A recorded program may have blocked carriers before it called exec. */
	kt_mask_remember(kt_mask_seen(real) | (real & KT_OUR_MASK));
	set_real_mask(kt_mask_to_kernel(real));
}

void kt_mask_before_exec(void)
{
	uint64_t real = real_mask();

	if (enabled) {
		if (real & kt_mask_to_kernel(KT_OUR_MASK)) {
			set_real_mask(real | KT_OUR_MASK);
			kt_carry_undo_pending();
		}
		set_real_mask(kt_mask_seen(real));
	}
}

void kt_mask_after_exec(void)
{
	if (enabled) {
		set_real_mask(kt_mask_to_kernel(real_mask()));
	}
}

void kt_mask_give_back(void)
{
	kt_mask_before_exec();
	enabled = false;
	asked_last = 0;
}
