/* SPDX-License-Identifier: MIT */
#include "annotate/calls/call-figures.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/api-functions.h"

/* Returns the call in whose row an event within `call` is counted. */
static const struct kt_activity_call *counted(const struct kt_call_figures *f,
					      const struct kt_activity_call *call)
{
	while (f->outer && call && call->outer) {
		call = call->outer;
	}
	return call;
}

/* Finds or adds the row of a call. */
static int find_each(struct kt_call_figures *f, const struct kt_activity_call *call,
		     struct kt_figure_row **out)
{
	size_t at = kt_number_map_get(&f->by_id, call->id);

	if (at == KT_NOWHERE) {
		const char *name = kt_texts_keep(&f->rows.texts, call->name);
		const char *api = kt_texts_keep(&f->rows.texts, call->api);

		if (!name || !api) {
			return KT_E_MEMORY;
		}
		at = f->n_calls;
		KT_TRY(kt_array_reserve(&f->calls, &f->calls_capacity, at + 1));
		KT_TRY(kt_number_map_set(&f->by_id, call->id, at));
		f->calls[f->n_calls++] = (struct kt_each_call){
			.trace = f->trace,
			.id = call->id,
			.number = call->number,
			.pid = call->pid,
			.tid = call->tid,
			.begin = call->begin,
			.row = {.name = name, .api = api},
		};
	}
	*out = &f->calls[at].row;
	return KT_OK;
}

/* Finds the row in which an event within `call` is counted, or adds this row. */
static int find(struct kt_call_figures *f, const struct kt_activity_call *call,
		struct kt_figure_row **out)
{
	call = counted(f, call);
	if (f->each && call) {
		return find_each(f, call, out);
	}
	return kt_figure_rows_find(&f->rows, out, call ? call->api : "",
				   call ? call->name : "");
}

static int count(struct kt_call_figures *f, const struct kt_activity_call *call,
		 enum kt_figure figure)
{
	struct kt_figure_row *row;

	KT_TRY(find(f, call, &row));
	row->figures.n[figure]++;
	return KT_OK;
}

/* Notes what is not recorded any more in the row of `call`. */
static int note_given_up(struct kt_call_figures *f, const struct kt_activity_call *call,
			 unsigned given_up)
{
	struct kt_figure_row *row;

	if (given_up) {
		KT_TRY(find(f, call, &row));
		row->figures.given_up |= given_up;
	}
	return KT_OK;
}

/* --- calls --- */

/*
 * Returns whether the call is counted in the figures of calls and times of its row. If
 * f->outer is set, only outermost calls are counted.
 */
static bool is_counted(const struct kt_call_figures *f, const struct kt_activity_call *call)
{
	return !f->outer || !call->outer;
}

static int take_begin(void *context, const char *path)
{
	struct kt_call_figures *f = context;

	kt_number_map_free(&f->by_id);
	f->first = f->n_calls;
	f->trace = kt_texts_keep(&f->rows.texts, path);
	return f->trace ? KT_OK : KT_E_MEMORY;
}

static int take_enter(void *context, const struct kt_moment *moment,
		      const struct kt_activity_call *call)
{
	struct kt_call_figures *f = context;

	KT_TRY(note_given_up(f, call, moment->given_up & KT_GAVE_UP_ACCESSES));
	KT_TRY(note_given_up(f, NULL, moment->given_up & KT_GAVE_UP_ACCESSES));
	KT_TRY(kt_array_reserve(&f->open, &f->capacity, f->n_open + 1));
	f->open[f->n_open++] = (struct kt_open_call){.id = call->id};
	return is_counted(f, call) ? count(f, call, KT_FIGURE_CALLS) : KT_OK;
}

/* Returns the open call with this id, or NULL. Searches from the newest call on. */
static struct kt_open_call *find_open(const struct kt_call_figures *f, uint64_t id)
{
	for (size_t i = f->n_open; i > 0; i--) {
		if (f->open[i - 1].id == id) {
			return &f->open[i - 1];
		}
	}
	return NULL;
}

