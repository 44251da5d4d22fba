/* SPDX-License-Identifier: MIT */
/*
 * Sites in the program where a store was replaced by a jump, and the handling of threads
 * stopped within a site. collect/preload/access/patch.h decides which stores are patched.
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
	uintptr_t after_store; /* continue here if the store is made, see trampoline.h */
	uintptr_t again;       /* where to continue to make the original store */
};

enum kt_patch_state {
	KT_PATCH_REFUSED =
		1, /* remembered, so that it is not tried again; 0: not tried yet */
	/* From here on the site has a trampoline. */
	KT_PATCH_IN,
	KT_PATCH_OUT,
	KT_PATCH_UNLOADED, /* unloaded with its library: other code may be at the site */
};

struct kt_patch_site {
	_Atomic int state;
	struct kt_patch patch;
	struct kt_trampoline trampoline;
	uint8_t before[KT_REPLACED_MAX];
	_Atomic uint32_t hits;
	_Atomic uint32_t strays;
	_Atomic uint32_t inner; /* traps in the middle of the jump */
};

extern bool kt_patch_finished; /* patching has ended */

/*
 * Returns the site at that address in any state but KT_PATCH_UNLOADED; NULL if there is
 * none.
 */
struct kt_patch_site *kt_patch_site_at(uintptr_t ip);

/*
 * Returns a new site, not tried yet, and writes its number; NULL if all sites are in use.
 * The caller holds the lock.
 */
struct kt_patch_site *kt_patch_site_new(uintptr_t ip, uint32_t *number);

/* Return whether the jump, or these bytes, are at the site now. */
bool kt_patch_has_jump(const struct kt_patch_site *site);
bool kt_patch_has_code(uintptr_t at, const uint8_t *code, size_t n);

/*
 * Replaces the site's code while other threads may be running it. Returns false if the
 * kernel refuses. The caller holds the lock.
 */
bool kt_patch_replace_code(const struct kt_patch_site *site,
			   const uint8_t code[static KT_JUMP_BYTES]);

/*
 * Returns whether the kernel can keep all cores from running code that they fetched before.
 */
bool kt_patch_may_sync_cores(void);

/* Returns the patch with that number, for its trampoline; NULL if there is none. */
const struct kt_patch *kt_patch_get(uint32_t number);

/*
 * Counts a run of the patch; `wanted` says whether the store hit a target for which stores
 * are patched. Returns false if the patch is useless: then the caller removes it with
 * kt_patch_remove() while it holds the lock.
 */
bool kt_patch_ran(uint32_t number, bool wanted);
void kt_patch_remove(uint32_t number);

/* Removes all patches and ends patching. The caller holds the lock. */
void kt_patch_finish(void);

/* Returns the program's address of an instruction moved to a trampoline; else ip. */
uintptr_t kt_patch_original(uintptr_t ip);

/*
 * The reverse: if the thread's next instruction has been replaced meanwhile, changes the
 * context to continue in the trampoline and returns true. The caller holds the lock.
 */
bool kt_patch_send_on(ucontext_t *context);

/*
 * Makes the context of a fault name the program's original instruction, before a handler of
 * the program sees it; the thread can continue from there as well.
 */
void kt_patch_hide(ucontext_t *context);

/*
 * Handles a SIGTRAP or SIGSEGV; takes the lock. Returns true if a byte that a patch put
 * into the code caused it; then the context continues at the right address.
 */
bool kt_patch_trap(const siginfo_t *info, ucontext_t *context);

#endif
