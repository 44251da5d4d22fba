/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/mappings/steps.h"

#include <stdatomic.h>
#include <string.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/signals/signal-mask.h"

#define TRAP_TRACE_CODE 2  /* TRAP_TRACE: end of a single step */
#define MAX_STEPS       16 /* threads that single-step at once */
#define MAX_STEP_PAGES  32 /* enough for a gather of 16 elements, each on two pages */

/* Instructions that are being single-stepped, and the pages opened for them. */
static struct step {
	uint32_t tid;  /* 0: unused */
	bool traced;   /* the application had set the trap flag itself */
	uint64_t mask; /* signals that the interrupted code blocks */
	unsigned n;
	uintptr_t pages[MAX_STEP_PAGES];
} steps[MAX_STEPS];

static atomic_uint n_stepping;

static struct step *find_step(uint32_t tid)
{
	for (unsigned i = 0; i < MAX_STEPS; i++) {
		if (steps[i].tid == tid) {
			return &steps[i];
		}
	}
	return NULL;
}

bool kt_step_opens(uintptr_t page)
{
	if (!atomic_load(&n_stepping)) {
		return false;
	}
	for (unsigned i = 0; i < MAX_STEPS; i++) {
		for (unsigned j = 0; steps[i].tid && j < steps[i].n; j++) {
			if (steps[i].pages[j] == page) {
				return true;
			}
		}
	}
	return false;
}

/* Closes a page unless another step needs it. */
static void close_page(uintptr_t page)
{
	if (!kt_step_opens(page)) {
		kt_pages_close_one(page);
	}
}

static void end_step(struct step *step)
{
	step->tid = 0;
	atomic_fetch_sub(&n_stepping, 1);
	for (unsigned i = 0; i < step->n; i++) {
		close_page(step->pages[i]);
	}
	step->n = 0;
}

bool kt_step_is_on(void)
{
	return find_step(kt_tid()) != NULL;
}

bool kt_step_begin(struct kt_mapping *m, uintptr_t address, ucontext_t *context)
{
	struct step *step = find_step(kt_tid());
	uintptr_t page = kt_page_of(address);
	unsigned i = 0;

	if (step && !(context->uc_mcontext.gregs[REG_EFL] & KT_TRAP_FLAG)) {
		end_step(step); /* no SIGTRAP came at the end of this step */
		step = NULL;
	}
	if (!step && !find_step(0)) {
		return false;
	}
	if (!kt_pages_open_one(m, page)) {
		return true; /* all of the mapping is open now */
	}
	if (!step) {
		step = find_step(0);
		step->tid = kt_tid();
		step->traced = context->uc_mcontext.gregs[REG_EFL] & KT_TRAP_FLAG;
		step->mask = *kt_frame_mask(context);
		step->n = 0;
		atomic_fetch_add(&n_stepping, 1);
		kt_count(&kt_counters->stepped);
	}
	while (i < step->n && step->pages[i] != page) {
		i++;
	}
	if (i == step->n) { /* the page is not in the list yet */
		if (step->n == MAX_STEP_PAGES) {
			uintptr_t oldest = step->pages[0];

			step->n--;
			memmove(step->pages, step->pages + 1,
				step->n * sizeof(step->pages[0]));
			close_page(oldest);
		}
		step->pages[step->n++] = page;
	}
	/*
	 * Blocks other signals: a handler that ran before the instruction would find open
	 * pages, and the step would end in the handler's code.
	 */
	*kt_frame_mask(context) = ~KT_OUR_MASK;
	context->uc_mcontext.gregs[REG_EFL] |= KT_TRAP_FLAG;
	return true;
}

static void restore(const struct step *step, ucontext_t *context)
{
	*kt_frame_mask(context) = step->mask;
	if (!step->traced) {
		context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)KT_TRAP_FLAG;
	}
}

bool kt_step_trap(const siginfo_t *info, ucontext_t *context)
{
	bool locked;
	struct step *step;
	bool ours = false;

	if (info->si_code != TRAP_TRACE_CODE &&
	    !(kt_frame_is_causeless(info, context) &&
	      context->uc_mcontext.gregs[REG_EFL] & KT_TRAP_FLAG)) {
		return false;
	}
	locked = kt_lock();
	step = find_step(kt_tid());
	if (step) {
		ours = !step->traced;
		restore(step, context);
		end_step(step);
	}
	kt_unlock(locked);
	return ours;
}

void kt_step_abandon(ucontext_t *context)
{
	bool locked;
	struct step *step;

	/* Without steps, a fault of the program need not wait for the lock. */
	if (!atomic_load(&n_stepping)) {
		return;
	}
	locked = kt_lock();
	step = find_step(kt_tid());
	if (step) {
		restore(step, context);
		end_step(step);
	}
	kt_unlock(locked);
}

void kt_step_after_fork(void)
{
	for (unsigned i = 0; i < MAX_STEPS; i++) {
		if (steps[i].tid) {
			end_step(&steps[i]);
		}
	}
}
