/* SPDX-License-Identifier: MIT */
/*
 * Finds the kernel of each launch in a trace, and the copies that upload code.
 *
 * A kernel's name comes from events api_kernel (ktail-events(7)): a call gives the program
 * a handle of the kernel, and a later call launches that handle. The QMD of the launch has
 * the address of the kernel's code, so the name also goes to the copy that wrote this
 * address before, and to later launches of this code in other ways, such as by a graph. If
 * the call that gave the handle made a copy that contains only one program, this copy gets
 * the name, too, and so does the first launch of the program. Traces without these events
 * have copies of code, but no names.
 */
#ifndef KTAIL_ANNOTATE_KERNELS_H
#define KTAIL_ANNOTATE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "base/texts.h"
#include "decode/commands.h"
#include "infer/words/split/collect.h"

/* A launch whose kernel is known, or a copy of code. */
struct kt_kernel_note {
	uint64_t command;    /* number among the launches and copies of the trace, from 0 */
	uint64_t submission; /* its number within the trace */
	/* Weak: name of the kernel; NULL: unknown, or the copy has code of several kernels
	 */
	const char *name;
	bool code; /* the copy writes the address of a program that is launched later */
};

struct kt_kernels {
	struct kt_kernel_note *notes; /* Owned by this: in order of `command` */
	size_t n;
	struct kt_texts texts; /* Owned by this: the names */
	uint64_t commands;     /* launches and copies that kt_kernels_next() has seen */
	size_t next;           /* in notes[]: the first note that kt_kernels_next() has not
				* returned */
};

/*
 * Returns what is known of a command, NULL if nothing is known. Call for the command of
 * every method of the trace, in order. O(1).
 */
const struct kt_kernel_note *kt_kernels_next(struct kt_kernels *kernels,
					     const struct kt_command *command);

void kt_kernels_free(struct kt_kernels *kernels);

/* --- for a visitor of the trace's activity --- */

typedef struct kt_kernel_finder kt_kernel_finder;

/* The caller owns *out. KT_E_MEMORY, also for the next three functions. */
int kt_kernel_finder_new(kt_kernel_finder **out);
/* Call from the callbacks `kernel` and `method` of a kt_activity_visitor. */
int kt_kernel_finder_kernel(kt_kernel_finder *finder, const struct kt_moment *moment,
			    const struct kt_kernel_fields *fields);
int kt_kernel_finder_command(kt_kernel_finder *finder, const struct kt_moment *moment,
			     const struct kt_submission *submission,
			     const struct kt_command *command);
/* Calls the two functions above. The context is a kt_kernel_finder. */
extern const struct kt_activity_visitor kt_kernel_finder_visitor;
/*
 * Call once, at the end of the trace. Sets *out without freeing its old contents; the
 * caller frees *out, also after an error. O(n log n) in the number n of launches and
 * copies.
 */
int kt_kernel_finder_join(kt_kernel_finder *finder, struct kt_kernels *out);
void kt_kernel_finder_free(kt_kernel_finder *finder); /* NULL is allowed */

#endif
