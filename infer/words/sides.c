/* SPDX-License-Identifier: MIT */
/*
 * Processes that are seen from both sides, in user space and by the kernel, are taken from
 * one. The kernel's trace of a session is another one than that of user space: what pairs
 * them is the pid. In a pid namespace of its own a process knows another one than the
 * kernel, which tells both; but such numbers are many processes' at once, so there a life
 * of one side has one life of the other: of those that go on at the same time one of the
 * same name, and then the one with which most of the time is shared.
 */
#include "infer/words/collector.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

void kt_collector_set_vpid(kt_collector *collector, uint32_t vpid)
{
	collector->processes[collector->last].vpid = vpid;
}

/* What its events in user space have, or would have, as pid. */
static uint32_t own_pid(const struct kt_process *p)
{
	return p->origin.kernel && p->vpid ? p->vpid : p->origin.pid;
}

static bool is_foreign(const struct kt_process *p)
{
	return own_pid(p) != p->origin.pid;
}

/* By pid, then by side. */
static int compare_sides(const void *a, const void *b)
{
	const struct kt_process *x = *(struct kt_process *const *)a;
	const struct kt_process *y = *(struct kt_process *const *)b;
	uint32_t of_x = own_pid(x);
	uint32_t of_y = own_pid(y);

	return of_x != of_y ? (of_x > of_y) - (of_x < of_y)
			    : x->origin.kernel - y->origin.kernel;
}

/* --- namespaces --- */

static int64_t shared_time(const struct kt_process *a, const struct kt_process *b)
{
	int64_t from = a->first_time > b->first_time ? a->first_time : b->first_time;
	int64_t to = a->last_time < b->last_time ? a->last_time : b->last_time;

	return to - from;
}

static bool has_same_name(const struct kt_process *a, const struct kt_process *b)
{
	return a->name && b->name && strcmp(a->name, b->name) == 0;
}

/* Whether `p` is a better other side for a life than `than`, which may be NULL. */
static bool is_better(const struct kt_process *user, const struct kt_process *p,
		      const struct kt_process *than)
{
	if (!than || has_same_name(user, p) != has_same_name(user, than)) {
		return !than || has_same_name(user, p);
	}
	return shared_time(user, p) > shared_time(user, than);
}

/* Of the processes from[0..n) of one pid. */
static void pair_life(struct kt_process **from, size_t n, struct kt_process *user)
{
	struct kt_process *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (is_foreign(from[i]) && !from[i]->paired &&
		    kt_same_host(&from[i]->origin, &user->origin) &&
		    shared_time(user, from[i]) >= 0 && is_better(user, from[i], best)) {
			best = from[i];
		}
	}
	if (best) {
		best->paired = user->paired = true;
	}
}

/* --- one side --- */

static bool is_other_side(const struct kt_process *a, const struct kt_process *b)
{
	return a->origin.kernel != b->origin.kernel &&
	       kt_same_host(&a->origin, &b->origin) && !b->paired && !is_foreign(b);
}

/* Drops what is on the wrong side, of the processes from[0..n) of one pid. */
static void choose_side(const kt_collector *c, struct kt_process **from, size_t n)
{
	bool wrong = c->source == KT_SOURCE_USER;

	for (size_t i = 0; i < n; i++) {
		if (!from[i]->origin.kernel) {
			pair_life(from, n, from[i]);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (from[i]->origin.kernel != wrong) {
			continue;
		}
		from[i]->dropped = from[i]->paired;
		for (size_t j = 0; j < n && !from[i]->dropped && !is_foreign(from[i]);
		     j++) {
			from[i]->dropped = is_other_side(from[i], from[j]);
		}
	}
}

int kt_collector_choose_source(kt_collector *c)
{
	struct kt_process **sorted =
		malloc((c->n_processes + 1) * sizeof(struct kt_process *));
	size_t from = 0;

	if (!sorted) {
		return kt_error(KT_E_MEMORY, "collect words: out of memory");
	}
	for (size_t i = 0; i < c->n_processes; i++) {
		sorted[i] = &c->processes[i];
	}
	qsort(sorted, c->n_processes, sizeof(*sorted), compare_sides);
	for (size_t i = 0; i < c->n_processes; i++) {
		if (i + 1 == c->n_processes ||
		    own_pid(sorted[i + 1]) != own_pid(sorted[i])) {
			if (sorted[from]->origin.kernel != sorted[i]->origin.kernel) {
				choose_side(c, sorted + from, i + 1 - from);
			}
			from = i + 1;
		}
	}
	free(sorted);
	return KT_OK;
}
