/* SPDX-License-Identifier: MIT */
#include "annotate/events/kernels.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"
#include "decode/qmd.h"

#define NO_MARK SIZE_MAX

/* A handle of a kernel. */
struct handle {
	uint64_t instance;
	uint64_t value;
	const char *name; /* Weak */
};

/* The name of the kernel whose handle a call gave. */
struct given {
	uint64_t call;
	const char *name; /* Weak */
};

/* A copy to [from, end), or a launch of the program at `from`. */
struct mark {
	uint64_t command;
	uint64_t submission;
	uint64_t instance;
	uint64_t from;
	uint64_t end;     /* 0: a launch */
	uint64_t call;    /* the call that launches, or that gives a handle; 0: none */
	const char *name; /* Weak; NULL: unknown */
	bool code;        /* a copy: contains the program of a launch */
	bool given;       /* a copy: the name comes from the handle that the call gave */
	bool several;     /* a copy: it has code of kernels with different names */
};

/* A program that is launched. */
struct program {
	uint64_t instance;
	uint64_t address;
	size_t copy; /* in marks[]: the newest copy to the address so far, or NO_MARK */
	const char *name; /* Weak: of the newest launch with a name; NULL: none */
};

struct kt_kernel_finder {
	struct kt_texts texts;
	struct handle *handles;
	size_t n_handles;
	size_t handles_capacity;
	struct kt_hash_index index; /* from the hash of a handle to its number */
	struct given *givens;
	size_t n_givens;
	size_t givens_capacity;
	struct mark *marks; /* in order of `command` */
	size_t n_marks;
	size_t marks_capacity;
	struct program *programs;
	size_t n_programs;
	size_t launch; /* in marks[]: the last launch, or NO_MARK */
	uint64_t commands;
};

/* --- names of handles --- */

static struct handle *find_handle(const struct kt_kernel_finder *f, uint64_t instance,
				  uint64_t value)
{
	struct kt_hash_probe probe = kt_hash_probe(&f->index, kt_hash_number(value));
	uint32_t number;

	while (kt_hash_next(&f->index, &probe, &number)) {
		if (f->handles[number].value == value &&
		    f->handles[number].instance == instance) {
			return &f->handles[number];
		}
	}
	return NULL;
}

int kt_kernel_finder_kernel(kt_kernel_finder *f, const struct kt_moment *moment,
			    const struct kt_kernel_fields *fields)
{
	const struct handle *other = find_handle(f, moment->instance, fields->of);
	struct handle *handle = find_handle(f, moment->instance, fields->handle);
	const char *name = other ? other->name : NULL;

	if (fields->name[0]) {
		KT_TRY(kt_texts_printable(&f->texts, fields->name, &name));
	}
	if (!name) {
		return KT_OK;
	}
	if (!handle) {
		KT_TRY(kt_array_reserve(&f->handles, &f->handles_capacity,
					f->n_handles + 1));
		KT_TRY(kt_hash_add(&f->index, kt_hash_number(fields->handle),
				   f->n_handles));
		handle = &f->handles[f->n_handles++];
		*handle = (struct handle){moment->instance, fields->handle, NULL};
	}
	handle->name = name;
	if (moment->call) {
		KT_TRY(kt_array_reserve(&f->givens, &f->givens_capacity, f->n_givens + 1));
		f->givens[f->n_givens++] = (struct given){moment->call->id, name};
	}
	return KT_OK;
}

/* --- launches and copies --- */

static bool is_counted(const struct kt_command *c)
{
	return c->kind == KT_COMMAND_LAUNCH || c->kind == KT_COMMAND_COPY ||
	       c->kind == KT_COMMAND_INLINE;
}

/*
 * Gives the launch the name of the kernel whose handle an open call launches. Searches the
 * calls from the innermost outwards.
 */
static void name_launch(const struct kt_kernel_finder *f, struct mark *mark,
			const struct kt_activity_call *call)
{
	const struct handle *handle;

	for (; call; call = call->outer) {
		const struct kt_api_kernel *kernel =
			call->function ? &call->function->kernel : NULL;

		if (!kernel || kernel->what != KT_API_KERNEL_LAUNCHED ||
		    (size_t)kernel->handle >= call->n_arguments) {
			continue;
		}
		handle = find_handle(f, mark->instance, call->arguments[kernel->handle]);
		if (handle) {
			mark->name = handle->name;
			mark->call = call->id;
			return;
		}
	}
}

