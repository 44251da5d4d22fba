/* SPDX-License-Identifier: MIT */
#include "infer/words/split/sides.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* Two lives that may be one. */
struct pair {
	struct kt_sighting *user;   /* Weak */
	struct kt_sighting *kernel; /* Weak */
	bool same_pid;
	bool same_name;
	double shared; /* of the time that either takes */
};

struct pairs {
	struct pair *items; /* Owned by this */
	size_t n;
	size_t capacity;
};

/* --- what may be one life --- */

/* What its events in user space have, or would have, as pid. */
static uint32_t own_pid(const struct kt_sighting *life)
{
	return life->origin.kernel && life->vpid ? life->vpid : life->origin.pid;
}

static bool has_same_name(const struct kt_sighting *a, const struct kt_sighting *b)
{
	return a->name && b->name && strcmp(a->name, b->name) == 0;
}

static bool is_other_program(const struct kt_sighting *a, const struct kt_sighting *b)
{
	return a->certain && b->certain && !has_same_name(a, b);
}

/* Below 0: they are not at the same time. */
static double shared_time(const struct kt_sighting *a, const struct kt_sighting *b)
{
	int64_t from = a->first_time > b->first_time ? a->first_time : b->first_time;
	int64_t to = a->last_time < b->last_time ? a->last_time : b->last_time;
	int64_t begin = a->first_time < b->first_time ? a->first_time : b->first_time;
	int64_t end = a->last_time > b->last_time ? a->last_time : b->last_time;

	if (to < from) {
		return -1;
	}
	return end > begin ? (double)(to - from) / (double)(end - begin) : 1;
}

static int add_pair(struct pairs *pairs, struct kt_sighting *user,
		    struct kt_sighting *kernel)
{
	struct pair pair = {.user = user,
			    .kernel = kernel,
			    .same_pid = user->origin.pid == kernel->origin.pid,
			    .same_name = has_same_name(user, kernel),
			    .shared = shared_time(user, kernel)};
	int code;

	if (pair.shared < 0 || !kt_same_host(&user->origin, &kernel->origin) ||
	    is_other_program(user, kernel)) {
		return KT_OK;
	}
	code = kt_array_reserve(&pairs->items, &pairs->capacity, pairs->n + 1);
	if (!code) {
		pairs->items[pairs->n++] = pair;
	}
	return code;
}

/* The best first. */
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
	return x->user != y->user ? (x->user > y->user) - (x->user < y->user)
				  : (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* --- which are --- */

static void join(struct pairs *pairs)
{
	qsort(pairs->items, pairs->n, sizeof(*pairs->items), compare_pairs);
	for (size_t i = 0; i < pairs->n; i++) {
		struct pair *pair = &pairs->items[i];

		if (!pair->user->other && !pair->kernel->other) {
			pair->user->other = pair->kernel;
			pair->kernel->other = pair->user;
		}
	}
	/* What is left of a process that a trace tells of twice. */
	for (size_t i = 0; i < pairs->n && pairs->items[i].same_pid; i++) {
		struct pair *pair = &pairs->items[i];

		pair->user->other = pair->user->other ? pair->user->other : pair->kernel;
		pair->kernel->other =
			pair->kernel->other ? pair->kernel->other : pair->user;
	}
}

/* By number, then by side, then in order of first events. */
static int compare_lives(const void *a, const void *b)
{
	const struct kt_sighting *x = *(struct kt_sighting *const *)a;
	const struct kt_sighting *y = *(struct kt_sighting *const *)b;
	uint32_t of_x = own_pid(x);
	uint32_t of_y = own_pid(y);

	if (of_x != of_y) {
		return of_x < of_y ? -1 : 1;
	}
	return x->origin.kernel != y->origin.kernel ? x->origin.kernel - y->origin.kernel
						    : (x > y) - (x < y);
}

/* Of the lives of one number, those of user space in front. */
static int join_number(struct kt_sighting **lives, size_t n, struct pairs *pairs)
{
	size_t users = 0;
	int code = KT_OK;

	pairs->n = 0;
	while (users < n && !lives[users]->origin.kernel) {
		users++;
	}
	for (size_t i = 0; i < users; i++) {
		for (size_t j = users; j < n && !code; j++) {
			code = add_pair(pairs, lives[i], lives[j]);
		}
	}
	if (!code && pairs->n > 0) {
		join(pairs);
	}
	return code;
}

static int join_all(struct kt_sighting **lives, size_t n)
{
	struct pairs pairs = {.n = 0};
	size_t from = 0;
	int code = KT_OK;

	qsort(lives, n, sizeof(*lives), compare_lives);
	for (size_t i = 0; i < n && !code; i++) {
		if (i + 1 == n || own_pid(lives[i + 1]) != own_pid(lives[i])) {
			code = join_number(lives + from, i + 1 - from, &pairs);
			from = i + 1;
		}
	}
	free(pairs.items);
	return code;
}

int kt_sides_choose(struct kt_sighting *lives, size_t n, enum kt_source source)
{
	bool unwanted = source == KT_SOURCE_USER; /* the kernel's */
	struct kt_sighting **sorted = malloc((n + 1) * sizeof(struct kt_sighting *));
	int code;

	if (!sorted) {
		return kt_error(KT_E_MEMORY, "choose sides: out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		lives[i].other = NULL;
		sorted[i] = &lives[i];
	}
	code = join_all(sorted, n);
	free(sorted);
	for (size_t i = 0; i < n; i++) {
		lives[i].dropped = lives[i].origin.kernel == unwanted && lives[i].other &&
				   (lives[i].other->acts || !lives[i].acts);
	}
	return code;
}
