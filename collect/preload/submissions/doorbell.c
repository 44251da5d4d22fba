/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/submissions/doorbell.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>

#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/instruction.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/proc-numbers.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/submissions.h"

#define TRAP_PERF_CODE 6 /* TRAP_PERF, which older headers do not define */
#define MAX_DOORBELLS  4 /* debug registers of a thread */
#define MAX_FDS        1024
#define SIGNAL_MARK    0x6b7461696c000000u /* marks signals of our watchpoints */
#define PERF_DATA_AT   24                  /* offset of si_perf_data in siginfo_t */
#define ICEBP          0xf1                /* opcode of icebp, a one-byte instruction */

enum kt_doorbell_mode kt_doorbell_mode = KT_DOORBELL_AUTO;
uint64_t kt_doorbell_count;
uint64_t kt_doorbell_idle;

static struct doorbell {
	uintptr_t address; /* 0: unused */
	int fds[MAX_FDS];  /* one for each thread that existed at arming */
	size_t n_fds;
} doorbells[MAX_DOORBELLS];

/*
 * The doorbells that were unmapped last. A thread may have written one of them just before,
 * and the handler of that thread's trap may have waited for the lock until the doorbell was
 * unmapped. The handler then finds the doorbell's mapping here.
 */
static struct {
	uintptr_t address; /* 0: unused */
	struct kt_mapping mapping;
} unmapped[MAX_DOORBELLS];
static unsigned next_unmapped;

static struct doorbell *find_doorbell(uintptr_t address)
{
	for (int i = 0; i < MAX_DOORBELLS; i++) {
		if (doorbells[i].address == address) {
			return &doorbells[i];
		}
	}
	return NULL;
}

struct arming {
	struct doorbell *doorbell; /* Weak */
	uintptr_t address;
	bool all; /* all threads have the watchpoint */
};

static void arm_thread(int tid, void *context)
{
	struct arming *arming = context;
	struct doorbell *doorbell = arming->doorbell;
	struct perf_event_attr attr;
	int fd = -EMFILE;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = arming->address;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.sample_period = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.inherit = 1;
	attr.inherit_thread = 1;
	attr.sig_data = SIGNAL_MARK ^ arming->address;
	if (doorbell->n_fds < MAX_FDS) {
		fd = (int)KT_KERNEL_TRY(SYS_perf_event_open, &attr, tid, -1, -1,
					PERF_FLAG_FD_CLOEXEC);
	}

	if (fd >= 0) {
		doorbell->fds[doorbell->n_fds++] = kt_tracer_move_up(fd);
	} else if (fd != -ESRCH) {
		arming->all = false;
		atomic_store(&kt_counters->watchpoint_error, (uint64_t)-fd);
	}
}

static void release(struct doorbell *doorbell)
{
	for (size_t i = 0; i < doorbell->n_fds; i++) {
		kt_tracer_forget(doorbell->fds[i]);
		KT_KERNEL(SYS_close, doorbell->fds[i]);
	}
	doorbell->n_fds = 0;
	doorbell->address = 0;
}

/*
 * Arms a watchpoint in all threads. Returns false if a thread cannot be armed, or if there
 * are more usermode mappings than debug registers.
 */
static bool arm_watchpoint(uintptr_t address)
{
	struct doorbell *doorbell = find_doorbell(0);
	struct arming arming = {.doorbell = doorbell, .address = address, .all = true};
	int error;

	if (find_doorbell(address)) {
		return true;
	}
	if (doorbell) {
		doorbell->n_fds = 0;
		error = kt_proc_numbers("/proc/self/task", arm_thread, &arming);
		if (error) {
			atomic_store(&kt_counters->watchpoint_error, (uint64_t)-error);
		}
		doorbell->address = doorbell->n_fds ? address : doorbell->address;
		if (!error && arming.all && doorbell->n_fds) {
			return true;
		}
	} else {
		atomic_store(&kt_counters->watchpoint_error, ENOSPC);
	}
	/* Arming failed in one thread, but others may have the watchpoint already. */
	if (doorbell && kt_doorbell_mode != KT_DOORBELL_WATCHPOINT) {
		release(doorbell); /* the caller will close the page instead */
	}
	kt_count(&kt_counters->watchpoint_refused);
	return false;
}

