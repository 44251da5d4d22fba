/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/signals/handler-stack.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/signal-frame.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Same value as in linux/signal.h, which conflicts with libc's headers. */
#define SS_AUTODISARM_FLAG ((int)(1u << 31))
#define KERNEL_MINIMUM     2048 /* MINSIGSTKSZ of the kernel */
#define FRAME_ESTIMATE     4096 /* frame size if the kernel does not report one */
#define SMALL_MARGIN       512

/* The lowest page and the page between the two stacks stay closed, as guard pages. */
#define ALL_BYTES                                                                          \
	(KT_PAGE + KT_HANDLER_STACK + KT_HANDLER_STACK_GAP + KT_HANDLER_STACK_OF_PATCHES)

_Thread_local uintptr_t kt_handler_stack_top;

/*
 * An alternate stack of the application that is too small for a signal frame. It is not
 * passed to the kernel, because the recorder's signals would use it even if those of the
 * application never do.
 */
static _Thread_local stack_t too_small;

_Thread_local struct kt_alternate_stack kt_alternate_stack;

static stack_t own_stack(void)
{
	stack_t own = {.ss_flags = SS_DISABLE};

	if (kt_handler_stack_top) {
		own.ss_sp = (void *)(kt_handler_stack_top - KT_HANDLER_STACK);
		own.ss_size = KT_HANDLER_STACK;
		own.ss_flags = 0;
	}
	return own;
}

bool kt_handler_stack_is(const stack_t *stack)
{
	return kt_handler_stack_top &&
	       (uintptr_t)stack->ss_sp == kt_handler_stack_top - KT_HANDLER_STACK &&
	       stack->ss_size == KT_HANDLER_STACK;
}

void kt_handler_stack_make(void)
{
	stack_t known = {.ss_flags = 0};
	stack_t own;
	long pages;

	if (kt_handler_stack_top) {
		return;
	}
	pages = KT_KERNEL_TRY(SYS_mmap, NULL, ALL_BYTES, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (kt_kernel_failed(pages)) {
		kt_count(&kt_counters->setup_failures);
		return;
	}
	if (KT_KERNEL_TRY(SYS_mprotect, pages + KT_PAGE, KT_HANDLER_STACK,
			  PROT_READ | PROT_WRITE) ||
	    KT_KERNEL_TRY(SYS_mprotect, pages + ALL_BYTES - KT_HANDLER_STACK_OF_PATCHES,
			  KT_HANDLER_STACK_OF_PATCHES, PROT_READ | PROT_WRITE)) {
		KT_KERNEL(SYS_munmap, pages, ALL_BYTES);
		kt_count(&kt_counters->setup_failures);
		return;
	}
	kt_handler_stack_top = (uintptr_t)pages + KT_PAGE + KT_HANDLER_STACK;
	KT_KERNEL(SYS_sigaltstack, NULL, &known);
	if (known.ss_flags & SS_DISABLE) {
		own = own_stack();
		KT_KERNEL(SYS_sigaltstack, &own, NULL);
	} else { /* another library has set an alternate stack */
		kt_alternate_stack.start = (uintptr_t)known.ss_sp;
		kt_alternate_stack.size = known.ss_size;
	}
}

void kt_handler_stack_free(void)
{
	static const stack_t none = {.ss_flags = SS_DISABLE};
	uintptr_t top = kt_handler_stack_top;
	stack_t known = {.ss_flags = SS_DISABLE};

	if (!top) {
		return;
	}
	KT_KERNEL(SYS_sigaltstack, NULL, &known);
	if (kt_handler_stack_is(&known)) {
		KT_KERNEL(SYS_sigaltstack, &none, NULL);
	}
	kt_handler_stack_top = 0;
	KT_KERNEL(SYS_munmap, top - KT_HANDLER_STACK - KT_PAGE, ALL_BYTES);
}

stack_t kt_handler_stack_seen(const stack_t *known)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	if (!kt_handler_stack_is(known)) {
		return *known;
	}
	return too_small.ss_size ? too_small : none;
}

bool kt_handler_stack_is_alternate(uintptr_t sp)
{
	return (kt_alternate_stack.size &&
		sp - kt_alternate_stack.start <= kt_alternate_stack.size) ||
	       (kt_handler_stack_top && kt_handler_stack_top - sp <= KT_HANDLER_STACK);
}

/*
 * May change errno: getauxval(3) sets it if the kernel does not report the size. Call
 * therefore only when the application calls sigaltstack(2), which may change errno too.
 */
static bool is_too_small(const stack_t *stack)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ);

	return stack->ss_size < (frame ? frame : FRAME_ESTIMATE) + SMALL_MARGIN;
}

long kt_signals_altstack(const stack_t *stack, stack_t *old)
{
	stack_t known = {.ss_flags = SS_DISABLE};
	stack_t wanted;
	stack_t own;
	bool small;
	int mode;
	long error = 0;

	KT_KERNEL(SYS_sigaltstack, NULL, &known);
	known = kt_handler_stack_seen(&known);
	if (stack) {
		if (!kt_guarded_copy(&wanted, stack, sizeof(wanted))) {
			return -EFAULT;
		}
		mode = wanted.ss_flags & ~SS_AUTODISARM_FLAG;
		small = (mode == 0 || mode == SS_ONSTACK) && kt_handler_stack_top &&
			wanted.ss_size >= KERNEL_MINIMUM && is_too_small(&wanted);
		own = small || mode == SS_DISABLE ? own_stack() : wanted;
		error = KT_KERNEL(SYS_sigaltstack, &own, NULL);
		if (!error) {
			too_small = small ? wanted : (stack_t){.ss_size = 0};
			kt_alternate_stack.start = (uintptr_t)wanted.ss_sp;
			kt_alternate_stack.size = mode == SS_DISABLE ? 0 : wanted.ss_size;
		}
	}
	if (!error && old && !kt_guarded_copy(old, &known, sizeof(known))) {
		error = -EFAULT;
	}
	return error;
}
