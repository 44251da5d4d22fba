/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/patch-sites.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"

#define INT3           0xcc
#define INNER_MAX      64   /* a patch is removed after this many traps in its jump */
#define BY_INSTRUCTION 0x80 /* SI_KERNEL: an instruction caused the signal; no si_addr */

struct kt_patch_site kt_patch_sites[KT_SITES_MAX];
static _Atomic uint32_t n_sites;
bool kt_patch_finished;

/*
 * By number of the site: where its jump and its trampoline's pages are, or 0. Each fault
 * looks through these, which is faster than through all of the sites' memory.
 */
static _Atomic uintptr_t jumps[KT_SITES_MAX];
static _Atomic uintptr_t pages[KT_SITES_MAX];

#define TRAMPOLINE_PAGES (2 * KT_PAGE) /* bytes in which a trampoline lies */

/* --- writing code --- */

/* Makes all cores refetch code. */
static bool sync_cores(void)
{
	return KT_KERNEL(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0,
			 0) == 0;
}

static size_t bytes_of_pages(uintptr_t at, size_t n)
{
	return kt_page_of(at + n - 1) + KT_PAGE - kt_page_of(at);
}

static bool open_code(uintptr_t at, size_t n)
{
	return KT_KERNEL_TRY(SYS_mprotect, kt_page_of(at), bytes_of_pages(at, n),
			     PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

/* If the kernel refuses, the code works all the same, but its pages stay writable. */
static void close_code(uintptr_t at, size_t n)
{
	KT_KERNEL(SYS_mprotect, kt_page_of(at), bytes_of_pages(at, n),
		  PROT_READ | PROT_EXEC);
}

/* Not instrumented, because ThreadSanitizer takes the code for constant memory. */
__attribute__((no_sanitize("thread"))) static void
put_bytes(uintptr_t site, const uint8_t code[static KT_JUMP_BYTES], unsigned which)
{
	volatile uint8_t *to = (volatile uint8_t *)site;

	for (unsigned i = 0; i < KT_JUMP_BYTES; i++) {
		if (which & 1u << i) {
			to[i] = code[i];
		}
	}
}

bool kt_patch_may_sync_cores(void)
{
	return KT_KERNEL_TRY(SYS_membarrier,
			     MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0,
			     0) == 0 &&
	       sync_cores();
}

bool kt_patch_replace_code(const struct kt_patch_site *s,
			   const uint8_t code[static KT_JUMP_BYTES])
{
	static const uint8_t traps[KT_JUMP_BYTES] = {INT3, INT3, INT3, INT3, INT3};
	uintptr_t site = s->jump_at;
	unsigned starts = s->trampoline.starts;

	pages[s - kt_patch_sites] = s->trampoline.pages;
	if (!open_code(site, KT_JUMP_BYTES)) {
		return false;
	}
	/*
	 * Other threads may be running this code. If a thread reaches the start of an
	 * instruction while the bytes are being replaced, it traps and then continues in
	 * the trampoline (kt_patch_trap()).
	 */
	put_bytes(site, traps, starts);
	sync_cores();
	put_bytes(site, code, ~starts);
	sync_cores();
	put_bytes(site, code, starts);
	sync_cores();
	close_code(site, KT_JUMP_BYTES);
	return true;
}

bool kt_patch_has_code(uintptr_t site, const uint8_t *code, size_t n)
{
	uint8_t now[KT_REPLACED_MAX];

	return kt_memory_read(now, site, n) == n && memcmp(now, code, n) == 0;
}

bool kt_patch_has_jump(const struct kt_patch_site *s)
{
	return kt_patch_has_code(s->jump_at, s->trampoline.jump, KT_JUMP_BYTES);
}

struct kt_patch_site *kt_patch_site_at(uintptr_t ip)
{
	for (uint32_t i = atomic_load(&n_sites); i > 0; i--) {
		if (jumps[i - 1] == ip &&
		    atomic_load(&kt_patch_sites[i - 1].state) != KT_PATCH_GONE) {
			return &kt_patch_sites[i - 1];
		}
	}
	return NULL;
}

struct kt_patch_site *kt_patch_site_new(uintptr_t ip, uintptr_t jump_at, uint32_t *number)
{
	*number = atomic_load(&n_sites);
	if (*number == KT_SITES_MAX) {
		return NULL;
	}
	kt_patch_sites[*number].patch.site = ip;
	kt_patch_sites[*number].jump_at = jump_at;
	jumps[*number] = jump_at;
	atomic_store(&n_sites, *number + 1);
	return &kt_patch_sites[*number];
}

const struct kt_patch_site *kt_patch_moved_at(uintptr_t ip, const struct kt_inner **inner)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		const struct kt_patch_site *s = &kt_patch_sites[i];

		if (ip - pages[i] >= TRAMPOLINE_PAGES) {
			continue;
		}
		for (unsigned k = 0; k < s->trampoline.n_inner; k++) {
			*inner = &s->trampoline.inner[k];
			if ((*inner)->entry && (*inner)->access == ip) {
				return s;
			}
		}
	}
	return NULL;
}

