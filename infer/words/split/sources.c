/* SPDX-License-Identifier: MIT */
#include "infer/words/split/sources.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* A user and a kernel process instance that may be the same. */
struct pair {
	struct kt_instance *user;   /* Weak */
	struct kt_instance *kernel; /* Weak */
	bool same_pid;
	bool same_name;
	double shared; /* overlap, as a fraction of the time that the two cover together */
};

struct pairs {
	struct pair *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

/* Returns the pid that user-space events of the process have, or would have. */
static uint32_t own_pid(const struct kt_instance *instance)
{
	return instance->origin.kernel && instance->vpid ? instance->vpid
							 : instance->origin.pid;
}

/* Orders by pid, then by source, then by first event. */
static int compare_instances(const void *a, const void *b)
{
	const struct kt_instance *x = *(struct kt_instance *const *)a;
	const struct kt_instance *y = *(struct kt_instance *const *)b;
	uint32_t of_x = own_pid(x);
	uint32_t of_y = own_pid(y);

	if (of_x != of_y) {
		return of_x < of_y ? -1 : 1;
	}
	return x->origin.kernel != y->origin.kernel
		       ? x->origin.kernel - y->origin.kernel
		       : (x->index > y->index) - (x->index < y->index);
}

/* Orders the best pair first. */
static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a;
	const struct pair *y = b;

	if (x->same_pid != y->same_pid) {
		return y->same_pid - x->same_pid;
	}
	if (x->same_name != y->same_name) {
		return y->same_name - x->same_name;
	}
	if (x->shared < y->shared || x->shared > y->shared) {
		return x->shared < y->shared ? 1 : -1;
	}
	return x->user != y->user ? (x->user->index > y->user->index) -
					    (x->user->index < y->user->index)
				  : (x->kernel->index > y->kernel->index) -
					    (x->kernel->index < y->kernel->index);
}

/*
 * Returns the overlap of two instances, as a fraction of the time that the two cover
 * together; negative if they do not overlap.
 */
static double shared_time(const struct kt_instance *a, const struct kt_instance *b)
{
	const int64_t shift = kt_clock_shift(&b->origin, &a->origin);
	const int64_t first = kt_time_add(b->first_time, shift);
	const int64_t last = kt_time_add(b->last_time, shift);
	int64_t from = a->first_time > first ? a->first_time : first;
	int64_t to = a->last_time < last ? a->last_time : last;
	int64_t begin = a->first_time < first ? a->first_time : first;
	int64_t end = a->last_time > last ? a->last_time : last;

	if (to < from) {
		return -1;
	}
	return end > begin ? (double)kt_time_between(from, to) /
				     (double)kt_time_between(begin, end)
			   : 1;
}

/* Pairs the instances of one pid. In instances[], those from user space come first. */
static int pair_instances(struct kt_instance *const *instances, size_t n,
			  struct pairs *pairs)
{
	size_t users = 0;

	pairs->n = 0;
	while (users < n && !instances[users]->origin.kernel) {
		users++;
	}
	for (size_t i = 0; i < users; i++) {
		for (size_t j = users; j < n; j++) {
			struct kt_instance *user = instances[i];
			struct kt_instance *kernel = instances[j];
			bool same_name = user->name && kernel->name &&
					 strcmp(user->name, kernel->name) == 0;
			bool other_program = user->certain && kernel->certain && !same_name;
			double shared = shared_time(user, kernel);

			if (shared < 0 || other_program ||
			    !kt_same_host(&user->origin, &kernel->origin)) {
				continue;
			}
			KT_TRY(kt_array_reserve(&pairs->items, &pairs->capacity,
						pairs->n + 1));
			pairs->items[pairs->n++] = (struct pair){
				.user = user,
				.kernel = kernel,
				.same_pid = user->origin.pid == kernel->origin.pid,
				.same_name = same_name,
				.shared = shared};
		}
	}
	if (pairs->n == 0) {
		return KT_OK;
	}
	qsort(pairs->items, pairs->n, sizeof(*pairs->items), compare_pairs);
	for (size_t i = 0; i < pairs->n; i++) {
		struct pair *pair = &pairs->items[i];

		if (!pair->user->other && !pair->kernel->other) {
			pair->user->other = pair->kernel;
			pair->kernel->other = pair->user;
		}
	}
	/*
	 * Second pass, over pairs with equal pids only. If one source recorded a process
	 * twice, the first pass has paired one of the two instances with the single
	 * instance of the other source. Here the second of the two gets that instance as
	 * its partner, too; the single instance keeps its first partner.
	 */
	for (size_t i = 0; i < pairs->n && pairs->items[i].same_pid; i++) {
		struct pair *pair = &pairs->items[i];

		pair->user->other = pair->user->other ? pair->user->other : pair->kernel;
		pair->kernel->other =
			pair->kernel->other ? pair->kernel->other : pair->user;
	}
	return KT_OK;
}

int kt_sources_choose(struct kt_instance *const *instances, size_t n, enum kt_source source)
{
	/* value of origin.kernel for instances of the unwanted source */
	bool unwanted = source != KT_SOURCE_KERNEL;
	struct kt_instance **sorted = malloc((n + 1) * sizeof(struct kt_instance *));
	struct pairs pairs = {.n = 0};
	size_t from = 0;
	size_t kept = 0;
	int code = KT_OK;

	if (!sorted) {
		return kt_no_memory("choose sources");
	}
	for (size_t i = 0; i < n; i++) {
		instances[i]->other = NULL;
		sorted[i] = instances[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare_instances);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 == n || own_pid(sorted[i + 1]) != own_pid(sorted[i])) {
			KT_TRY_END(pair_instances(sorted + from, i + 1 - from, &pairs));
			from = i + 1;
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct kt_instance *other = instances[i]->other;

		instances[i]->dropped = instances[i]->origin.kernel == unwanted && other &&
					(other->acts || !instances[i]->acts);
		instances[i]->number = kept;
		kept += !instances[i]->dropped;
	}
end:
	free(pairs.items);
	free(sorted);
	return code;
}
