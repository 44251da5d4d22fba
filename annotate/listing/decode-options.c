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

static int set_channel(void *context, const char *value)
{
	struct kt_selection *s = &((struct kt_decode_options *)context)->selection;

	s->has_channel = true;
	return parse_number(value, &s->channel)
		       ? KT_OK
		       : kt_error(KT_E_USAGE,
				  "--channel must be a handle, such as "
				  "0x5c000019, not '%s'",
				  value);
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

/* Parses seconds with at most nine decimals, as ns. */
static int parse_time(const char *value, uint64_t *out, const char *name)
{
	size_t whole = strspn(value, "0123456789");
	size_t decimals = 0;
	bool good = whole > 0 && whole <= 9;

	*out = 0;
	for (size_t i = 0; good && i < whole; i++) {
		*out = *out * 10 + (uint64_t)(value[i] - '0');
	}
	if (good && value[whole] == '.') {
		decimals = strspn(value + whole + 1, "0123456789");
		good = decimals > 0 && decimals <= 9 && !value[whole + 1 + decimals];
	} else {
		good = good && !value[whole];
	}
	for (size_t i = 0; good && i < 9; i++) {
		*out = *out * 10 +
		       (i < decimals ? (uint64_t)(value[whole + 1 + i] - '0') : 0);
	}
	return good ? KT_OK
		    : kt_error(KT_E_USAGE,
			       "--%s must be seconds since the beginning of "
			       "the trace, such as 1.25, not '%s'",
			       name, value);
}

static int set_from(void *context, const char *value)
{
	struct kt_selection *s = &((struct kt_decode_options *)context)->selection;

	s->has_from = true;
	return parse_time(value, &s->from, "from");
}

static int set_to(void *context, const char *value)
{
	struct kt_selection *s = &((struct kt_decode_options *)context)->selection;

	s->has_to = true;
	return parse_time(value, &s->to, "to");
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
	{"channel", 'c', "HANDLE", "only submissions to that channel", KT_SET(set_channel)},
	{"class", 0, "CLASS", "only methods of that class (number or name)",
	 KT_SET(set_class)},
	{"method", 0, "NAME|OFFSET", "only that method", KT_SET(set_method)},
	{"process", 'p', "NAME|PID", "only that process",
	 KT_TEXT(struct kt_decode_options, selection.process)},
	{"from", 0, "TIME", "only from that time on, in seconds since the first event",
	 KT_SET(set_from)},
	{"to", 0, "TIME", "only up to that time", KT_SET(set_to)},
	{"brief", 'b', NULL, "only doorbells and the commands that they start",
	 KT_FLAG(struct kt_decode_options, brief)},
	KT_HEADING("more"),
	{"qmd", 0, NULL, "all nonzero fields of a launch's QMD",
	 KT_FLAG(struct kt_decode_options, qmd)},
	{"sass", 0, NULL, "the scheduling fields of a cubin's instructions",
	 KT_FLAG(struct kt_decode_options, sass)},
	{"source", 0, "SIDE",
	 "which events to use of a process recorded in user space and kernel: user "
	 "(default) or kernel",
	 KT_CHOICE(struct kt_decode_options, source_name, KT_SOURCE_NAMES)},
	{"strict", 's', NULL, "fail where events or words are missing",
	 KT_FLAG(struct kt_decode_options, strict)},
	{"output", 'o', "FILE", "output: .txt, or .json (JSON lines)", KT_SET(set_output)},
	{"format", 'f', "NAME",
	 "format of standard output, or of a FILE without a known ending (default: txt)",
	 KT_TEXT(struct kt_decode_options, format)},
	{"json", 'j', NULL, NULL, KT_FLAG(struct kt_decode_options, json),
	 .instead = "--format json"},
	KT_COLOR_ROW,
	KT_LAST_ROWS,
};

const struct kt_command_line kt_decode_command = {
	.usage = "ktail decode [OPTION]... TRACE...\n"
		 "       ktail decode --ioctls [-f json] [--stats] [OPTION]... TRACE...\n"
		 "       ktail decode --sass [-f json] [-o FILE] FILE.cubin...",
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

	*out = (struct kt_decode_options){0};
	KT_TRY(kt_options_parse(&kt_decode_command, argc, argv, out, n_operands));
	out->source = out->source_name && strcmp(out->source_name, "kernel") == 0
			      ? KT_SOURCE_KERNEL
			      : KT_SOURCE_USER;
	/* -j is the deprecated form of -f json, which sets the format of any FILE. */
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
	/* Options without effect are errors. */
	if (out->sass || out->ioctls) {
		other = s->has_channel               ? "--channel"
			: s->has_class               ? "--class"
			: s->method || s->has_offset ? "--method"
			: out->brief                 ? "--brief"
			: out->qmd                   ? "--qmd"
						     : NULL;
	}
	if (out->sass) {
		other = out->ioctls        ? "--ioctls"
			: other            ? other
			: out->stats       ? "--stats"
			: s->process       ? "--process"
			: s->has_from      ? "--from"
			: s->has_to        ? "--to"
			: out->source_name ? "--source"
			: out->strict      ? "--strict"
					   : NULL;
	}
	if (other) {
		return kt_error(KT_E_USAGE, "%s cannot be combined with %s", other,
				out->sass ? "--sass" : "--ioctls");
	}
	if (s->has_from && s->has_to && s->from > s->to) {
		return kt_error(KT_E_USAGE, "--to is before --from");
	}
	return KT_OK;
}