static int take_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	struct kt_call_figures *f = context;
	struct kt_open_call *open = find_open(f, call->id);
	uint64_t inside = open ? open->inside : 0; /* ns in calls inside `call` */
	struct kt_figure_row *row;

	KT_TRY(note_given_up(f, call, moment->given_up & KT_GAVE_UP_ACCESSES));
	KT_TRY(note_given_up(f, NULL, moment->given_up & KT_GAVE_UP_ACCESSES));
	if (open) {
		size_t at = (size_t)(open - f->open);

		memmove(open, open + 1, (f->n_open - at - 1) * sizeof(*open));
		f->n_open--;
	}
	open = call->outer ? find_open(f, call->outer->id) : NULL;
	if (open) {
		/*
		 * The duration of a call that never returned is unknown, so the time of
		 * the calls inside that call is used instead.
		 */
		open->inside += call->returned ? call->duration : inside;
	}
	if (!is_counted(f, call)) {
		return KT_OK;
	}
	inside = f->outer ? 0 : inside;
	KT_TRY(find(f, call, &row));
	row->figures.n[KT_FIGURE_ERRORS] +=
		kt_api_outcome(call->api, call->known, call->result) == KT_API_FAILED;
	row->figures.n[KT_FIGURE_UNRETURNED] += !call->returned;
	if (!call->returned) {
		return KT_OK;
	}
	row->figures.n[KT_FIGURE_TIME] += call->duration;
	row->figures.n[KT_FIGURE_SELF] +=
		call->duration - (inside < call->duration ? inside : call->duration);
	return kt_figure_row_time(row, call->duration);
}

/* --- system calls --- */

static int take_ioctl(void *context, const struct kt_moment *moment,
		      const struct kt_call *call)
{
	struct kt_figure_row *row;

	KT_TRY(find(context, moment->call, &row));
	row->figures.n[KT_FIGURE_IOCTLS]++;
	row->figures.n[KT_FIGURE_FAILED_IOCTLS] += kt_call_failed(call);
	row->figures.n[KT_FIGURE_IOCTL_TIME] += call->duration;
	return KT_OK;
}

static int take_map(void *context, const struct kt_moment *moment,
		    const struct kt_map_fields *fields)
{
	(void)fields;
	return count(context, moment->call, KT_FIGURE_MAPS);
}

static int take_unmap(void *context, const struct kt_moment *moment,
		      const struct kt_unmap_fields *fields)
{
	(void)fields;
	return count(context, moment->call, KT_FIGURE_UNMAPS);
}

static int take_access(void *context, const struct kt_moment *moment,
		       const struct kt_access_fields *fields)
{
	return count(context, moment->call,
		     fields->write ? KT_FIGURE_WRITES : KT_FIGURE_READS);
}

static int take_wait(void *context, const struct kt_moment *moment,
		     const struct kt_wait_fields *fields)
{
	struct kt_figure_row *row;

	KT_TRY(find(context, moment->call, &row));
	row->figures.n[KT_FIGURE_WAITS]++;
	row->figures.n[KT_FIGURE_WAIT_TIME] += fields->duration;
	return KT_OK;
}

/* --- submissions --- */

static int take_doorbell(void *context, const struct kt_moment *moment,
			 const struct kt_doorbell_fields *fields)
{
	(void)fields;
	KT_TRY(note_given_up(context, moment->call, moment->given_up));
	return count(context, moment->call, KT_FIGURE_DOORBELLS);
}

/*
 * Returns whether the copy engine copies from or to memory of the driver instead of the
 * memory that the call names in its arguments 0 (destination) and 1 (source). A copy to
 * or from a symbol counts as direct, because the address of the symbol is unknown.
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
	to = command->to >= call->arguments[0] && command->to - call->arguments[0] < bytes;
	from = command->from >= call->arguments[1] &&
	       command->from - call->arguments[1] < bytes;
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

	(void)submission;
	(void)entry;
	if (command->kind != KT_COMMAND_COPY) {
		return KT_OK;
	}
	KT_TRY(find(context, moment->call, &row));
	if (command->from == 0) {
		row->figures.n[KT_FIGURE_FILLS]++;
		row->figures.n[KT_FIGURE_FILL_BYTES] += command->bytes;
	} else {
		kt_figures_add_copy(&row->figures,
				    is_staged(moment->call, command) ? KT_FIGURE_STAGED
								     : KT_FIGURE_DIRECT,
				    command->bytes, 1);
	}
	return KT_OK;
}

/*
 * Remembers, until the times of the device are known, in which row a submission made in
 * `call` is counted. The row must exist already; `name` is its name.
 */
