/* SPDX-License-Identifier: MIT */
#include "annotate/listing/in-calls.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* --- submissions --- */

static int note_submission(void *context, const struct kt_moment *moment,
			   const struct kt_submission *submission,
			   const struct kt_work *work)
{
	struct kt_in_calls *calls = context;

	const char *name;

	(void)work;
	if (!moment->call) {
		return KT_OK;
	}
	name = kt_texts_keep(&calls->names, moment->call->name);
	if (!name) {
		return KT_E_MEMORY;
	}
	KT_TRY(kt_array_reserve(&calls->calls, &calls->capacity, calls->n + 1));
	calls->calls[calls->n++] = (struct kt_in_call){.submission = submission->number,
						       .name = name,
						       .id = moment->call->id,
						       .number = moment->call->number};
	return KT_OK;
}

static int compare(const void *a, const void *b)
{
	const struct kt_in_call *x = a;
	const struct kt_in_call *y = b;

	return (x->submission > y->submission) - (x->submission < y->submission);
}

static int sort(void *context)
{
	struct kt_in_calls *calls = context;

	if (calls->n > 0) {
		qsort(calls->calls, calls->n, sizeof(*calls->calls), compare);
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_in_calls_visitor = {
	.of_part = true, .submission = note_submission, .end = sort};

const struct kt_in_call *kt_in_calls_find(const struct kt_in_calls *calls,
					  uint64_t submission)
{
	const struct kt_in_call key = {.submission = submission};
	size_t at;

	return calls && kt_array_find(&at, &key, calls->calls, calls->n, compare)
		       ? &calls->calls[at]
		       : NULL;
}

void kt_in_calls_free(struct kt_in_calls *calls)
{
	free(calls->calls);
	kt_texts_free(&calls->names);
	*calls = (struct kt_in_calls){.n = 0};
}

/* --- ioctls --- */

struct taker {
	kt_call_fn *each;
	void *visitor; /* Weak */
	uint64_t selected;
};

static int take_ioctl(void *context, const struct kt_moment *moment,
		      const struct kt_call *call)
{
	struct taker *taker = context;

	(void)moment;
	taker->selected++;
	return taker->each(taker->visitor, call);
}

int kt_in_calls_ioctls(const char *path, const struct kt_trace_filter *part,
		       kt_call_fn *each, void *visitor, struct kt_call_totals *out)
{
	static const struct kt_activity_visitor activity = {.of_part = true,
							    .ioctl = take_ioctl};
	const struct kt_activity_visitor *const visitors[] = {&activity};
	struct kt_activity_totals totals = {
		.reading = {.source = out->reading.source, .part = part}};
	struct taker taker = {.each = each, .visitor = visitor};
	void *const contexts[] = {&taker};
	int code = kt_activity_read(path, visitors, contexts, 1, &totals);

	*out = totals.ioctls;
	out->selected = taker.selected;
	kt_activity_totals_free(&totals);
	return !code && out->calls == 0
		       ? kt_error(KT_E_EMPTY, "read %s: no event ioctl in it", path)
		       : code;
}
