/* SPDX-License-Identifier: MIT */
/*
 * Listing as JSON lines: an object for each trace, submission, entry and method. Handles,
 * tokens, addresses, payloads and raw ring entries are hexadecimal strings.
 */
#include "annotate/listing/print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "annotate/events/names.h"
#include "base/utf8.h"
#include "decode/qmd.h"

void kt_print_trace_json(FILE *out, const char *path)
{
	struct kt_json_writer w = {.out = out, .compact = true};
	char *printable = kt_utf8_printable_copy(path);

	KT_OBJECT(&w, NULL, KT_STR("type", "trace"),
		  KT_STR("path", printable ? printable : "?"));
	free(printable);
}

static void print_trace(void *printer, const char *path)
{
	kt_print_trace_json(((struct kt_json_printer *)printer)->json.out, path);
}

static void print_submission(void *printer, const struct kt_submission *s, bool again)
{
	struct kt_json_printer *p = printer;
	struct kt_json_writer *w = &p->json;
	const struct kt_in_call *call = kt_in_calls_find(p->calls, s->number);
	struct kt_device_time time;
	char buffer[16];

	if (again) {
		return; /* the objects of the submission's further entries contain its
			 * number */
	}
	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("type", "submission"), KT_U64("submission", s->number),
		KT_U64("time", s->time), KT_STR("process", s->process),
		KT_U64("pid", s->pid), KT_U64("tid", s->tid), KT_U64("life", s->instance),
		KT_U64("seq", s->seq), KT_BOOL("doorbell_written", s->doorbell_written),
		KT_HEX("client", s->client), KT_HEX("channel", s->channel),
		KT_STR("class", kt_class_label(s->class_number, buffer)));
	if (s->value_known) {
		KT_JSON(w, KT_HEX("token", s->value));
	}
	KT_JSON(w, KT_U64("before", s->before));
	if (s->after_known) {
		KT_JSON(w, KT_U64("after", s->after));
	}
	if (s->get_known) {
		KT_JSON(w, KT_U64("get", s->get));
	}
	if (s->ring) {
		KT_JSON(w, KT_HEX("ring", s->ring));
	}
	if (call) {
		KT_JSON(w, KT_STR("call", call->name), KT_U64("call_number", call->number),
			KT_U64("call_id", call->id));
	}
	time = kt_device_times_at(p->times, s->number);
	if (time.releases) {
		KT_JSON(w, KT_U64("device_end", time.end));
	}
	if (time.took_known) {
		KT_JSON(w, KT_U64("device_time", time.took));
	}
	kt_json_end(w);
}

static void print_entry(void *printer, const struct kt_submission *s,
			const struct kt_submitted_entry *e)
{
	struct kt_json_printer *p = printer;
	struct kt_json_writer *w = &p->json;

	if (p->brief && !kt_submitted_entry_is_incomplete(e)) {
		return;
	}
	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("type", "entry"), KT_U64("submission", s->number),
		KT_U64("index", e->index));
	kt_json_print(w, "entry", "\"0x%016" PRIx64 "\"", e->raw);
	if (s->ring) {
		KT_JSON(w, KT_HEX("entry_address", kt_submitted_entry_at(s, e)));
	}
	KT_JSON(w, KT_HEX("address", e->address), KT_U64("words", e->words),
		KT_U64("captured", e->captured), KT_U64("after_gap", e->after_gap),
		KT_BOOL("subroutine", e->entry.subroutine), KT_BOOL("wait", e->entry.wait),
		KT_BOOL("conditional", e->entry.conditional), KT_BOOL("found", e->found));
	if (e->words == 0 && !e->unread[0]) {
		KT_JSON(w, KT_U64("opcode", e->entry.opcode),
			KT_U64("operand", e->entry.operand));
	}
	KT_JSON(w, KT_STR("unread", e->unread[0] ? e->unread : NULL));
	kt_json_end(w);
}

/* --- methods --- */

static void print_addresses(struct kt_json_writer *w, const char *name,
			    const uint64_t *addresses, int n)
{
	kt_json_array(w, name);
	for (int i = 0; i < n; i++) {
		if (addresses[i]) {
			kt_json_print(w, NULL, "\"0x%" PRIx64 "\"", addresses[i]);
		}
	}
	kt_json_end(w);
}

/* Begins an object of an entry. */
static void begin(struct kt_json_writer *w, const char *type, const struct kt_submission *s,
		  const struct kt_submitted_entry *e)
{
	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("type", type), KT_U64("submission", s->number),
		KT_U64("index", e->index));
}

/* Ends a row of inline data: says how many of its dwords are not printed. */
static void end_data(struct kt_json_printer *p, const struct kt_submission *s,
		     const struct kt_submitted_entry *e)
{
	if (p->data > p->most_data) {
		begin(&p->json, "data", s, e);
		KT_JSON(&p->json, KT_U64("not_shown", p->data - p->most_data));
		kt_json_end(&p->json);
	}
	p->data = 0;
}

