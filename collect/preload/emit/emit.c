/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng-providers/ust/gpu-stack-tp.h"

#include "collect/preload/emit/emit.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/environment.h"
#include "collect/preload/emit/account.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/counters.h"

#define PROVIDER "libktail-gpu-stack.so"

static struct {
	uint32_t pid;
	bool stopped;
	_Atomic bool in_gap; /* the last event was lost: not sent, or not recorded */
	_Atomic uint64_t next;
} sequence;

static struct kt_account account;

/*
 * Time at which the last event was sent, and the value of kt_lock_turns then. The next
 * event takes this time as its start if the lock was not released in between, which saves
 * reading the clock.
 */
static struct {
	uint64_t ns;
	uint64_t turn;
} last;
static uint64_t hold_ns = KT_ACCOUNT_DEFAULT_MS * 1000000ull;

/* Returns the head of an event that takes n sequence numbers. */
static struct kt_event_head next_head(uint64_t n)
{
	struct kt_event_head head = {
		.pid = sequence.pid,
		.tid = kt_tid(),
		.seq = atomic_fetch_add_explicit(&sequence.next, n, memory_order_relaxed),
	};

	return head;
}

/* Also called by signal handlers that do not hold the lock. */
static void note_gap(void)
{
	if (!atomic_exchange_explicit(&sequence.in_gap, true, memory_order_relaxed)) {
		kt_count(&kt_counters->gaps);
	}
}

/*
 * Returns whether an event that takes n sequence numbers may go to LTTng. If not, the event
 * only uses up its numbers. In both cases it is counted as n events, because readers of the
 * trace count sequence numbers. Sets *before to the time at which sending begins.
 */
static bool may_send(bool enabled, uint64_t n, uint64_t *before)
{
	*before = last.turn == kt_lock_turn() ? last.ns : kt_coarse_ns();
	if (enabled && kt_account_may_send(&account, *before)) {
		atomic_store_explicit(&sequence.in_gap, false, memory_order_relaxed);
		kt_count_many(&kt_counters->events, n);
		return true;
	}
	kt_count_many(&kt_counters->unsent, n);
	note_gap();
	return false;
}

static void sent(uint64_t before)
{
	bool gave_up = account.gave_up;
	uint64_t now = kt_coarse_ns();
	uint64_t held = kt_account_sent(&account, before, now);

	last.ns = now;
	last.turn = kt_lock_turn();

	if (held) {
		kt_count_many(&kt_counters->held_ns, held);
	}
	if (account.gave_up && !gave_up) {
		kt_count(&kt_counters->gave_up);
	}
}

static uint64_t numbers_of(const struct kt_event_submission *event)
{
	uint64_t n = 1 + event->n;

	for (uint32_t i = 0; i < event->n; i++) {
		n += event->lengths[i] > 0;
	}
	return n;
}

/*
 * Events of a tracepoint that no session has enabled (for example after the daemon died)
 * are in no trace, so they count as unsent.
 */
/* clang-format off */
#define EMITTER(name, numbers, also)                                                         \
	void kt_emit_##name(const struct kt_event_##name *event)                             \
	{                                                                                    \
		struct kt_event_head head;                                                   \
		uint64_t before;                                                             \
		uint64_t n = (numbers);                                                      \
                                                                                             \
		if (sequence.stopped) {                                                      \
			return;                                                              \
		}                                                                            \
		also;                                                                        \
		head = next_head(n);                                                         \
		if (may_send(lttng_ust_tracepoint_enabled(gpu_stack, name), n, &before)) {   \
			lttng_ust_do_tracepoint(gpu_stack, name, &head, event);              \
			sent(before);                                                        \
		}                                                                            \
	}
/* clang-format on */

EMITTER(process_begin, 1, kt_count(&kt_counters->begun))
EMITTER(process_end, 1, kt_count(&kt_counters->ended))
EMITTER(version, 1, (void)0)
EMITTER(detail, 1, (void)0)
EMITTER(device_open, 1, (void)0)
EMITTER(device_close, 1, (void)0)
EMITTER(ioctl, 1, (void)0)
EMITTER(object, 1, (void)0)
EMITTER(map, 1, (void)0)
EMITTER(unmap, 1, (void)0)
EMITTER(access, 1, (void)0)
EMITTER(report, 1, (void)0)
EMITTER(doorbell, 1, (void)0)
EMITTER(submission, numbers_of(event), (void)0)
EMITTER(gpfifo_entry, 1, (void)0)
EMITTER(pushbuffer, 1, (void)0)
EMITTER(api_enter, 1, (void)0)
EMITTER(api_exit, 1, (void)0)
EMITTER(api_kernel, 1, (void)0)
EMITTER(api_coverage, 1, (void)0)
EMITTER(wait, 1, (void)0)

void kt_emit_restart(void)
{
	sequence.pid = (uint32_t)getpid();
	atomic_store_explicit(&sequence.next, 0, memory_order_relaxed);
	sequence.stopped = false;
	atomic_store_explicit(&sequence.in_gap, false, memory_order_relaxed);
	kt_account_open(&account, hold_ns);
}

void kt_emit_skip(void)
{
	if (!sequence.stopped) {
		atomic_fetch_add_explicit(&sequence.next, 1, memory_order_relaxed);
		kt_count(&kt_counters->missed);
		note_gap();
	}
}

void kt_emit_stop(void)
{
	sequence.stopped = true;
}

/*
 * Looks for the provider in this library's folder, where it is installed, then on the
 * loader's search path.
 */
bool kt_emit_init(void)
{
	const char *text = getenv(KT_HOLD_VARIABLE);
	uint64_t ms = 0;
	char path[PATH_MAX];
	Dl_info self;
	const char *slash;

	/* The variable holds milliseconds, or "forever". */
	if (text && strcmp(text, "forever") == 0) {
		hold_ns = UINT64_MAX;
	} else if (text && text[0]) {
		for (const char *c = text; *c >= '0' && *c <= '9' && ms < 1000000000; c++) {
			ms = 10 * ms + (uint64_t)(*c - '0');
		}
		hold_ns = ms * 1000000;
	}
	if (!dladdr((void *)&sequence, &self) || !self.dli_fname) {
		return false;
	}
	slash = strrchr(self.dli_fname, '/');
	if (slash) {
		int n = snprintf(path, sizeof(path), "%.*s/" PROVIDER,
				 (int)(slash - self.dli_fname), self.dli_fname);

		if (n > 0 && (size_t)n < sizeof(path) &&
		    dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
			return true;
		}
	}
	return dlopen(PROVIDER, RTLD_NOW | RTLD_GLOBAL) != NULL;
}
