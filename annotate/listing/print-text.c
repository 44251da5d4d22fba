/* SPDX-License-Identifier: MIT */
/* Prints a listing as text: a block for each submission. */
#include "annotate/listing/print.h"

#include <inttypes.h>

#include "annotate/events/names.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "decode/qmd.h"

#define VALUES_A_LINE 8

static void print_trace(void *printer, const char *path)
{
	fprintf(((struct kt_text_printer *)printer)->out, "trace %s\n", path);
}

/* Returns how many values fit into a line: 9 columns each, after an indentation of 12. */
static int values_a_line(const struct kt_text_printer *p)
{
	return p->line.width < 12 + 9 * VALUES_A_LINE && p->line.width >= 12 + 9
		       ? (int)(p->line.width - 12) / 9
		       : VALUES_A_LINE;
}

/* Ends a line of repeated values, and says how many dwords of data are not printed. */
static void end_values(struct kt_text_printer *p)
{
	if (p->column > 0) {
		putc('\n', p->out);
	}
	if (p->left_out > 0) {
		fprintf(p->out, "             %" PRIu64 " %s of data not shown\n",
			p->left_out, p->left_out == 1 ? "dword" : "dwords");
	}
	p->column = 0;
	p->data = p->left_out = 0;
}

/*
 * Prints the consecutive launches that --brief joins into one line. A CUDA graph makes
 * hundreds of launches that differ only in the address of a QMD that was written earlier.
 */
static void end_launches(struct kt_text_printer *p)
{
	struct kt_wrap *line = &p->line;

	if (p->launches == 0) {
		return;
	}
	line->indent = 12;
	if (p->launches == 1) {
		kt_wrap_put(line, "      => launch qmd 0x%" PRIx64, p->first_qmd);
	} else {
		kt_wrap_put(line,
			    "      => %" PRIu64 " launches, first qmd 0x%" PRIx64
			    ", last 0x%" PRIx64 ",",
			    p->launches, p->first_qmd, p->last_qmd);
	}
	kt_wrap_put(line, " contents not in these commands");
	kt_wrap_end(line);
	p->launches = 0;
}

static void print_submission(void *printer, const struct kt_submission *s, bool again)
{
	struct kt_text_printer *p = printer;
	const struct kt_colors *colors = kt_colors_of(p->out);
	const struct kt_in_call *call = kt_in_calls_find(p->calls, s->number);
	struct kt_wrap *line = &p->line;
	char buffer[16];

	end_launches(p);
	end_values(p);
	p->repeating = false;
	line->indent = 4;
	kt_wrap_put(line, "\n%s%s", colors->bold,
		    s->doorbell_written ? "doorbell" : "ring");
	kt_wrap_put(line, " %" PRIu64 "%s  +%" PRIu64 ".%09" PRIu64, s->number,
		    colors->plain, s->time / 1000000000, s->time % 1000000000);
	kt_wrap_put(line, "  %s %" PRIu32 "/%" PRIu32, s->process, s->pid, s->tid);
	kt_wrap_put(line, "  channel 0x%" PRIx32 " %s", s->channel,
		    kt_class_label(s->class_number, buffer));
	if (again) {
		kt_wrap_put(line, "  (continued)");
		kt_wrap_end(line);
		return;
	}
	if (s->value_known) {
		kt_wrap_put(line, "  token 0x%" PRIx32, s->value);
	}
	if (s->after_known) {
		kt_wrap_put(line, "  GP_PUT %" PRIu32 " -> %" PRIu32, s->before, s->after);
	} else {
		kt_wrap_put(line, "  GP_PUT %" PRIu32 " ->", s->before);
	}
	if (p->raw && s->get_known) {
		kt_wrap_put(line, "  GP_GET %" PRIu32, s->get);
	}
	if (p->raw && s->ring) {
		kt_wrap_put(line, "  GP_BASE 0x%" PRIx64, s->ring);
	}
	if (call) {
		kt_wrap_put(line, "  in %s #%" PRIu64, call->name, call->number);
	}
	kt_wrap_end(line);
}