bool kt_patch_shares(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		const struct kt_patch_site *s = &kt_patch_sites[i];

		if (ip - jumps[i] < KT_JUMP_BYTES &&
		    atomic_load(&s->state) >= KT_PATCH_IN &&
		    ip - jumps[i] >= s->trampoline.replaced) {
			return true;
		}
	}
	return false;
}

bool kt_patch_write_code(uintptr_t at, const void *bytes, size_t n)
{
	if (!open_code(at, n)) {
		return false;
	}
	memcpy((void *)at, bytes, n);
	close_code(at, n);
	return true;
}

/* --- removal --- */

static void take_out(struct kt_patch_site *s, enum kt_patch_state then)
{
	if (atomic_load(&s->state) != KT_PATCH_IN) {
		return;
	}
	/*
	 * If the site's library was unloaded, other code may be at the site now, which must
	 * stay as it is.
	 */
	if (kt_patch_has_jump(s)) {
		if (!kt_patch_replace_code(s, s->before)) {
			atomic_store(&s->strays, 0); /* tried again after as many strays */
			return;
		}
		kt_count(&kt_counters->patches_taken_out);
	}
	atomic_store(&s->state, then);
}

const struct kt_patch *kt_patch_get(uint32_t number)
{
	/*
	 * Running the jump does not synchronise with the thread that wrote the patch; this
	 * atomic load does.
	 */
	return atomic_load(&kt_patch_sites[number].state) >= KT_PATCH_IN
		       ? &kt_patch_sites[number].patch
		       : NULL;
}

bool kt_patch_uncover(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		struct kt_patch_site *s = &kt_patch_sites[i];
		uintptr_t before = jumps[i] - ip;

		if (!before || before >= KT_JUMP_BYTES ||
		    atomic_load(&s->state) < KT_PATCH_IN) {
			continue;
		}
		take_out(s, KT_PATCH_GONE);
		if (atomic_load(&s->state) == KT_PATCH_IN) {
			return false;
		}
		atomic_store(&s->state, KT_PATCH_GONE);
	}
	return true;
}

uintptr_t kt_patch_pause(uint32_t number)
{
	struct kt_patch_site *s = &kt_patch_sites[number];

	take_out(s, KT_PATCH_PAUSED);
	atomic_store(&s->strays, 0);
	return s->jump_at == s->patch.site ? s->jump_at : s->jump_at + KT_JUMP_BYTES;
}

void kt_patch_pause_all(void)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		if (atomic_load(&kt_patch_sites[i].state) == KT_PATCH_IN) {
			kt_patch_pause(i);
		}
	}
}

bool kt_patch_has_original(struct kt_patch_site *s)
{
	if (kt_patch_has_code(s->jump_at, s->before, s->trampoline.replaced) &&
	    kt_memory_is_private_code(s->jump_at, KT_JUMP_BYTES)) {
		return true;
	}
	atomic_store(&s->state, KT_PATCH_GONE);
	return false;
}

bool kt_patch_resume(struct kt_patch_site *s)
{
	if (atomic_load(&s->state) != KT_PATCH_PAUSED || !kt_patch_has_original(s)) {
		return false;
	}
	atomic_store(&s->state, KT_PATCH_IN);
	if (!kt_patch_replace_code(s, s->trampoline.jump)) {
		atomic_store(&s->state, KT_PATCH_OUT);
		return false;
	}
	return true;
}

uint64_t kt_patch_take_continued(struct kt_patch_site *s)
{
	uint64_t n = atomic_load_explicit(&s->run.continued, memory_order_relaxed);
	uint64_t before = atomic_load_explicit(&s->counted, memory_order_relaxed);

	/* A thread that counts at the same time may set `continued` back. */
	return n > before && atomic_compare_exchange_strong(&s->counted, &before, n)
		       ? n - before
		       : 0;
}

void kt_patch_after_fork(void)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		atomic_store(&kt_patch_sites[i].counted,
			     atomic_load(&kt_patch_sites[i].run.continued));
	}
}

void kt_patch_finish(void)
{
	kt_patch_finished = true;
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		kt_count_many(&kt_counters->patched_accesses,
			      kt_patch_take_continued(&kt_patch_sites[i]));
		take_out(&kt_patch_sites[i], KT_PATCH_OUT);
	}
}

/* --- addresses of threads --- */

