/* SPDX-License-Identifier: MIT */
#include "collect/preload/overhead/visits.h"

#include "collect/preload/process/clock.h"
#include "collect/preload/process/counters.h"

/* An access that continues a run: the cost of the trampoline's code, measured. */
#define CONTINUED_NS 5

#define UNLIMITED 1000000 /* permille of a window without any other time */

_Thread_local struct kt_visits kt_visits;
uint32_t kt_overhead_percent;

/*
 * kt_give_up_init() measures KT_VISIT_TRAP and what KT_VISIT_PATCH_BLOCKING has more than
 * KT_VISIT_PATCH: two system calls. The other code around a patched access saves and
 * restores the vector registers. A call costs two readings of the clock.
 */
uint64_t kt_visit_around_ns[KT_VISITS] = {
	[KT_VISIT_TRAP] = 2500,
	[KT_VISIT_PATCH] = 150,
	[KT_VISIT_PATCH_BLOCKING] = 450,
	[KT_VISIT_CALL] = 30,
};

void kt_visit_continued(uint64_t n)
{
	if (kt_overhead_percent) {
		kt_overhead_add(&kt_visits.account, kt_visits.mapping, n * CONTINUED_NS);
	}
}

/*
 * A signal may begin another visit at any point here: it then only changes the depth. If it
 * enters a handler of the program, this visit has no end.
 */
void kt_visit_really_begin(enum kt_visit how)
{
	struct kt_visits *v = &kt_visits;

	if (v->depth++ > 0) {
		return;
	}
	v->how = how;
	v->entered = kt_now_ns();
	if (v->account.begun == 0) {
		kt_overhead_open(&v->account, v->entered);
	}
	v->mapping = 0;
}

void kt_visit_really_end(void)
{
	struct kt_visits *v = &kt_visits;
	uint32_t depth = v->depth;

	if (depth == 0) {
		return;
	}
	if (depth == 1) {
		uint64_t ns;

		v->left = kt_now_ns();
		ns = v->left - v->entered;
		ns = ns < KT_VISIT_MOST_NS ? ns : KT_VISIT_MOST_NS;
		kt_overhead_add(&v->account, v->mapping, ns + kt_visit_around_ns[v->how]);
	}
	v->depth = depth - 1; /* a handler of the program may have set it to 0 meanwhile */
}

void kt_visit_next_window(void)
{
	struct kt_visits *v = &kt_visits;
	uint64_t rest = kt_overhead_rest(&v->account, v->left);
	uint64_t permille = rest ? v->account.inside * 1000 / rest : UNLIMITED;
	uint64_t worst = atomic_load(&kt_counters->overhead_worst);

	kt_count_many(&kt_counters->overhead_inside_ns, v->account.inside);
	kt_count_many(&kt_counters->overhead_rest_ns, rest);
	while (v->left - v->account.begun >= KT_OVERHEAD_WINDOW_NS && permille > worst &&
	       !atomic_compare_exchange_weak(&kt_counters->overhead_worst, &worst,
					     permille)) {
	}
	kt_overhead_open(&v->account, v->left);
}

void kt_visit_finish(void)
{
	uint32_t depth = kt_visits.depth;

	if (kt_overhead_percent && kt_visits.account.begun) {
		kt_visits.depth = depth + 1;
		kt_visit_next_window();
		kt_visits.depth = depth;
	}
}

void kt_visit_after_fork(void)
{
	kt_overhead_open(&kt_visits.account, kt_visits.left);
}
