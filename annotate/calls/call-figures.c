/* SPDX-License-Identifier: MIT */
#include "annotate/calls/call-figures.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "decode/api-functions.h"

/* CUDA_ERROR_NOT_READY, cudaErrorNotReady: what was asked about still goes on. Source:
 * cuda.h, driver_types.h of the CUDA toolkit; CUDA Driver API manual, "CUresult". */
#define NOT_READY 600

static const struct kt_activity_call *outermost(const struct kt_activity_call *call)
{
	while (call && call->outer) {
		call = call->outer;
	}
	return call;
}

/* The row that an event counts for. */
static int find(struct kt_call_figures *f, const struct kt_activity_call *call,
		struct kt_figure_row **out)
{
	if (f->outer) {
		call = outermost(call);
	}
	return kt_figure_rows_find(&f->rows, out, call ? call->api : "",
				   call ? call->name : "");
}

static int count_for(struct kt_call_figures *f, const struct kt_activity_call *call,
		     enum kt_figure figure)
{
	struct kt_figure_row *row;
	int code = find(f, call, &row);

	if (!code) {
		row->figures.n[figure]++;
	}
	return code;
}

static int count(void *context, const struct kt_moment *moment, enum kt_figure figure)
{
	return count_for(context, moment->call, figure);
}

/* --- calls --- */

/* Whether the call has a share in its row's calls and times. */
static bool is_counted(const struct kt_call_figures *f, const struct kt_activity_call *call)
{
	return !f->outer || !call->outer;
}

static int take_enter(void *context, const struct kt_moment *moment,
		      const struct kt_activity_call *call)
{
	struct kt_call_figures *f = context;
	int code = kt_array_reserve(&f->open, &f->capacity, f->n_open + 1);

	(void)moment;
	if (code) {
		return code;
	}
	f->open[f->n_open++] = (struct kt_open_call){.id = call->id};
	return is_counted(f, call) ? count_for(f, call, KT_FIGURE_CALLS) : KT_OK;
}

/* NULL: it is not open. The newest are the last. */
static struct kt_open_call *find_open(const struct kt_call_figures *f, uint64_t id)
{
	for (size_t i = f->n_open; i > 0; i--) {
		if (f->open[i - 1].id == id) {
			return &f->open[i - 1];
		}
	}
	return NULL;
}

/* How long the calls in it took, which is over now. */
static uint64_t close_call(struct kt_call_figures *f, uint64_t id)
{
	struct kt_open_call *open = find_open(f, id);
	uint64_t inside = open ? open->inside : 0;

	if (open) {
		size_t at = (size_t)(open - f->open);

		memmove(open, open + 1, (f->n_open - at - 1) * sizeof(*open));
		f->n_open--;
	}
	return inside;
}

static int count_time(struct kt_call_figures *f, const struct kt_activity_call *call,
		      uint64_t inside)
{
	struct kt_figure_row *row;
	int code = find(f, call, &row);

	if (code) {
		return code;
	}
	row->figures.n[KT_FIGURE_ERRORS] +=
		call->known && call->result != 0 && call->result != NOT_READY;
	row->figures.n[KT_FIGURE_UNRETURNED] += !call->returned;
	if (!call->returned) {
		return KT_OK;
	}
	row->figures.n[KT_FIGURE_TIME] += call->duration;
	row->figures.n[KT_FIGURE_SELF] +=
		call->duration - (inside < call->duration ? inside : call->duration);
	return kt_figure_row_time(row, call->duration);
}

static int take_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	struct kt_call_figures *f = context;
	uint64_t inside = close_call(f, call->id);
	struct kt_open_call *outer = call->outer ? find_open(f, call->outer->id) : NULL;

	(void)moment;
	if (outer) {
		/* Of one that never returned, what was in it. */
		outer->inside += call->returned ? call->duration : inside;
	}
	return is_counted(f, call) ? count_time(f, call, f->outer ? 0 : inside) : KT_OK;
}

/* --- what they asked of the kernel --- */

static int take_ioctl(void *context, const struct kt_moment *moment,
		      const struct kt_call *call)
{
	struct kt_figure_row *row;
	int code = find(context, moment->call, &row);

	if (!code) {
		row->figures.n[KT_FIGURE_IOCTLS]++;
		row->figures.n[KT_FIGURE_FAILED_IOCTLS] += kt_call_failed(call);
		row->figures.n[KT_FIGURE_IOCTL_TIME] += call->duration;
	}
	return code;
}

static int take_map(void *context, const struct kt_moment *moment,
		    const struct kt_map_fields *fields)
{
	(void)fields;
	return count(context, moment, KT_FIGURE_MAPS);
}

static int take_unmap(void *context, const struct kt_moment *moment,
		      const struct kt_unmap_fields *fields)
{
	(void)fields;
	return count(context, moment, KT_FIGURE_UNMAPS);
}

static int take_access(void *context, const struct kt_moment *moment,
		       const struct kt_access_fields *fields)
{
	return count(context, moment, fields->write ? KT_FIGURE_WRITES : KT_FIGURE_READS);
}