static void print_entry(void *printer, const struct kt_submission *s,
			const struct kt_submitted_entry *e)
{
	static const char *const opcodes[] = {
		[KT_GPFIFO_NOP] = "NOP",
		[KT_GPFIFO_ILLEGAL] = "ILLEGAL",
		[KT_GPFIFO_GP_CRC] = "GP_CRC",
		[KT_GPFIFO_PB_CRC] = "PB_CRC",
		[KT_GPFIFO_SET_EXTENDED_BASE] = "SET_EXTENDED_BASE",
	};
	struct kt_text_printer *p = printer;
	struct kt_wrap *line = &p->line;

	end_launches(p);
	end_values(p);
	p->repeating = false;
	if (p->brief && !kt_submitted_entry_is_incomplete(e)) {
		return;
	}
	line->indent = 5;
	if (e->words == 0 && e->unread[0]) {
		kt_wrap_put(line, "  ring from %" PRIu32 " on", e->index);
		kt_wrap_put(line, "  unread: %s", e->unread);
		kt_wrap_end(line);
		return;
	}
	kt_wrap_put(line, "  entry %" PRIu32, e->index);
	if (p->raw && s->ring) {
		kt_wrap_put(line, " at 0x%" PRIx64, kt_submitted_entry_at(s, e));
	}
	kt_wrap_put(line, ": 0x%016" PRIx64, e->raw);
	if (e->words > 0) {
		kt_wrap_put(line, "  0x%" PRIx64 "  %" PRIu32 " dwords", e->address,
			    e->words);
		kt_wrap_put(line, "  level %s",
			    e->entry.subroutine ? "subroutine" : "main");
		kt_wrap_put(line, "  sync %s", e->entry.wait ? "wait" : "proceed");
		if (e->entry.conditional) {
			kt_wrap_put(line, "  conditional");
		}
	} else {
		kt_wrap_put(line, "  %s 0x%" PRIx32,
			    e->entry.opcode < sizeof(opcodes) / sizeof(opcodes[0])
				    ? opcodes[e->entry.opcode]
				    : "unknown",
			    e->entry.operand);
	}
	if (e->found) {
		kt_wrap_put(line, "  doorbell unknown");
	}
	if (e->unread[0]) {
		kt_wrap_put(line, "  unread: %s", e->unread);
	} else if (e->captured < e->words) {
		kt_wrap_put(line, "  missing dwords: %" PRIu32, e->words - e->captured);
	}
	if (e->after_gap > 0) {
		kt_wrap_put(line, "  dwords after a gap: %" PRIu32, e->after_gap);
	}
	kt_wrap_end(line);
}

/* --- methods --- */

/* Prints the dwords of a launch's arguments. */
static void print_arguments(struct kt_text_printer *p, const struct kt_decoded *d)
{
	uint64_t address;
	size_t bytes;
	const uint32_t *words = kt_launch_arguments(d, &address, &bytes);

	if (!words) {
		return;
	}
	fprintf(p->out, "             arguments 0x%" PRIx64 ", %zu bytes:\n", address,
		bytes);
	for (size_t i = 0; 4 * i < bytes; i++) {
		if (i >= p->most_data) {
			p->left_out++;
			continue;
		}
		fputs(p->column == 0 ? "            " : "", p->out);
		fprintf(p->out, " %08" PRIx32, words[i]);
		p->column = (p->column + 1) % values_a_line(p);
		if (p->column == 0) {
			putc('\n', p->out);
		}
	}
	end_values(p);
}

/* Prints what the device schedules when the QMD of the command is complete. */
static void print_dependents(struct kt_wrap *line, const struct kt_command *c,
			     const struct kt_qmd_layout *layout)
{
	struct kt_qmd_dependent next;

	for (unsigned i = 0; i < KT_QMD_DEPENDENTS; i++) {
		if (kt_qmd_dependent(layout, c->qmd, c->qmd_bytes, i, &next)) {
			kt_wrap_put(line, "  then %s 0x%" PRIx64,
				    next.action ? next.action : "?", next.address);
		}
	}
}

