/* SPDX-License-Identifier: MIT */
#include "annotate/events/calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"
#include "decode/ioctls.h"
#include "decode/layouts.h"
#include "decode/statuses.h"

/* A process instance. */
struct process {
	char *name;       /* Owned by this, printable; NULL: no event yet */
	uint32_t release; /* driver release; 0: unknown */
};

struct kt_call_feed {
	const struct kt_trace_filter *part; /* Weak */
	kt_call_fn *take;
	void *visitor;                 /* Weak */
	struct kt_call_totals *totals; /* Weak */
	struct process *processes;     /* Owned by this: by instance ordinal */
	size_t n_processes;
	size_t capacity;
};

static int take_ioctl(kt_call_feed *f, const struct process *process,
		      const struct kt_event *event)
{
	const struct kt_ioctl_fields fields = kt_ioctl_fields(event);
	char *device = kt_utf8_printable_copy(fields.device);
	struct kt_call call = {
		.time = kt_reading_time(&f->totals->reading, event),
		.pid = event->pid,
		.tid = event->tid,
		.process = process->name,
		.instance = event->process,
		.seq = event->seq,
		.device = device,
		.fd = fields.fd,
		.request = fields.request,
		.size = fields.size,
		.result = fields.result,
		.error = fields.error,
		.duration = fields.duration,
		.client = fields.client,
		.parent = fields.parent,
		.object = fields.object,
		.class_number = fields.class_number,
		.command = fields.command,
		.status = fields.status,
	};
	const struct kt_call_numbers numbers = {
		.family = kt_ioctl_family(fields.device),
		.nr = fields.nr,
		.client = call.client,
		.object = call.object,
		.class_number = call.class_number,
		.command = call.command,
	};
	const struct kt_call_what what = kt_call_what(&numbers, process->release);
	int code = KT_OK;

	if (!device) {
		return kt_no_memory("read ioctls");
	}
	call.what = what;
	call.wrapped = numbers.family == KT_IOCTL_RM &&
		       _IOC_NR(call.request) == KT_NR_XFER_CMD &&
		       numbers.nr != KT_NR_XFER_CMD;
	call.status_name = kt_status_name(call.status, process->release);
	f->totals->calls++;
	f->totals->failed += kt_call_failed(&call);
	f->totals->wrapped += call.wrapped;
	f->totals->unnamed_requests += !what.request;
	f->totals->unnamed_commands += what.subject == KT_CALL_OF_COMMAND && !what.name;
	f->totals->unnamed_classes += what.subject == KT_CALL_OF_CLASS && !what.name;
	if (kt_trace_filter_takes(f->part, call.process, call.pid, call.tid, call.time)) {
		f->totals->selected++;
		code = f->take(f->visitor, &call);
	}
	free(device);
	return code;
}

int kt_call_feed_take(void *feed, const struct kt_event *event)
{
	kt_call_feed *f = feed;
	size_t need = (size_t)event->process + 1;
	struct process *process;

	KT_TRY(kt_array_reserve(&f->processes, &f->capacity, need));
	while (f->n_processes < need) {
		f->processes[f->n_processes++] = (struct process){0};
	}
	process = &f->processes[event->process];
	if (!process->name) {
		process->name = kt_utf8_printable_copy(event->process_name);
	}
	if (!process->name) {
		return kt_no_memory("read ioctls");
	}
	if (event->shape == KT_ON_PROCESS_BEGIN) {
		process->release = kt_release_parse(kt_process_begin_fields(event).driver);
	}
	return event->shape == KT_ON_IOCTL ? take_ioctl(f, process, event) : KT_OK;
}

/* --- the feed --- */

int kt_call_feed_new(kt_call_feed **out, const struct kt_trace_filter *part,
		     kt_call_fn *each, void *visitor, struct kt_call_totals *totals)
{
	kt_call_feed *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f) {
		return kt_no_memory("read ioctls");
	}
	f->part = part;
	f->take = each;
	f->visitor = visitor;
	f->totals = totals;
	return KT_OK;
}

void kt_call_feed_free(kt_call_feed *feed)
{
	if (!feed) {
		return;
	}
	for (size_t i = 0; i < feed->n_processes; i++) {
		free(feed->processes[i].name);
	}
	free(feed->processes);
	free(feed);
}

/* --- a trace --- */

int kt_calls_read(const char *path, const struct kt_trace_filter *part, kt_call_fn *each,
		  void *visitor, struct kt_call_totals *totals)
{
	kt_call_feed *feed;
	int code;

	KT_TRY_END(kt_call_feed_new(&feed, part, each, visitor, totals));
	KT_TRY_END(kt_read_events(path, kt_call_feed_take, feed, &totals->reading));
	if (totals->calls == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: no event ioctl in it", path);
	}
end:
	kt_call_feed_free(feed);
	return code;
}
