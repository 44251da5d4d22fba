/* SPDX-License-Identifier: MIT */
#include "raw/check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/gpfifo.h"
#include "decode/qmd.h"
#include "raw/check/privileges.h"

struct checker {
	const struct kt_raw_script *script; /* Weak, as the next two */
	const struct kt_raw_target *target;
	const struct kt_raw_entry *entry;
	struct kt_channel_decoder *decoder; /* Owned by this */
	kt_raw_complain_fn *complain;
	void *context;
	size_t problems;
	/* Registers of a copy that its command does not tell. */
	int64_t pitch_in;
	int64_t pitch_out;
};

__attribute__((format(printf, 3, 4))) static void complain(struct checker *c, size_t line,
							   const char *format, ...)
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

static const char *class_name(uint32_t number)
{
	const struct kt_class *class_ = number ? kt_class_find(number) : NULL;

	return class_ ? class_->name : number ? "an unknown class" : "no class";
}

/* --- addresses --- */

/* Complains unless the bytes lie in one buffer. */
static void check_range(struct checker *c, size_t line, const char *what, uint64_t address,
			uint64_t bytes)
{
	for (size_t i = 0; i < c->script->n_buffers; i++) {
		const uint64_t begin = c->target->addresses[i];
		const uint64_t size = c->script->buffers[i].bytes;

		if (address >= begin && address - begin <= size &&
		    bytes <= size - (address - begin)) {
			return;
		}
	}
	complain(c, line, "%s, %" PRIu64 " bytes at 0x%" PRIx64 ", is not in one buffer",
		 what, bytes, address);
}

/* Checks the lines of a copy, which lie `pitch` bytes apart. */
static void check_lines(struct checker *c, size_t line, const char *what, uint64_t address,
			const struct kt_command *command, int64_t pitch)
{
	const uint64_t lines = command->lines ? command->lines : 1;
	const uint64_t length = command->bytes / lines;

	if (lines > 1 && (pitch < 0 || (uint64_t)pitch > UINT32_MAX)) {
		complain(c, line, "%s has lines in descending order, which is not checked",
			 what);
		return;
	}
	check_range(c, line, what, address, (lines - 1) * (uint64_t)pitch + length);
}

static void check_copy(struct checker *c, size_t line, const struct kt_decoded *d)
{
	const struct kt_command *command = &d->command;
	static const char *const layouts[] = {"SRC_MEMORY_LAYOUT", "DST_MEMORY_LAYOUT"};

	for (size_t i = 0; i < 2; i++) {
		const char *layout = kt_raw_value_of(d, layouts[i]);

		if (layout && strcmp(layout, "PITCH") != 0) {
			complain(c, line, "%s is not PITCH: the extent is not checked",
				 layouts[i]);
			return;
		}
	}
	if (command->from) {
		check_lines(c, line, "the source of the copy", command->from, command,
			    c->pitch_in);
	}
	check_lines(c, line, "the destination of the copy", command->to, command,
		    c->pitch_out);
}

static void check_launch(struct checker *c, size_t line, const struct kt_command *command)
{
	const struct kt_qmd_layout *layout =
		command->qmd ? kt_qmd_find(command->class_number, command->qmd,
					   command->qmd_bytes)
			     : NULL;
	struct kt_qmd_launch launch;
	struct kt_qmd_dependent next;

	if (!command->inlined) {
		check_range(c, line, "the QMD", command->address,
			    layout ? kt_qmd_bytes(layout) : 256);
	}
	if (!layout) {
		complain(c, line,
			 "the contents of the QMD are not in these commands: its addresses "
			 "are not checked");
		return;
	}
	kt_qmd_launch(layout, command->qmd, command->qmd_bytes, &launch);
	if (launch.program && !launch.program_is_offset) {
		check_range(c, line, "the program of the QMD", launch.program, 16);
	}
	for (size_t i = 0; i < 8; i++) {
		if (launch.constants[i]) {
			check_range(c, line, "a constant bank of the QMD",
				    launch.constants[i], launch.constant_bytes[i]);
		}
	}
	for (size_t i = 0; i < 3; i++) {
		if (launch.release[i]) {
			check_range(c, line, "a semaphore of the QMD", launch.release[i],
				    4);
		}
	}
	for (unsigned i = 0; i < KT_QMD_DEPENDENTS; i++) {
		if (kt_qmd_dependent(layout, command->qmd, command->qmd_bytes, i, &next)) {
			check_range(c, line, "a dependent of the QMD", next.address, 256);
		}
	}
}

