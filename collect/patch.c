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
	IN,
	OUT, /* its memory stays: a thread may be in it */
};

static struct site {
	_Atomic int state;
	struct kt_patch patch;
	struct kt_trampoline trampoline;
	uint8_t before[KT_JUMP_BYTES];
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
} ours[8];
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
	(void)context;
	if (!holds(info, &n_ours) &&
	    !holds(info, dlsym(RTLD_DEFAULT, "gnu_get_libc_version"))) {
		return 0;
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    n_ours < sizeof(ours) / sizeof(ours[0])) {
			ours[n_ours].lo = info->dlpi_addr + p->p_vaddr;
			ours[n_ours++].hi = info->dlpi_addr + p->p_vaddr + p->p_memsz;
		}
	}
	return 0;
}

void kt_patch_init(void)
{
	kt_relocate_init();
	kt_patch_entry_init();
	dl_iterate_phdr(note_ours, NULL);
}

static bool is_ours(uintptr_t ip)
{
	for (unsigned i = 0; i < n_ours; i++) {
		if (ip >= ours[i].lo && ip < ours[i].hi) {
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

/*
 * While a thread may be running there. Whoever comes to the site meanwhile traps, and goes
 * the way that the new code will go (kt_patch_trap()).
 */
static void write_code(uintptr_t site, const uint8_t code[static KT_JUMP_BYTES])
{
	volatile uint8_t *to = (volatile uint8_t *)site;

	*to = INT3;
	sync_cores();
	for (unsigned i = 1; i < KT_JUMP_BYTES; i++) {
		to[i] = code[i];
	}
	sync_cores();
	*to = code[0];
	sync_cores();
}

static bool replace_code(uintptr_t site, const uint8_t code[static KT_JUMP_BYTES])
{
	if (!protect_code(site, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		return false;
	}
	write_code(site, code);
	/* Refused, the code is as good, only its page could be written by the program. */
	protect_code(site, PROT_READ | PROT_EXEC);
	return true;
}

static bool has_code(uintptr_t site, const uint8_t code[static KT_JUMP_BYTES])
{
	uint8_t now[KT_JUMP_BYTES];

	return kt_memory_read(now, site, sizeof(now)) == sizeof(now) &&
	       memcmp(now, code, sizeof(now)) == 0;
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
	memcpy(s->before, code, KT_JUMP_BYTES);
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
	if (!replace_code(s->patch.site, s->trampoline.jump)) {
		atomic_store(&s->state, REFUSED);
		kt_trampoline_free(&s->trampoline);
		count_refused("the kernel forbids to change its code", code, n);
		return;
	}
	kt_count(&kt_counters->patches);
}

static struct site *find(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		if (sites[i].patch.site == ip) {
			return &sites[i];
		}
	}
	return NULL;
}

/* Its library was unloaded, with the patch, and there is another one, or it once more. */
static bool has_gone(const struct site *s)
{
	return atomic_load(&s->state) == IN && !has_code(s->patch.site, s->trampoline.jump);
}

void kt_patch_consider(uintptr_t ip)
{
	struct site *s = find(ip);
	uint32_t number = s ? (uint32_t)(s - sites) : atomic_load(&n_sites);

	if (finished || number == PATCHES_MAX || is_ours(ip) ||
	    kt_patch_original(ip) != ip || (s && !has_gone(s))) {
		return;
	}
	s = &sites[number];
	kt_trampoline_free(&s->trampoline);
	memset(s, 0, sizeof(*s));
	s->patch.site = ip;
	if (number == atomic_load(&n_sites)) {
		atomic_store(&n_sites, number + 1);
	}
	put_in(s, number);
}

/* --- out --- */

static void take_out(struct site *s)
{
	if (atomic_load(&s->state) != IN) {
		return;
	}
	/* Not where its library has gone, and something else may have come. */
	if (has_code(s->patch.site, s->trampoline.jump)) {
		if (!replace_code(s->patch.site, s->before)) {
			return;
		}
		kt_count(&kt_counters->patches_taken_out);
	}
	atomic_store(&s->state, OUT);
}

const struct kt_patch *kt_patch_get(uint32_t number)
{
	return &sites[number].patch;
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

		if (s->trampoline.bytes && ip == s->trampoline.store) {
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

/* In the middle of a jump: the instruction that stood there goes on in its copy. */
static uintptr_t inner_copy(struct site *s, uintptr_t at)
{
	for (unsigned k = 0; k < s->trampoline.n_inner; k++) {
		if (at == s->patch.site + s->trampoline.inner[k].offset) {
			return s->trampoline.inner[k].copy;
		}
	}
	return 0;
}

uintptr_t kt_patch_copy(uintptr_t ip)
{
	for (uint32_t i = 0; i < atomic_load(&n_sites); i++) {
		uintptr_t copy =
			atomic_load(&sites[i].state) == IN ? inner_copy(&sites[i], ip) : 0;

		if (copy) {
			return copy;
		}
	}
	return ip;
}

static void count_inner(struct site *s)
{
	bool locked;

	kt_count(&kt_counters->patch_traps);
	if (atomic_fetch_add(&s->inner, 1) < INNER_MAX) {
		return;
	}
	locked = kt_lock();
	if (locked) {
		take_out(s);
	}
	kt_unlock(locked);
}

bool kt_patch_trap(const siginfo_t *info, ucontext_t *context)
{
	/* It stands behind an int3, and at what it may not run. */
	uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP] -
		       (info->si_signo == SIGTRAP);

	for (uint32_t i = 0; info->si_code == BY_INSTRUCTION && i < atomic_load(&n_sites);
	     i++) {
		struct site *s = &sites[i];
		int state = atomic_load(&s->state);
		uintptr_t to;

		if (state != IN && state != OUT) {
			continue;
		}
		to = at == s->patch.site ? s->trampoline.entry : inner_copy(s, at);
		if (to) {
			if (at != s->patch.site) {
				count_inner(s);
			}
			context->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
			return true;
		}
	}
	return false;
}
