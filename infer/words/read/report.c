/* SPDX-License-Identifier: MIT */
#include "infer/words/read/report.h"

#include <inttypes.h>
#include <string.h>

#include "infer/words/read/time-text.h"

/* Warns once of each process and kind; kt_given_up_list has the mappings. */
static void warn_of_given_up(FILE *out, const char *path,
			     const struct kt_trace_report *report)
{
	const struct kt_given_up_list *list = &report->given_up;

	for (size_t i = 0; i < list->n; i++) {
		const struct kt_given_up *item = &list->items[i];
		char text[KT_GIVEN_UP_TEXT];
		bool again = false;

		for (size_t j = 0; j < i; j++) {
			again = again || (list->items[j].pid == item->pid &&
					  list->items[j].commands == item->commands);
		}
		if (again) {
			continue;
		}
		kt_given_up_text(text, item, report->first_time);
		fprintf(out,
			"ktail: warning: read %s: to limit its overhead, the recorder gave "
			"up %s: words with their letters end there%s\n",
			path, text,
			item->commands
				? ", and later bytes, launches and requests are missing"
				: "");
	}
	if (list->all > list->n) {
		fprintf(out,
			"ktail: warning: read %s: the recorder gave up detail %" PRIu64
			" more times\n",
			path, list->all - list->n);
	}
}

void kt_trace_report_warn(FILE *out, const char *path, const struct kt_trace_report *report)
{
	if (report->damaged_files > 0) {
		fprintf(out,
			"ktail: warning: read %s: %s; that packet and the rest of the file "
			"are not used",
			path, report->damage);
	}
	if (report->damaged_files > 1) {
		fprintf(out, ", as in %zu more file%s", report->damaged_files - 1,
			report->damaged_files == 2 ? "" : "s");
	}
	if (report->damaged_files > 0) {
		fputs("\n", out);
	}
	if (report->cut_files > 0) {
		fprintf(out,
			"ktail: warning: read %s: %zu stream file%s inside a packet; "
			"%" PRIu64 " bytes after the last whole packet are not used\n",
			path, report->cut_files, report->cut_files == 1 ? " ends" : "s end",
			report->cut_bytes);
	}
	if (report->stopped[0]) {
		char when[KT_TIME_TEXT] = "its beginning";

		if (report->totals.events > 0) {
			kt_time_text(when, report->last_time);
		}
		fprintf(out,
			"ktail: warning: read %s: unreadable after %s, used up to there: "
			"%s\n",
			path, when, report->stopped);
	}
	if (report->totals.lost > 0) {
		fprintf(out,
			"ktail: warning: read %s: %" PRIu64
			" %s missing, by their sequence numbers\n",
			path, report->totals.lost,
			report->totals.lost == 1 ? "event is" : "events are");
	}
	warn_of_given_up(out, path, report);
	if (report->totals.late > 0) {
		fprintf(out,
			"ktail: warning: read %s: %" PRIu64
			" %s too late to be put in order, and left out\n",
			path, report->totals.late,
			report->totals.late == 1 ? "event was" : "events were");
	}
	if (report->totals.shared > 0) {
		fprintf(out,
			"ktail: warning: read %s: %" PRIu64
			" interrupt%s in no word: several processes used the device at "
			"that "
			"time\n",
			path, report->totals.shared,
			report->totals.shared == 1 ? " is" : "s are");
	}
	if (report->totals.both && report->totals.pins + report->totals.irqs == 0) {
		fprintf(out,
			"ktail: warning: read %s: --source both adds no letter: the kernel "
			"recorded no event of the kinds that only it records\n",
			path);
	}
	if (report->discarded_events > 0 || report->discarded_packets > 0) {
		fprintf(out,
			"ktail: warning: read %s: the tracer discarded %" PRIu64
			" event%s and %" PRIu64 " packet%s\n",
			path, report->discarded_events,
			report->discarded_events == 1 ? "" : "s", report->discarded_packets,
			report->discarded_packets == 1 ? "" : "s");
	}
}

void kt_trace_losses_add(struct kt_trace_losses *losses,
			 const struct kt_trace_report *report)
{
	losses->lost += report->totals.lost;
	losses->truncated += report->totals.truncated;
	losses->cut_files += report->cut_files;
	losses->damaged_files += report->damaged_files;
	losses->stopped += report->stopped[0] != '\0';
	losses->discarded_events += report->discarded_events;
	losses->discarded_packets += report->discarded_packets;
	losses->traces++;
	losses->without_roles += report->without_roles;
}

void kt_trace_losses_note(FILE *out, const struct kt_trace_losses *losses)
{
	if (losses->without_roles > 0) {
		fprintf(out,
			"ktail: note: %zu of %zu trace%s not name the roles of accesses: "
			"there, a run of accesses has the role of its first one\n",
			losses->without_roles, losses->traces,
			losses->traces == 1 ? " does" : "s do");
	}
}

bool kt_trace_losses_any(const struct kt_trace_losses *losses)
{
	return losses->lost > 0 || losses->truncated > 0 || losses->cut_files > 0 ||
	       losses->damaged_files > 0 || losses->stopped > 0 ||
	       losses->discarded_events > 0 || losses->discarded_packets > 0;
}

void kt_reason_add(char *list, size_t size, uint64_t n, const char *one, const char *many)
{
	size_t length = strlen(list);

	if (n > 0) {
		snprintf(list + length, size - length, "%s%" PRIu64 " %s",
			 length ? ", " : "", n, n == 1 ? one : many);
	}
}

void kt_trace_losses_list(char *list, size_t size, const struct kt_trace_losses *losses)
{
	kt_reason_add(list, size, losses->lost, "event is known to be missing",
		      "events are known to be missing");
	kt_reason_add(list, size, losses->cut_files, "stream file ends inside a packet",
		      "stream files end inside a packet");
	kt_reason_add(list, size, losses->damaged_files, "stream file is damaged",
		      "stream files are damaged");
	kt_reason_add(list, size, losses->stopped, "trace becomes unreadable",
		      "traces become unreadable");
	kt_reason_add(list, size, losses->discarded_events,
		      "event was discarded by the tracer",
		      "events were discarded by the tracer");
	kt_reason_add(list, size, losses->discarded_packets,
		      "packet was discarded by the tracer",
		      "packets were discarded by the tracer");
}

void kt_trace_report_losses(char *list, size_t size, const struct kt_trace_report *report)
{
	struct kt_trace_losses losses = {0};

	list[0] = '\0';
	kt_reason_add(list, size, report->totals.cut_begins,
		      "beginning of a process is missing",
		      "beginnings of processes are missing");
	kt_reason_add(list, size, report->totals.cut_ends, "end of a process is missing",
		      "ends of processes are missing");
	kt_reason_add(list, size, report->given_up.all, "detail that the recorder gave up",
		      "details that the recorder gave up");
	if (report->given_up.n > 0) {
		const size_t length = strlen(list);
		char text[KT_GIVEN_UP_TEXT];

		kt_given_up_text(text, &report->given_up.items[0], report->first_time);
		snprintf(list + length, size - length, " (%s%s)",
			 report->given_up.all > 1 ? "the first: " : "", text);
	}
	kt_trace_losses_add(&losses, report);
	kt_trace_losses_list(list, size, &losses);
}
