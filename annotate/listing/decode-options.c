/* SPDX-License-Identifier: MIT */
#include "annotate/listing/decode-options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/output-format.h"
#include "base/terminal.h"
#include "base/try.h"
#include "decode/methods.h"

/* Parses a 32-bit number, decimal or hexadecimal with 0x. */
static bool parse_number(const char *value, uint32_t *out)
{
	char *end;
	unsigned long long n;

	if (value[0] < '0' || value[0] > '9') {
		return false;
	}
	errno = 0;
	n = strtoull(value, &end, strncmp(value, "0x", 2) == 0 ? 16 : 10);
	*out = (uint32_t)n;
	return errno == 0 && *end == '\0' && n <= UINT32_MAX;
}

static int set_class(void *context, const char *value)
{
	struct kt_selection *s = &((struct kt_decode_options *)context)->selection;

	s->has_class = true;
	if (parse_number(value, &s->class_number)) {
		return KT_OK;
	}
	for (size_t i = 0; i < kt_method_classes(); i++) {
		const struct kt_method_class *class_ = kt_method_class_at(i);

		if (strcmp(kt_method_class_name(class_), value) == 0) {
			s->class_number = kt_method_class_number(class_);
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE,
			"--class must be a number, such as 0xc8b5, or the "
			"name of a class with methods, not '%s'",
			value);
}

static int set_method(void *context, const char *value)
{
	struct kt_selection *s = &((struct kt_decode_options *)context)->selection;
	struct kt_method_info info;

	s->has_offset = parse_number(value, &s->offset);
	s->method = s->has_offset ? NULL : value;
	if (s->has_offset) {
		return KT_OK;
	}
	for (size_t i = 0; i < kt_method_classes(); i++) {
		if (kt_method_find_name(kt_method_class_at(i), value, &info)) {
			return KT_OK;
		}
	}
	return kt_error(KT_E_USAGE,
			"--method must be the offset or the name of a method, "
			"not '%s'",
			value);
}

static int set_output(void *context, const char *value)
{
	struct kt_decode_options *o = context;

	if (o->output) {
		return kt_error(KT_E_USAGE, "--output is given twice");
	}
	o->output = value;
	return KT_OK;
}

static const struct kt_option table[] = {
	KT_HEADING("content of the list"),
	{"stats", 0, NULL, "counts by channel and class, or by ioctl, instead of a listing",
	 KT_FLAG(struct kt_decode_options, stats)},
	{"ioctls", 'i', NULL, "the driver's ioctls, by name, instead of submissions",
	 KT_FLAG(struct kt_decode_options, ioctls)},
	KT_HEADING("select content of the list"),
	KT_TRACE_FILTER_ROWS(struct kt_decode_options, selection.part),
	KT_TRACE_FILTER_CALL_ROWS(struct kt_decode_options, selection.part),
	{"class", 0, "CLASS", "only methods of that class (number or name)",
	 KT_SET(set_class)},
	{"method", 0, "NAME|OFFSET", "only that method", KT_SET(set_method)},
	{"brief", 'b', NULL, "only doorbells and the commands that they start",
	 KT_FLAG(struct kt_decode_options, brief)},
	KT_HEADING("more"),
	{"qmd", 0, NULL, "all nonzero fields of a launch's QMD",
	 KT_FLAG(struct kt_decode_options, qmd)},
	{"raw", 0, NULL, "every dword, in its place: headers, too",
	 KT_FLAG(struct kt_decode_options, raw)},
	{"data", 0, "N", "at most N dwords of inline data in a row (default: all)",
	 KT_NUMBER(struct kt_decode_options, data, 0, KT_ALL_DATA - 1)},
	{"times", 0, NULL, "when the device had done each submission, by its own timer",
	 KT_FLAG(struct kt_decode_options, times)},
	{"sass", 0, NULL,
	 "the instructions of a cubin or program, and their scheduling fields",
	 KT_FLAG(struct kt_decode_options, sass)},
	{"nvdisasm", 0, "PROGRAM",
	 "the disassembler for --sass (default: nvdisasm, if it is on PATH), or none",
	 KT_TEXT(struct kt_decode_options, nvdisasm), KT_PROPOSE("none")},
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_CHOICE(struct kt_decode_options, source_name, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where events or dwords are missing",
	 KT_FLAG(struct kt_decode_options, strict)},
	{"output", 'o', "FILE", "output: .txt, or .json (JSON lines)", KT_SET(set_output)},
	{"format", 'f', "NAME",
	 "format of standard output; without it, of every FILE (default: txt)",
	 KT_TEXT(struct kt_decode_options, format)},
	{"json", 'j', NULL, NULL, KT_FLAG(struct kt_decode_options, json),
	 .instead = "--format json"},
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

const struct kt_command_line kt_decode_command = {
	.usage = "ktail decode [OPTION]... TRACE...\n"
		 "       ktail decode --ioctls [-f json] [--stats] [OPTION]... TRACE...\n"
		 "       ktail decode --sass [-f json] [-o FILE] FILE...",
	.summary =
		"List what doorbells submitted: ring entries, methods, fields, commands; "
		"or ioctls.",
	.table = table,
};

int kt_decode_options_parse(struct kt_decode_options *out, int argc, char **argv,
			    int *n_operands)
{
	const struct kt_selection *s = &out->selection;
	const char *other = NULL;
	struct kt_output_request request;
	size_t format;

	*out = (struct kt_decode_options){.data = KT_ALL_DATA};
	KT_TRY(kt_options_parse(&kt_decode_command, argc, argv, out, n_operands));
	out->source = out->source_name && strcmp(out->source_name, "kernel") == 0
			      ? KT_SOURCE_KERNEL
			      : KT_SOURCE_USER;
	/* -j is the deprecated form of -f json. */
	request = (struct kt_output_request){
		.path = out->output,
		.asked = out->format ? out->format
			 : out->json ? "json"
				     : NULL,
		.among = !out->output,
	};
	KT_TRY(kt_output_format(&format, &request, (const char *const[]){"txt", "json"},
				2));
	out->json = format == 1;
	if (out->output) {
		KT_TRY(kt_output_check_folder(out->output));
		out->output = kt_output_is_standard(out->output) ? "-" : out->output;
	}
	/* Options that have no effect with --sass or --ioctls are errors. */
	if (out->sass || out->ioctls) {
		other = s->part.channel              ? "--channel"
			: s->has_class               ? "--class"
			: s->method || s->has_offset ? "--method"
			: out->brief                 ? "--brief"
			: out->qmd                   ? "--qmd"
			: out->raw                   ? "--raw"
			: out->data != KT_ALL_DATA   ? "--data"
			: out->times                 ? "--times"
						     : NULL;
	}
	if (out->sass) {
		other = out->ioctls  ? "--ioctls"
			: other      ? other
			: out->stats ? "--stats"
			: kt_trace_filter_option(&s->part)
				? kt_trace_filter_option(&s->part)
			: out->source_name ? "--source"
			: out->strict      ? "--strict"
					   : NULL;
	}
	if (other) {
		return kt_error(KT_E_USAGE, "%s cannot be combined with %s", other,
				out->sass ? "--sass" : "--ioctls");
	}
	if (out->nvdisasm && !out->sass) {
		return kt_error(KT_E_USAGE, "--nvdisasm needs --sass");
	}
	if (out->raw && out->brief) {
		return kt_error(KT_E_USAGE, "--raw cannot be combined with --brief");
	}
	if (out->data != KT_ALL_DATA && out->raw) {
		return kt_error(KT_E_USAGE, "--data cannot be combined with --raw");
	}
	if (out->data != KT_ALL_DATA && out->brief && !out->qmd) {
		return kt_error(KT_E_USAGE, "--data with --brief needs --qmd");
	}
	other = out->brief                 ? "--brief"
		: out->qmd                 ? "--qmd"
		: out->raw                 ? "--raw"
		: out->data != KT_ALL_DATA ? "--data"
		: out->times               ? "--times"
					   : NULL;
	if (out->stats && other) {
		return kt_error(KT_E_USAGE, "%s cannot be combined with --stats", other);
	}
	return kt_trace_filter_settle(&out->selection.part);
}
