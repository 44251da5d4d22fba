/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/patch.h"

#include <dlfcn.h>
#include <link.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/counters.h"
#include "collect/guard.h"
#include "collect/kernel.h"
#include "collect/lock.h"
#include "collect/memory.h"
#include "collect/patch-entry.h"
#include "collect/relocate.h"
#include "collect/trampoline.h"

#define PATCHES_MAX    64
#define INT3           0xcc
#define INNER_MAX      64   /* traps in the middle of a jump, then it is taken out */
#define STRAYS_MIN     256  /* stores to other memory: then one that has no more hits is */
#define BY_INSTRUCTION 0x80 /* SI_KERNEL: no address, no timer */

enum state {
	UNUSED,
	REFUSED, /* remembered, so that it is not tried again */
	/* From here on there is a trampoline. */
	IN,
	OUT,
	GONE, /* with its library: other code stands at its address */
};

static struct site {
	_Atomic int state;
	struct kt_patch patch;
	struct kt_trampoline trampoline;
	uint8_t before[KT_REPLACED_MAX];
	_Atomic uint32_t hits;
	_Atomic uint32_t strays;
	_Atomic uint32_t inner; /* traps */
} sites[PATCHES_MAX];

static _Atomic uint32_t n_sites;
static bool finished;

/* Code that the recorder itself runs while it reports: its own, and libc's. */
static struct {
	uintptr_t lo;
	uintptr_t hi;
} own_code[8];
static unsigned n_ours;

/* --- what is never patched --- */

static bool holds(const struct dl_phdr_info *info, const void *address)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t lo = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (uintptr_t)address - lo < p->p_memsz) {
			return true;
		}
	}
	return false;
}

static int note_ours(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	if (!holds(info, &n_ours) && !holds(info, context)) {
		return 0;
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    n_ours < sizeof(own_code) / sizeof(own_code[0])) {
			own_code[n_ours].lo = info->dlpi_addr + p->p_vaddr;
			own_code[n_ours++].hi = info->dlpi_addr + p->p_vaddr + p->p_memsz;
		}
	}
	return 0;
}

void kt_patch_init(void)
{
	void *in_libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");

	kt_relocate_init();
	kt_patch_entry_init();
	dl_iterate_phdr(note_ours, in_libc);
	if (!in_libc) {
		finished = true;
		kt_count(&kt_counters->setup_failures);
	}
}

static bool is_ours(uintptr_t ip)
{
	for (unsigned i = 0; i < n_ours; i++) {
		if (ip >= own_code[i].lo && ip < own_code[i].hi) {
			return true;
		}
	}
	return false;
}

/* --- writing code --- */

/* No core runs what it has fetched before. */
static bool sync_cores(void)
{
	return KT_KERNEL(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0,
			 0) == 0;
}

static bool may_sync_cores(void)
{
	return KT_KERNEL_TRY(SYS_membarrier,
			     MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0,
			     0) == 0 &&
	       sync_cores();
}

static bool protect_code(uintptr_t site, int protection)
{
	uintptr_t first = kt_page_of(site);

	return KT_KERNEL_TRY(SYS_mprotect, first,
			     kt_page_of(site + KT_JUMP_BYTES - 1) + KT_PAGE - first,
			     protection) == 0;
}

static void put_bytes(uintptr_t site, const uint8_t code[static KT_JUMP_BYTES],
		      unsigned which)
{
	volatile uint8_t *to = (volatile uint8_t *)site;

	for (unsigned i = 0; i < KT_JUMP_BYTES; i++) {
		if (which & 1u << i) {
			to[i] = code[i];
		}
	}
}

/*
 * While a thread may be running there. Whoever comes meanwhile to where an instruction
 * begins traps, and goes the way that the new code will go (kt_patch_trap()).
 */
static void write_code(const struct site *s, const uint8_t code[static KT_JUMP_BYTES])
{
	static const uint8_t traps[KT_JUMP_BYTES] = {INT3, INT3, INT3, INT3, INT3};
	uintptr_t site = s->patch.site;
	unsigned starts = s->trampoline.starts;

	put_bytes(site, traps, starts);
	sync_cores();
	put_bytes(site, code, ~starts);
	sync_cores();
	put_bytes(site, code, starts);
	sync_cores();
}

