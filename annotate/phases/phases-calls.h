/* SPDX-License-Identifier: MIT */
/*
 * Phases by calls: the phase of each letter of a trace according to calls of the API, and
 * the course of each process, that is, its phases in order with the calls and letters of
 * each.
 *
 * A letter has the phase of the innermost enclosing call with one (decode/tables/api.tsv
 * has the phases of functions). The phase of a letter outside calls, or within calls
 * without a phase, depends on the calls of any thread of the process before and after it:
 *
 * - before the first call with a phase: CREATE;
 * - between two such calls: the phase of the earlier one, whose work goes on;
 * - after the last: DESTROY if the process's end was recorded, since the process then
 *   releases what is left; else the phase of the last call.
 *
 * Letters of a process without such a call have no phase. After a gap it is unknown which
 * calls are open, but the calls before the gap still count as calls before the letter.
 */
#ifndef KTAIL_ANNOTATE_PHASES_CALLS_H
#define KTAIL_ANNOTATE_PHASES_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/events/activity.h"
#include "annotate/meaning/placement.h"
#include "base/texts.h"
#include "decode/api-functions.h"

#define KT_PHASES (KT_API_PHASE_DESTROY + 1)

/* Part of a course: one function of the API, or everything outside calls. */
struct kt_course_call {
	const char *name;              /* Weak; NULL: outside calls */
	enum kt_api_phase phase;       /* phase of the function */
	uint64_t calls;                /* calls that began in the piece */
	uint64_t letters;              /* letters with this innermost call */
	uint64_t doorbells;            /* those of `letters` that are doorbells */
	uint64_t structure[KT_PHASES]; /* number of `letters` in each phase by structure */
};

/* A stretch of a process instance with one phase. */
struct kt_course_piece {
	size_t trace;
	uint64_t instance;
	const char *process; /* Weak */
	enum kt_api_phase phase;
	uint64_t begin; /* ns since the first event of the trace */
	uint64_t end;
	uint64_t letters;
	uint64_t doorbells;
	struct kt_course_call *calls; /* Owned by this: in order of first occurrence */
	size_t n_calls;
	size_t capacity;
};

/* A letter of a trace, as it enters the course. */
struct kt_course_letter {
	uint32_t transition;
	bool doorbell;
	enum kt_api_phase structure;
	uint64_t time;
	uint64_t seq;
	const char *name; /* Weak: the innermost call; NULL: none */
};

/*
 * Called within kt_course_*() for each letter, once its phase is known. Texts belong to the
 * course.
 */
typedef int kt_course_fn(void *context, const struct kt_course_letter *letter,
			 const char *process, enum kt_api_phase phase);

struct kt_course_instance; /* private to phases-calls.c */

struct kt_course {
	struct kt_texts texts; /* names of processes and calls */
	/* Owned by this; the pieces of a process instance are in order of time. */
	struct kt_course_piece *pieces;
	size_t n_pieces;
	size_t pieces_capacity;
	size_t trace;
	kt_course_fn *each;                   /* NULL is allowed */
	void *context;                        /* Weak */
	struct kt_course_instance *instances; /* Owned by this: of the trace being read */
	size_t n_instances;
	size_t instances_capacity;
};

/*
 * Add an event, or count a call that begins. A call with a phase decides the phase of the
 * letters that wait for one. KT_E_MEMORY.
 */
int kt_course_event(struct kt_course *course, const struct kt_moment *moment);
int kt_course_enter(struct kt_course *course, const struct kt_moment *moment,
		    const struct kt_activity_call *call);

/*
 * Adds an event and calls `each` for its letters that are placed in the machine.
 * KT_E_MEMORY, or the code of `each`.
 */
typedef int kt_course_placed_fn(void *context, const struct kt_moment *moment,
				const struct kt_placed *placed);
int kt_course_placed(struct kt_course *course, const kt_placement *placement,
		     const struct kt_moment *moment, kt_course_placed_fn *each,
		     void *context);

/* Adds a letter of the last event; letter->name is copied. KT_E_MEMORY. */
int kt_course_letter(struct kt_course *course, const struct kt_moment *moment,
		     const struct kt_course_letter *letter);

/* Notes that the process's end was recorded. KT_E_MEMORY. */
int kt_course_end(struct kt_course *course, const struct kt_moment *moment);

/*
 * Ends a trace and settles the waiting letters; the next trace is course->trace + 1.
 * KT_E_MEMORY.
 */
int kt_course_finish_trace(struct kt_course *course);

/* Frees what the course owns. */
void kt_course_clear(struct kt_course *course);

#endif
