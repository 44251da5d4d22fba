/* SPDX-License-Identifier: MIT */
/*
 * Sites in the program where a load or store was replaced by a jump, and the handling of
 * threads stopped within a site. collect/preload/access/patch.h decides which are patched.
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

/*
 * If more accesses of one run than this take the lock, they are a loop: the patch is
 * removed, because windows (collect/preload/mappings/pages.h) cost less. Since a program
 * may read much at its start and little later, the site is patched again if it goes on
 * faulting.
 */
#define KT_PATCH_LOOP 256

/*
 * An unwatched access costs about 50 ns at a patched site, and a watched one about 5 us at
 * a site that is not patched. So a patch is removed if more than this many accesses were
 * unwatched for each watched one; like a loop, it may be made again.
 */
#define KT_PATCH_STRAYS 64

/*
 * Returns the program's stack pointer at a patched instruction; `slot` is where the
 * trampoline has pushed the site's number.
 */
static inline uintptr_t kt_patch_stack_pointer(const uint64_t *slot)
{
	return (uintptr_t)(slot + 1) + KT_RED_ZONE;
}

struct kt_patch {
	uintptr_t site;
	struct kt_instruction instruction;
	uintptr_t after_access; /* where to continue if the recorder has made the access */
	uintptr_t again;        /* where to continue so that the moved instruction runs */
};

enum kt_patch_state {
	KT_PATCH_REFUSED = 1, /* the site is not tried again; state 0: not tried yet */
	/* In the following states, the site has a trampoline. */
	KT_PATCH_IN,
	KT_PATCH_OUT,
	KT_PATCH_PAUSED, /* removed as a loop or for strays: may be patched again */
	KT_PATCH_GONE,   /* other code may be at the site: its library was unloaded, or
			    another jump covers it */
};

struct kt_patch_site {
	_Atomic int state;
	struct kt_patch patch;
	uintptr_t jump_at; /* where the jump is: the site, or the nop before a moved one */
	struct kt_trampoline trampoline;
	uint8_t before[KT_REPLACED_MAX];
	_Atomic uint64_t hits;   /* watched accesses that took the lock */
	_Atomic uint64_t strays; /* unwatched accesses since the site was patched */
	_Atomic uint32_t inner;  /* traps in the middle of the jump */
	bool is_entered;         /* removed because there were many of them */
	struct kt_continue_site run; /* counts the accesses that continued a run */
	_Atomic uint64_t counted;    /* how many of them the counters have */
};

#define KT_SITES_MAX 1024

/* By number; those from the first unused number on have the state 0. */
extern struct kt_patch_site kt_patch_sites[KT_SITES_MAX];

extern bool kt_patch_finished; /* patching has ended */

/*
 * Returns the last site with its jump at `ip`, in any state but KT_PATCH_GONE; NULL if
 * none.
 */
struct kt_patch_site *kt_patch_site_at(uintptr_t ip);

/*
 * Adds a site in state 0, whose jump will be at `jump_at`, and writes its number to
 * *number. Returns NULL if all sites are in use. The caller holds the lock.
 */
struct kt_patch_site *kt_patch_site_new(uintptr_t ip, uintptr_t jump_at, uint32_t *number);

/*
 * Returns the site whose trampoline holds the moved instruction at ip, and describes that
 * instruction in *inner. NULL if ip is none, or cannot be patched again.
 */
const struct kt_patch_site *kt_patch_moved_at(uintptr_t ip, const struct kt_inner **inner);

/* Overwrites code that no thread reaches. Returns false if the kernel refuses. */
bool kt_patch_write_code(uintptr_t at, const void *bytes, size_t n);

/* Return whether memory now holds the site's jump, or code[0..n) at address `at`. */
bool kt_patch_has_jump(const struct kt_patch_site *site);
bool kt_patch_has_code(uintptr_t at, const uint8_t *code, size_t n);

/*
 * Replaces the site's code while other threads may be running it. Returns false if the
 * kernel refuses. The caller holds the lock.
 */