static void print_arguments(const struct kt_json_printer *p, struct kt_json_writer *w,
			    const struct kt_decoded *d)
{
	uint64_t address;
	size_t bytes;
	const uint32_t *words = kt_launch_arguments(d, &address, &bytes);

	if (words) {
		KT_JSON(w, KT_HEX("arguments_address", address),
			KT_U64("argument_bytes", bytes));
		bytes = (bytes + 3) / 4;
		kt_json_numbers(w, "arguments", words,
				bytes < p->most_data ? bytes : p->most_data);
	}
}

/* Writes the QMDs that the device schedules when the QMD of this command is complete. */
static void print_dependents(struct kt_json_writer *w, const struct kt_command *c,
			     const struct kt_qmd_layout *layout)
{
	struct kt_qmd_dependent next;
	bool any = false;

	for (unsigned i = 0; i < KT_QMD_DEPENDENTS; i++) {
		if (!kt_qmd_dependent(layout, c->qmd, c->qmd_bytes, i, &next)) {
			continue;
		}
		if (!any) {
			kt_json_array(w, "dependents");
			any = true;
		}
		KT_OBJECT(w, NULL, KT_HEX("qmd", next.address),
			  KT_STR("action", next.action));
	}
	if (any) {
		kt_json_end(w);
	}
}

static void print_launch(struct kt_json_printer *p, const struct kt_decoded *d,
			 const struct kt_kernel_note *note)
{
	const struct kt_command *c = &d->command;
	const struct kt_qmd_layout *layout =
		c->qmd ? kt_qmd_find(c->class_number, c->qmd, c->qmd_bytes) : NULL;
	struct kt_json_writer *w = &p->json;
	struct kt_qmd_launch l;
	struct kt_qmd_field f;
	bool any = false;
	char name[128];

	if (!c->inlined) {
		KT_JSON(w, KT_HEX("qmd", c->address));
	}
	if (!layout) {
		return;
	}
	kt_qmd_launch(layout, c->qmd, c->qmd_bytes, &l);
	kt_json_print(w, "version", "\"%u.%u\"", kt_qmd_major(layout),
		      kt_qmd_minor(layout));
	if (c->kind == KT_COMMAND_EMPTY_GRID) {
		KT_JSON(w, KT_STR("qmd_type", kt_qmd_type(layout, c->qmd, c->qmd_bytes)));
	}
	KT_JSON(w, KT_STR("kernel", note ? note->name : NULL));
	kt_json_numbers(w, "grid", l.grid, 3);
	kt_json_numbers(w, "block", l.block, 3);
	KT_JSON(w, KT_HEX("program", l.program),
		KT_BOOL("program_is_offset", l.program_is_offset),
		KT_U64("registers", l.registers), KT_U64("shared", l.shared_bytes));
	print_addresses(w, "constants", l.constants, 8);
	print_addresses(w, "releases", l.release, 3);
	print_dependents(w, c, layout);
	if (p->qmd) {
		print_arguments(p, w, d);
	}
	for (size_t i = 0; p->qmd && kt_qmd_field(layout, i, &f); i++) {
		for (unsigned j = 0; j < f.count; j++) {
			uint64_t value = kt_qmd_get(layout, &f, j, c->qmd, c->qmd_bytes);

			if (value == 0) {
				continue;
			}
			if (!any) {
				kt_json_object(w, "qmd_fields");
				any = true;
			}
			snprintf(name, sizeof(name), "%s(%u)", f.name, j);
			KT_JSON(w, KT_HEX(f.count > 1 ? name : f.name, value));
		}
	}
	if (any) {
		kt_json_end(w);
	}
}

static void print_command(struct kt_json_printer *p, const struct kt_decoded *d,
			  const struct kt_kernel_note *note)
{
	const struct kt_command *c = &d->command;
	struct kt_json_writer *w = &p->json;
	char buffer[16];

	kt_json_object(w, "command");
	KT_JSON(w, KT_STR("kind", kt_command_name(c->kind)));
	switch (c->kind) {
	case KT_COMMAND_BIND:
		KT_JSON(w, KT_STR("class", kt_class_label(c->class_number, buffer)));
		break;
	case KT_COMMAND_COPY:
		KT_JSON(w, KT_HEX("from", c->from), KT_HEX("to", c->to),
			KT_U64("bytes", c->bytes), KT_U64("lines", c->lines));
		break;
	case KT_COMMAND_INLINE:
		KT_JSON(w, KT_HEX("to", c->to), KT_U64("bytes", c->bytes));
		break;
	case KT_COMMAND_RELEASE:
	case KT_COMMAND_ACQUIRE: break; /* the semaphore is printed below */
	case KT_COMMAND_LAUNCH:
	case KT_COMMAND_EMPTY_GRID: print_launch(p, d, note); break;
	default: break;
	}
	if (note && note->code) {
		KT_JSON(w, KT_BOOL("code", true), KT_STR("kernel", note->name));
	}
	if (c->releases || c->kind == KT_COMMAND_RELEASE || c->kind == KT_COMMAND_ACQUIRE) {
		KT_JSON(w, KT_HEX("semaphore", c->address), KT_HEX("payload", c->payload),
			KT_BOOL("timestamp", c->timestamp));
	}
	kt_json_end(w);
}