static void check_command(struct checker *c, size_t line, const struct kt_decoded *d)
{
	const struct kt_command *command = &d->command;

	switch (command->kind) {
	case KT_COMMAND_COPY: check_copy(c, line, d); break;
	case KT_COMMAND_INLINE:
		check_range(c, line, "the destination of the inline data", command->to,
			    command->bytes);
		break;
	case KT_COMMAND_LAUNCH:
	case KT_COMMAND_EMPTY_GRID: check_launch(c, line, command); break;
	case KT_COMMAND_RELEASE:
	case KT_COMMAND_ACQUIRE:
		check_range(c, line, "the semaphore", command->address,
			    command->timestamp ? 16 : 4);
		return;
	default: break;
	}
	if (command->releases) {
		check_range(c, line, "the semaphore", command->address,
			    command->timestamp ? 16 : 4);
	}
}

/* --- methods --- */

static void check_bind(struct checker *c, size_t line, const struct kt_command *command)
{
	for (size_t i = 0; i < c->target->n_engines; i++) {
		if (c->target->engines[i] == command->class_number) {
			return;
		}
	}
	complain(c, line,
		 "SET_OBJECT binds %s (0x%" PRIx32 "), of which the channel has no object",
		 class_name(command->class_number), command->class_number);
}

static void check_method(void *context, const struct kt_decoded *d)
{
	struct checker *c = context;
	const struct kt_raw_origin *origin =
		&c->script->origins[c->entry->first_word + d->method.at];
	const char *refused = kt_raw_refused(d);
	const char *name = d->named ? d->info.name : "";

	if (origin->class_number && origin->class_number != d->class_number) {
		complain(c, origin->line, "subchannel %u has %s bound, not %s",
			 d->method.subchannel, class_name(d->class_number),
			 class_name(origin->class_number));
		return;
	}
	if (refused) {
		complain(c, origin->line, "%s 0x%04x%s%s %s", class_name(d->class_number),
			 d->method.offset, d->named ? " " : "", name, refused);
		return;
	}
	if (strcmp(name, "PITCH_IN") == 0) {
		c->pitch_in = (int32_t)d->method.value;
	} else if (strcmp(name, "PITCH_OUT") == 0) {
		c->pitch_out = (int32_t)d->method.value;
	}
	if (d->command.kind == KT_COMMAND_BIND) {
		check_bind(c, origin->line, &d->command);
	} else {
		check_command(c, origin->line, d);
	}
}

/* --- entries --- */

/* Follows the headers of an entry; its data may go on in the next one. */
static void check_headers(struct checker *c, struct kt_method_stream *stream, bool last)
{
	const struct kt_raw_script *s = c->script;
	const struct kt_raw_entry *e = c->entry;
	enum kt_method_status status;
	struct kt_method m;
	uint32_t line;

	kt_method_stream_continue(stream, s->words + e->first_word, e->n_words);
	while ((status = kt_method_next(stream, &m)) == KT_METHOD_GIVEN) {
	}
	line = s->origins[e->first_word +
			  (stream->at < e->n_words ? stream->at : e->n_words - 1)]
		       .line;
	if (status == KT_METHOD_BAD) {
		complain(c, line, "this dword is not a header");
	} else if (status == KT_METHOD_NO_MORE && stream->at + 1 < e->n_words) {
		complain(c, line, "dwords after the end of the segment");
	} else if (status == KT_METHOD_CUT && last) {
		complain(c, line, "%" PRIu32 " more %s to come of the last header",
			 stream->left, stream->left == 1 ? "dword" : "dwords");
	}
}

static void check_submission(struct checker *c, const struct kt_raw_step *step)
{
	const struct kt_raw_script *s = c->script;
	struct kt_method_stream stream;
	size_t words = 0;

	kt_method_stream_start(&stream, NULL, 0);
	for (size_t i = step->first; i < step->first + step->n; i++) {
		c->entry = &s->entries[i];
		if (c->entry->n_words == 0) {
			struct kt_gpfifo_entry e;

			kt_gpfifo_decode(&e, c->entry->raw);
			if (e.opcode != KT_GPFIFO_NOP) {
				complain(c, c->entry->line,
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
	if (step->n > c->target->ring_entries || words > c->target->segment_words) {
		complain(c, step->line,
			 "one submission can have %zu entries and %zu dwords, this one has "
			 "%zu and %zu",
			 c->target->ring_entries, c->target->segment_words, step->n, words);
	}
}

int kt_raw_check(const struct kt_raw_script *script, const struct kt_raw_target *target,
		 kt_raw_complain_fn *complain_fn, void *context, size_t *problems)
{
	struct checker c = {.script = script,
			    .target = target,
			    .complain = complain_fn,
			    .context = context};

	if (kt_channel_decoder_new(&c.decoder, target->channel_class)) {
		return kt_no_memory("check script");
	}
	for (size_t i = 0; i < target->n_engines; i++) {
		kt_channel_decoder_allow(c.decoder, target->engines[i]);
	}
	for (size_t i = 0; i < script->n_steps; i++) {
		if (script->steps[i].kind == KT_RAW_SUBMIT) {
			check_submission(&c, &script->steps[i]);
		}
	}
	kt_channel_decoder_free(c.decoder);
	*problems = c.problems;
	return KT_OK;
}
