/* SPDX-License-Identifier: MIT */
/*
 * The phases that API calls say, of each letter of a trace, and the course of each process:
 * its phases one after the other with the calls and letters of each.
 *
 * A letter is of the phase of the innermost call around it that says one (decode/tables/
 * api.tsv has what each function says). Around a letter outside of calls, or in calls that
 * say nothing, those of the process before it and after it, on whichever thread, decide:
 *
 *   - before the first call that says a phase: CREATE;
 *   - between two: what the one before says, as its work goes on;
 *   - after the last: DESTROY, if the process's end was recorded, as what is left is taken
 *     down then; else what the last one says.
 *
 * A process without any such call says nothing. After a gap the calls around are unknown,
 * and those before it still count as before.
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

/* Of one piece of a course: a function of the API, or what is outside of calls. */
struct kt_course_call {
	const char *name;              /* Weak; NULL: outside of calls */
	enum kt_api_phase phase;       /* that the function says */
	uint64_t calls;                /* begun in the piece */
	uint64_t letters;              /* within it as the innermost call */
	uint64_t doorbells;            /* of these */
	uint64_t structure[KT_PHASES]; /* of these, by what the structure says */
};

/* A piece of a process's life, all of one phase. */
struct kt_course_piece {
	size_t trace;
	uint64_t instance;
	const char *process; /* Weak */
	enum kt_api_phase phase;
	uint64_t begin; /* ns since the first event of the trace */
	uint64_t end;
	uint64_t letters;
	uint64_t doorbells;
	struct kt_course_call *calls; /* Owned by this: in order of their first */
	size_t n_calls;
	size_t capacity;
};

/* A letter of a trace, as it is put into the course. */
struct kt_course_letter {
	uint32_t transition;
	bool doorbell;
	enum kt_api_phase structure;
	uint64_t time;
	uint64_t seq;
	const char *name; /* Weak: of the innermost call, NULL: none */
};

/* Told of each letter once its phase is known: within kt_course_*(). Texts are the
 * course's. */
typedef int kt_course_fn(void *context, const struct kt_course_letter *letter,
			 const char *process, enum kt_api_phase phase);

struct kt_course_instance; /* of this file alone */

struct kt_course {
	struct kt_texts texts;          /* of processes and calls */
	struct kt_course_piece *pieces; /* Owned by this: of a life, in order of time */
	size_t n_pieces;
	size_t pieces_capacity;
	size_t trace;
	kt_course_fn *each;                   /* may be NULL */
	void *context;                        /* Weak */
	struct kt_course_instance *instances; /* Owned by this: of the trace being read */
	size_t n_instances;
	size_t instances_capacity;
};

/* The phase that the calls around a moment say: of the innermost that says one. O(depth).
 */
enum kt_api_phase kt_course_said(const struct kt_activity_call *call);

/* An event: calls that begin are counted, and one that says a phase settles what waits. */
int kt_course_event(struct kt_course *course, const struct kt_moment *moment);
int kt_course_enter(struct kt_course *course, const struct kt_moment *moment,
		    const struct kt_activity_call *call);

/* The same, then tells `each` of the event's letters that are placed in the machine. */
typedef int kt_course_placed_fn(void *context, const struct kt_moment *moment,
				const struct kt_placed *placed);
int kt_course_placed(struct kt_course *course, const kt_placement *placement,
		     const struct kt_moment *moment, kt_course_placed_fn *each,
		     void *context);

/* A letter of the event that was told last. letter->name is kept. */
int kt_course_letter(struct kt_course *course, const struct kt_moment *moment,
		     const struct kt_course_letter *letter);

/* The process's end was recorded. */
int kt_course_end(struct kt_course *course, const struct kt_moment *moment);

/* The trace is over: what still waits is settled; the next one is course->trace + 1. */
int kt_course_finish_trace(struct kt_course *course);

/* Frees what it owns. */
void kt_course_clear(struct kt_course *course);

#endif
