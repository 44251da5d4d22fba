/* SPDX-License-Identifier: MIT */
#include "annotate/listing/in-calls.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/order.h"
#include "base/try.h"

/* --- submissions --- */

static int note_submission(void *context, const struct kt_moment *moment,
			   const struct kt_submission *submission,
			   const struct kt_work *work)
{
	struct kt_in_calls *calls = context;

	(void)moment;
	(void)work;
	KT_TRY(kt_array_reserve(&calls->numbers, &calls->capacity, calls->n + 1));
	calls->numbers[calls->n++] = submission->number;
	return KT_OK;
}

static int sort(void *context)
{
	struct kt_in_calls *calls = context;

	if (calls->n > 0) {
		qsort(calls->numbers, calls->n, sizeof(*calls->numbers), kt_compare_u64);
	}
	return KT_OK;
}

const struct kt_activity_visitor kt_in_calls_visitor = {
	.of_part = true, .submission = note_submission, .end = sort};

bool kt_in_calls_has(const struct kt_in_calls *calls, uint64_t number)
{
	return calls->n > 0 && bsearch(&number, calls->numbers, calls->n,
				       sizeof(*calls->numbers), kt_compare_u64);
}

void kt_in_calls_free(struct kt_in_calls *calls)
{
	free(calls->numbers);
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