uintptr_t kt_patch_original(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		const struct kt_patch_site *s = &kt_patch_sites[i];

		if (ip - pages[i] >= TRAMPOLINE_PAGES ||
		    atomic_load(&s->state) < KT_PATCH_IN) {
			continue;
		}
		if (ip == s->trampoline.access) {
			return s->patch.site;
		}
		for (unsigned k = 0; k < s->trampoline.n_inner; k++) {
			if (ip == s->trampoline.inner[k].copy ||
			    ip == s->trampoline.inner[k].access) {
				return s->patch.site + s->trampoline.inner[k].offset;
			}
		}
	}
	return ip;
}

void kt_patch_hide(ucontext_t *context)
{
	greg_t *ip = &context->uc_mcontext.gregs[REG_RIP];

	*ip = (greg_t)kt_patch_original((uintptr_t)*ip);
}

/*
 * Returns the address to which the patch has moved the instruction that began at `at` in
 * the original code; 0 if the patch replaced no instruction that began there.
 */
static uintptr_t moved_to(const struct kt_patch_site *s, uintptr_t at)
{
	if (at == s->jump_at) {
		return s->trampoline.entry;
	}
	for (unsigned k = 0; k < s->trampoline.n_inner; k++) {
		if (at == s->patch.site + s->trampoline.inner[k].offset) {
			return s->trampoline.inner[k].copy;
		}
	}
	return 0;
}

bool kt_patch_send_on(ucontext_t *context)
{
	greg_t *ip = &context->uc_mcontext.gregs[REG_RIP];

	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		uintptr_t to = 0;

		if ((uintptr_t)*ip - jumps[i] < KT_JUMP_BYTES &&
		    atomic_load(&kt_patch_sites[i].state) == KT_PATCH_IN) {
			to = moved_to(&kt_patch_sites[i], (uintptr_t)*ip);
		}
		if (to && kt_patch_has_jump(&kt_patch_sites[i])) {
			*ip = (greg_t)to;
			return true;
		}
	}
	return false;
}

/*
 * Returns the address at which a thread that trapped at `at` continues; 0 if the patch did
 * not cause the trap. The patch may have been removed since the thread trapped, so the code
 * may no longer contain the byte that trapped.
 */
static uintptr_t trapped(const struct kt_patch_site *s, uintptr_t at)
{
	static const uint8_t int3[] = {INT3};
	int state = atomic_load(&s->state);
	uintptr_t to = moved_to(s, at);
	size_t offset = at - s->jump_at;

	if (!to || state < KT_PATCH_IN) {
		return 0;
	}
	if (state == KT_PATCH_IN) {
		return kt_patch_has_jump(s) ? to : 0;
	}
	/*
	 * The patch was removed. If an int3 or the patch's byte is still at `at`, this byte
	 * belongs to the original code, so the program itself caused the trap.
	 */
	if (kt_patch_has_code(at, int3, 1) ||
	    kt_patch_has_code(at, &s->trampoline.jump[offset], 1)) {
		return 0;
	}
	if (state != KT_PATCH_GONE) {
		return to;
	}
	/* Other code may be at the site; if not, the thread continues in the original. */
	return kt_patch_has_code(at, s->before + offset, s->trampoline.replaced - offset)
		       ? at
		       : 0;
}

bool kt_patch_fixup(ucontext_t *context)
{
	greg_t *ip = &context->uc_mcontext.gregs[REG_RIP];

	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		const struct kt_patch_site *s = &kt_patch_sites[i];

		if ((uintptr_t)*ip - pages[i] < TRAMPOLINE_PAGES &&
		    atomic_load(&s->state) >= KT_PATCH_IN &&
		    s->trampoline.way.access == (uintptr_t)*ip) {
			*ip = (greg_t)s->trampoline.way.bail;
			return true;
		}
	}
	return false;
}

bool kt_patch_trap(const siginfo_t *info, ucontext_t *context)
{
	/*
	 * After an int3 (SIGTRAP), RIP is the address after the int3; after the fault of a
	 * privileged instruction (SIGSEGV), RIP is the address of the instruction.
	 */
	uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP] -
		       (info->si_signo == SIGTRAP);
	bool locked;
	uintptr_t to = 0;

	if (info->si_code != BY_INSTRUCTION || !atomic_load(&n_sites)) {
		return false;
	}
	locked = kt_lock(); /* no other thread changes code meanwhile */
	for (uint32_t i = 0; i < atomic_load(&n_sites) && !to; i++) {
		struct kt_patch_site *s = &kt_patch_sites[i];

		to = trapped(s, at);
		if (to && at != s->jump_at) {
			kt_count(&kt_counters->patch_traps);
			if (atomic_fetch_add(&s->inner, 1) >= INNER_MAX) {
				take_out(s, KT_PATCH_OUT);
				s->is_entered = true;
			}
		}
		if (to) {
			context->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
		}
	}
	kt_unlock(locked);
	return to != 0;
}