bool kt_patch_replace_code(const struct kt_patch_site *site,
			   const uint8_t code[static KT_JUMP_BYTES]);

/*
 * Registers the process for membarrier(2) (SYNC_CORE), which makes all cores refetch code.
 * Returns false if the kernel refuses.
 */
bool kt_patch_may_sync_cores(void);

/* Returns the patch with that number; NULL if its site has no trampoline. */
const struct kt_patch *kt_patch_get(uint32_t number);

/*
 * Returns whether the code at ip is in the jump of a patch and also of an instruction that
 * the patch has kept: the instruction cannot be patched.
 */
bool kt_patch_shares(uintptr_t ip);

/*
 * Removes patches whose first byte a jump at ip would cover: they would no longer find
 * their own jumps, nor threads that trap within these. Such an instruction moves to the
 * trampoline at ip, and can be patched there. Returns false if the kernel refuses. The
 * caller holds the lock.
 */
bool kt_patch_uncover(uintptr_t ip);

/*
 * Removes a patch that costs more than it saves. Returns the address at which its
 * instruction faults from now on. The caller holds the lock.
 */
uintptr_t kt_patch_pause(uint32_t number);

/*
 * Pauses all patches, because less memory is watched from now on: those that are still worth
 * it come back when their instructions fault. O(sites). The caller holds the lock.
 */
void kt_patch_pause_all(void);

/*
 * Increments a site's counter without a lock prefix, which would make the processor write
 * out write-combining stores. Threads that count at the same time may lose some.
 */
static inline void kt_patch_count(_Atomic uint64_t *counter)
{
	atomic_store_explicit(counter,
			      atomic_load_explicit(counter, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Returns whether the accesses were unwatched too often: the patch is to be paused. */
static inline bool kt_patch_has_strayed(struct kt_patch_site *site)
{
	uint64_t strays = atomic_load_explicit(&site->strays, memory_order_relaxed);

	return strays / KT_PATCH_STRAYS >
	       atomic_load_explicit(&site->hits, memory_order_relaxed) +
		       atomic_load_explicit(&site->run.continued, memory_order_relaxed) +
		       KT_PATCH_STRAYS;
}

/*
 * Returns whether the code that the patch replaced is at the site, so that its jump can be
 * written again. Otherwise marks the site as gone.
 */
bool kt_patch_has_original(struct kt_patch_site *site);

/* Patches a paused site again. Returns false if it is not paused, or the kernel refuses. */
bool kt_patch_resume(struct kt_patch_site *site);

/* Returns how many accesses at the site have continued a run since the last call. */
uint64_t kt_patch_take_continued(struct kt_patch_site *site);

/* Call in a forked child, which counts its own accesses. */
void kt_patch_after_fork(void);

/* Removes all patches and ends patching. The caller holds the lock. */
void kt_patch_finish(void);

/* If ip is an instruction moved to a trampoline, returns its original address; else ip. */
uintptr_t kt_patch_original(uintptr_t ip);

/*
 * The reverse of kt_patch_original(): if a patch has replaced the instruction at the
 * context's RIP, makes the context continue in the trampoline and returns true. The caller
 * holds the lock.
 */
bool kt_patch_send_on(ucontext_t *context);

/*
 * Call before a handler of the program sees the context. If RIP is an instruction moved to
 * a trampoline, sets RIP to the instruction's original address; the thread can continue
 * there.
 */
void kt_patch_hide(ucontext_t *context);

/*
 * For the handler of SIGBUS and SIGSEGV: if an access that continued a run has faulted
 * (continue-code.h), makes the context continue as if the access had not been tried, and
 * returns true. Lock-free.
 */
bool kt_patch_fixup(ucontext_t *context);

/*
 * Handles a SIGTRAP or SIGSEGV; takes the lock. If a byte that a patch put into the code
 * caused the signal, makes the context continue in the trampoline and returns true.
 */
bool kt_patch_trap(const siginfo_t *info, ucontext_t *context);

#endif
