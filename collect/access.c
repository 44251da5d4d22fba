/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/access.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/counters.h"
#include "collect/doorbell.h"
#include "collect/emit.h"
#include "collect/kernel.h"
#include "collect/lock.h"
#include "collect/memory.h"

enum kt_access_mode kt_access_mode = KT_ACCESS_COALESCED;
uint64_t kt_access_limit = UINT64_MAX;

/* The run: consecutive accesses to one mapping with no other letter between. */
static struct {
	uint32_t mapping; /* ordinal, 0: no run */
	bool written;
	size_t grow; /* bytes that the next window opens */
} run;

/*
 * The last fault. An instruction that touches two mappings must find both open, or it would
 * never end; that it is the same one and has not got on is told by its registers.
 */
static struct {
	uint32_t tid; /* 0: none */
	gregset_t registers;
} last;

static bool any_window;

static bool protect(uintptr_t lo, uintptr_t hi, int protection)
{
	if (KT_KERNEL_TRY(SYS_mprotect, lo, hi - lo, protection) == 0) {
		return true;
	}
	kt_count(&kt_counters->setup_failures);
	return false;
}

void kt_access_watch(struct kt_mapping *mapping)
{
	const char *space = kt_mapping_space(mapping);

	/* Closing pages of the unified-memory driver gives SIGBUS later: they stay open. */
	if (kt_access_mode == KT_ACCESS_OFF || mapping->protection == PROT_NONE ||
	    strcmp(space, "uvm") == 0) {
		return;
	}
	mapping->watched = true;
	protect(mapping->start, mapping->start + mapping->length, PROT_NONE);
}

static void close_windows(struct kt_mapping *mapping, void *context)
{
	(void)context;
	for (unsigned i = 0; !mapping->held && i < mapping->n_windows; i++) {
		protect(mapping->windows[i].lo, mapping->windows[i].hi, PROT_NONE);
	}
	mapping->n_windows = 0;
	mapping->writable_windows = false;
}

void kt_access_end_run(void)
{
	if (any_window) {
		kt_mapping_each(close_windows, NULL);
		any_window = false;
	}
	run.mapping = 0;
	last.tid = 0;
}

/*
 * Opens a window for reading, or for all that the application asked for. A mapping that was
 * made for writing only is readable on x86 all the same, and programs rely on it.
 */
static bool open_pages(const struct kt_mapping *m, uintptr_t lo, uintptr_t hi,
		       bool writable)
{
	return (!writable && protect(lo, hi, PROT_READ)) || protect(lo, hi, m->protection);
}

static bool in_window(const struct kt_mapping *mapping, uintptr_t address)
{
	for (unsigned i = 0; i < mapping->n_windows; i++) {
		if (address >= mapping->windows[i].lo && address < mapping->windows[i].hi) {
			return true;
		}
	}
	return false;
}

/* Opens [page of address, + grow); with all windows in use, the whole mapping. */
static void open_window(struct kt_mapping *m, uintptr_t address, bool writable)
{
	uintptr_t end = m->start + m->length;
	uintptr_t lo = address & ~(uintptr_t)(KT_PAGE - 1);
	uintptr_t hi = end - lo > run.grow ? lo + run.grow : end;
	bool opened = true;

	if (m->n_windows == KT_WINDOW_MAX) {
		m->n_windows = 0;
		lo = m->start;
		hi = end;
	}
	m->windows[m->n_windows].lo = lo;
	m->windows[m->n_windows].hi = hi;
	m->n_windows++;
	m->writable_windows = m->writable_windows || writable;
	any_window = true;
	for (unsigned i = 0; i < m->n_windows; i++) {
		/* Windows that were open for reading only become writable too. */
		if (i + 1 == m->n_windows || writable) {
			opened = open_pages(m, m->windows[i].lo, m->windows[i].hi,
					    m->writable_windows);
		}
	}
	if (!opened) {
		/* A part of a mapping costs the kernel a mapping more; the whole does not.
		 */
		m->n_windows = 1;
		m->windows[0].lo = m->start;
		m->windows[0].hi = end;
		m->writable_windows = true;
		if (!open_pages(m, m->start, end, true)) {
			m->n_windows = 0; /* the access will fault again */
		}
	}
	run.grow *= 2;
}

