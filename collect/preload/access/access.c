/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/access/access.h"

#include <string.h>
#include <sys/mman.h>

#include "collect/preload/access/hot-sites.h"
#include "collect/preload/access/patch.h"
#include "collect/preload/access/redirect-copies.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/instruction.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/reports.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/mappings/steps.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/submissions/doorbell.h"
#include "collect/preload/mappings/ring-ranges.h"
#include "collect/preload/submissions/ring-stores.h"

/*
 * After this many emulated accesses a run counts as long: its pages are opened for a while
 * (a window). An emulated access costs a signal, about 5 us; a window costs a signal and
 * two mprotect calls, which interrupt every core and cost about 4 us together. So one
 * access is enough if nothing is missed: a window for writing, of memory with one role, in
 * which no report was. Windows open later for reads, because the last read of a block says
 * where a report may be (collect/preload/mappings/reports.h).
 */
#define LONG_RUN       6
#define LONG_WRITE_RUN 1

/*
 * If one instruction faults more often than this on a page that should be open, the kernel
 * is asked whether the page is open.
 */
#define SPURIOUS_MAX 100000

#define PAGE_FAULT_FETCH 16 /* bit of the page-fault error code: instruction fetch */

bool kt_access_pin;

static struct {
	uintptr_t ip;
	unsigned n;
} spurious;

/* --- watched mappings --- */

/* Returns whether the mapping holds rings or GP_PUTs to which stores must be observed. */
static bool holds_rings(const struct kt_mapping *m)
{
	uintptr_t lo = m->start;
	uintptr_t end;

	return m->alias && !m->doorbell &&
	       kt_ring_next_pages(&lo, m->start + m->length, &end);
}

static enum kt_watch watch_of(const struct kt_mapping *m)
{
	/*
	 * Two kinds of mappings are not closed: unified memory, whose pages would raise
	 * SIGBUS later if they had been closed, and driver mappings without an alias,
	 * because each access would have to open the page to all threads.
	 */
	bool can_watch = kt_access_mode != KT_ACCESS_OFF && !m->given_up &&
			 m->protection != PROT_NONE && (m->alias || m->pinned);

	return can_watch        ? KT_WATCH_ALL
	       : m->by_page     ? KT_WATCH_DOORBELL
	       : holds_rings(m) ? KT_WATCH_RINGS
				: KT_WATCH_NOTHING;
}

void kt_access_watch(struct kt_mapping *m)
{
	enum kt_watch before = m->watch;

	m->by_page = kt_doorbell_arm(m) == KT_GUARD_PAGE;
	m->watch = watch_of(m);
	if (m->watch < before || m->watch == KT_WATCH_RINGS) {
		/*
		 * Opens pages that need not be closed any more, because the doorbell's
		 * guard or the rings have changed.
		 */
		kt_pages_open(m);
	}
	if (!kt_pages_close(m)) {
		m->watch = KT_WATCH_NOTHING;
		kt_pages_open(m);
	}
	if (kt_access_mode != KT_ACCESS_OFF && !m->given_up && m->watch != KT_WATCH_ALL &&
	    m->protection != PROT_NONE) {
		kt_count(&kt_counters->unwatched);
	}
}

struct giving {
	uint32_t ordinal; /* 0: all mappings */
	bool any;
};

static void give_up(struct kt_mapping *m, void *context)
{
	struct giving *giving = context;

	if (m->watch != KT_WATCH_ALL ||
	    (giving->ordinal && m->ordinal != giving->ordinal)) {
		return;
	}
	m->given_up = true;
	m->watch = watch_of(m);
	giving->any = true;
	if (!kt_pages_loosen(m)) {
		/* Accesses may go unnoticed, but no store to a doorbell or a ring. */
		m->watch = KT_WATCH_ALL;
		kt_pages_close(m);
	}
}

bool kt_access_give_up(uint32_t ordinal)
{
	struct giving giving = {.ordinal = ordinal};

	kt_mapping_each(give_up, &giving);
	return giving.any;
}

static void take_back(struct kt_mapping *m, void *unused)
{
	(void)unused;
	if (m->given_up) {
		m->given_up = false;
		if (!m->doorbell) {
			kt_access_watch(m);
		}
	}
}

void kt_access_take_back(void)
{
	kt_mapping_each(take_back, NULL);
}