/* Returns the innermost call that gives a handle of a kernel; 0: none. */
static uint64_t giving(const struct kt_activity_call *call)
{
	for (; call; call = call->outer) {
		if (kt_api_gives_kernel(call->function)) {
			return call->id;
		}
	}
	return 0;
}

int kt_kernel_finder_command(kt_kernel_finder *f, const struct kt_moment *moment,
			     const struct kt_submission *submission,
			     const struct kt_command *c)
{
	struct mark mark = {.command = f->commands,
			    .submission = submission->number,
			    .instance = moment->instance};
	const struct kt_qmd_layout *layout;
	struct kt_qmd_launch launch;

	if (!is_counted(c)) {
		return KT_OK;
	}
	f->commands++;
	KT_TRY(kt_array_reserve(&f->marks, &f->marks_capacity, f->n_marks + 1));
	if (c->kind != KT_COMMAND_LAUNCH) {
		/*
		 * Ignore copies of several lines: only the first line is sure to be at the
		 * copy's address.
		 */
		if (c->lines > 1 || __builtin_add_overflow(c->to, c->bytes, &mark.end) ||
		    mark.end == c->to) {
			return KT_OK;
		}
		mark.from = c->to;
		mark.call = giving(moment->call);
		f->marks[f->n_marks++] = mark;
		return KT_OK;
	}
	layout = c->qmd ? kt_qmd_find(c->class_number, c->qmd, c->qmd_bytes) : NULL;
	if (!layout) {
		return KT_OK;
	}
	kt_qmd_launch(layout, c->qmd, c->qmd_bytes, &launch);
	if (!launch.program || launch.program_is_offset) {
		return KT_OK;
	}
	mark.from = launch.program;
	name_launch(f, &mark, moment->call);
	/*
	 * If a call launches several programs, the driver first launches programs of its
	 * own. Only the last program is the kernel that the call names.
	 */
	if (mark.call && f->launch != NO_MARK && f->marks[f->launch].call == mark.call &&
	    f->marks[f->launch].from != mark.from) {
		f->marks[f->launch].name = NULL;
	}
	f->launch = f->n_marks;
	f->marks[f->n_marks++] = mark;
	return KT_OK;
}

/* --- joining --- */

static int compare_givens(const void *a, const void *b)
{
	const struct given *x = a;
	const struct given *y = b;

	return (x->call > y->call) - (x->call < y->call);
}

static int compare_programs(const void *a, const void *b)
{
	const struct program *x = a;
	const struct program *y = b;

	if (x->instance != y->instance) {
		return x->instance < y->instance ? -1 : 1;
	}
	return (x->address > y->address) - (x->address < y->address);
}

/* Fills f->programs from the launches, sorted by instance and address. */
static int list_programs(struct kt_kernel_finder *f)
{
	size_t n = 0;

	f->programs = calloc(f->n_marks + 1, sizeof(*f->programs));
	if (!f->programs) {
		return kt_no_memory("find kernels");
	}
	for (size_t i = 0; i < f->n_marks; i++) {
		if (f->marks[i].end == 0) {
			f->programs[n++] = (struct program){
				f->marks[i].instance, f->marks[i].from, NO_MARK, NULL};
		}
	}
	qsort(f->programs, n, sizeof(*f->programs), compare_programs);
	for (size_t i = 0; i < n; i++) {
		if (f->n_programs == 0 ||
		    compare_programs(&f->programs[i], &f->programs[f->n_programs - 1])) {
			f->programs[f->n_programs++] = f->programs[i];
		}
	}
	return KT_OK;
}

/*
 * Returns the index of the first program of the mark's instance whose address is not below
 * the address of the mark.
 */
static size_t program_from(const struct kt_kernel_finder *f, const struct mark *mark)
{
	const struct program key = {.instance = mark->instance, .address = mark->from};
	size_t at;

	kt_array_find(&at, &key, f->programs, f->n_programs, compare_programs);
	return at;
}

