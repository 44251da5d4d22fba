/* SPDX-License-Identifier: MIT */
#include "annotate/events/lacks.h"

#include <inttypes.h>
#include <stdio.h>

#include <ktail/status.h>

#include "base/path-list.h"

void kt_lacks_note(struct kt_lacks *lacks, const char *path,
		   const struct kt_trace_report *report)
{
	kt_trace_report_warn(stderr, path, report);
	kt_trace_losses_add(&lacks->losses, report);
	lacks->cut += report->totals.cut_begins + report->totals.cut_ends;
}

void kt_lacks_note_words(struct kt_lacks *lacks, const char *path,
			 const struct kt_submission_totals *totals, FILE *warnings)
{
	if (totals->behind > 0 || totals->missing > 0) {
		fprintf(warnings,
			"ktail: warning: read %s: %" PRIu64 " words are missing, %" PRIu64
			" cannot be decoded because of that\n",
			path, totals->missing, totals->behind);
	}
	lacks->missing += totals->missing + totals->behind + totals->unread;
	lacks->rings += totals->unread_rings;
}

void kt_lacks_list_words(char *list, size_t size, const struct kt_lacks *lacks)
{
	kt_reason_add(list, size, lacks->missing,
		      "words were not read, are missing or behind missing ones");
	kt_reason_add(list, size, lacks->rings, "rings could not be read");
}

int kt_lacks_judge(const struct kt_lacks *lacks, const char *const *paths, size_t n)
{
	char list[512] = "";
	char name[1024];

	kt_reason_add(list, sizeof(list), lacks->cut,
		      "beginnings or ends of processes are cut");
	kt_trace_losses_list(list, sizeof(list), &lacks->losses);
	kt_lacks_list_words(list, sizeof(list), lacks);
	kt_path_list_name(name, sizeof(name), paths, n);
	return list[0] ? kt_error(KT_E_LOSS, "read %s: %s", name, list) : KT_OK;
}
