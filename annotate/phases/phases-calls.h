/* SPDX-License-Identifier: MIT */
/*
 * Phases by calls: the phase of each letter of a trace according to calls of the API, and
 * the course of each process, that is, the sequence of its phases with the calls and
 * letters of each phase.
 *
 * The phases of functions are in decode/tables/api*.tsv; not all functions have one. A
 * letter within calls has the phase of the innermost call that has a phase. The phase of
 * any other letter depends on the calls with a phase that any thread of the process makes
 * before and after the letter:
 *
 * - before the first call with a phase: CREATE;
 * - between two calls with a phase: the phase of the earlier call, whose work goes on;
 * - after the last call with a phase: DESTROY if the end of the process was recorded,
 *   since a process that ends releases what is left; otherwise the phase of that last
 *   call.
 *
 * If no call of the process has a phase, its letters have no phase. After a gap it is
 * unknown which calls are open, but calls before the gap still count as calls before the
 * letter.
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

/* Part of a piece: one function of the API, or everything outside calls. */
struct kt_course_call {
	const char *name;        /* Weak: in the course's texts; NULL: outside calls */
	enum kt_api_phase phase; /* phase of the function; NONE: it has no phase */
	uint64_t calls;          /* calls that began in the piece */
	uint64_t letters;        /* letters whose innermost call is of this function */
	uint64_t doorbells;      /* how many of `letters` are doorbells */
	/* How many of `letters` have each phase by structure. */
	uint64_t structure[KT_PHASES];
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
	const char *name; /* Weak: function of the innermost call; NULL: outside calls */
};

/*
 * Called within the functions kt_course_*() for each letter, once its phase is decided;
 * the phase may be NONE. `process` and letter->name belong to the course.
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
	kt_course_fn *each;                   /* called for each letter; may be NULL */
	void *context;                        /* Weak */
	struct kt_course_instance *instances; /* Owned by this: of the trace being read */
	size_t n_instances;
	size_t instances_capacity;
};

/*
 * kt_course_event() adds an event; kt_course_enter() adds the beginning of `call`. If the
 * event is within a call that has a phase, the phases of the letters that waited before
 * the event are decided. KT_E_MEMORY, or the code of course->each.
 */
int kt_course_event(struct kt_course *course, const struct kt_moment *moment);
int kt_course_enter(struct kt_course *course, const struct kt_moment *moment,
		    const struct kt_activity_call *call);

/*
 * Adds an event and calls `each` for each letter of the event that is placed in the
 * machine. KT_E_MEMORY, or the code of `each` or course->each.
 */
typedef int kt_course_placed_fn(void *context, const struct kt_moment *moment,
				const struct kt_placed *placed);
int kt_course_placed(struct kt_course *course, const kt_placement *placement,
		     const struct kt_moment *moment, kt_course_placed_fn *each,
		     void *context);

/*
 * Adds a letter of the event that was added last; letter->name is copied. KT_E_MEMORY, or
 * the code of course->each.
 */
int kt_course_letter(struct kt_course *course, const struct kt_moment *moment,
		     const struct kt_course_letter *letter);

/* Notes that the end of the process was recorded. KT_E_MEMORY. */
int kt_course_end(struct kt_course *course, const struct kt_moment *moment);

/*
 * Ends a trace: decides the phases of the letters that still wait, and adds 1 to
 * course->trace. KT_E_MEMORY, or the code of course->each.
 */
int kt_course_finish_trace(struct kt_course *course);

/* Frees what the course owns. */
void kt_course_clear(struct kt_course *course);

#endif