static int take_wait(void *context, const struct kt_moment *moment,
		     const struct kt_wait_fields *fields)
{
	struct kt_figure_row *row;
	int code = find(context, moment->call, &row);

	if (!code) {
		row->figures.n[KT_FIGURE_WAITS]++;
		row->figures.n[KT_FIGURE_WAIT_TIME] += fields->duration;
	}
	return code;
}

/* --- what they submitted --- */

static int take_doorbell(void *context, const struct kt_moment *moment,
			 const struct kt_doorbell_fields *fields)
{
	(void)fields;
	return count(context, moment, KT_FIGURE_DOORBELLS);
}

static bool is_within(uint64_t address, uint64_t begin, uint64_t bytes)
{
	return address >= begin && address - begin < bytes;
}

/*
 * Whether a copy of the engine's is not between the memory that its call names, but goes
 * through the driver's. Arguments 0 and 1 are to and from; of the symbols of a module's the
 * address is not known.
 */
static bool is_staged(const struct kt_activity_call *call, const struct kt_command *command)
{
	const struct kt_api_function *function = call ? call->function : NULL;
	uint64_t bytes;
	bool from;
	bool to;

	if (!function || function->bytes != 2 || strstr(function->name, "Symbol") ||
	    !kt_api_bytes(&bytes, function, call->arguments, call->n_arguments)) {
		return false;
	}
	to = is_within(command->to, call->arguments[0], bytes);
	from = is_within(command->from, call->arguments[1], bytes);
	switch (function->kind) {
	case KT_API_KIND_COPY_TO_DEVICE:
	case KT_API_KIND_COPY_ASYNC_TO_DEVICE: return !from;
	case KT_API_KIND_COPY_FROM_DEVICE:
	case KT_API_KIND_COPY_ASYNC_FROM_DEVICE: return !to;
	case KT_API_KIND_COPY:
	case KT_API_KIND_COPY_ASYNC: return from != to;
	default: return false;
	}
}

static int take_method(void *context, const struct kt_moment *moment,
		       const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry,
		       const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	struct kt_figure_row *row;
	int code;

	(void)submission;
	(void)entry;
	if (command->kind != KT_COMMAND_COPY) {
		return KT_OK;
	}
	code = find(context, moment->call, &row);
	if (!code && command->from == 0) {
		row->figures.n[KT_FIGURE_FILLS]++;
		row->figures.n[KT_FIGURE_FILL_BYTES] += command->bytes;
	} else if (!code) {
		kt_figures_add_copy(&row->figures,
				    is_staged(moment->call, command) ? KT_FIGURE_STAGED
								     : KT_FIGURE_DIRECT,
				    command->bytes, 1);
	}
	return code;
}

/*
 * Which inline writes were copies is known once all of the submission was seen. Of very
 * many only the newest are kept one by one; the others count by their mean.
 */
static void add_inline(struct kt_figures *figures, const struct kt_work *work)
{
	const struct kt_submitted *s = &work->submitted;
	uint64_t n = work->inline_copies;
	uint64_t bytes = work->inline_bytes;

	for (size_t i = 0; i < s->n_writes && n > 0; i++, n--) {
		kt_figures_add_copy(figures, KT_FIGURE_INLINE, s->writes[i].bytes, 1);
		bytes -= s->writes[i].bytes;
	}
	if (n > 0) {
		kt_figures_add_copy(figures, KT_FIGURE_INLINE, bytes / n, n);
		figures->n[KT_FIGURE_INLINE_BYTES] += bytes % n;
		figures->n[KT_FIGURE_COPIED] += bytes % n;
	}
}

static int take_submission(void *context, const struct kt_moment *moment,
			   const struct kt_submission *submission,
			   const struct kt_work *work)
{
	struct kt_figure_row *row;
	int code = find(context, moment->call, &row);

	(void)submission;
	if (code) {
		return code;
	}
	row->figures.n[KT_FIGURE_SUBMISSIONS]++;
	row->figures.n[KT_FIGURE_ENTRIES] += work->entries;
	row->figures.n[KT_FIGURE_BYTES] += 4 * work->words;
	row->figures.n[KT_FIGURE_METHODS] += work->methods;
	row->figures.n[KT_FIGURE_LAUNCHES] += work->launches;
	row->figures.n[KT_FIGURE_OWN_WRITES] += work->submitted.own_writes;
	row->figures.n[KT_FIGURE_RELEASES] += work->all_releases;
	row->figures.n[KT_FIGURE_ACQUIRES] += work->acquires;
	row->figures.n[KT_FIGURE_IDLES] += work->waits_for_idle;
	add_inline(&row->figures, work);
	return KT_OK;
}

const struct kt_activity_visitor kt_call_figures_visitor = {
	.call_enter = take_enter,
	.call_exit = take_exit,
	.ioctl = take_ioctl,
	.map = take_map,
	.unmap = take_unmap,
	.access = take_access,
	.wait = take_wait,
	.doorbell = take_doorbell,
	.method = take_method,
	.submission = take_submission,
};

void kt_call_figures_free(struct kt_call_figures *f)
{
	kt_figure_rows_free(&f->rows);
	free(f->open);
	f->open = NULL;
	f->n_open = 0;
	f->capacity = 0;
}
