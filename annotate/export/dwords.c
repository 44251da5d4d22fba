/* SPDX-License-Identifier: MIT */
#include "annotate/export/dwords.h"

#include <inttypes.h>
#include <stdio.h>

#include <ktail/status.h>

int kt_export_dwords(char **out, const struct kt_export *x, uint32_t event)
{
	const struct kt_timeline_events *e = &x->timeline.events;
	size_t low = 0;
	size_t high = e->n_dwords;
	size_t size;
	FILE *stream;

	*out = NULL;
	/* Ring entries are in the order of their doorbells' events. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (e->dwords[middle].event < event) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (low == e->n_dwords || e->dwords[low].event != event) {
		return KT_OK;
	}
	stream = open_memstream(out, &size);
	if (!stream) {
		return kt_no_memory("write commands");
	}
	for (; low < e->n_dwords && e->dwords[low].event == event; low++) {
		for (size_t i = 0; i < e->dwords[low].n; i++) {
			fprintf(stream, "%08" PRIx32, e->dwords[low].dwords[i]);
		}
	}
	return fclose(stream) == 0 ? KT_OK : kt_no_memory("write commands");
}