/* Writes a dword in the same form as raw ring entries. */
static void print_word(struct kt_json_writer *w, uint32_t word)
{
	kt_json_print(w, "word", "\"0x%08" PRIx32 "\"", word);
}

static void print_header(void *printer, const struct kt_submission *s,
			 const struct kt_submitted_entry *e, size_t at)
{
	struct kt_json_printer *p = printer;
	struct kt_json_writer *w = &p->json;
	const uint32_t word = e->dwords[at];
	struct kt_method_header h;
	uint16_t mask;

	if (!p->raw) {
		return;
	}
	kt_method_header_decode(&h, word);
	begin(w, "header", s, e);
	KT_JSON(w, KT_U64("at", at));
	print_word(w, word);
	KT_JSON(w, KT_STR("form", kt_method_header_form(word)));
	if (kt_method_header_mask(word, &mask)) {
		KT_JSON(w, KT_U64("mask", mask));
	} else if (h.op != KT_METHOD_END) {
		KT_JSON(w, KT_U64(h.op == KT_METHOD_IMMEDIATE ? "data" : "count", h.count),
			KT_U64("subchannel", h.subchannel), KT_U64("offset", h.offset));
	}
	kt_json_end(w);
}

/* With --raw: the dwords that were not decoded, each an object. */
static void print_decoded(void *printer, const struct kt_submission *s,
			  const struct kt_submitted_entry *e,
			  const struct kt_decode_counts *counts)
{
	struct kt_json_printer *p = printer;
	struct kt_json_writer *w = &p->json;

	end_data(p, s, e);
	for (size_t at = e->n_dwords - counts->bad; p->raw && at < e->n_dwords; at++) {
		begin(w, "bad", s, e);
		KT_JSON(w, KT_U64("at", at));
		print_word(w, e->dwords[at]);
		kt_json_end(w);
	}
}

static void print_method(void *printer, const struct kt_submission *s,
			 const struct kt_submitted_entry *e, const struct kt_decoded *d,
			 const struct kt_kernel_note *note)
{
	struct kt_json_printer *p = printer;
	struct kt_json_writer *w = &p->json;
	struct kt_method_field f;
	const bool whole = !p->brief && d->named;
	bool shown = true; /* its value */
	bool fields = false;
	char buffer[16];

	if (p->brief) {
		shown = !d->inline_data || p->most_data > 0;
	} else if (d->inline_data) {
		shown = p->data++ < p->most_data;
	} else {
		end_data(p, s, e);
	}
	if ((p->brief || !shown) && d->command.kind == KT_COMMAND_NONE) {
		return;
	}
	if (!p->brief && d->command.kind != KT_COMMAND_NONE) {
		end_data(p, s, e);
	}
	begin(w, "method", s, e);
	KT_JSON(w, KT_U64("at", d->method.at), KT_U64("subchannel", d->method.subchannel),
		KT_STR("class", kt_class_label(d->class_number, buffer)),
		KT_U64("offset", d->method.offset),
		KT_STR("name", d->named ? d->info.name : NULL));
	if (d->named && d->info.count > 1) {
		KT_JSON(w, KT_U64("element", d->info.index));
	}
	if (p->raw) {
		print_word(w, e->dwords[d->method.at]);
	}
	if (shown) {
		KT_JSON(w, KT_U64("value", d->method.value));
	}
	for (size_t i = 0; whole && shown && kt_method_field(d->class_, &d->info, i, &f);
	     i++) {
		uint64_t mask = (UINT64_C(2) << (f.hi - f.lo)) - 1;
		uint32_t value = (uint32_t)(d->method.value >> f.lo & mask);
		const char *name = kt_method_value_name(d->class_, &f, value);

		if (!fields) {
			kt_json_object(w, "fields");
			fields = true;
		}
		if (name) {
			KT_OBJECT(w, f.name, KT_U64("value", value), KT_STR("name", name));
		} else {
			KT_JSON(w, KT_U64(f.name, value));
		}
	}
	if (fields) {
		kt_json_end(w);
	}
	if (d->command.kind != KT_COMMAND_NONE) {
		print_command(p, d, note);
	}
	kt_json_end(w);
}

static void print_end(void *printer, const struct kt_submission_totals *totals)
{
	kt_print_totals_json(((struct kt_json_printer *)printer)->json.out, totals);
}

const struct kt_printer kt_print_json = {
	.trace = print_trace,
	.submission = print_submission,
	.entry = print_entry,
	.header = print_header,
	.method = print_method,
	.decoded = print_decoded,
	.end = print_end,
};