static int note_submitted(struct kt_call_figures *f, uint64_t number,
			  const struct kt_activity_call *call, const char *name)
{
	struct kt_row_key key = {.name = name};

	call = counted(f, call);
	if (f->each && call) {
		key.each = kt_number_map_get(&f->by_id, call->id) + 1;
	}
	KT_TRY(kt_array_reserve(&f->submitted, &f->submitted_capacity, (size_t)number));
	while (f->n_submitted < number) {
		f->submitted[f->n_submitted++] = (struct kt_row_key){.name = NULL};
	}
	f->submitted[number - 1] = key;
	return KT_OK;
}

/* Adds the times of the device for the submissions of the trace. */
static int add_times(struct kt_call_figures *f)
{
	const size_t n = f->n_submitted;

	f->n_submitted = 0;
	for (size_t i = 0; i < n; i++) {
		const struct kt_device_time time = kt_device_times_at(f->times, i + 1);
		const struct kt_row_key *key = &f->submitted[i];
		struct kt_figure_row *row;

		if (key->name) {
			if (key->each) {
				row = &f->calls[key->each - 1].row;
			} else {
				KT_TRY(kt_figure_rows_find(&f->rows, &row, "", key->name));
			}
			kt_device_sum_add(&row->device, &time);
			f->timed = f->timed || time.took_known;
		}
	}
	return KT_OK;
}

/*
 * Puts the calls of the trace in order by insertion. Only a call that began before the
 * selected part of the trace may be out of place, and moving such a call takes O(calls).
 */
static void sort_calls(struct kt_call_figures *f)
{
	for (size_t i = f->first + 1; i < f->n_calls; i++) {
		const struct kt_each_call call = f->calls[i];
		size_t at = i;

		while (at > f->first && f->calls[at - 1].id > call.id) {
			at--;
		}
		if (at < i) {
			memmove(&f->calls[at + 1], &f->calls[at], (i - at) * sizeof(call));
			f->calls[at] = call;
		}
	}
}

static int take_end(void *context)
{
	struct kt_call_figures *f = context;

	KT_TRY(add_times(f));
	sort_calls(f);
	return KT_OK;
}

