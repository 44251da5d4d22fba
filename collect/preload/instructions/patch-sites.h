/* SPDX-License-Identifier: MIT */
/*
 * The places of the program where a store was replaced by a jump, and where a thread stands
 * that is in one of them. collect/preload/access/patch.h decides which stores are.
 */
#ifndef KTAIL_COLLECT_PATCH_SITES_H
#define KTAIL_COLLECT_PATCH_SITES_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "collect/preload/instructions/instruction.h"
#include "collect/preload/instructions/trampoline.h"

struct kt_patch {
	uintptr_t site;
	struct kt_instruction store;
	uintptr_t after_store; /* where the thread goes on, see trampoline.h */
	uintptr_t again;       /* where it does the store as it is */
};

enum kt_patch_state {
	KT_PATCH_REFUSED =
		1, /* remembered, so that it is not tried again; 0: not tried yet */
	/* From here on there is a trampoline. */
	KT_PATCH_IN,
	KT_PATCH_OUT,
	KT_PATCH_UNLOADED, /* with its library: other code stands at its address */
};

struct kt_patch_site {
	_Atomic int state;
	struct kt_patch patch;
	struct kt_trampoline trampoline;
	uint8_t before[KT_REPLACED_MAX];
	_Atomic uint32_t hits;
	_Atomic uint32_t strays;
	_Atomic uint32_t inner; /* traps */
};

extern bool kt_patch_finished; /* nothing is patched any more */

/* The site at that address, whatever became of it, but KT_PATCH_UNLOADED; or NULL. */
struct kt_patch_site *kt_patch_site_at(uintptr_t ip);

/* A new one, not tried yet, and its number. NULL: there are too many. The lock is held. */
struct kt_patch_site *kt_patch_site_new(uintptr_t ip, uint32_t *number);

/* Whether the jump stands there, and whether these bytes do. */
bool kt_patch_has_jump(const struct kt_patch_site *site);
bool kt_patch_has_code(uintptr_t at, const uint8_t *code, size_t n);

/*
 * Replaces the code of the site, while threads may be running there. false: the kernel does
 * not let it. The lock is held.
 */
bool kt_patch_replace_code(const struct kt_patch_site *site,
			   const uint8_t code[static KT_JUMP_BYTES]);

/* Whether the kernel can see to it that no core runs code that it has fetched before. */
bool kt_patch_may_sync_cores(void);

/* The patch of that number, as its trampoline knows it. NULL: there is none. */
const struct kt_patch *kt_patch_get(uint32_t number);

/*
 * It was run: `wanted`, the store was one that is patched for. false: it is of no use, the
 * caller takes it out with kt_patch_remove() when it holds the lock.
 */
bool kt_patch_ran(uint32_t number, bool wanted);
void kt_patch_remove(uint32_t number);

/* All of them; from now on nothing is patched. The lock is held. */
void kt_patch_finish(void);

/* Where an instruction that was moved to a trampoline stands in the program; else ip. */
uintptr_t kt_patch_original(uintptr_t ip);

/*
 * The other way: where a thread goes on whose next instruction may have been replaced
 * meanwhile. true: it has been, the context is changed. The lock is held.
 */
bool kt_patch_send_on(ucontext_t *context);

/*
 * Before a handler of the program sees the context of a fault: it names the instruction
 * that stood in the program, from which the thread can go on as well.
 */
void kt_patch_hide(ucontext_t *context);

/*
 * A SIGTRAP or SIGSEGV; takes the lock. true: it came of a byte of ours, the context goes
 * on where it should.
 */
bool kt_patch_trap(const siginfo_t *info, ucontext_t *context);

#endif
