/* SPDX-License-Identifier: MIT */
#include "infer/words/read/report.h"

#include <inttypes.h>
#include <string.h>

#include "infer/words/read/time-text.h"

void kt_trace_report_warn(FILE *out, const char *path, const struct kt_trace_report *report)
{
	if (report->damaged_files > 0) {
		fprintf(out,
			"ktail: warning: read %s: %s; it and what is behind it is not used",
			path, report->damage);
	}
	if (report->damaged_files > 1) {
		fprintf(out, ", as in %zu more files", report->damaged_files - 1);
	}
	if (report->damaged_files > 0) {
		fputs("\n", out);
	}
	if (report->cut_files > 0) {
		fprintf(out,
			"ktail: warning: read %s: %zu stream file%s inside a packet; "
			"%" PRIu64 " bytes behind whole packets are not used\n",
			path, report->cut_files, report->cut_files == 1 ? " ends" : "s end",
			report->cut_bytes);
	}
	if (report->stopped[0]) {
		char when[KT_TIME_TEXT] = "its beginning";

		if (report->totals.events > 0) {
			kt_time_text(when, report->last_time);
		}
		fprintf(out,
			"ktail: warning: read %s: it stops making sense after %s and is "
			"used up to there: %s\n",
			path, when, report->stopped);
	}
	if (report->totals.lost > 0) {
		fprintf(out,
			"ktail: warning: read %s: %" PRIu64
			" events are missing by their sequence numbers\n",
			path, report->totals.lost);
	}
	if (report->totals.late > 0) {
		fprintf(out,
			"ktail: warning: read %s: %" PRIu64
			" events came too late to be put in their places, and are left "
			"out\n",
			path, report->totals.late);
	}
	if (report->discarded_events > 0 || report->discarded_packets > 0) {
		fprintf(out,
			"ktail: warning: read %s: the tracer says that it discarded "
			"%" PRIu64 " events and %" PRIu64 " packets\n",
			path, report->discarded_events, report->discarded_packets);
	}
}

void kt_trace_losses_add(struct kt_trace_losses *losses,
			 const struct kt_trace_report *report)
{
	losses->lost += report->totals.lost;
	losses->cut_files += report->cut_files;
	losses->damaged_files += report->damaged_files;
	losses->stopped += report->stopped[0] != '\0';
	losses->discarded_events += report->discarded_events;
	losses->discarded_packets += report->discarded_packets;
}

bool kt_trace_losses_any(const struct kt_trace_losses *losses)
{
	return losses->lost > 0 || losses->cut_files > 0 || losses->damaged_files > 0 ||
	       losses->stopped > 0 || losses->discarded_events > 0 ||
	       losses->discarded_packets > 0;
}

void kt_reason_add(char *list, size_t size, uint64_t n, const char *what)
{
	size_t length = strlen(list);

	if (n > 0) {
		snprintf(list + length, size - length, "%s%" PRIu64 " %s",
			 length ? ", " : "", n, what);
	}
}

void kt_trace_losses_list(char *list, size_t size, const struct kt_trace_losses *losses)
{
	kt_reason_add(list, size, losses->lost, "events are known to be missing");
	kt_reason_add(list, size, losses->cut_files,
		      losses->cut_files == 1 ? "stream file ends inside a packet"
					     : "stream files end inside a packet");
	kt_reason_add(list, size, losses->damaged_files,
		      losses->damaged_files == 1 ? "stream file is damaged"
						 : "stream files are damaged");
	kt_reason_add(list, size, losses->stopped,
		      losses->stopped == 1 ? "trace stops making sense"
					   : "traces stop making sense");
	kt_reason_add(list, size, losses->discarded_events,
		      "events were discarded by the tracer");
	kt_reason_add(list, size, losses->discarded_packets,
		      "packets were discarded by the tracer");
}

void kt_trace_report_losses(char *list, size_t size, const struct kt_trace_report *report)
{
	struct kt_trace_losses losses = {0};

	list[0] = '\0';
	kt_reason_add(list, size, report->totals.cut_begins,
		      "beginnings of processes are cut");
	kt_reason_add(list, size, report->totals.cut_ends, "ends of processes are cut");
	kt_trace_losses_add(&losses, report);
	kt_trace_losses_list(list, size, &losses);
}