static void join_copy(struct kt_kernel_finder *f, size_t i)
{
	struct mark *copy = &f->marks[i];
	const struct given key = {.call = copy->call};
	size_t at = program_from(f, copy);
	size_t n = 0;

	for (; at < f->n_programs && f->programs[at].instance == copy->instance &&
	       f->programs[at].address < copy->end;
	     at++) {
		f->programs[at].copy = i;
		f->programs[at].name = NULL;
		n++;
	}
	/*
	 * A copy that contains several programs is a whole module, so it does not get the
	 * name of the kernel whose handle the call gave.
	 */
	if (n == 1 && copy->call &&
	    kt_array_find(&at, &key, f->givens, f->n_givens, compare_givens)) {
		copy->name = f->givens[at].name;
		copy->given = true;
	}
}

static void join_launch(struct kt_kernel_finder *f, struct mark *launch)
{
	struct program *program = &f->programs[program_from(f, launch)];
	struct mark *copy = program->copy == NO_MARK ? NULL : &f->marks[program->copy];

	if (!launch->name) {
		launch->name = program->name         ? program->name
			       : copy && copy->given ? copy->name
						     : NULL;
	}
	if (launch->name) {
		program->name = launch->name;
	}
	if (copy) {
		copy->code = true;
		copy->several = copy->several || (copy->name && launch->name &&
						  strcmp(copy->name, launch->name) != 0);
		copy->name = copy->name ? copy->name : launch->name;
	}
}

int kt_kernel_finder_join(kt_kernel_finder *f, struct kt_kernels *out)
{
	*out = (struct kt_kernels){.texts = f->texts};
	f->texts = (struct kt_texts){.n = 0};
	KT_TRY(list_programs(f));
	if (f->n_givens > 0) {
		qsort(f->givens, f->n_givens, sizeof(*f->givens), compare_givens);
	}
	out->notes = calloc(f->n_marks + 1, sizeof(*out->notes));
	if (!out->notes) {
		return kt_no_memory("find kernels");
	}
	for (size_t i = 0; i < f->n_marks; i++) {
		if (f->marks[i].end) {
			join_copy(f, i);
		} else {
			join_launch(f, &f->marks[i]);
		}
	}
	for (size_t i = 0; i < f->n_marks; i++) {
		const struct mark *mark = &f->marks[i];

		if (mark->code || (!mark->end && mark->name)) {
			out->notes[out->n++] = (struct kt_kernel_note){
				.command = mark->command,
				.submission = mark->submission,
				.name = mark->several ? NULL : mark->name,
				.code = mark->code,
			};
		}
	}
	return KT_OK;
}

int kt_kernel_finder_new(kt_kernel_finder **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_no_memory("find kernels");
	}
	(*out)->launch = NO_MARK;
	return KT_OK;
}

void kt_kernel_finder_free(kt_kernel_finder *f)
{
	if (!f) {
		return;
	}
	kt_texts_free(&f->texts);
	kt_hash_free(&f->index);
	free(f->handles);
	free(f->givens);
	free(f->marks);
	free(f->programs);
	free(f);
}

/* --- a trace --- */

static int take_kernel(void *context, const struct kt_moment *moment,
		       const struct kt_kernel_fields *fields)
{
	return kt_kernel_finder_kernel(context, moment, fields);
}

static int take_method(void *context, const struct kt_moment *moment,
		       const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded)
{
	(void)entry;
	return kt_kernel_finder_command(context, moment, submission, &decoded->command);
}

const struct kt_activity_visitor kt_kernel_finder_visitor = {.kernel = take_kernel,
							     .method = take_method};

const struct kt_kernel_note *kt_kernels_next(struct kt_kernels *kernels,
					     const struct kt_command *command)
{
	if (!is_counted(command) || kernels->next >= kernels->n ||
	    kernels->notes[kernels->next].command != kernels->commands) {
		kernels->commands += is_counted(command);
		return NULL;
	}
	kernels->commands++;
	return &kernels->notes[kernels->next++];
}

void kt_kernels_free(struct kt_kernels *kernels)
{
	free(kernels->notes);
	kt_texts_free(&kernels->texts);
	*kernels = (struct kt_kernels){.n = 0};
}
