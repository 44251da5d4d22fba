/* SPDX-License-Identifier: MIT */
#include "annotate/stats/launch-cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/api-functions.h"

/*
 * Returns whether `wanted` names this kind. "copy" and "fill" name every kind that begins
 * with "copy-" or "fill-"; "launch" does not name "launch-host".
 */
static bool is_kind(enum kt_api_kind kind, const char *wanted)
{
	const char *name = kt_api_kind_name(kind);
	size_t length = strlen(wanted);
	bool group = strcmp(wanted, "copy") == 0 || strcmp(wanted, "fill") == 0;

	return strcmp(name, wanted) == 0 ||
	       (group && strncmp(name, wanted, length) == 0 && name[length] == '-');
}

bool kt_launch_cost_has_kind(const char *kind)
{
	bool found = false;

	for (int i = 0; i < KT_API_KIND_COUNT; i++) {
		found = found || is_kind((enum kt_api_kind)i, kind);
	}
	return found;
}

static struct kt_cost_call *find_open(const struct kt_launch_cost *cost, uint64_t id)
{
	for (size_t i = cost->n_open; i > 0; i--) {
		if (cost->open[i - 1].id == id) {
			return &cost->open[i - 1];
		}
	}
	return NULL;
}

/*
 * Returns the call of the wanted kind to which events within `call` are attributed: the
 * outermost if cost->outer is set, otherwise the innermost. NULL: `call` is not within a
 * call of the wanted kind.
 */
static struct kt_cost_call *find_counted(const struct kt_launch_cost *cost,
					 const struct kt_activity_call *call)
{
	struct kt_cost_call *found = NULL;

	for (; call && (cost->outer || !found); call = call->outer) {
		struct kt_cost_call *open = find_open(cost, call->id);

		found = open ? open : found;
	}
	return found;
}

static int take_begin(void *context, const char *path)
{
	struct kt_launch_cost *cost = context;

	KT_TRY(kt_array_reserve(&cost->traces, &cost->traces_capacity, cost->n_traces + 1));
	cost->traces[cost->n_traces++] = path;
	cost->n_open = 0;
	return KT_OK;
}

static int take_enter(void *context, const struct kt_moment *moment,
		      const struct kt_activity_call *call)
{
	struct kt_launch_cost *cost = context;
	struct kt_cost_call *outer;

	(void)moment;
	if (!call->function || !is_kind(call->function->kind, cost->kind)) {
		return KT_OK;
	}
	outer = find_counted(cost, call->outer);
	if (outer) {
		outer->has_inner = true;
	}
	if (outer && cost->outer) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&cost->open, &cost->open_capacity, cost->n_open + 1));
	cost->open[cost->n_open++] = (struct kt_cost_call){.id = call->id};
	return KT_OK;
}

static int take_exit(void *context, const struct kt_moment *moment,
		     const struct kt_activity_call *call)
{
	struct kt_launch_cost *cost = context;
	struct kt_cost_call *open = find_open(cost, call->id);
	struct kt_cost_point point;
	bool has_inner;
	size_t at;

	if (!open) {
		return KT_OK;
	}
	point = open->point;
	has_inner = open->has_inner;
	at = (size_t)(open - cost->open);
	memmove(open, open + 1, (cost->n_open - at - 1) * sizeof(*open));
	cost->n_open--;
	if (!call->returned || (!cost->outer && has_inner)) {
		return KT_OK;
	}
	if (moment->given_up & KT_GAVE_UP_COMMANDS) {
		cost->left_out++;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&cost->points, &cost->capacity, cost->n + 1));
	point.trace = cost->n_traces - 1;
	point.name = strdup(call->name);
	if (!point.name) {
		return kt_no_memory("record the cost of calls");
	}
	point.pid = call->pid;
	point.tid = call->tid;
	point.begin = call->begin;
	point.time = call->duration;
	cost->points[cost->n++] = point;
	return KT_OK;
}

static int take_doorbell(void *context, const struct kt_moment *moment,
			 const struct kt_doorbell_fields *fields)
{
	struct kt_cost_call *open = find_counted(context, moment->call);

	(void)fields;
	if (open) {
		open->point.doorbells++;
	}
	return KT_OK;
}

