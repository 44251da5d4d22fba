/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "annotate/listing/print-calls.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/call-tally.h"
#include "annotate/listing/in-calls.h"
#include "annotate/listing/print.h"
#include "base/try.h"
#include "base/wrap.h"
#include "decode/classes.h"
#include "decode/ioctls.h"
#include "infer/words/read/report.h"

struct list {
	FILE *out; /* Weak */
	struct kt_json_writer json;
	struct kt_wrap line;
	struct kt_call_form form;
	const char *path; /* Weak: path of the trace; NULL once printed */
	struct kt_call_tally tally;
};

static void print_class_json(struct kt_json_writer *w, uint32_t number)
{
	const struct kt_class *class_ = kt_class_find(number);

	KT_JSON(w, KT_HEX("class", number),
		KT_STR("class_name", class_ ? class_->name : NULL));
}

void kt_print_call_what_json(struct kt_json_writer *w, const struct kt_call_what *what)
{
	KT_JSON(w,
		KT_STR("family", what->family == KT_IOCTL_RM    ? "rm"
				 : what->family == KT_IOCTL_UVM ? "uvm"
								: "other"),
		KT_U64("nr", what->nr), KT_STR("name", what->request));
	if (what->subject == KT_CALL_OF_COMMAND) {
		KT_JSON(w, KT_HEX("command", what->number),
			KT_STR("command_name", what->name));
	} else if (what->subject == KT_CALL_OF_CLASS) {
		print_class_json(w, what->number);
	}
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
	struct kt_json_writer *w = &l->json;
	struct kt_wrap *line = &l->line;
	char request[24];
	char subject[24];
	const char *name;
	const char *error;

	show_trace(l);
	if (l->form.stats) {
		return kt_call_tally_add(&l->tally, call);
	}
	if (l->form.json) {
		kt_json_object(w, NULL);
		KT_JSON(w, KT_STR("type", "ioctl"), KT_U64("time", call->time),
			KT_STR("process", call->process), KT_U64("pid", call->pid),
			KT_U64("tid", call->tid), KT_U64("life", call->instance),
			KT_U64("seq", call->seq), KT_STR("device", call->device),
			KT_I64("fd", call->fd), KT_HEX("request", call->request));
		kt_print_call_what_json(w, &call->what);
		if (call->what.subject == KT_CALL_OF_COMMAND && call->class_number) {
			print_class_json(w, call->class_number);
		}
		KT_JSON(w, KT_BOOL("wrapped", call->wrapped), KT_U64("size", call->size),
			KT_HEX("client", call->client), KT_HEX("parent", call->parent),
			KT_HEX("object", call->object), KT_I64("result", call->result),
			KT_I64("error", call->error), KT_HEX("status", call->status),
			KT_STR("status_name", call->status ? call->status_name : NULL),
			KT_U64("duration", call->duration));
		kt_json_end(w);
		return KT_OK;
	}
	name = kt_call_subject_label(&call->what, subject);
	error = call->error ? strerrorname_np(call->error) : NULL;
	kt_wrap_put(line, "+%" PRIu64 ".%09" PRIu64 "  %s %" PRIu32 "/%" PRIu32,
		    call->time / 1000000000, call->time % 1000000000, call->process,
		    call->pid, call->tid);
	kt_wrap_put(line, "  %s", call->device);
	kt_wrap_put(line, "  %s", kt_call_request_label(&call->what, request));
	if (name[0]) {
		kt_wrap_put(line, " %s", name);
	}
	if (call->object) {
		kt_wrap_put(line, "  0x%" PRIx32, call->object);
	}
	if (call->parent && call->parent != call->object) {
		kt_wrap_put(line, " below 0x%" PRIx32, call->parent);
	}
	kt_wrap_put(line, "  %" PRIu64 ".%03" PRIu64 " us", call->duration / 1000,
		    call->duration % 1000);
	if (call->wrapped) {
		kt_wrap_put(line, "  through NV_ESC_IOCTL_XFER_CMD");
	}
	if (error) {
		kt_wrap_put(line, "  errno %s", error);
	} else if (call->error) {
		kt_wrap_put(line, "  errno %" PRId32, call->error);
	}
	if (call->status && call->status_name) {
		kt_wrap_put(line, "  status %s", call->status_name);
	} else if (call->status) {
		kt_wrap_put(line, "  status 0x%" PRIx32, call->status);
	}
	kt_wrap_end(line);
	return KT_OK;
}

int kt_print_calls(FILE *out, struct kt_call_form form, const char *path,
		   const struct kt_trace_filter *part, struct kt_call_totals *totals)
{
	const struct kt_trace_report *report = &totals->reading.report;
	struct list l = {.out = out,
			 .json = {.out = out, .compact = true},
			 .line = kt_wrap_line(out, 8),
			 .form = form,
			 .path = path};
	char losses[512];
	int code;

	KT_TRY_END(kt_trace_filter_by_calls(part)
			   ? kt_in_calls_ioctls(path, part, take, &l, totals)
			   : kt_calls_read(path, part, take, &l, totals));
	show_trace(&l);
	if (form.stats) {
		kt_call_tally_print(&l.tally, out, form.json);
	} else if (!form.json) {
		putc('\n', out);
	}
	kt_trace_report_losses(losses, sizeof(losses), report);
	if (form.json) {
		kt_json_object(&l.json, NULL);
		KT_JSON(&l.json, KT_STR("type", "end"), KT_U64("ioctls", totals->calls),
			KT_U64("shown", totals->selected), KT_U64("failed", totals->failed),
			KT_U64("wrapped", totals->wrapped),
			KT_U64("unnamed_requests", totals->unnamed_requests),
			KT_U64("unnamed_commands", totals->unnamed_commands),
			KT_U64("unnamed_classes", totals->unnamed_classes));
		kt_print_report_json(&l.json, report, !losses[0]);
	} else {
		fprintf(out,
			"ioctls: %" PRIu64 ", %" PRIu64 " of them shown, %" PRIu64
			" failed, %" PRIu64 " through NV_ESC_IOCTL_XFER_CMD\n"
			"without a public name: %" PRIu64 " requests, %" PRIu64
			" commands, %" PRIu64 " classes\n",
			totals->calls, totals->selected, totals->failed, totals->wrapped,
			totals->unnamed_requests, totals->unnamed_commands,
			totals->unnamed_classes);
		if (losses[0]) {
			fprintf(out, "the trace is incomplete: %s\n", losses);
		}
	}
end:
	kt_call_tally_free(&l.tally);
	return code;
}
