/* SPDX-License-Identifier: MIT */
#include "annotate/export/dwords.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktail/status.h>

/* Orders ring entries by doorbell, then by submission. */
static int compare_submissions(const struct kt_timeline_dwords *a,
			       const struct kt_timeline_dwords *b)
{
	if (a->event != b->event) {
		return a->event < b->event ? -1 : 1;
	}
	if (a->trace != b->trace) {
		return a->trace < b->trace ? -1 : 1;
	}
	if (a->submission != b->submission) {
		return a->submission < b->submission ? -1 : 1;
	}
	return (int)a->found - (int)b->found;
}

static int compare(const void *left, const void *right)
{
	const struct kt_timeline_dwords *a = left;
	const struct kt_timeline_dwords *b = right;
	const int order = compare_submissions(a, b);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

void kt_export_sort_dwords(struct kt_timeline_events *events)
{
	if (events->n_dwords > 0) {
		qsort(events->dwords, events->n_dwords, sizeof(*events->dwords), compare);
	}
}

/*
 * Writes the ring entries of the key's submission or, if `whole` is set, of its whole
 * doorbell.
 */
static int write_dwords(char **out, const struct kt_timeline_events *e,
			const struct kt_timeline_dwords *key, bool whole)
{
	size_t low = 0;
	size_t high = e->n_dwords;
	size_t end;
	size_t size;
	FILE *stream;

	*out = NULL;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_submissions(&e->dwords[middle], key) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	end = low;
	while (end < e->n_dwords && e->dwords[end].event == key->event &&
	       (whole || compare_submissions(&e->dwords[end], key) == 0)) {
		end++;
	}
	if (low == end) {
		return KT_OK;
	}
	stream = open_memstream(out, &size);
	if (!stream) {
		return kt_no_memory("write commands");
	}
	for (; low < end; low++) {
		for (size_t i = 0; i < e->dwords[low].n; i++) {
			fprintf(stream, "%08" PRIx32, e->dwords[low].dwords[i]);
		}
	}
	return fclose(stream) == 0 ? KT_OK : kt_no_memory("write commands");
}

int kt_export_dwords(char **out, const struct kt_export *x, uint32_t event)
{
	const struct kt_timeline_dwords first = {.event = event};

	return write_dwords(out, &x->timeline.events, &first, true);
}

int kt_export_request_dwords(char **out, const struct kt_export *x,
			     const struct kt_timeline_request *shown)
{
	const struct kt_request *request = &x->timeline.requests.requests[shown->index];
	const struct kt_timeline_dwords key = {
		.event = shown->doorbell,
		.trace = request->trace,
		.submission = request->number,
		.found = request->found,
	};

	return write_dwords(out, &x->timeline.events, &key, false);
}
