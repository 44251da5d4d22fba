/* SPDX-License-Identifier: MIT */
#include "annotate/phases/phases-calls.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * A letter whose phase is not known yet, or the beginning of a call that has no phase. An
 * instance keeps letters and calls in one array, in order of time.
 */
struct waiting {
	struct kt_course_letter letter;
	bool call; /* this is the beginning of a call, not a letter */
};

/* A process instance of the trace being read. */
struct kt_course_instance {
	uint64_t instance;
	const char *process;    /* Weak: in the course's texts */
	/* Phase of the last call that has one; NONE: there was no such call yet. */
	enum kt_api_phase last;
	bool ended;
	size_t piece; /* index in course->pieces of the newest piece; SIZE_MAX: none */
	struct waiting *waiting;
	size_t n_waiting;
	size_t capacity;
};

/*
 * Finds or adds the process instance of an event. Instances are numbered from 0 in order
 * of their first events, so mostly the number is the index and no search is needed.
 */
static int find_instance(struct kt_course_instance **out, struct kt_course *course,
			 const struct kt_moment *moment)
{
	if (moment->instance < course->n_instances &&
	    course->instances[moment->instance].instance == moment->instance) {
		*out = &course->instances[moment->instance];
		return KT_OK;
	}
	for (size_t i = course->n_instances; i-- > 0;) {
		if (course->instances[i].instance == moment->instance) {
			*out = &course->instances[i];
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&course->instances, &course->instances_capacity,
				course->n_instances + 1));
	*out = &course->instances[course->n_instances];
	**out = (struct kt_course_instance){.instance = moment->instance,
					    .piece = SIZE_MAX};
	(*out)->process = kt_texts_keep(&course->texts, moment->process);
	if (!(*out)->process) {
		return KT_E_MEMORY;
	}
	course->n_instances++;
	return KT_OK;
}

/* --- pieces --- */

/*
 * Finds the newest piece of `instance`, or adds a piece if the newest has another phase
 * than `phase`. Extends the piece to `time`.
 */
static int find_piece(struct kt_course_piece **out, struct kt_course *course,
		      struct kt_course_instance *instance, enum kt_api_phase phase,
		      uint64_t time)
{
	if (instance->piece == SIZE_MAX || course->pieces[instance->piece].phase != phase) {
		KT_TRY(kt_array_reserve(&course->pieces, &course->pieces_capacity,
					course->n_pieces + 1));
		*out = &course->pieces[course->n_pieces];
		**out = (struct kt_course_piece){.trace = course->trace,
						 .instance = instance->instance,
						 .process = instance->process,
						 .phase = phase,
						 .begin = time,
						 .end = time};
		instance->piece = course->n_pieces++;
	}
	*out = &course->pieces[instance->piece];
	(*out)->end = time > (*out)->end ? time : (*out)->end;
	return KT_OK;
}

/*
 * Finds or adds the part of `piece` for the function `name`; NULL: outside calls. Names
 * are compared as pointers, so `name` must be in the course's texts.
 */
static int find_call(struct kt_course_call **out, struct kt_course_piece *piece,
		     const char *name)
{
	const struct kt_api_function *function = name ? kt_api_function_find(name) : NULL;

	for (size_t i = piece->n_calls; i-- > 0;) {
		*out = &piece->calls[i];
		if ((*out)->name == name) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&piece->calls, &piece->capacity, piece->n_calls + 1));
	*out = &piece->calls[piece->n_calls++];
	**out = (struct kt_course_call){
		.phase = function ? function->phase : KT_API_PHASE_NONE, .name = name};
	return KT_OK;
}

static int put_letter(struct kt_course *course, struct kt_course_instance *instance,
		      const struct kt_course_letter *letter, enum kt_api_phase phase)
{
	struct kt_course_piece *piece;
	struct kt_course_call *call;

	KT_TRY(find_piece(&piece, course, instance, phase, letter->time));
	KT_TRY(find_call(&call, piece, letter->name));
	call->letters++;
	call->doorbells += letter->doorbell;
	call->structure[letter->structure]++;
	piece->letters++;
	piece->doorbells += letter->doorbell;
	return course->each
		       ? course->each(course->context, letter, instance->process, phase)
		       : KT_OK;
}

static int put_call(struct kt_course *course, struct kt_course_instance *instance,
		    const char *name, uint64_t time, enum kt_api_phase phase)
{
	struct kt_course_piece *piece;
	struct kt_course_call *call;

	KT_TRY(find_piece(&piece, course, instance, phase, time));
	KT_TRY(find_call(&call, piece, name));
	call->calls++;
	return KT_OK;
}

/* --- waiting letters --- */

