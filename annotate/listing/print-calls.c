/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "annotate/listing/print-calls.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/call-tally.h"
#include "annotate/listing/print.h"
#include "base/json-string.h"
#include "base/try.h"
#include "decode/classes.h"
#include "decode/ioctls.h"
#include "infer/words/read/report.h"

struct list {
	FILE *out; /* Weak */
	struct kt_call_form form;
	const char *path; /* Weak: of the trace; NULL once it was shown */
	struct kt_call_tally tally;
};

static void print_text(FILE *out, const struct kt_call *call)
{
	char request[24];
	char subject[24];
	const char *name = kt_call_subject_label(&call->what, subject);
	const char *error = call->error ? strerrorname_np(call->error) : NULL;

	fprintf(out, "+%" PRIu64 ".%09" PRIu64 "  %s %" PRIu32 "/%" PRIu32 "  %s  %s%s%s",
		call->time / 1000000000, call->time % 1000000000, call->process, call->pid,
		call->tid, call->device, kt_call_request_label(&call->what, request),
		name[0] ? " " : "", name);
	if (call->object) {
		fprintf(out, "  0x%" PRIx32, call->object);
	}
	if (call->parent && call->parent != call->object) {
		fprintf(out, " below 0x%" PRIx32, call->parent);
	}
	fprintf(out, "  %" PRIu64 ".%03" PRIu64 " us", call->duration / 1000,
		call->duration % 1000);
	fputs(call->wrapped ? "  through NV_ESC_IOCTL_XFER_CMD" : "", out);
	if (error) {
		fprintf(out, "  errno %s", error);
	} else if (call->error) {
		fprintf(out, "  errno %" PRId32, call->error);
	}
	if (call->status && call->status_name) {
		fprintf(out, "  status %s", call->status_name);
	} else if (call->status) {
		fprintf(out, "  status 0x%" PRIx32, call->status);
	}
	putc('\n', out);
}

/* --- JSON --- */

static void print_name_json(FILE *out, const char *member, const char *name)
{
	if (name) {
		fprintf(out, ",\"%s\":\"%s\"", member, name);
	}
}

static void print_class_json(FILE *out, uint32_t number)
{
	const struct kt_class *class_ = kt_class_find(number);

	fprintf(out, ",\"class\":\"0x%" PRIx32 "\"", number);
	print_name_json(out, "class_name", class_ ? class_->name : NULL);
}

void kt_print_call_what_json(FILE *out, const struct kt_call_what *what)
{
	fprintf(out, ",\"family\":\"%s\",\"nr\":%" PRIu32,
		what->family == KT_IOCTL_RM    ? "rm"
		: what->family == KT_IOCTL_UVM ? "uvm"
					       : "other",
		what->nr);
	print_name_json(out, "name", what->request);
	if (what->subject == KT_CALL_OF_COMMAND) {
		fprintf(out, ",\"command\":\"0x%" PRIx32 "\"", what->number);
		print_name_json(out, "command_name", what->name);
	} else if (what->subject == KT_CALL_OF_CLASS) {
		print_class_json(out, what->number);
	}
}

static void print_json(FILE *out, const struct kt_call *call)
{
	fprintf(out, "{\"type\":\"ioctl\",\"time\":%" PRIu64 ",\"process\":", call->time);
	kt_json_string(out, call->process);
	fprintf(out,
		",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"life\":%" PRIu64
		",\"seq\":%" PRIu64 ",\"device\":",
		call->pid, call->tid, call->life, call->seq);
	kt_json_string(out, call->device);
	fprintf(out, ",\"fd\":%" PRId32 ",\"request\":\"0x%" PRIx64 "\"", call->fd,
		call->request);
	kt_print_call_what_json(out, &call->what);
	if (call->what.subject == KT_CALL_OF_COMMAND && call->class_number) {
		print_class_json(out, call->class_number);
	}
	fprintf(out,
		",\"wrapped\":%s,\"size\":%" PRIu32 ",\"client\":\"0x%" PRIx32
		"\",\"parent\":\"0x%" PRIx32 "\",\"object\":\"0x%" PRIx32 "\"",
		call->wrapped ? "true" : "false", call->size, call->client, call->parent,
		call->object);
	fprintf(out,
		",\"result\":%" PRId64 ",\"error\":%" PRId32 ",\"status\":\"0x%" PRIx32
		"\"",
		call->result, call->error, call->status);
	print_name_json(out, "status_name", call->status ? call->status_name : NULL);
	fprintf(out, ",\"duration\":%" PRIu64 "}\n", call->duration);
}

/* --- a trace --- */

static void show_trace(struct list *l)
{
	if (!l->path) {
		return;
	}
	if (l->form.json) {
		kt_print_trace_json(l->out, l->path);
	} else {
		fprintf(l->out, "trace %s\n\n", l->path);
	}
	l->path = NULL;
}

static int take(void *visitor, const struct kt_call *call)
{
	struct list *l = visitor;

	show_trace(l);
	if (l->form.stats) {
		return kt_call_tally_add(&l->tally, call);
	}
	if (l->form.json) {
		print_json(l->out, call);
	} else {
		print_text(l->out, call);
	}
	return KT_OK;
}

int kt_print_calls(FILE *out, struct kt_call_form form, const char *path,
		   const struct kt_selection *selection, struct kt_call_totals *totals)
{
	const struct kt_trace_report *report = &totals->reading.report;
	struct list l = {.out = out, .form = form, .path = path};
	char lacks[512];
	int code;

	KT_TRY_END(kt_calls_read(path, selection, take, &l, totals));
	show_trace(&l);
	if (form.stats) {
		kt_call_tally_print(&l.tally, out, form.json);
	} else if (!form.json) {
		putc('\n', out);
	}
	kt_trace_report_lacks(lacks, sizeof(lacks), report);
	if (form.json) {
		fprintf(out,
			"{\"type\":\"end\",\"ioctls\":%" PRIu64 ",\"shown\":%" PRIu64
			",\"failed\":%" PRIu64 ",\"wrapped\":%" PRIu64
			",\"unnamed_requests\":%" PRIu64 ",\"unnamed_commands\":%" PRIu64
			",\"unnamed_classes\":%" PRIu64,
			totals->calls, totals->selected, totals->failed, totals->wrapped,
			totals->unnamed_requests, totals->unnamed_commands,
			totals->unnamed_classes);
		kt_print_report_json(out, report, !lacks[0]);
	} else {
		fprintf(out,
			"ioctls: %" PRIu64 ", %" PRIu64 " of them shown, %" PRIu64
			" failed, %" PRIu64 " through NV_ESC_IOCTL_XFER_CMD\n"
			"without a public name: %" PRIu64 " requests, %" PRIu64
			" commands, %" PRIu64 " classes\n",
			totals->calls, totals->selected, totals->failed, totals->wrapped,
			totals->unnamed_requests, totals->unnamed_commands,
			totals->unnamed_classes);
		if (lacks[0]) {
			fprintf(out, "the trace is not whole: %s\n", lacks);
		}
	}
end:
	kt_call_tally_free(&l.tally);
	return code;
}