static void report(const struct kt_mapping *m, uintptr_t address, bool write, uintptr_t ip)
{
	struct kt_event_access event = {
		.op = write ? "W" : "R",
		.space = kt_mapping_space(m),
		.mapping = m->ordinal,
		.offset = address - m->base,
		.ip = ip,
	};

	kt_emit_access(&event);
}

/* Whether the thread stands where it stood at the last fault; remembers where it stands. */
static bool stands_still(const ucontext_t *context)
{
	static const int compared[] = {REG_RIP, REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI,
				       REG_RDI, REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10,
				       REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	const greg_t *now = context->uc_mcontext.gregs;
	bool same = last.tid == kt_tid();

	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		same = same && last.registers[compared[i]] == now[compared[i]];
	}
	last.tid = kt_tid();
	memcpy(last.registers, now, sizeof(last.registers));
	return same;
}

static void access_in_run(struct kt_mapping *m, uintptr_t address, bool write,
			  ucontext_t *context)
{
	bool begins = run.mapping != m->ordinal;
	bool still = stands_still(context);

	if (begins) {
		if (!still && any_window) {
			kt_mapping_each(close_windows, NULL);
		}
		run.mapping = m->ordinal;
		run.written = false;
		run.grow = KT_PAGE;
	}
	if (begins || (write && !run.written)) {
		report(m, address, write, (uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
	}
	run.written = run.written || write;
}

/* Whether the mapping would have allowed the access. x86 cannot write without reading. */
static bool is_allowed(const struct kt_mapping *m, bool write)
{
	return m->protection & (write ? PROT_WRITE : PROT_READ | PROT_WRITE);
}

bool kt_access_fault(uintptr_t address, bool write, ucontext_t *context)
{
	struct kt_mapping *m;
	bool ours = false;
	bool locked;

	if (kt_access_mode == KT_ACCESS_OFF || !kt_mapping_may_touch(address, 1)) {
		return false;
	}
	locked = kt_lock();
	m = kt_mapping_find(address);
	if (!m || !m->watched || !is_allowed(m, write)) {
		goto end;
	}
	ours = true;
	kt_count(&kt_counters->faults);
	if (!locked) {
		/* A signal handler has interrupted the recorder itself. */
		kt_count(&kt_counters->missed);
		run.grow = KT_PAGE;
		open_window(m, address, true);
		goto end;
	}
	if (in_window(m, address) && (m->writable_windows || !write)) {
		goto end; /* another thread has opened it meanwhile */
	}
	if (write && kt_doorbell_is_at(m, address)) {
		kt_doorbell_fault(address, context);
		run.grow = KT_PAGE;
	} else {
		access_in_run(m, address, write, context);
	}
	open_window(m, address, write);
end:
	kt_unlock(locked);
	return ours;
}

/* --- what the application and the kernel do to the pages --- */

/* Calls visit for each mapping in the range. */
static void each_in(uintptr_t start, size_t length, void (*visit)(struct kt_mapping *, int),
		    int argument)
{
	uintptr_t from = start;
	struct kt_mapping *m;

	while ((m = kt_mapping_touching(start, length, from)) != NULL) {
		from = m->start + m->length;
		visit(m, argument);
	}
}

static void set_protection(struct kt_mapping *m, int now)
{
	m->protection = now;
	if (m->watched && !m->held) {
		protect(m->start, m->start + m->length, PROT_NONE);
	}
}

void kt_access_protected(uintptr_t start, size_t length, int now)
{
	kt_mapping_split(start);
	kt_mapping_split(start + length);
	each_in(start, length, set_protection, now);
}

static void hold(struct kt_mapping *m, int unused)
{
	(void)unused;
	if (m->watched && m->held++ == 0) {
		open_pages(m, m->start, m->start + m->length, true);
	}
}

static void let_go(struct kt_mapping *m, int unused)
{
	(void)unused;
	if (m->watched && m->held && --m->held == 0) {
		protect(m->start, m->start + m->length, PROT_NONE);
	}
}

bool kt_access_hold(uintptr_t start, size_t length)
{
	bool locked;
	bool any;

	if (kt_access_mode == KT_ACCESS_OFF || !length ||
	    !kt_mapping_may_touch(start, length)) {
		return false;
	}
	locked = kt_lock();
	any = kt_mapping_touching(start, length, start) != NULL;
	each_in(start, length, hold, 0);
	kt_unlock(locked);
	return any;
}

void kt_access_release(uintptr_t start, size_t length)
{
	bool locked = kt_lock();

	each_in(start, length, let_go, 0);
	kt_unlock(locked);
}