static void print_launch(struct kt_text_printer *p, const struct kt_decoded *d,
			 const struct kt_kernel_note *note)
{
	const struct kt_command *c = &d->command;
	struct kt_wrap *line = &p->line;
	const struct kt_qmd_layout *layout =
		c->qmd ? kt_qmd_find(c->class_number, c->qmd, c->qmd_bytes) : NULL;
	struct kt_qmd_launch launch;
	struct kt_qmd_field f;

	if (!c->inlined) {
		kt_wrap_put(line, " qmd 0x%" PRIx64, c->address);
	}
	if (!layout) {
		kt_wrap_put(line, " %s",
			    c->qmd ? "of an unknown version"
				   : "contents not in these commands");
		kt_wrap_end(line);
		return;
	}
	kt_qmd_launch(layout, c->qmd, c->qmd_bytes, &launch);
	kt_wrap_put(line, " version %u.%u", kt_qmd_major(layout), kt_qmd_minor(layout));
	if (note && note->name) {
		kt_wrap_put(line, "  kernel %s", note->name);
	}
	if (c->kind == KT_COMMAND_EMPTY_GRID) {
		const char *type = kt_qmd_type(layout, c->qmd, c->qmd_bytes);

		kt_wrap_put(line, "%s%s", type ? "  " : "", type ? type : "");
		print_dependents(line, c, layout);
	} else {
		kt_wrap_put(line, "  grid %" PRIu32 "x%" PRIu32 "x%" PRIu32, launch.grid[0],
			    launch.grid[1], launch.grid[2]);
		kt_wrap_put(line, "  block %" PRIu32 "x%" PRIu32 "x%" PRIu32,
			    launch.block[0], launch.block[1], launch.block[2]);
		kt_wrap_put(line, "  program %s0x%" PRIx64,
			    launch.program_is_offset ? "+" : "", launch.program);
		kt_wrap_put(line, "  registers %" PRIu32, launch.registers);
		kt_wrap_put(line, "  shared %" PRIu32 " bytes", launch.shared_bytes);
	}
	kt_wrap_end(line);
	for (int i = 0; i < 8; i++) {
		if (launch.constants[i]) {
			fprintf(p->out,
				"             constants %d: 0x%" PRIx64 ", %" PRIu32
				" bytes\n",
				i, launch.constants[i], launch.constant_bytes[i]);
		}
	}
	for (int i = 0; i < 3; i++) {
		if (launch.release[i]) {
			fprintf(p->out,
				"             release 0x%" PRIx64 " payload 0x%" PRIx64
				"\n",
				launch.release[i], launch.release_payload[i]);
		}
	}
	if (p->qmd) {
		print_arguments(p, d);
	}
	for (size_t i = 0; p->qmd && kt_qmd_field(layout, i, &f); i++) {
		for (unsigned j = 0; j < f.count; j++) {
			uint64_t value = kt_qmd_get(layout, &f, j, c->qmd, c->qmd_bytes);
			const char *name = kt_qmd_value_name(layout, &f, value);

			if (value == 0) {
				continue;
			}
			fprintf(p->out, "             QMD %s", f.name);
			if (f.count > 1) {
				fprintf(p->out, "(%u)", j);
			}
			fprintf(p->out, " = 0x%" PRIx64 "%s%s\n", value, name ? " " : "",
				name ? name : "");
		}
	}
}

/*
 * Prints the rest of a copy's line: whether it uploads code, and the semaphore that it
 * releases.
 */
static void end_copy(struct kt_wrap *line, const struct kt_command *c,
		     const struct kt_kernel_note *note)
{
	if (note && note->code) {
		kt_wrap_put(line, ",");
		kt_wrap_put(line, " upload of code%s%s", note->name ? " of kernel " : "",
			    note->name ? note->name : "");
	}
	if (c->releases) {
		kt_wrap_put(line, ",");
		kt_wrap_put(line, " then release 0x%" PRIx64 " payload 0x%" PRIx64 "%s",
			    c->address, c->payload, c->timestamp ? " with timestamp" : "");
	}
	kt_wrap_end(line);
}

