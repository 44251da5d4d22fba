/* SPDX-License-Identifier: MIT */
#include "annotate/listing/call-tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/print-calls.h"
#include "base/array.h"
#include "base/try.h"
#include "base/wrap.h"

int kt_call_tally_add(struct kt_call_tally *t, const struct kt_call *call)
{
	size_t at = 0;
	size_t high = t->n;

	while (at < high) {
		size_t middle = at + (high - at) / 2;

		if (kt_call_compare(&t->rows[middle].what, &call->what) < 0) {
			at = middle + 1;
		} else {
			high = middle;
		}
	}
	if (at == t->n || kt_call_compare(&t->rows[at].what, &call->what) != 0) {
		KT_TRY(kt_array_reserve(&t->rows, &t->capacity, t->n + 1));
		memmove(&t->rows[at + 1], &t->rows[at], (t->n - at) * sizeof(*t->rows));
		t->rows[at] = (struct kt_call_row){.what = call->what};
		t->n++;
	}
	t->rows[at].calls++;
	t->rows[at].failed += kt_call_failed(call);
	t->rows[at].duration += call->duration;
	return KT_OK;
}

static int compare_counts(const void *a, const void *b)
{
	const struct kt_call_row *x = a;
	const struct kt_call_row *y = b;
	int order = (x->calls < y->calls) - (x->calls > y->calls);

	return order ? order : kt_call_compare(&x->what, &y->what);
}

void kt_call_tally_print(struct kt_call_tally *t, FILE *out, bool json)
{
	struct kt_json_writer w = {.out = out, .compact = true};
	struct kt_wrap line = kt_wrap_line(out, 4);
	struct kt_call_row sum = {0};

	if (t->n > 0) {
		qsort(t->rows, t->n, sizeof(*t->rows), compare_counts);
	}
	if (!json) {
		fprintf(out, "%8s %8s %16s  request\n", "count", "failed", "total us");
	}
	for (size_t i = 0; i < t->n; i++) {
		const struct kt_call_row *row = &t->rows[i];

		if (json) {
			kt_json_object(&w, NULL);
			KT_JSON(&w, KT_STR("type", "request"));
			kt_print_call_what_json(&w, &row->what);
			KT_JSON(&w, KT_U64("count", row->calls),
				KT_U64("failed", row->failed),
				KT_U64("duration", row->duration));
			kt_json_end(&w);
		} else {
			char request[24];
			char subject[24];
			const char *name = kt_call_subject_label(&row->what, subject);

			kt_wrap_put(&line,
				    "%8" PRIu64 " %8" PRIu64 " %12" PRIu64 ".%03" PRIu64
				    "  %s",
				    row->calls, row->failed, row->duration / 1000,
				    row->duration % 1000,
				    kt_call_request_label(&row->what, request));
			if (name[0]) {
				kt_wrap_put(&line, " %s", name);
			}
			kt_wrap_end(&line);
		}
		sum.calls += row->calls;
		sum.failed += row->failed;
		sum.duration += row->duration;
	}
	if (!json) {
		fprintf(out,
			"%8" PRIu64 " %8" PRIu64 " %12" PRIu64 ".%03" PRIu64
			"  all, of %zu kinds\n\n",
			sum.calls, sum.failed, sum.duration / 1000, sum.duration % 1000,
			t->n);
	}
}

void kt_call_tally_free(struct kt_call_tally *t)
{
	free(t->rows);
	memset(t, 0, sizeof(*t));
}
