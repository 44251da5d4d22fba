/* SPDX-License-Identifier: MIT */
/* Checks launches: the QMD, what it names, and the QMDs that it schedules. */
#include <inttypes.h>

#include "base/array.h"
#include "decode/method-names.h"
#include "decode/qmd.h"
#include "raw/check/checker.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Adds a QMD to those that the launch schedules, unless it is among them. */
static void schedule(struct kt_raw_checker *c, uint64_t address)
{
	for (size_t i = 0; i < c->n_scheduled; i++) {
		if (c->scheduled[i] == address) {
			return;
		}
	}
	if (kt_array_reserve(&c->scheduled, &c->scheduled_capacity, c->n_scheduled + 1)) {
		c->no_memory = true;
		return;
	}
	c->scheduled[c->n_scheduled++] = address;
}

static bool has_class(const struct kt_qmd_layout *layout, uint32_t class_number)
{
	size_t i = 0;

	while (kt_qmd_class(layout, i) && kt_qmd_class(layout, i) != class_number) {
		i++;
	}
	return kt_qmd_class(layout, i) != 0;
}

/*
 * Checks what a QMD names. `of` is "the QMD" or "a dependent of the QMD"; `least` is the
 * length to check if the layout is unknown or shorter. Returns the length that was checked.
 */
static size_t check_qmd(struct kt_raw_checker *c, size_t line, uint32_t class_number,
			const char *of, uint64_t address, const uint32_t *words,
			size_t bytes, size_t least)
{
	const struct kt_qmd_layout *layout =
		bytes > 0 ? kt_qmd_find(class_number, words, bytes) : NULL;
	struct kt_qmd_launch launch;
	struct kt_qmd_dependent next;

	if (layout && least < kt_qmd_bytes(layout)) {
		least = kt_qmd_bytes(layout);
	}
	kt_raw_check_range(c, line, of, address, least);
	if (kt_array_reserve(&c->sent, &c->sent_capacity, c->n_sent + 1)) {
		c->no_memory = true;
	} else {
		c->sent[c->n_sent++] = (struct kt_raw_bytes){address, least};
	}
	if (!layout || bytes < kt_qmd_bytes(layout)) {
		kt_raw_complain(c, line,
				"the contents of %s at 0x%" PRIx64
				" are not in these commands: its addresses are not checked",
				of, address);
		return least;
	}
	if (!has_class(layout, class_number)) {
		kt_raw_complain(c, line,
				"%s at 0x%" PRIx64 " has version %u.%u, which %s does not "
				"have",
				of, address, kt_qmd_major(layout), kt_qmd_minor(layout),
				kt_raw_class_name(class_number));
		return least;
	}
	kt_qmd_launch(layout, words, bytes, &launch);
	if (launch.program && !launch.program_is_offset) {
		kt_raw_check_range(c, line, "the program of the QMD", launch.program, 16);
	}
	for (size_t i = 0; i < COUNT(launch.constants); i++) {
		if (launch.constants[i] || launch.constant_bytes[i]) {
			kt_raw_check_range(c, line, "a constant bank of the QMD",
					   launch.constants[i], launch.constant_bytes[i]);
		}
	}
	for (size_t i = 0; i < COUNT(launch.release); i++) {
		if (launch.release_bytes[i]) {
			kt_raw_check_range(c, line, "a semaphore of the QMD",
					   launch.release[i], launch.release_bytes[i]);
			kt_channel_decoder_forget(c->decoder, launch.release[i],
						  launch.release_bytes[i]);
		}
	}
	for (unsigned i = 0; i < KT_QMD_DEPENDENTS; i++) {
		if (kt_qmd_dependent(layout, words, bytes, i, &next)) {
			schedule(c, next.address);
		}
	}
	return least;
}

void kt_raw_check_launch(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d)
{
	static const uint16_t inlined[] = {KT_CBC0_SET_INLINE_QMD_ADDRESS_A,
					   KT_CBC0_SET_INLINE_QMD_ADDRESS_B};
	static const uint16_t sent[] = {KT_CBC0_SEND_PCAS_A};
	const struct kt_command *command = &d->command;
	uint32_t words[KT_QMD_MOST_WORDS];
	size_t least;

	if (command->inlined) {
		uint16_t data[KT_QMD_MOST_WORDS];

		for (size_t i = 0; i < command->qmd_bytes / 4; i++) {
			data[i] = (uint16_t)(KT_CBC0_LOAD_INLINE_QMD_DATA + 4 * i);
		}
		kt_raw_check_written(c, line, d, inlined, COUNT(inlined));
		kt_raw_check_written(c, line, d, data, command->qmd_bytes / 4);
	} else {
		kt_raw_check_written(c, line, d, sent, COUNT(sent));
	}
	c->n_scheduled = 0;
	schedule(c, command->address);
	/* The engine stores all of an inline QMD, even what its layout does not have. */
	least = check_qmd(c, line, command->class_number, "the QMD", command->address,
			  command->qmd, command->qmd_bytes,
			  command->inlined ? command->qmd_bytes : 256);
	for (size_t i = 1; i < c->n_scheduled; i++) {
		const size_t n =
			kt_channel_decoder_memory(c->decoder, c->scheduled[i], words);

		check_qmd(c, line, command->class_number, "a dependent of the QMD",
			  c->scheduled[i], words, 4 * n, least);
	}
}
