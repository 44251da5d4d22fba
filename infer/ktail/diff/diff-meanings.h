/* SPDX-License-Identifier: MIT */
/* Labels and phases (ktail annotate) that only one of two machines has. */
#ifndef KTAIL_DIFF_MEANINGS_H
#define KTAIL_DIFF_MEANINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <ktail/fsm.h>

/* A label or phase that only one machine has. */
struct kt_diff_meaning {
	const char *text;   /* Weak: owned by the machine */
	size_t states;      /* number of states with it */
	size_t transitions; /* number of transitions with it */
};

struct kt_diff_meaning_list {
	struct kt_diff_meaning *items; /* Owned by this; sorted by text */
	size_t n;
};

struct kt_diff_meanings {
	/*
	 * for each machine (old, new), whether it has labels; unless both are true, the
	 * members below are empty
	 */
	bool known[2];
	struct kt_diff_meaning_list labels[2];
	struct kt_diff_meaning_list phases[2];
};

/*
 * Finds the differences. O(size log size). KT_E_MEMORY. The caller frees *out, also on
 * failure.
 */
int kt_diff_meanings(struct kt_diff_meanings *out, const struct kt_fsm *const fsm[2]);

void kt_diff_meanings_free(struct kt_diff_meanings *meanings);

#endif
