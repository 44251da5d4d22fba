/* SPDX-License-Identifier: MIT */
#include "raw/check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/gpfifo.h"
#include "raw/check/checker.h"
#include "raw/check/privileges.h"

#define HOST_END 0x100 /* methods below this byte offset are the host's */

void kt_raw_complain(struct kt_raw_checker *c, size_t line, const char *format, ...)
{
	char reason[400];
	char message[600];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	snprintf(message, sizeof(message), "%s:%zu: %s", c->script->file, line, reason);
	c->problems++;
	c->complain(c->context, message);
}

const char *kt_raw_class_name(uint32_t number)
{
	const struct kt_class *class_ = number ? kt_class_find(number) : NULL;

	return class_ ? class_->name : number ? "an unknown class" : "no class";
}

/* --- addresses and registers --- */

void kt_raw_check_range(struct kt_raw_checker *c, size_t line, const char *what,
			uint64_t address, uint64_t bytes)
{
	for (size_t i = 0; i < c->script->n_buffers; i++) {
		const uint64_t begin = c->target->addresses[i];
		const uint64_t size = c->script->buffers[i].bytes;

		if (address >= begin && address - begin <= size &&
		    bytes <= size - (address - begin)) {
			return;
		}
	}
	kt_raw_complain(c, line,
			"%s, %" PRIu64 " bytes at 0x%" PRIx64 ", is not in one buffer",
			what, bytes, address);
}

static const struct kt_raw_registers *registers_of(const struct kt_raw_checker *c,
						   const struct kt_decoded *d)
{
	return d->method.offset < HOST_END ? &c->host : &c->engines[d->method.subchannel];
}

uint32_t kt_raw_register(const struct kt_raw_checker *c, const struct kt_decoded *d,
			 uint16_t offset)
{
	return registers_of(c, d)->values[offset / 4];
}

void kt_raw_check_written(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d,
			  const uint16_t *offsets, size_t n)
{
	struct kt_method_info info;

	for (size_t i = 0; i < n; i++) {
		if (!registers_of(c, d)->written[offsets[i] / 4] &&
		    kt_method_find(d->class_, offsets[i], &info)) {
			kt_raw_complain(c, line,
					"%s needs %s, which the script does not write",
					d->info.name, info.name);
			return;
		}
	}
}

static void write_register(struct kt_raw_checker *c, const struct kt_method *method)
{
	struct kt_raw_registers *registers =
		method->offset < HOST_END ? &c->host : &c->engines[method->subchannel];

	registers->values[method->offset / 4] = method->value;
	registers->written[method->offset / 4] = true;
}

/* --- methods --- */

static void check_bind(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d)
{
	const uint32_t class_number = d->command.class_number;

	c->engines[d->method.subchannel] = (struct kt_raw_registers){0};
	if (d->method.value != class_number) {
		kt_raw_complain(c, line, "SET_OBJECT = 0x%" PRIx32 " has more than a class",
				d->method.value);
		return;
	}
	for (size_t i = 0; i < c->target->n_engines; i++) {
		if (c->target->engines[i] == class_number) {
			return;
		}
	}
	kt_raw_complain(c, line,
			"SET_OBJECT binds %s (0x%" PRIx32
			"), of which the channel has no object",
			kt_raw_class_name(class_number), class_number);
}

static void check_command(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d)
{
	const struct kt_command *command = &d->command;

	if (d->method.offset >= HOST_END && strcmp(d->info.name, "LAUNCH_DMA") == 0) {
		if ((d->class_number & 0xff) == 0xb5) {
			kt_raw_check_data(c, line, d);
			kt_raw_check_copy(c, line, d);
		} else {
			kt_raw_check_upload(c, line, d);
		}
	} else {
		kt_raw_check_data(c, line, d);
	}
	switch (command->kind) {
	case KT_COMMAND_BIND: check_bind(c, line, d); break;
	case KT_COMMAND_LAUNCH:
	case KT_COMMAND_EMPTY_GRID: kt_raw_check_launch(c, line, d); break;
	default: break;
	}
	if (command->releases || command->kind == KT_COMMAND_ACQUIRE) {
		kt_raw_check_semaphore(c, line, d);
	}
}

static void check_method(void *context, const struct kt_decoded *d)
{
	struct kt_raw_checker *c = context;
	const struct kt_raw_origin *origin =
		&c->script->origins[c->entry->first_word + d->method.at];
	const char *refused = kt_raw_refused(d);
	const char *name = d->named ? d->info.name : "";

	if (origin->class_number && origin->class_number != d->class_number) {
		kt_raw_complain(c, origin->line, "subchannel %u has %s bound, not %s",
				d->method.subchannel, kt_raw_class_name(d->class_number),
				kt_raw_class_name(origin->class_number));
		return;
	}
	if (refused) {
		kt_raw_complain(c, origin->line, "%s 0x%04x%s%s %s",
				kt_raw_class_name(d->class_number), d->method.offset,
				d->named ? " " : "", name, refused);
		return;
	}
	write_register(c, &d->method);
	check_command(c, origin->line, d);
}

/* --- entries --- */

/*
 * Checks the headers up to the next method. A mask of subdevices can make the device ignore
 * methods, and bits without a name can do anything.
 */