static void print_command(struct kt_text_printer *p, const struct kt_decoded *d,
			  const struct kt_kernel_note *note)
{
	const struct kt_command *c = &d->command;
	struct kt_wrap *line = &p->line;
	char buffer[16];

	if (c->kind == KT_COMMAND_NONE) {
		return;
	}
	if (p->brief && c->kind == KT_COMMAND_LAUNCH && !c->qmd && !c->inlined) {
		p->first_qmd = p->launches ? p->first_qmd : c->address;
		p->last_qmd = c->address;
		p->launches++;
		return;
	}
	end_launches(p);
	line->indent = 12;
	kt_wrap_put(line, "      => %s", kt_command_name(c->kind));
	switch (c->kind) {
	case KT_COMMAND_BIND:
		kt_wrap_put(line, " %s", kt_class_label(c->class_number, buffer));
		kt_wrap_end(line);
		break;
	case KT_COMMAND_COPY:
		kt_wrap_put(line, " 0x%" PRIx64 " -> 0x%" PRIx64 ", %" PRIu64 " bytes",
			    c->from, c->to, c->bytes);
		end_copy(line, c, note);
		break;
	case KT_COMMAND_INLINE:
		kt_wrap_put(line, " -> 0x%" PRIx64 ", %" PRIu64 " bytes", c->to, c->bytes);
		end_copy(line, c, note);
		break;
	case KT_COMMAND_RELEASE:
	case KT_COMMAND_ACQUIRE:
		kt_wrap_put(line, " 0x%" PRIx64 " payload 0x%" PRIx64 "%s", c->address,
			    c->payload, c->timestamp ? " with timestamp" : "");
		kt_wrap_end(line);
		break;
	case KT_COMMAND_LAUNCH:
	case KT_COMMAND_EMPTY_GRID: print_launch(p, d, note); break;
	default: kt_wrap_end(line); break;
	}
}

/* With --raw, prints the header at index `at`. */
static void print_header(void *printer, const struct kt_submission *s,
			 const struct kt_submitted_entry *e, size_t at)
{
	struct kt_text_printer *p = printer;
	struct kt_wrap *line = &p->line;
	const uint32_t word = e->dwords[at];
	struct kt_method_header h;
	uint16_t mask;

	(void)s;
	if (!p->raw) {
		return;
	}
	end_values(p);
	p->repeating = false;
	line->indent = 24;
	kt_method_header_decode(&h, word);
	kt_wrap_put(line, " %6zu: 0x%08" PRIx32, at, word);
	kt_wrap_put(line, "  PB HDR %s", kt_method_header_form(word));
	if (kt_method_header_mask(word, &mask)) {
		kt_wrap_put(line, " mask=0x%" PRIx16, mask);
	} else if (h.op != KT_METHOD_END) {
		kt_wrap_put(line,
			    h.op == KT_METHOD_IMMEDIATE ? " data=0x%" PRIx16
							: " count=%" PRIu16,
			    h.count);
		kt_wrap_put(line, " subch=%u addr_dw=0x%x (byte 0x%x)", h.subchannel,
			    h.offset / 4u, h.offset);
	}
	kt_wrap_end(line);
}

/*
 * Prints a value of a block. With --raw, a line begins with the index of its first value,
 * `at`.
 */
static void print_value(struct kt_text_printer *p, size_t at, uint32_t value)
{
	if (p->column == 0 && p->raw) {
		fprintf(p->out, " %6zu:    ", at);
	} else if (p->column == 0) {
		fputs("            ", p->out);
	}
	fprintf(p->out, " %08" PRIx32, value);
	p->column = (p->column + 1) % values_a_line(p);
	if (p->column == 0) {
		putc('\n', p->out);
	}
}