static int take_submission(void *context, const struct kt_moment *moment,
			   const struct kt_submission *submission,
			   const struct kt_work *work)
{
	const struct kt_submitted *s = &work->submitted;
	uint64_t n = work->inline_copies;
	uint64_t bytes = work->inline_bytes;
	struct kt_figure_row *row;

	KT_TRY(find(context, moment->call, &row));
	if (((struct kt_call_figures *)context)->times) {
		KT_TRY(note_submitted(context, submission->number, moment->call,
				      row->name));
	}
	row->figures.n[KT_FIGURE_SUBMISSIONS]++;
	row->figures.n[KT_FIGURE_ENTRIES] += work->entries;
	row->figures.n[KT_FIGURE_BYTES] += 4 * work->words;
	row->figures.n[KT_FIGURE_METHODS] += work->methods;
	row->figures.n[KT_FIGURE_LAUNCHES] += work->launches;
	row->figures.n[KT_FIGURE_EMPTY_GRIDS] += work->empty_grids;
	row->figures.n[KT_FIGURE_OWN_WRITES] += s->own_writes;
	row->figures.n[KT_FIGURE_RELEASES] += work->all_releases;
	row->figures.n[KT_FIGURE_ACQUIRES] += work->acquires;
	row->figures.n[KT_FIGURE_IDLES] += work->waits_for_idle;
	/*
	 * Only at the end of the submission is it known which inline writes were copies.
	 * The newest copies are kept with their sizes; each older copy counts with the mean
	 * size of the older copies.
	 */
	for (size_t i = 0; i < s->n_writes && n > 0; i++, n--) {
		kt_figures_add_copy(&row->figures, KT_FIGURE_INLINE, s->writes[i].bytes, 1);
		bytes -= s->writes[i].bytes;
	}
	if (n > 0) {
		kt_figures_add_copy(&row->figures, KT_FIGURE_INLINE, bytes / n, n);
		row->figures.n[KT_FIGURE_INLINE_BYTES] += bytes % n;
		row->figures.n[KT_FIGURE_COPIED] += bytes % n;
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_call_figures_visitor = {
	.of_part = true,
	.begin = take_begin,
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
	.end = take_end,
};

void kt_call_figures_free(struct kt_call_figures *f)
{
	kt_figure_rows_free(&f->rows);
	for (size_t i = 0; i < f->n_calls; i++) {
		free(f->calls[i].row.times);
	}
	free(f->calls);
	kt_number_map_free(&f->by_id);
	free(f->open);
	f->calls = NULL;
	f->n_calls = f->calls_capacity = 0;
	free(f->submitted);
	f->open = NULL;
	f->submitted = NULL;
	f->n_submitted = f->submitted_capacity = 0;
	f->n_open = 0;
	f->capacity = 0;
}

/* --- table --- */

#define OUTSIDE "(outside of calls)"

/* The share of the row in the self time of all calls. */
#define SHARE_COLUMN                                                                       \
	{                                                                                  \
		"share", "self %", KT_COLUMN_PERCENT, KT_COLUMN_WIDE                       \
	}

enum column { COLUMN_CALL, COLUMN_API, COLUMN_FIGURES };

static const struct kt_column columns[] = {
	{"call", "call", KT_COLUMN_TEXT, 0},
	{"api", "api", KT_COLUMN_TEXT, 9},
	KT_FIGURES_OF_CALLS(KT_FIGURE_COLUMN) /* the last is KT_FIGURE_SELF */
	SHARE_COLUMN,
	{"mean", "mean us", KT_COLUMN_TIME, KT_COLUMN_WIDE},
	{"median", "median us", KT_COLUMN_TIME, 1},
	{"p99", "p99 us", KT_COLUMN_TIME, 4},
	{"min", "min us", KT_COLUMN_TIME, KT_COLUMN_WIDE},
	{"max", "max us", KT_COLUMN_TIME, KT_COLUMN_WIDE},
	KT_FIGURES_OF_WORK(KT_FIGURE_COLUMN) /* the last is KT_FIGURE_WAIT_TIME */
	KT_DEVICE_COLUMNS};

enum {
	COLUMN_SHARE = COLUMN_FIGURES + KT_FIGURE_SELF + 1,
	COLUMN_MEAN,
	COLUMN_MEDIAN,
	COLUMN_P99,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_WORK, /* the first of KT_FIGURES_OF_WORK */
	/* The index of a figure of work plus this number is the index of its column. */
	COLUMN_WORK_FIGURES = COLUMN_WORK - KT_FIGURE_SELF - 1,
	COLUMN_DEVICE = COLUMN_WORK_FIGURES + KT_FIGURE_COUNT,
};

/*
 * Returns the share of `figures` in the self time of all calls; unknown if that time is 0.
 */
static struct kt_cell share_of(const struct kt_figures *figures,
			       const struct kt_figures *all)
{
	const uint64_t whole = all->n[KT_FIGURE_SELF];

	return (struct kt_cell){.number = kt_share(figures->n[KT_FIGURE_SELF], whole),
				.known = whole > 0};
}

/* Sets the cells that summarise the durations of a row's calls. */
static void set_durations(struct kt_cell *cells, struct kt_figure_row *row)
{
	const uint64_t n = row->n_times;

	cells[COLUMN_MEDIAN].known =
		kt_figure_row_quantile(row, 500, &cells[COLUMN_MEDIAN].number);
	cells[COLUMN_P99].known =
		kt_figure_row_quantile(row, 990, &cells[COLUMN_P99].number);
	if (n > 0) { /* the times are sorted now */
		cells[COLUMN_MEAN] = (struct kt_cell)KT_CELL(
			(row->figures.n[KT_FIGURE_TIME] + n / 2) / n);
		cells[COLUMN_MIN] = (struct kt_cell)KT_CELL(row->times[0]);
		cells[COLUMN_MAX] = (struct kt_cell)KT_CELL(row->times[n - 1]);
	}
}

/* Returns whether the times of the device are known. */
static bool is_timed(const struct kt_call_figures *f, const struct kt_figures *figures)
{
	return f->timed && !(figures->given_up & KT_GAVE_UP_COMMANDS);
}

static int add_figures(struct kt_table *table, const struct kt_figures *figures,
		       struct kt_cell **out)
{
	KT_TRY(kt_table_add(table, out));
	for (size_t i = 0; i < KT_FIGURE_COUNT; i++) {
		(*out)[i + (i > KT_FIGURE_SELF ? COLUMN_WORK_FIGURES : COLUMN_FIGURES)] =
			(struct kt_cell){
				.number = figures->n[i],
				.known = !kt_figures_partial(figures, (enum kt_figure)i)};
	}
	return KT_OK;
}

static int descending(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

/* Orders by descending time; the row for events outside calls comes last. */
static int compare_rows(const void *a, const void *b)
{
	const struct kt_figure_row *x = *(struct kt_figure_row *const *)a;
	const struct kt_figure_row *y = *(struct kt_figure_row *const *)b;
	int order = (x->name[0] == '\0') - (y->name[0] == '\0');

	if (!order) {
		order = descending(x->figures.n[KT_FIGURE_TIME],
				   y->figures.n[KT_FIGURE_TIME]);
	}
	if (!order) {
		order = descending(x->figures.n[KT_FIGURE_CALLS],
				   y->figures.n[KT_FIGURE_CALLS]);
	}
	return order ? order : strcmp(x->name, y->name);
}

static int table_of_functions(struct kt_call_figures *figures, struct kt_table *table)
{
	struct kt_figure_rows *rows = &figures->rows;
	struct kt_figure_row **sorted;
	struct kt_figure_row *outside;
	struct kt_figures sum;
	struct kt_device_sum device = {0};
	struct kt_cell *cells;
	int code;

	KT_TRY(kt_figure_rows_find(rows, &outside, "", ""));
	sorted = calloc(rows->n, sizeof(*sorted));
	if (!sorted) {
		return kt_no_memory("count calls");
	}
	for (size_t i = 0; i < rows->n; i++) {
		sorted[i] = &rows->rows[i];
	}
	qsort(sorted, rows->n, sizeof(struct kt_figure_row *), compare_rows);
	*table = kt_call_figures_head(figures);
	/* The total time is the sum of `self`, so that nested calls count only once. */
	kt_figure_rows_sum(rows, &sum);
	sum.n[KT_FIGURE_TIME] = sum.n[KT_FIGURE_SELF];
	for (size_t i = 0; i < rows->n; i++) {
		struct kt_figure_row *row = sorted[i];

		KT_TRY_END(add_figures(table, &row->figures, &cells));
		cells[COLUMN_CALL].text = row->name[0] ? row->name : OUTSIDE;
		cells[COLUMN_API].text = row->api;
		cells[COLUMN_SHARE] = share_of(&row->figures, &sum);
		set_durations(cells, row);
		kt_device_cells(cells + COLUMN_DEVICE, &row->device,
				is_timed(figures, &row->figures));
		kt_device_sum_up(&device, &row->device);
	}
	KT_TRY_END(add_figures(table, &sum, &cells));
	cells[COLUMN_CALL].text = "all";
	cells[COLUMN_SHARE] = share_of(&sum, &sum);
	kt_device_cells(cells + COLUMN_DEVICE, &device, is_timed(figures, &sum));
	table->has_total = true;
end:
	free(sorted);
	if (code) {
		kt_table_free(table);
	}
	return code;
}

/* --- table of each call --- */

enum each_column {
	EACH_CALL,
	EACH_NUMBER,
	EACH_ID,
	EACH_API,
	EACH_TRACE,
	EACH_PID,
	EACH_TID,
	EACH_BEGIN,
	EACH_ERRORS,
	EACH_UNRETURNED,
	EACH_TIME,
	EACH_SELF,
	EACH_SHARE,
	EACH_WORK, /* the first of KT_FIGURES_OF_WORK */
};

static const struct kt_column each_columns[] = {
	[EACH_CALL] = {"call", "call", KT_COLUMN_TEXT, 0},
	[EACH_NUMBER] = {"call_number", "#", KT_COLUMN_COUNT, 0},
	[EACH_ID] = {"call_id", "id", KT_COLUMN_COUNT, 6},
	[EACH_API] = {"api", "api", KT_COLUMN_TEXT, 9},
	[EACH_TRACE] = {"trace", "trace", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	[EACH_PID] = {"pid", "pid", KT_COLUMN_COUNT, 7},
	[EACH_TID] = {"tid", "tid", KT_COLUMN_COUNT, 7},
	[EACH_BEGIN] = {"begin", "begin us", KT_COLUMN_TIME, 0},
	[EACH_ERRORS] = {"errors", "errors", KT_COLUMN_COUNT, 2},
	[EACH_UNRETURNED] = {"unreturned", "unreturned", KT_COLUMN_COUNT, 3},
	[EACH_TIME] = {"time", "us", KT_COLUMN_TIME, 0},
	[EACH_SELF] = {"self", "self us", KT_COLUMN_TIME, 8},
	[EACH_SHARE] = SHARE_COLUMN,
	KT_FIGURES_OF_WORK(KT_FIGURE_COLUMN) KT_DEVICE_COLUMNS};

enum {
	/* KT_FIGURE_CALLS has no column, because it would be 1 in every row. */
	EACH_FIGURES = EACH_ERRORS - KT_FIGURE_ERRORS,
	EACH_WORK_FIGURES = EACH_WORK - KT_FIGURE_SELF - 1,
	EACH_DEVICE = EACH_WORK_FIGURES + KT_FIGURE_COUNT,
};

/* Adds a row of figures with the name `call`. */
static int add_each(struct kt_table *table, const char *call,
		    const struct kt_figures *figures, const struct kt_device_sum *device,
		    bool timed, struct kt_cell **out)
{
	KT_TRY(kt_table_add(table, out));
	(*out)[EACH_CALL].text = call;
	for (size_t i = KT_FIGURE_ERRORS; i < KT_FIGURE_COUNT; i++) {
		(*out)[i + (i > KT_FIGURE_SELF ? EACH_WORK_FIGURES : EACH_FIGURES)] =
			(struct kt_cell){
				.number = figures->n[i],
				.known = !kt_figures_partial(figures, (enum kt_figure)i)};
	}
	kt_device_cells(*out + EACH_DEVICE, device,
			timed && !(figures->given_up & KT_GAVE_UP_COMMANDS));
	return KT_OK;
}

static int table_of_calls(struct kt_call_figures *f, struct kt_table *table)
{
	struct kt_device_sum device = {0};
	struct kt_figure_row *outside;
	struct kt_figures sum;
	struct kt_cell *cells;

	*table = kt_call_figures_head(f);
	KT_TRY(kt_figure_rows_find(&f->rows, &outside, "", ""));
	sum = outside->figures;
	for (size_t i = 0; i < f->n_calls; i++) {
		kt_figures_add(&sum, &f->calls[i].row.figures);
	}
	sum.n[KT_FIGURE_TIME] = sum.n[KT_FIGURE_SELF];
	kt_device_sum_up(&device, &outside->device);
	for (size_t i = 0; i < f->n_calls; i++) {
		const struct kt_each_call *call = &f->calls[i];
		const struct kt_figure_row *row = &call->row;

		KT_TRY(add_each(table, row->name, &row->figures, &row->device, f->timed,
				&cells));
		cells[EACH_NUMBER] = (struct kt_cell)KT_CELL(call->number);
		cells[EACH_ID] = (struct kt_cell)KT_CELL(call->id);
		cells[EACH_API].text = row->api;
		cells[EACH_TRACE].text = call->trace;
		cells[EACH_PID] = (struct kt_cell)KT_CELL(call->pid);
		cells[EACH_TID] = (struct kt_cell)KT_CELL(call->tid);
		cells[EACH_BEGIN] = (struct kt_cell)KT_CELL(call->begin);
		cells[EACH_SHARE] = share_of(&row->figures, &sum);
		if (row->n_times == 0) {
			cells[EACH_TIME].known = cells[EACH_SELF].known =
				cells[EACH_SHARE].known = false;
		}
		kt_device_sum_up(&device, &row->device);
	}
	KT_TRY(add_each(table, OUTSIDE, &outside->figures, &outside->device, f->timed,
			&cells));
	cells[EACH_SHARE] = share_of(&outside->figures, &sum);
	KT_TRY(add_each(table, "all", &sum, &device, f->timed, &cells));
	cells[EACH_SHARE] = share_of(&sum, &sum);
	table->has_total = true;
	return KT_OK;
}

struct kt_table kt_call_figures_head(const struct kt_call_figures *figures)
{
	return figures->each ? KT_TABLE_OF(each_columns) : KT_TABLE_OF(columns);
}

int kt_call_figures_table(struct kt_call_figures *figures, struct kt_table *table)
{
	int code;

	if (!figures->each) {
		return table_of_functions(figures, table);
	}
	code = table_of_calls(figures, table);
	if (code) {
		kt_table_free(table);
	}
	return code;
}