static int take_submission(void *context, const struct kt_moment *moment,
			   const struct kt_submission *submission,
			   const struct kt_work *work)
{
	struct kt_cost_call *open = find_counted(context, moment->call);

	(void)submission;
	if (open) {
		open->point.entries += work->entries;
		open->point.bytes += 4 * work->words;
		open->point.launches += work->launches;
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_launch_cost_visitor = {
	.of_part = true,
	.begin = take_begin,
	.call_enter = take_enter,
	.call_exit = take_exit,
	.doorbell = take_doorbell,
	.submission = take_submission,
};

/*
 * If one call accounts for more than half of the sum of squared distances from the mean, fits
 * a line to the other calls. Changes the order of the points.
 */
static void fit_others(struct kt_launch_fit *fit, struct kt_point *points, size_t n)
{
	double mean = 0;
	double sum = 0;
	size_t far = 0;
	struct kt_point last;

	for (size_t i = 0; i < n; i++) {
		mean += points[i].x / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		sum += (points[i].x - mean) * (points[i].x - mean);
		far = fabs(points[i].x - mean) > fabs(points[far].x - mean) ? i : far;
	}
	if (n < 3 || 2 * (points[far].x - mean) * (points[far].x - mean) <= sum) {
		return;
	}
	fit->has_lever = true;
	fit->lever_bytes = (uint64_t)points[far].x;
	last = points[n - 1];
	points[n - 1] = points[far];
	points[far] = last;
	kt_line_least_squares(&fit->others, points, n - 1);
}

int kt_launch_cost_fit(const struct kt_launch_cost *cost, bool robust,
		       struct kt_launch_fit *out)
{
	struct kt_point *points = calloc(cost->n + 1, sizeof(*points));
	int code = KT_OK;

	*out = (struct kt_launch_fit){.has_lever = false};
	if (!points) {
		return kt_no_memory("fit a line");
	}
	for (size_t i = 0; i < cost->n; i++) {
		points[i].x = (double)cost->points[i].bytes;
		points[i].y = (double)cost->points[i].time;
	}
	if (robust) {
		code = kt_line_median(&out->line, points, cost->n);
	} else {
		kt_line_least_squares(&out->line, points, cost->n);
		fit_others(out, points, cost->n);
	}
	free(points);
	return code;
}

static const struct kt_column columns[] = {
	{"trace", "trace", KT_COLUMN_TEXT, 0},
	{"call", "call", KT_COLUMN_TEXT, 0},
	{"pid", "pid", KT_COLUMN_COUNT, 2},
	{"tid", "tid", KT_COLUMN_COUNT, 2},
	{"begin", "begin us", KT_COLUMN_TIME, 0},
	{"time", "us", KT_COLUMN_TIME, 0},
	{"doorbells", "doorbells", KT_COLUMN_COUNT, 1},
	{"entries", "entries", KT_COLUMN_COUNT, 1},
	{"bytes", "bytes", KT_COLUMN_COUNT, 0},
	{"launches", "launches", KT_COLUMN_COUNT, 1},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

int kt_launch_cost_table(const struct kt_launch_cost *cost, struct kt_table *table)
{
	*table = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < cost->n; i++) {
		const struct kt_cost_point *p = &cost->points[i];
		const uint64_t numbers[] = {p->pid,   p->tid,       p->begin,
					    p->time,  p->doorbells, p->entries,
					    p->bytes, p->launches};
		struct kt_cell *cells;

		KT_TRY(kt_table_add(table, &cells));
		cells[0].text = cost->traces[p->trace];
		cells[1].text = p->name;
		for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
			cells[2 + j] =
				(struct kt_cell){.number = numbers[j], .known = true};
		}
	}
	return KT_OK;
}

void kt_launch_cost_free(struct kt_launch_cost *cost)
{
	for (size_t i = 0; i < cost->n; i++) {
		free(cost->points[i].name);
	}
	free(cost->points);
	free(cost->traces);
	free(cost->open);
	*cost = (struct kt_launch_cost){0};
}
