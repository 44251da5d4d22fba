/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/access/give-up.h"

#include <signal.h>
#include <sys/mman.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/overhead/overhead.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/submissions/submissions.h"

#define TIMES 31 /* of each measurement at start; odd, so that there is a median */

static enum kt_access_mode first_access_mode;
static enum kt_submissions_mode first_submissions_mode;

/* Protected by the lock. */
static uint64_t changed_at; /* ns: when detail was given up last */
static bool ready;          /* the costs around visits are known */
static bool nothing_left;   /* the overhead was above the limit without any of it */

/* --- costs around visits --- */

/* Returns the nanoseconds of a fault that are outside of the visit that handles it. */
static uint64_t fault_once(void *closed_page)
{
	struct kt_guard_values values = {0};
	uint64_t inside = kt_visits.account.inside;
	uint64_t began = kt_now_ns();
	uint64_t all;

	kt_guard_do(KT_LOAD, 1, closed_page, &values);
	all = kt_now_ns() - began;
	inside = kt_visits.account.inside - inside;
	return all > inside ? all - inside : 0;
}

/* Returns the nanoseconds of two changes of the signal mask. */
static uint64_t block_once(void *unused)
{
	uint64_t began = kt_now_ns();
	uint64_t mask;

	(void)unused;
	KT_KERNEL(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	return kt_now_ns() - began;
}

static uint64_t median_of(uint64_t (*measure)(void *), void *argument)
{
	uint64_t sorted[TIMES];

	for (int n = 0; n < TIMES; n++) {
		uint64_t ns = measure(argument);
		int i = n;

		for (; i > 0 && sorted[i - 1] > ns; i--) {
			sorted[i] = sorted[i - 1];
		}
		sorted[i] = ns;
	}
	return sorted[TIMES / 2];
}

static void measure_costs(void)
{
	long page = KT_KERNEL(SYS_mmap, NULL, KT_PAGE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	kt_visit_around_ns[KT_VISIT_PATCH_BLOCKING] =
		kt_visit_around_ns[KT_VISIT_PATCH] + median_of(block_once, NULL);
	if (!kt_kernel_failed(page)) {
		kt_visit_around_ns[KT_VISIT_TRAP] = 0;
		kt_visit_around_ns[KT_VISIT_TRAP] = median_of(fault_once, (void *)page);
		KT_KERNEL(SYS_munmap, page, KT_PAGE);
	}
}

void kt_give_up_init(void)
{
	first_access_mode = kt_access_mode;
	first_submissions_mode = kt_submissions_mode;
	if (kt_overhead_percent) {
		measure_costs();
		kt_visits = (struct kt_visits){.depth = 0};
		ready = true;
	}
}

/* --- giving up --- */

static void emit(const char *what, const char *from, uint32_t mapping)
{
	kt_emit_detail(&(struct kt_event_detail){.what = what,
						 .from = from,
						 .to = "off",
						 .why = "overhead",
						 .mapping = mapping});
}

static void give_up_accesses(const struct kt_overhead_choice *choice)
{
	const char *from = kt_run_is_exact() ? "exact" : "coalesced";
	bool any = false;

	kt_access_end_run();
	for (size_t i = 0; !choice->all && i < choice->n; i++) {
		if (kt_access_give_up(choice->mappings[i])) {
			kt_count(&kt_counters->given_mappings);
			emit("access", from, choice->mappings[i]);
			any = true;
		}
	}
	/* If the mappings are gone, those that come after them cost as much. */
	if (!any) {
		kt_access_mode = KT_ACCESS_OFF;
		kt_access_give_up(0);
		kt_count(&kt_counters->given_accesses);
		emit("access", from, 0);
	}
	kt_patch_pause_all();
}

static void give_up(const struct kt_overhead_choice *choice)
{
	if (kt_access_mode != KT_ACCESS_OFF) {
		give_up_accesses(choice);
	} else if (kt_submissions_mode != KT_SUBMISSIONS_OFF) {
		kt_submissions_mode = KT_SUBMISSIONS_OFF;
		kt_count(&kt_counters->given_commands);
		emit("submissions", "words", 0);
	} else if (!nothing_left) {
		nothing_left = true;
		kt_count(&kt_counters->given_all);
	}
}

void kt_give_up_judge(void)
{
	struct kt_visits *v = &kt_visits;
	struct kt_overhead_choice choice;
	bool locked;

	if (!ready) {
		return;
	}
	v->depth = 1;
	locked = kt_lock();
	if (locked) {
		/* A window that began before the last change says nothing about its effect.
		 */
		bool above = v->account.begun >= changed_at &&
			     kt_overhead_is_above(&v->account, v->left, kt_overhead_percent,
						  &choice);

		kt_visit_next_window();
		if (above) {
			give_up(&choice);
			changed_at = kt_now_ns();
			kt_overhead_open(&v->account, changed_at);
		}
	}
	kt_unlock(locked); /* may enter a handler of the program, which changes the depth */
	v->depth = 0;
}

void kt_give_up_after_fork(void)
{
	kt_visit_after_fork();
	changed_at = 0;
	nothing_left = false;
	if (kt_overhead_percent) {
		kt_access_mode = first_access_mode;
		kt_submissions_mode = first_submissions_mode;
		kt_access_take_back();
	}
}
