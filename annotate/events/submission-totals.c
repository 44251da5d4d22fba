/* SPDX-License-Identifier: MIT */
#include "annotate/events/submission-totals.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/read/report.h"

void kt_submission_totals_decoded(struct kt_submission_totals *totals,
				  struct kt_decode_counts *segment,
				  const struct kt_decode_counts *before,
				  const struct kt_decode_counts *after)
{
	*segment = (struct kt_decode_counts){
		.words = after->words - before->words,
		.headers = after->headers - before->headers,
		.methods = after->methods - before->methods,
		.unnamed = after->unnamed - before->unnamed,
		.unbound = after->unbound - before->unbound,
		.bad = after->bad - before->bad,
	};
	totals->decoded.words += segment->words;
	totals->decoded.headers += segment->headers;
	totals->decoded.methods += segment->methods;
	totals->decoded.unnamed += segment->unnamed;
	totals->decoded.unbound += segment->unbound;
	totals->decoded.bad += segment->bad;
}

int kt_submission_totals_unread(struct kt_submission_totals *totals,
				const struct kt_submitted_entry *entry)
{
	struct kt_unread *reason = totals->reasons;
	uint64_t words =
		entry->words > entry->captured ? entry->words - entry->captured : 0;
	size_t i = 0;
	int code;

	while (i < totals->n_reasons && strcmp(totals->reasons[i].why, entry->unread)) {
		i++;
	}
	if (i == totals->n_reasons) {
		code = kt_array_reserve(&totals->reasons, &totals->reasons_capacity, i + 1);
		if (code) {
			return code;
		}
		reason = &totals->reasons[i];
		*reason = (struct kt_unread){.why = strdup(entry->unread)};
		if (!reason->why) {
			return kt_error(KT_E_MEMORY, "read submissions: out of memory");
		}
		totals->n_reasons++;
	}
	reason = &totals->reasons[i];
	reason->entries++;
	reason->words += words;
	totals->unread += words;
	totals->unread_rings += entry->words == 0;
	return KT_OK;
}

bool kt_submission_totals_are_whole(const struct kt_submission_totals *totals, char *lacks,
				    size_t size)
{
	kt_trace_report_lacks(lacks, size, &totals->reading.report);
	return !lacks[0] && totals->n_reasons == 0 && totals->missing == 0 &&
	       totals->captured == totals->decoded.words;
}

void kt_submission_totals_free(struct kt_submission_totals *totals)
{
	for (size_t i = 0; i < totals->n_reasons; i++) {
		free(totals->reasons[i].why);
	}
	free(totals->reasons);
}