static void print_method(void *printer, const struct kt_submission *s,
			 const struct kt_submitted_entry *e, const struct kt_decoded *d,
			 const struct kt_kernel_note *note)
{
	struct kt_text_printer *p = printer;
	struct kt_wrap *line = &p->line;
	struct kt_method_field f;
	bool again;
	char label[96];
	char buffer[16];

	(void)s;
	if (p->brief) {
		print_command(p, d, note);
		return;
	}
	/* Print repeated writes to one method as a block of values. */
	again = p->repeating && p->subchannel == d->method.subchannel &&
		p->offset == d->method.offset;
	if (!again) {
		end_values(p);
	}
	if (d->inline_data && p->data++ >= p->most_data) {
		p->left_out++;
	} else if (again) {
		print_value(p, d->method.at, d->method.value);
	} else {
		line->indent = p->raw ? 24 : 7;
		if (p->raw && d->method.immediate) {
			kt_wrap_put(line, "%18s", ""); /* the header holds the value */
		} else if (p->raw) {
			kt_wrap_put(line, " %6zu: 0x%08" PRIx32, d->method.at,
				    e->dwords[d->method.at]);
		}
		kt_wrap_put(line, "%s%u %s 0x%04" PRIx16, p->raw ? "  " : "    ",
			    d->method.subchannel, kt_class_label(d->class_number, buffer),
			    d->method.offset);
		kt_wrap_put(line, " %s = 0x%" PRIx32, kt_method_label(d, label),
			    d->method.value);
		kt_wrap_end(line);
		for (size_t i = 0; d->named && kt_method_field(d->class_, &d->info, i, &f);
		     i++) {
			uint64_t mask = (UINT64_C(2) << (f.hi - f.lo)) - 1;
			uint32_t value = (uint32_t)(d->method.value >> f.lo & mask);
			const char *name = kt_method_value_name(d->class_, &f, value);

			if (f.hi - f.lo < 31 || name) {
				line->indent = 16;
				kt_wrap_put(line, "             %s = 0x%" PRIx32, f.name,
					    value);
				if (name) {
					kt_wrap_put(line, " %s", name);
				}
				kt_wrap_end(line);
			}
		}
	}
	p->repeating = !d->named || !kt_method_field(d->class_, &d->info, 0, &f) ||
		       f.hi - f.lo >= 31;
	p->subchannel = d->method.subchannel;
	p->offset = d->method.offset;
	if (d->command.kind != KT_COMMAND_NONE) {
		end_values(p);
		print_command(p, d, note);
	}
}

static void print_decoded(void *printer, const struct kt_submission *s,
			  const struct kt_submitted_entry *e,
			  const struct kt_decode_counts *counts)
{
	struct kt_text_printer *p = printer;

	(void)s;
	end_launches(p);
	end_values(p);
	for (size_t at = e->n_dwords - counts->bad; p->raw && at < e->n_dwords; at++) {
		print_value(p, at, e->dwords[at]);
	}
	end_values(p);
	if (counts->bad > 0) {
		fprintf(p->out, "    not decoded: %" PRIu64 " from an unknown header on\n",
			counts->bad);
	}
}

/* Prints a time in seconds, with nine decimals. */
static void print_seconds(FILE *out, const char *before, uint64_t ns)
{
	fprintf(out, "%s%" PRIu64 ".%09" PRIu64, before, ns / 1000000000, ns % 1000000000);
}

static void print_submission_end(void *printer, const struct kt_submission *s)
{
	struct kt_text_printer *p = printer;
	const struct kt_device_time time = kt_device_times_at(p->times, s->number);

	end_launches(p);
	end_values(p);
	p->repeating = false;
	fprintf(p->out,
		"  submitted: %" PRIu32 " %s, %" PRIu64 " dwords, %" PRIu64 " bytes\n",
		s->entries, s->entries == 1 ? "entry" : "entries", s->words, 4 * s->words);
	if (time.releases) {
		print_seconds(p->out, "  device: done at +", time.end);
		if (time.took_known) {
			print_seconds(p->out, ", took ", time.took);
		}
		putc('\n', p->out);
	}
}

static void print_end(void *printer, const struct kt_submission_totals *totals)
{
	struct kt_text_printer *p = printer;

	putc('\n', p->out);
	kt_print_totals(p->out, totals);
}

const struct kt_printer kt_print_text = {
	.trace = print_trace,
	.submission = print_submission,
	.entry = print_entry,
	.header = print_header,
	.method = print_method,
	.decoded = print_decoded,
	.submission_end = print_submission_end,
	.end = print_end,
};