static int wait_for_phase(struct kt_course_instance *instance,
			  const struct kt_course_letter *letter, bool call)
{
	KT_TRY(kt_array_reserve(&instance->waiting, &instance->capacity,
				instance->n_waiting + 1));
	instance->waiting[instance->n_waiting++] = (struct waiting){*letter, call};
	return KT_OK;
}

static int settle(struct kt_course *course, struct kt_course_instance *instance,
		  enum kt_api_phase phase)
{
	for (size_t i = 0; i < instance->n_waiting; i++) {
		const struct kt_course_letter *letter = &instance->waiting[i].letter;

		KT_TRY(instance->waiting[i].call
			       ? put_call(course, instance, letter->name, letter->time,
					  phase)
			       : put_letter(course, instance, letter, phase));
	}
	instance->n_waiting = 0;
	return KT_OK;
}

/*
 * Notes that an event is within a call of `phase`. The waiting letters precede this
 * event: they get the phase that was noted last before it, or CREATE if no phase was
 * noted.
 */
static int say(struct kt_course *course, struct kt_course_instance *instance,
	       enum kt_api_phase phase)
{
	int code = KT_OK;

	if (instance->n_waiting > 0) {
		code = settle(course, instance,
			      instance->last == KT_API_PHASE_NONE ? KT_API_PHASE_CREATE
								  : instance->last);
	}
	instance->last = phase;
	return code;
}

/* --- events --- */

int kt_course_event(struct kt_course *course, const struct kt_moment *moment)
{
	enum kt_api_phase said = kt_activity_phase(moment->call);
	struct kt_course_instance *instance;

	KT_TRY(find_instance(&instance, course, moment));
	/*
	 * A process that has events after its process_end goes on, because its exec
	 * failed.
	 */
	instance->ended = false;
	return said == KT_API_PHASE_NONE ? KT_OK : say(course, instance, said);
}

int kt_course_placed(struct kt_course *course, const kt_placement *placement,
		     const struct kt_moment *moment, kt_course_placed_fn *each,
		     void *context)
{
	size_t n = 0;
	const struct kt_placed *placed =
		kt_placement_find(placement, moment->instance, moment->seq, &n);

	KT_TRY(kt_course_event(course, moment));
	for (size_t i = 0; i < n; i++) {
		if (placed[i].transition != KT_UNPLACED) {
			KT_TRY(each(context, moment, &placed[i]));
		}
	}
	return KT_OK;
}

int kt_course_enter(struct kt_course *course, const struct kt_moment *moment,
		    const struct kt_activity_call *call)
{
	const struct kt_course_letter letter = {
		.time = moment->time, .name = kt_texts_keep(&course->texts, call->name)};
	enum kt_api_phase said = kt_activity_phase(call);
	struct kt_course_instance *instance;

	if (!letter.name) {
		return KT_E_MEMORY;
	}
	KT_TRY(find_instance(&instance, course, moment));
	if (said == KT_API_PHASE_NONE) {
		return wait_for_phase(instance, &letter, true);
	}
	KT_TRY(say(course, instance, said));
	return put_call(course, instance, letter.name, moment->time, said);
}

int kt_course_letter(struct kt_course *course, const struct kt_moment *moment,
		     const struct kt_course_letter *letter)
{
	enum kt_api_phase said = kt_activity_phase(moment->call);
	struct kt_course_letter kept = *letter;
	struct kt_course_instance *instance;

	if (letter->name) {
		kept.name = kt_texts_keep(&course->texts, letter->name);
		if (!kept.name) {
			return KT_E_MEMORY;
		}
	}
	KT_TRY(find_instance(&instance, course, moment));
	return said == KT_API_PHASE_NONE ? wait_for_phase(instance, &kept, false)
					 : put_letter(course, instance, &kept, said);
}

int kt_course_end(struct kt_course *course, const struct kt_moment *moment)
{
	struct kt_course_instance *instance;

	KT_TRY(find_instance(&instance, course, moment));
	instance->ended = true;
	return KT_OK;
}

static void drop_instances(struct kt_course *course)
{
	for (size_t i = 0; i < course->n_instances; i++) {
		free(course->instances[i].waiting);
	}
	course->n_instances = 0;
}

int kt_course_finish_trace(struct kt_course *course)
{
	int code = KT_OK;

	for (size_t i = 0; i < course->n_instances && !code; i++) {
		struct kt_course_instance *instance = &course->instances[i];

		code = settle(course, instance,
			      instance->last != KT_API_PHASE_NONE && instance->ended
				      ? KT_API_PHASE_DESTROY
				      : instance->last);
	}
	drop_instances(course);
	course->trace++;
	return code;
}

void kt_course_clear(struct kt_course *course)
{
	drop_instances(course);
	for (size_t i = 0; i < course->n_pieces; i++) {
		free(course->pieces[i].calls);
	}
	free(course->pieces);
	free(course->instances);
	kt_texts_free(&course->texts);
	*course = (struct kt_course){0};
}