enum kt_doorbell_guard kt_doorbell_arm(const struct kt_mapping *mapping)
{
	uintptr_t address = mapping->start + mapping->doorbell;
	enum kt_doorbell_guard guard = KT_GUARD_NONE;

	if (kt_doorbell_mode == KT_DOORBELL_OFF || !mapping->doorbell ||
	    mapping->doorbell + 4 > mapping->length) {
		return KT_GUARD_NONE;
	}
	/*
	 * A closed page that has a second mapping costs less than a watchpoint: a page
	 * fault is cheaper than a debug trap, and no perf event is opened for each thread.
	 * Moreover, x86 runs rep stos and rep movs many times slower in a thread that has
	 * any watchpoint (docs/internals/recording.md, "Cost").
	 */
	switch (kt_doorbell_mode) {
	case KT_DOORBELL_OFF: break;
	case KT_DOORBELL_PROTECT: guard = KT_GUARD_PAGE; break;
	case KT_DOORBELL_PATCH:
	case KT_DOORBELL_AUTO:
		guard = !mapping->alias && arm_watchpoint(address) ? KT_GUARD_WATCHPOINT
								   : KT_GUARD_PAGE;
		break;
	case KT_DOORBELL_WATCHPOINT:
		guard = arm_watchpoint(address) ? KT_GUARD_WATCHPOINT : KT_GUARD_NONE;
		break;
	}
	switch (guard) {
	case KT_GUARD_NONE: kt_count(&kt_counters->doorbells_open); break;
	case KT_GUARD_WATCHPOINT: kt_count(&kt_counters->doorbells_watched); break;
	case KT_GUARD_PAGE: kt_count(&kt_counters->doorbells_by_page); break;
	}
	return guard;
}

void kt_doorbell_disarm(uintptr_t start, size_t length)
{
	for (int i = 0; i < MAX_DOORBELLS; i++) {
		struct doorbell *doorbell = &doorbells[i];
		const struct kt_mapping *m;

		if (doorbell->address < start || doorbell->address >= start + length) {
			continue;
		}
		m = kt_mapping_find(doorbell->address);
		if (m) {
			unmapped[next_unmapped].address = doorbell->address;
			unmapped[next_unmapped].mapping = *m;
			next_unmapped = (next_unmapped + 1) % MAX_DOORBELLS;
		}
		/*
		 * A thread may have just written the doorbell, and the signal may still be
		 * pending. Closing the perf event at once would discard the signal (perf's
		 * event_sched_out(), before Linux 6.11). Disabling the event first keeps
		 * the signal.
		 */
		for (size_t k = 0; k < doorbell->n_fds; k++) {
			KT_KERNEL(SYS_ioctl, doorbell->fds[k], PERF_EVENT_IOC_DISABLE, 0);
		}
		release(doorbell);
	}
}

void kt_doorbell_after_fork(void)
{
	for (int i = 0; i < MAX_DOORBELLS; i++) {
		release(&doorbells[i]);
	}
	memset(unmapped, 0, sizeof(unmapped));
	kt_doorbell_count = 0;
	kt_doorbell_idle = 0;
}

bool kt_doorbell_is_in(const struct kt_mapping *mapping, uintptr_t address, size_t size)
{
	uintptr_t doorbell = mapping->start + mapping->doorbell;

	return kt_doorbell_mode != KT_DOORBELL_OFF && mapping->doorbell &&
	       address < doorbell + 4 && address + size > doorbell;
}

/*
 * Reports one doorbell and its submissions while the storing thread is stopped. A doorbell
 * is a letter, so it ends the open run of accesses.
 */
static void report(const char *by, const struct kt_mapping *m, uintptr_t ip, bool known,
		   uint32_t value)
{
	struct kt_ring ring = kt_channel_doorbell(known, value);
	struct kt_event_doorbell event = {
		.by = by,
		.space = kt_mapping_space(m),
		.mapping = m->ordinal,
		.offset = m->start + m->doorbell - m->base,
		.ip = ip,
		.known = known,
		.value = known ? value : 0,
		.moved = ring.moved,
		.channel = ring.channel,
		.gp_put = ring.gp_put,
		.get_known = ring.get_known,
		.gp_get = ring.get_known ? ring.gp_get : 0,
	};

	kt_access_end_run();
	kt_doorbell_count++;
	kt_count(&kt_counters->doorbells);
	if (ring.moved == 0) {
		kt_doorbell_idle++;
		kt_count(&kt_counters->idle_doorbells);
	}
	if (!known) {
		kt_count(&kt_counters->unknown_values);
	}
	kt_submissions_report(&event);
}

