/* SPDX-License-Identifier: MIT */
/*
 * The listing as JSON lines: an object for each trace, submission, entry and method.
 * Numbers of 64 bits that may be large are strings in hexadecimal.
 */
#include "annotate/listing/print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "annotate/events/names.h"
#include "base/json-string.h"
#include "base/utf8.h"
#include "decode/qmd.h"

void kt_print_trace_json(FILE *out, const char *path)
{
	char *printable = kt_utf8_printable_copy(path);

	fputs("{\"type\":\"trace\",\"path\":", out);
	kt_json_string(out, printable ? printable : "?");
	fputs("}\n", out);
	free(printable);
}

static void print_trace(void *printer, const char *path)
{
	kt_print_trace_json(((struct kt_json_printer *)printer)->out, path);
}

static void print_submission(void *printer, const struct kt_submission *s, bool again)
{
	FILE *out = ((struct kt_json_printer *)printer)->out;
	char buffer[16];

	if (again) {
		return; /* every object says of which submission it is */
	}
	fprintf(out,
		"{\"type\":\"submission\",\"submission\":%" PRIu64 ",\"time\":%" PRIu64
		",\"process\":",
		s->number, s->time);
	kt_json_string(out, s->process);
	fprintf(out,
		",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"life\":%" PRIu64
		",\"seq\":%" PRIu64 ",\"rung\":%s,\"client\":\"0x%" PRIx32
		"\",\"channel\":\"0x%" PRIx32 "\",\"class\":\"%s\"",
		s->pid, s->tid, s->life, s->seq, s->rung ? "true" : "false", s->client,
		s->channel, kt_class_label(s->class_number, buffer));
	if (s->value_known) {
		fprintf(out, ",\"token\":\"0x%" PRIx32 "\"", s->value);
	}
	fprintf(out, ",\"before\":%" PRIu32, s->before);
	if (s->after_known) {
		fprintf(out, ",\"after\":%" PRIu32, s->after);
	}
	fputs("}\n", out);
}

static void print_entry(void *printer, const struct kt_submission *s,
			const struct kt_submitted_entry *e)
{
	struct kt_json_printer *p = printer;
	FILE *out = p->out;

	if (p->brief && !kt_submitted_entry_lacks(e)) {
		return;
	}
	fprintf(out,
		"{\"type\":\"entry\",\"submission\":%" PRIu64 ",\"index\":%" PRIu32
		",\"entry\":\"0x%016" PRIx64 "\",\"address\":\"0x%" PRIx64
		"\",\"words\":%" PRIu32 ",\"captured\":%" PRIu32 ",\"behind_gap\":%" PRIu32
		",\"subroutine\":%s,\"wait\":%s,\"conditional\":%s,\"found\":%s",
		s->number, e->index, e->raw, e->address, e->words, e->captured, e->behind,
		e->entry.subroutine ? "true" : "false", e->entry.wait ? "true" : "false",
		e->entry.conditional ? "true" : "false", e->found ? "true" : "false");
	if (e->words == 0 && !e->unread[0]) {
		fprintf(out, ",\"opcode\":%u,\"operand\":%" PRIu32, e->entry.opcode,
			e->entry.operand);
	}
	if (e->unread[0]) {
		fputs(",\"unread\":", out);
		kt_json_string(out, e->unread);
	}
	fputs("}\n", out);
}

/* --- methods --- */

static void print_addresses(FILE *out, const char *name, const uint64_t *addresses, int n)
{
	const char *comma = "";

	fprintf(out, ",\"%s\":[", name);
	for (int i = 0; i < n; i++) {
		if (addresses[i]) {
			fprintf(out, "%s\"0x%" PRIx64 "\"", comma, addresses[i]);
			comma = ",";
		}
	}
	putc(']', out);
}

static void print_launch(struct kt_json_printer *p, const struct kt_command *c)
{
	const struct kt_qmd_layout *layout =
		c->qmd ? kt_qmd_find(c->class_number, c->qmd, c->qmd_bytes) : NULL;
	struct kt_qmd_launch l;
	struct kt_qmd_field f;
	const char *comma = ",\"qmd_fields\":{";

	if (!c->inlined) {
		fprintf(p->out, ",\"qmd\":\"0x%" PRIx64 "\"", c->address);
	}
	if (!layout) {
		return;
	}
	kt_qmd_launch(layout, c->qmd, c->qmd_bytes, &l);
	fprintf(p->out,
		",\"version\":\"%u.%u\",\"grid\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32
		"],\"block\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"program\":\"0x%" PRIx64
		"\",\"program_is_offset\":%s"
		",\"registers\":%" PRIu32 ",\"shared\":%" PRIu32,
		kt_qmd_major(layout), kt_qmd_minor(layout), l.grid[0], l.grid[1], l.grid[2],
		l.block[0], l.block[1], l.block[2], l.program,
		l.program_is_offset ? "true" : "false", l.registers, l.shared_bytes);
	print_addresses(p->out, "constants", l.constants, 8);
	print_addresses(p->out, "releases", l.release, 3);
	if (!p->qmd) {
		return;
	}
	for (size_t i = 0; kt_qmd_field(layout, i, &f); i++) {
		for (unsigned j = 0; j < f.count; j++) {
			uint64_t value = kt_qmd_get(layout, &f, j, c->qmd, c->qmd_bytes);

			if (value == 0) {
				continue;
			}
			fprintf(p->out, "%s\"%s", comma, f.name);
			if (f.count > 1) {
				fprintf(p->out, "(%u)", j);
			}
			fprintf(p->out, "\":\"0x%" PRIx64 "\"", value);
			comma = ",";
		}
	}
	fputs(comma[1] ? "" : "}", p->out);
}

