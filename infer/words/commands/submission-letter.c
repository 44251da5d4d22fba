/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/submission-letter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/qmd.h"

void kt_submitted_clear(struct kt_submitted *s)
{
	struct kt_waiting_write *writes = s->writes;
	size_t capacity = s->capacity;

	memset(s, 0, sizeof(*s));
	s->writes = writes;
	s->capacity = capacity;
}

void kt_submitted_free(struct kt_submitted *s)
{
	free(s->writes);
	memset(s, 0, sizeof(*s));
}

static bool is_within(const struct kt_waiting_write *write, uint64_t address,
		      uint64_t bytes)
{
	return write->bytes <= bytes && write->to >= address &&
	       write->to - address <= bytes - write->bytes;
}

/*
 * Moves the waiting inline copies that belong to the launch from commands[] to own_writes.
 */
static void add_launch(struct kt_submitted *s, const struct kt_command *command)
{
	const struct kt_qmd_layout *layout =
		command->qmd ? kt_qmd_find(command->class_number, command->qmd,
					   command->qmd_bytes)
			     : NULL;
	struct kt_qmd_launch launch = {.program = 0};
	const uint64_t longest = 384;
	uint64_t bytes = layout ? kt_qmd_bytes(layout) : longest;
	size_t kept = 0;

	if (layout) {
		kt_qmd_launch(layout, command->qmd, command->qmd_bytes, &launch);
	}
	for (size_t i = 0; i < s->n_writes; i++) {
		const struct kt_waiting_write *write = &s->writes[i];

		if (is_within(write, command->address, bytes) ||
		    (launch.constants[0] &&
		     is_within(write, launch.constants[0], launch.constant_bytes[0]))) {
			s->own_writes++;
			s->commands[KT_COMMAND_INLINE]--;
			s->bytes -= write->bytes;
		} else {
			s->writes[kept++] = *write;
		}
	}
	if (kept < s->n_writes) {
		s->next_write = 0;
	}
	s->n_writes = kept;
}

int kt_submitted_add(struct kt_submitted *s, const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	const struct kt_waiting_write write = {command->to, command->bytes};

	s->commands[command->kind]++;
	if (!decoded->class_) {
		/* Inserts the class number, if it is new, in ascending order. */
		uint32_t number = decoded->class_number;
		size_t i = 0;

		while (i < s->n_unknown && s->unknown[i] < number) {
			i++;
		}
		if (i < KT_UNKNOWN_CLASSES &&
		    (i == s->n_unknown || s->unknown[i] != number)) {
			s->n_unknown += s->n_unknown < KT_UNKNOWN_CLASSES;
			memmove(&s->unknown[i + 1], &s->unknown[i],
				(s->n_unknown - i - 1) * sizeof(s->unknown[0]));
			s->unknown[i] = number;
		}
	}
	switch (command->kind) {
	case KT_COMMAND_INLINE:
		s->bytes += command->bytes;
		if (s->n_writes == KT_INLINE_WAITING) {
			s->writes[s->next_write++ % KT_INLINE_WAITING] = write;
			break;
		}
		KT_TRY(kt_array_reserve(&s->writes, &s->capacity, s->n_writes + 1));
		s->writes[s->n_writes++] = write;
		break;
	case KT_COMMAND_COPY: s->bytes += command->bytes; break;
	case KT_COMMAND_LAUNCH:
	case KT_COMMAND_EMPTY_GRID: add_launch(s, command); break;
	default: break;
	}
	return KT_OK;
}

/* A letter name under construction. */
struct name {
	char *text;
	size_t length;
};

static void add_part(struct name *name, const char *part)
{
	size_t space = KT_SUBMITTED_NAME - name->length;
	int n = snprintf(name->text + name->length, space, "%s%s", name->length ? "+" : "",
			 part);

	name->length += n > 0 && (size_t)n < space ? (size_t)n : 0;
}

const char *kt_submitted_name(const struct kt_submitted *s,
			      char buffer[static KT_SUBMITTED_NAME])
{
	static const enum kt_command_kind work[] = {KT_COMMAND_INLINE, KT_COMMAND_COPY,
						    KT_COMMAND_LAUNCH, KT_COMMAND_CLEAR,
						    KT_COMMAND_DRAW};
	struct name name = {.text = buffer};
	bool works = false;

	if (s->commands[KT_COMMAND_ACQUIRE]) {
		add_part(&name, kt_command_name(KT_COMMAND_ACQUIRE));
	}
	for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
		/*
		 * To launch a CUDA graph again, an empty grid alone suffices: it counts as
		 * a launch.
		 */
		if (s->commands[work[i]] ||
		    (work[i] == KT_COMMAND_LAUNCH && s->commands[KT_COMMAND_EMPTY_GRID])) {
			add_part(&name, kt_command_name(work[i]));
			works = true;
		}
	}
	if (s->commands[KT_COMMAND_RELEASE] && !works) {
		add_part(&name, kt_command_name(KT_COMMAND_RELEASE));
	}
	for (size_t i = 0; i < s->n_unknown; i++) {
		char number[16];

		snprintf(number, sizeof(number), "0x%" PRIx32, s->unknown[i]);
		add_part(&name, number);
	}
	if (s->unread) {
		add_part(&name, "unread");
	} else if (name.length == 0) {
		add_part(&name, "setup");
	}
	return buffer;
}