static void check_next_headers(struct kt_raw_checker *c,
			       const struct kt_method_stream *stream)
{
	const struct kt_raw_origin *origins = c->script->origins + c->entry->first_word;
	struct kt_method_header header;
	uint16_t mask;

	for (size_t at = stream->at; at < stream->n; at++) {
		const uint32_t word = stream->words[at];

		kt_method_header_decode(&header, word);
		if (kt_method_header_mask(word, &mask)) {
			kt_raw_complain(c, origins[at].line,
					"%s makes devices ignore methods, which is not "
					"checked",
					kt_method_header_form(word));
			continue;
		}
		if (header.op == KT_METHOD_END || header.op == KT_METHOD_RESERVED) {
			return;
		}
		if (kt_method_header_encode(&header) != word) {
			kt_raw_complain(c, origins[at].line,
					"this header has bits that have no name");
		}
		if (header.count > 0 || header.op == KT_METHOD_IMMEDIATE) {
			return;
		}
	}
}

/* Follows the headers of an entry; its data may go on in the next one. */
static void check_headers(struct kt_raw_checker *c, struct kt_method_stream *stream,
			  bool last)
{
	const struct kt_raw_script *s = c->script;
	const struct kt_raw_entry *e = c->entry;
	enum kt_method_status status;
	struct kt_method m;
	uint32_t line;

	kt_method_stream_continue(stream, s->words + e->first_word, e->n_words);
	do {
		if (stream->left == 0) {
			check_next_headers(c, stream);
		}
		status = kt_method_next(stream, &m);
	} while (status == KT_METHOD_GIVEN);
	line = s->origins[e->first_word +
			  (stream->at < e->n_words ? stream->at : e->n_words - 1)]
		       .line;
	if (status == KT_METHOD_BAD) {
		kt_raw_complain(c, line, "this dword is not a header");
	} else if (status == KT_METHOD_NO_MORE && stream->at + 1 < e->n_words) {
		kt_raw_complain(c, line, "dwords after the end of the segment");
	} else if (status == KT_METHOD_CUT && last) {
		kt_raw_complain(c, line, "%" PRIu32 " more %s to come of the last header",
				stream->left, stream->left == 1 ? "dword" : "dwords");
	}
}

static void check_submission(struct kt_raw_checker *c, const struct kt_raw_step *step)
{
	const struct kt_raw_script *s = c->script;
	struct kt_method_stream stream;
	size_t words = 0;

	kt_method_stream_start(&stream, NULL, 0);
	for (size_t i = step->first; i < step->first + step->n; i++) {
		struct kt_gpfifo_entry e;
		uint32_t raw[2];

		c->entry = &s->entries[i];
		kt_gpfifo_decode(&e, c->entry->raw);
		kt_gpfifo_encode(raw, &e);
		if (e.conditional) {
			kt_raw_complain(
				c, c->entry->line,
				"whether a conditional entry is read is not checked");
		}
		if (raw[0] != c->entry->raw[0] || raw[1] != c->entry->raw[1]) {
			kt_raw_complain(c, c->entry->line,
					"this entry has bits that have no name");
		}
		if (c->entry->n_words == 0) {
			if (e.opcode != KT_GPFIFO_NOP) {
				kt_raw_complain(
					c, c->entry->line,
					"a control entry other than NOP changes where "
					"segments are read, or is an error");
			}
			continue;
		}
		words += c->entry->n_words;
		check_headers(c, &stream, i + 1 == step->first + step->n);
		kt_channel_decode(c->decoder, s->words + c->entry->first_word,
				  c->entry->n_words, check_method, c);
	}
	kt_raw_check_upload_end(c, c->upload.line);
	if (step->n > c->target->ring_entries || words > c->target->segment_words) {
		kt_raw_complain(
			c, step->line,
			"one submission can have %zu entries and %zu dwords, this one has "
			"%zu and %zu",
			c->target->ring_entries, c->target->segment_words, step->n, words);
	}
}

/* The processor writes while submissions before may still run. */
static void check_write(struct kt_raw_checker *c, const struct kt_raw_step *step,
			uint64_t bytes)
{
	const uint64_t address = c->target->addresses[step->at.buffer] + step->at.offset;

	for (size_t i = 0; i < c->n_sent; i++) {
		const struct kt_raw_bytes *sent = &c->sent[i];

		if (address < sent->address ? sent->address - address < bytes
					    : address - sent->address < sent->bytes) {
			kt_raw_complain(c, step->line,
					"this overwrites a QMD that may not have run yet; "
					"wait before it");
			break;
		}
	}
	kt_channel_decoder_forget(c->decoder, address, bytes);
}

int kt_raw_check(const struct kt_raw_script *script, const struct kt_raw_target *target,
		 kt_raw_complain_fn *complain_fn, void *context, size_t *problems)
{
	struct kt_raw_checker *c = calloc(1, sizeof(*c));
	int code = KT_OK;

	if (!c) {
		return kt_no_memory("check script");
	}
	c->script = script;
	c->target = target;
	c->complain = complain_fn;
	c->context = context;
	if (kt_channel_decoder_new(&c->decoder, target->channel_class)) {
		free(c);
		return kt_no_memory("check script");
	}
	for (size_t i = 0; i < target->n_engines; i++) {
		kt_channel_decoder_allow(c->decoder, target->engines[i]);
	}
	for (size_t i = 0; i < script->n_steps; i++) {
		const struct kt_raw_step *step = &script->steps[i];

		switch (step->kind) {
		case KT_RAW_SUBMIT: check_submission(c, step); break;
		case KT_RAW_WAIT: c->n_sent = 0; break;
		case KT_RAW_SET: check_write(c, step, 4 * step->n); break;
		case KT_RAW_FILL: check_write(c, step, step->bytes); break;
		default: break;
		}
	}
	if (c->no_memory) {
		code = kt_no_memory("check script");
	}
	*problems = c->problems;
	kt_channel_decoder_free(c->decoder);
	free(c->scheduled);
	free(c->sent);
	free(c);
	return code;
}