static void print_command(struct kt_json_printer *p, const struct kt_command *c)
{
	char buffer[16];

	fprintf(p->out, ",\"command\":{\"kind\":\"%s\"", kt_command_name(c->kind));
	switch (c->kind) {
	case KT_COMMAND_BIND:
		fprintf(p->out, ",\"class\":\"%s\"",
			kt_class_label(c->class_number, buffer));
		break;
	case KT_COMMAND_COPY:
		fprintf(p->out,
			",\"from\":\"0x%" PRIx64 "\",\"to\":\"0x%" PRIx64
			"\",\"bytes\":%" PRIu64 ",\"lines\":%" PRIu32,
			c->from, c->to, c->bytes, c->lines);
		break;
	case KT_COMMAND_INLINE:
		fprintf(p->out, ",\"to\":\"0x%" PRIx64 "\",\"bytes\":%" PRIu64, c->to,
			c->bytes);
		break;
	case KT_COMMAND_RELEASE:
	case KT_COMMAND_ACQUIRE: break; /* the semaphore follows */
	case KT_COMMAND_LAUNCH: print_launch(p, c); break;
	default: break;
	}
	if (c->releases || c->kind == KT_COMMAND_RELEASE || c->kind == KT_COMMAND_ACQUIRE) {
		fprintf(p->out,
			",\"semaphore\":\"0x%" PRIx64 "\",\"payload\":\"0x%" PRIx64
			"\",\"timestamp\":%s",
			c->address, c->payload, c->timestamp ? "true" : "false");
	}
	putc('}', p->out);
}

static void print_method(void *printer, const struct kt_submission *s,
			 const struct kt_submitted_entry *e, const struct kt_decoded *d)
{
	struct kt_json_printer *p = printer;
	FILE *out = p->out;
	const char *comma = ",\"fields\":{";
	struct kt_method_field f;
	char buffer[16];

	if (p->brief && d->command.kind == KT_COMMAND_NONE) {
		return;
	}
	fprintf(out,
		"{\"type\":\"method\",\"submission\":%" PRIu64 ",\"index\":%" PRIu32
		",\"at\":%zu,\"subchannel\":%u,\"class\":\"%s\",\"offset\":%" PRIu16,
		s->number, e->index, d->method.at, d->method.subchannel,
		kt_class_label(d->class_number, buffer), d->method.offset);
	if (d->named) {
		fprintf(out, ",\"name\":\"%s\"", d->info.name);
	}
	if (d->named && d->info.count > 1) {
		fprintf(out, ",\"element\":%" PRIu16, d->info.index);
	}
	fprintf(out, ",\"value\":%" PRIu32, d->method.value);
	for (size_t i = 0;
	     !p->brief && d->named && kt_method_field(d->class_, &d->info, i, &f); i++) {
		uint64_t mask = (UINT64_C(2) << (f.hi - f.lo)) - 1;
		uint32_t value = (uint32_t)(d->method.value >> f.lo & mask);
		const char *name = kt_method_value_name(d->class_, &f, value);

		fprintf(out, "%s\"%s\":", comma, f.name);
		if (name) {
			fprintf(out, "{\"value\":%" PRIu32 ",\"name\":\"%s\"}", value,
				name);
		} else {
			fprintf(out, "%" PRIu32, value);
		}
		comma = ",";
	}
	fputs(comma[1] ? "" : "}", out);
	if (d->command.kind != KT_COMMAND_NONE) {
		print_command(p, &d->command);
	}
	fputs("}\n", out);
}

static void print_end(void *printer, const struct kt_submission_totals *totals)
{
	kt_print_totals_json(((struct kt_json_printer *)printer)->out, totals);
}

const struct kt_printer kt_print_json = {
	.trace = print_trace,
	.submission = print_submission,
	.entry = print_entry,
	.method = print_method,
	.end = print_end,
};