static void watch_rings(struct kt_mapping *m, void *unused)
{
	(void)unused;
	if (!m->doorbell && m->watch != KT_WATCH_ALL &&
	    (m->watch == KT_WATCH_RINGS || holds_rings(m))) {
		kt_access_watch(m);
	}
}

void kt_access_watch_rings(void)
{
	if (kt_rings_settle()) {
		kt_mapping_each(watch_rings, NULL);
	}
}

/* --- a fault --- */

static void *to_alias(uintptr_t address, size_t size, bool write, bool *known,
		      void *context)
{
	const struct kt_mapping *m = kt_mapping_find(address);

	(void)write;
	(void)context;
	*known = true;
	if (m && m->alias && address + size <= m->start + m->length) {
		return (char *)m->alias + (address - m->start);
	}
	/* The instruction may use the address itself if no watched mapping is there. */
	*known = kt_mapping_touching(address, size, address) == NULL;
	return NULL;
}

/* Reports a doorbell store that faulted, and considers patching it. */
static void note_doorbell(const struct kt_mapping *m, uintptr_t ip, bool known,
			  uint32_t value)
{
	kt_doorbell_stored(m, kt_patch_original(ip), known, value, false);
	if (kt_doorbell_patches() && m->alias) {
		kt_patch_consider(ip, KT_PATCH_FOR_SUBMISSIONS);
	}
}

/* Returns whether the access wrote a GP_PUT or a ring entry. */
static bool note_ring(const struct kt_mapping *m, const struct kt_emulated_access *a)
{
	bool to_ring = false;

	if (a->write && !a->wide) {
		return kt_ring_stored(m, a->address, a->size, a->known, a->value);
	}
	for (unsigned k = 0; a->write && k < a->wide; k++) {
		to_ring = kt_ring_stored(m, a->address + 8 * k, 8, true, a->eights[k]) ||
			  to_ring;
	}
	return to_ring;
}

static void note_emulated(const struct kt_emulated *done, uintptr_t ip)
{
	bool patches = kt_doorbell_patches();
	uintptr_t original = kt_patch_original(ip);

	for (unsigned i = 0; i < done->n; i++) {
		const struct kt_emulated_access *a = &done->accesses[i];
		const struct kt_mapping *m = kt_mapping_find(a->address);

		if (note_ring(m, a) && patches) {
			kt_patch_consider(ip, KT_PATCH_FOR_SUBMISSIONS);
		}
		if (m && a->write && kt_doorbell_is_in(m, a->address, a->size)) {
			note_doorbell(m, ip, a->known && a->size == 4, (uint32_t)a->value);
		} else if (m) {
			kt_run_note(m, a->address, a->size, a->write, original);
		}
	}
	if (patches && done->n == 1) {
		kt_run_let_continue(kt_mapping_find(done->accesses[0].address),
				    done->accesses[0].address);
	}
}

/*
 * Patches the instruction at ip, which has just faulted, if it faults often; if it is
 * libc's, redirects its caller.
 */
static void consider_hot(uintptr_t ip, const ucontext_t *context)
{
	if (!kt_doorbell_patches() || !kt_hot_site_fault(ip)) {
		return;
	}
	kt_patch_consider(ip, KT_PATCH_FOR_ACCESSES);
	if (kt_patch_is_own_code(ip) && kt_copies_redirect(context)) {
		kt_count(&kt_counters->access_patches);
	}
}

/* Reports the faulting access before the instruction has run. */
static void note_fault(const struct kt_mapping *m, uintptr_t address, bool write,
		       const ucontext_t *context)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	uint32_t value = 0;

	if (write && kt_doorbell_is_in(m, address, 1)) {
		note_doorbell(m, ip, kt_store_value_at(context, address, &value), value);
	} else {
		kt_run_note(m, address, 0, write, kt_patch_original(ip));
	}
}

/*
 * Returns whether the run is long enough for a window. All windows of a mapping are
 * writable if one is, so neither a window for reading that is open nor one that is to be
 * opened may let writes to memory with another role, such as a ring, pass unseen.
 */
static bool is_long(const struct kt_mapping *m, uintptr_t address, bool write)
{
	bool one_role = kt_run_has_one_role(kt_page_of(address), kt_run.grow);

	if (kt_run.emulated >= LONG_RUN) {
		return write || !m->writable_windows || one_role;
	}
	return write && kt_run.written && kt_run.emulated >= LONG_WRITE_RUN && one_role &&
	       (m->n_windows == 0 || m->writable_windows) && m->n_windows < KT_WINDOW_MAX &&
	       !kt_report_was_in(kt_page_of(address), kt_run.grow);
}