static bool replace_code(const struct site *s, const uint8_t code[static KT_JUMP_BYTES])
{
	if (!protect_code(s->patch.site, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		return false;
	}
	write_code(s, code);
	/* Refused, the code is as good, only its page could be written by the program. */
	protect_code(s->patch.site, PROT_READ | PROT_EXEC);
	return true;
}

static bool has_code(uintptr_t site, const uint8_t *code, size_t n)
{
	uint8_t now[KT_REPLACED_MAX];

	return kt_memory_read(now, site, n) == n && memcmp(now, code, n) == 0;
}

static bool has_jump(const struct site *s)
{
	return has_code(s->patch.site, s->trampoline.jump, KT_JUMP_BYTES);
}

/* --- in --- */

static const char *prepare(struct site *s, uint32_t number, const uint8_t *code, size_t n)
{
	const char *why;

	if (!kt_instruction_decode(&s->patch.store, code, n) ||
	    s->patch.store.form != KT_FORM_GENERAL || s->patch.store.action != KT_STORE ||
	    !s->patch.store.writes || s->patch.store.segment) {
		return "it is no plain store";
	}
	if (!kt_memory_is_private_code(s->patch.site, KT_JUMP_BYTES)) {
		return "its code is written to, or shared with other processes";
	}
	if (!kt_patch_entry_works() || !may_sync_cores()) {
		return "this processor or kernel lacks what it needs (xsave, membarrier)";
	}
	why = kt_trampoline_make(&s->trampoline, s->patch.site, code, n, number,
				 (uintptr_t)kt_patch_entry);
	if (why) {
		return why;
	}
	s->patch.made = s->trampoline.made;
	s->patch.again = s->trampoline.again;
	memcpy(s->before, code, s->trampoline.replaced);
	return NULL;
}

/* The first one is kept, with the bytes that stand there. */
static void count_refused(const char *why, const uint8_t *code, size_t n)
{
	size_t at = 0;

	if (atomic_fetch_add(&kt_counters->patches_refused, 1) != 0) {
		return;
	}
	for (size_t i = 0; i < sizeof(kt_counters->refused_code); i++) {
		kt_counters->refused_code[i] = i < n ? code[i] : 0;
	}
	for (; why[at] && at + 1 < sizeof(kt_counters->refused_why); at++) {
		kt_counters->refused_why[at] = why[at];
	}
	kt_counters->refused_why[at] = '\0';
}

static void put_in(struct site *s, uint32_t number)
{
	uint8_t code[KT_SITE_BYTES];
	size_t n = kt_memory_read(code, s->patch.site, sizeof(code));
	const char *why = prepare(s, number, code, n);

	if (why) {
		atomic_store(&s->state, REFUSED);
		count_refused(why, code, n);
		return;
	}
	atomic_store(&s->state, IN);
	if (!replace_code(s, s->trampoline.jump)) {
		atomic_store(&s->state, REFUSED);
		kt_trampoline_free(&s->trampoline);
		count_refused("the kernel forbids to change its code", code, n);
		return;
	}
	kt_count(&kt_counters->patches);
}

/*
 * Its library was unloaded, with the patch. If it was loaded once more, the same code needs
 * the same trampoline. true: that is so.
 */
static bool put_in_again(struct site *s)
{
	if (!has_code(s->patch.site, s->before, s->trampoline.replaced) ||
	    !kt_memory_is_private_code(s->patch.site, KT_JUMP_BYTES)) {
		atomic_store(&s->state, GONE);
		return false;
	}
	if (replace_code(s, s->trampoline.jump)) {
		kt_count(&kt_counters->patches);
	}
	return true;
}

static struct site *find(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		if (sites[i].patch.site == ip && atomic_load(&sites[i].state) != GONE) {
			return &sites[i];
		}
	}
	return NULL;
}

/* Whether nothing more is to be done for it. */
static bool is_settled(struct site *s)
{
	return s && (atomic_load(&s->state) != IN || has_jump(s) || put_in_again(s));
}

