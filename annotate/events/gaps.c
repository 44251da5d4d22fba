/* SPDX-License-Identifier: MIT */
#include "annotate/events/gaps.h"

#include <inttypes.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/path-list.h"

void kt_gaps_note(struct kt_gaps *gaps, const char *path,
		  const struct kt_trace_report *report)
{
	kt_trace_report_warn(stderr, path, report);
	kt_trace_losses_add(&gaps->losses, report);
	gaps->cut += report->totals.cut_begins + report->totals.cut_ends;
}

void kt_gaps_note_words(struct kt_gaps *gaps, const char *path,
			const struct kt_submission_totals *totals, FILE *warnings)
{
	if (warnings && (totals->after_gap > 0 || totals->missing > 0)) {
		fprintf(warnings,
			"ktail: warning: read %s: %" PRIu64 " %s missing, %" PRIu64
			" cannot be decoded as a result\n",
			path, totals->missing,
			totals->missing == 1 ? "dword is" : "dwords are",
			totals->after_gap);
	}
	gaps->missing += totals->missing + totals->after_gap + totals->unread;
	gaps->rings += totals->unread_rings;
}

void kt_gaps_list_words(char *list, size_t size, const struct kt_gaps *gaps)
{
	kt_reason_add(list, size, gaps->missing,
		      "dword was not read, is missing, or follows missing ones",
		      "dwords were not read, are missing, or follow missing ones");
	kt_reason_add(list, size, gaps->rings, "ring could not be read",
		      "rings could not be read");
}

int kt_gaps_judge(const struct kt_gaps *gaps, const char *const *paths, size_t n)
{
	char list[512] = "";
	char name[1024];

	kt_reason_add(list, sizeof(list), gaps->cut, "beginning or end of a process is cut",
		      "beginnings or ends of processes are cut");
	kt_trace_losses_list(list, sizeof(list), &gaps->losses);
	kt_gaps_list_words(list, sizeof(list), gaps);
	kt_path_list_name(name, sizeof(name), paths, n);
	return list[0] ? kt_error(KT_E_LOSS, "read %s: %s", name, list) : KT_OK;
}