/* Opens a window if the run has become long and accesses are not reported one by one. */
static bool open_for_run(struct kt_mapping *m, uintptr_t address, bool write)
{
	if (kt_run.mapping != m->ordinal || kt_run_is_exact() ||
	    !(m->pinned || is_long(m, address, write)) ||
	    !kt_pages_open_window(m, address, kt_run.grow, write)) {
		return false;
	}
	kt_run.grow *= 2;
	return true;
}

/* Single-steps the instruction with its page open; opens a window if that is impossible. */
static void let_run(struct kt_mapping *m, uintptr_t address, ucontext_t *context)
{
	if (!kt_step_begin(m, address, context)) {
		kt_pages_open_window(m, address, KT_PAGE, true);
	}
}

static bool is_fetch(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_FETCH;
}

/*
 * Handles a fault in a watched page. If `locked` is false, the fault has interrupted the
 * lock's owner, so the access is made but not recorded.
 */
static void handle(struct kt_mapping *m, uintptr_t address, bool write, bool locked,
		   ucontext_t *context)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	struct kt_emulated done;

	if (!locked) {
		kt_emit_skip();
		if (!kt_emulate(context, to_alias, NULL, &done)) {
			let_run(m, address, context);
			return;
		}
		for (unsigned i = 0; i < done.n; i++) {
			kt_ring_unseen(done.accesses[i].address, done.accesses[i].size);
		}
		return;
	}
	if (kt_step_is_on()) {
		/* The stepped instruction needs this page too. */
		if (kt_run.mapping != m->ordinal) {
			note_fault(m, address, write, context);
		}
		let_run(m, address, context);
		return;
	}
	if (!is_fetch(context) && open_for_run(m, address, write)) {
		kt_run_note(m, address, 0, write, kt_patch_original(ip));
		if (m->alias) { /* else no patch can make the access */
			consider_hot(ip, context);
		}
		return;
	}
	if (kt_emulate(context, to_alias, NULL, &done)) {
		note_emulated(&done, ip);
		consider_hot(ip, context);
		kt_patch_send_on(context);
		kt_run.emulated++;
		kt_count(&kt_counters->emulated);
		return;
	}
	note_fault(m, address, write, context);
	if (is_fetch(context) || !open_for_run(m, address, write)) {
		let_run(m, address, context);
	}
}

/*
 * Returns a set of PROT_* bits, any one of which is enough for the access. On x86 every
 * writable page is readable, so PROT_WRITE is enough for a read.
 */
static int allowing(bool write, const ucontext_t *context)
{
	return is_fetch(context) ? PROT_EXEC : write ? PROT_WRITE : PROT_READ | PROT_WRITE;
}

static bool is_open(uintptr_t address, int allowing_it)
{
	int now = kt_memory_protection(kt_page_of(address), KT_PAGE);

	return now > PROT_NONE && (now & allowing_it);
}

/* Like kt_access_fault(), for an address in mapping `m`. `locked` is as for handle(). */
static bool fault_in(struct kt_mapping *m, uintptr_t address, bool write, bool locked,
		     ucontext_t *context)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	int allowing_it = allowing(write, context);

	if (!(m->protection & allowing_it)) {
		return false;
	}
	if (m->watch == KT_WATCH_NOTHING) {
		/* If the page is open now, the access succeeds when repeated. */
		return is_open(address, allowing_it);
	}
	kt_count(&kt_counters->faults);
	if (kt_pages_let_through(m, address, write || is_fetch(context))) {
		/*
		 * Another thread has opened the page meanwhile, so the access will succeed
		 * when repeated. After many repetitions, asks the kernel whether the page
		 * is open. If it is closed, the fault is the program's.
		 */
		spurious.n = spurious.ip == ip ? spurious.n + 1 : 0;
		spurious.ip = ip;
		if (spurious.n < SPURIOUS_MAX) {
			return true;
		}
		spurious.n = 0;
		return is_open(address, allowing_it);
	}
	handle(m, address, write, locked, context);
	return true;
}

/*
 * The mapping may have been removed while the thread was faulting. If the page is open,
 * other memory is there now, and the access can be repeated.
 */