void kt_doorbell_stored(const struct kt_mapping *mapping, uintptr_t ip, bool known,
			uint32_t value, bool by_patch)
{
	report(by_patch ? "patch" : "protect", mapping, ip, known, value);
	kt_count(by_patch ? &kt_counters->patched_doorbells
			  : &kt_counters->faulted_doorbells);
}

/*
 * Returns the mapping of the doorbell at the address where a watchpoint fired. The doorbell
 * may have been unmapped since. Returns NULL if no doorbell is known at the address.
 */
static const struct kt_mapping *written_doorbell(uintptr_t address)
{
	const struct kt_mapping *m = kt_mapping_find(address);

	if (m && kt_doorbell_is_in(m, address, 4)) {
		return m;
	}
	for (unsigned i = 1; i <= MAX_DOORBELLS; i++) {
		unsigned last = (next_unmapped + MAX_DOORBELLS - i) % MAX_DOORBELLS;

		if (address && unmapped[last].address == address) {
			return &unmapped[last].mapping;
		}
	}
	return NULL;
}

/* --- traps --- */

/*
 * Returns whether a trap whose cause was lost belongs to a watchpoint, and writes the
 * address of the doorbell to *address. The store before RIP identifies the doorbell. If no
 * such store can be decoded, the trap is attributed to the armed watchpoints unless the
 * program itself can have caused it; *address is then the armed doorbell, or 0 if several
 * are armed.
 */
static bool find_lost_cause(const ucontext_t *context, uintptr_t *address)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	uint8_t byte = 0;
	unsigned armed = 0;

	*address = 0;
	for (int i = 0; i < MAX_DOORBELLS; i++) {
		uintptr_t doorbell = doorbells[i].address;
		uint32_t value;

		if (doorbell && kt_store_value_before(context, doorbell, &value)) {
			*address = doorbell;
			return true;
		}
		armed += doorbell != 0;
		*address = doorbell ? doorbell : *address;
	}
	if (armed != 1) {
		*address = 0;
	}
	/*
	 * The program can cause such a trap by the trap flag or by icebp. After icebp, RIP
	 * points to the next instruction. On some virtual machines (observed on an AMD host
	 * under KVM), RIP points to icebp itself, so that it runs again.
	 */
	return armed && !(kt_memory_read(&byte, ip - 1, 1) == 1 && byte == ICEBP) &&
	       !(kt_memory_read(&byte, ip, 1) == 1 && byte == ICEBP) &&
	       !(context->uc_mcontext.gregs[REG_EFL] & KT_TRAP_FLAG);
}

bool kt_doorbell_trap(const siginfo_t *info, const ucontext_t *context)
{
	uintptr_t address;
	const struct kt_mapping *m;
	uint32_t value = 0;
	uint64_t data;
	bool locked;
	bool ours;

	if (info->si_code != TRAP_PERF_CODE && !kt_frame_is_causeless(info, context)) {
		return false;
	}
	locked = kt_lock();
	address = (uintptr_t)info->si_addr;
	if (info->si_code == TRAP_PERF_CODE) {
		/* Checks our mark, because the program may have perf events of its own. */
		memcpy(&data, (const char *)info + PERF_DATA_AT, sizeof(data));
		ours = address && data == (SIGNAL_MARK ^ address);
	} else {
		/* During a single step, kt_step_trap() handles a trap without a cause. */
		ours = !kt_step_is_on() && find_lost_cause(context, &address);
	}
	m = written_doorbell(address);
	if (!ours || kt_step_is_on()) {
		/*
		 * The trap is not ours, or the store was reported when it faulted and is
		 * now being single-stepped.
		 */
	} else if (!m) {
		kt_emit_skip(); /* the doorbell is unknown, or was disarmed long ago */
	} else if (locked) {
		bool known = kt_store_value_before(context, address, &value);

		report("watchpoint", m, (uintptr_t)context->uc_mcontext.gregs[REG_RIP],
		       known, value);
	} else {
		kt_emit_skip();
	}
	kt_unlock(locked);
	return ours;
}