void kt_patch_consider(uintptr_t ip)
{
	uint32_t number;

	if (finished || is_ours(ip) || kt_patch_original(ip) != ip ||
	    is_settled(find(ip))) {
		return;
	}
	number = atomic_load(&n_sites);
	if (number < PATCHES_MAX) {
		sites[number].patch.site = ip;
		atomic_store(&n_sites, number + 1);
		put_in(&sites[number], number);
	}
}

/* --- out --- */

static void take_out(struct site *s)
{
	if (atomic_load(&s->state) != IN) {
		return;
	}
	/* Not where its library has gone, and something else may have come. */
	if (has_jump(s)) {
		if (!replace_code(s, s->before)) {
			atomic_store(&s->strays, 0); /* tried again after as many */
			return;
		}
		kt_count(&kt_counters->patches_taken_out);
	}
	atomic_store(&s->state, OUT);
}

const struct kt_patch *kt_patch_get(uint32_t number)
{
	/* Whoever has come through its jump has not seen by that what was written before.
	 */
	return atomic_load(&sites[number].state) >= IN ? &sites[number].patch : NULL;
}

bool kt_patch_ran(uint32_t number, bool wanted)
{
	struct site *s = &sites[number];
	uint32_t n = atomic_fetch_add_explicit(wanted ? &s->hits : &s->strays, 1,
					       memory_order_relaxed);

	return wanted || n < STRAYS_MIN || atomic_load(&s->hits) > n;
}

void kt_patch_remove(uint32_t number)
{
	take_out(&sites[number]);
}

void kt_patch_finish(void)
{
	finished = true;
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		take_out(&sites[i]);
	}
}

/* --- where a thread stands --- */

uintptr_t kt_patch_original(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		const struct site *s = &sites[i];

		if (atomic_load(&s->state) < IN) {
			continue;
		}
		if (ip == s->trampoline.store) {
			return s->patch.site;
		}
		for (unsigned k = 0; k < s->trampoline.n_inner; k++) {
			if (ip == s->trampoline.inner[k].copy) {
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

/* Where the code of an instruction is that stood at `at`. 0: none of this patch did. */
static uintptr_t moved_to(const struct site *s, uintptr_t at)
{
	if (at == s->patch.site) {
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
		uintptr_t to = atomic_load(&sites[i].state) == IN
				       ? moved_to(&sites[i], (uintptr_t)*ip)
				       : 0;

		if (to && has_jump(&sites[i])) {
			*ip = (greg_t)to;
			return true;
		}
	}
	return false;
}

static void count_inner(struct site *s)
{
	kt_count(&kt_counters->patch_traps);
	if (atomic_fetch_add(&s->inner, 1) >= INNER_MAX) {
		take_out(s);
	}
}

/* Whether what stands there may be what traps: int3 while code is written, then the jump's.
 */
static bool may_trap(const struct site *s, uintptr_t at)
{
	static const uint8_t int3[] = {INT3};

	return has_code(at, int3, 1) ||
	       has_code(at, &s->trampoline.jump[at - s->patch.site], 1);
}

/*
 * Where a thread goes on that has trapped at `at`. 0: the trap is the program's. Of a patch
 * that is out, the thread may have trapped before: then there is none now.
 */
static uintptr_t trapped(const struct site *s, uintptr_t at)
{
	uintptr_t to = moved_to(s, at);

	switch (atomic_load(&s->state)) {
	case IN: return to && has_jump(s) ? to : 0;
	case OUT: return to && !may_trap(s, at) ? to : 0;
	default: return 0;
	}
}

static bool send_on_trapped(ucontext_t *context, int signal)
{
	/* It stands behind an int3, and at what it may not run. */
	uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP] - (signal == SIGTRAP);

	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		uintptr_t to = trapped(&sites[i], at);

		if (to) {
			if (at != sites[i].patch.site) {
				count_inner(&sites[i]);
			}
			context->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
			return true;
		}
	}
	return false;
}

bool kt_patch_trap(const siginfo_t *info, ucontext_t *context)
{
	bool locked;
	bool ours;

	if (info->si_code != BY_INSTRUCTION || !atomic_load(&n_sites)) {
		return false;
	}
	locked = kt_lock(); /* nobody is writing code */
	ours = send_on_trapped(context, info->si_signo);
	kt_unlock(locked);
	return ours;
}