bool kt_access_fault(uintptr_t address, bool write, ucontext_t *context)
{
	struct kt_mapping *m;
	bool locked;
	bool ours;

	if (!kt_mapping_may_touch(address, 1) && !kt_mapping_was_at(address)) {
		return false;
	}
	locked = kt_lock();
	m = kt_mapping_find(address);
	if (locked && kt_patch_send_on(context)) {
		ours = true; /* another thread has just patched the faulting instruction */
	} else {
		ours = m ? fault_in(m, address, write, locked, context)
			 : kt_mapping_was_at(address) &&
				       is_open(address, allowing(write, context));
	}
	kt_unlock(locked);
	return ours;
}

/* --- registered user memory --- */

void kt_access_after_fork(void)
{
	kt_run_after_fork();
	kt_step_after_fork();
	kt_patch_after_fork();
	kt_pages_after_fork();
}

void kt_access_watch_pinned(uint32_t ordinal, uint64_t address, uint64_t length)
{
	uintptr_t start = kt_whole_pages(address);
	uintptr_t end = kt_page_of(address + length);
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	struct kt_mapping mapping = {
		.start = start,
		.base = address,
		.ordinal = ordinal,
		.static_space = "pin",
		.pinned = true,
	};
	struct kt_mapping *added;

	if (!kt_access_pin || kt_access_mode == KT_ACCESS_OFF || end <= start) {
		return;
	}
	mapping.length = end - start;
	mapping.protection = kt_memory_protection(start, mapping.length);
	if (mapping.protection <= PROT_NONE ||
	    kt_mapping_touching(start, mapping.length, start) ||
	    (stack >= start && stack < end)) {
		kt_count(&kt_counters->unwatched);
		return;
	}
	added = kt_mapping_add(&mapping);
	if (added) {
		kt_access_watch(added);
	}
}

/*
 * Skips the parts that the program has unmapped, because they are no longer in the table of
 * mappings.
 */
void kt_access_forget_pinned(uint32_t ordinal, uint64_t address, uint64_t length)
{
	struct kt_mapping *m;

	kt_pages_close_windows();
	for (uintptr_t from = address;
	     (m = kt_mapping_touching(address, length, from)) != NULL;) {
		uintptr_t start = m->start;
		size_t bytes = m->length;

		from = start + bytes;
		if (m->pinned && m->ordinal == ordinal) {
			kt_pages_open(m);
			kt_mapping_cut(start, bytes);
		}
	}
}

/* --- patched accesses --- */

/*
 * Returns the alias of watched memory that the program may access, else NULL. Writes the
 * mapping to *context.
 */
static void *to_watched(uintptr_t address, size_t size, bool write, bool *known,
			void *context)
{
	const struct kt_mapping *m = kt_mapping_find(address);
	const struct kt_mapping **found = context;
	int allowing_it = write ? PROT_WRITE : PROT_READ | PROT_WRITE;

	(void)known;
	*found = m;
	if (!m || !m->alias || m->watch == KT_WATCH_NOTHING ||
	    !(m->protection & allowing_it) || address + size > m->start + m->length) {
		return NULL;
	}
	return (char *)m->alias + (address - m->start);
}

bool kt_access_patched(const struct kt_instruction *instruction, ucontext_t *context,
		       struct kt_saved_vectors *vectors, enum kt_patched *what)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	const struct kt_emulated_access *a;
	const struct kt_mapping *m = NULL;
	struct kt_emulated done;
	bool to_ring;

	if (!kt_emulate_decoded(instruction, context, vectors, to_watched, &m, &done)) {
		return false;
	}
	a = &done.accesses[0];
	to_ring = note_ring(m, a);
	*what = to_ring || m->watch == KT_WATCH_ALL ? KT_PATCHED_WANTED : KT_PATCHED_STRAY;
	if (a->write && kt_doorbell_is_in(m, a->address, a->size)) {
		*what = KT_PATCHED_WANTED;
		kt_doorbell_stored(m, ip, a->known && a->size == 4, (uint32_t)a->value,
				   true);
	} else {
		kt_count(&kt_counters->patched_accesses);
		kt_run_note(m, a->address, a->size, a->write, ip);
		kt_run_let_continue(m, a->address);
		if (m->watch == KT_WATCH_ALL && !to_ring && !kt_run_is_exact() &&
		    ++kt_run.patched > KT_PATCH_LOOP) {
			*what = KT_PATCHED_LOOP;
		}
	}
	return true;
}
