/* SPDX-License-Identifier: MIT */
#include "annotate/events/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/names.h"
#include "decode/qmd.h"

static void add_release(struct kt_work *work, const struct kt_work_release *release)
{
	work->all_releases++;
	if (work->n_releases < KT_WORK_RELEASES) {
		work->releases[work->n_releases++] = *release;
	}
}

static void add_command(struct kt_work *work, const struct kt_command *command)
{
	const uint32_t class_number =
		command->kind == KT_COMMAND_BIND ? command->class_number : 0;

	for (size_t i = 0; i < work->n_commands; i++) {
		struct kt_work_command *known = &work->commands[i];

		if (known->kind == command->kind && known->class_number == class_number) {
			known->n++;
			return;
		}
	}
	if (work->n_commands == KT_WORK_COMMANDS) {
		work->other_commands++;
		return;
	}
	work->commands[work->n_commands++] =
		(struct kt_work_command){command->kind, class_number, 1};
}

int kt_work_add(struct kt_work *work, const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	const struct kt_submitted *submitted = &work->submitted;
	const struct kt_qmd_layout *layout =
		(command->kind == KT_COMMAND_LAUNCH ||
		 command->kind == KT_COMMAND_EMPTY_GRID) &&
				command->qmd
			? kt_qmd_find(command->class_number, command->qmd,
				      command->qmd_bytes)
			: NULL;
	struct kt_qmd_launch launch;
	int code = kt_submitted_add(&work->submitted, decoded);

	work->methods++;
	if (command->kind != KT_COMMAND_NONE) {
		add_command(work, command);
	}
	if (command->kind == KT_COMMAND_COPY) {
		bool fills = command->from == 0;

		work->direct_copies++;
		work->direct_bytes += command->bytes;
		work->fills += fills;
		work->fill_bytes += fills ? command->bytes : 0;
		if (work->n_copies < KT_WORK_COPIES) {
			work->copies[work->n_copies++] = (struct kt_work_copy){
				command->from, command->to, command->bytes};
		}
	} else if (layout) {
		/* Add the semaphores that the launch's QMD releases. */
		kt_qmd_launch(layout, command->qmd, command->qmd_bytes, &launch);
		for (size_t i = 0; i < sizeof(launch.release) / sizeof(launch.release[0]);
		     i++) {
			if (launch.release[i]) {
				add_release(work,
					    &(struct kt_work_release){
						    .address = launch.release[i],
						    .payload = launch.release_payload[i],
						    .kind = KT_COMMAND_LAUNCH});
			}
		}
	}
	if (command->releases) {
		add_release(work,
			    &(struct kt_work_release){.address = command->address,
						      .payload = command->payload,
						      .kind = command->kind,
						      .timestamp = command->timestamp});
	}
	/*
	 * Recompute these counts after each method, because a launch turns inline copies
	 * that were already counted into writes of its own.
	 */
	work->inline_copies = submitted->commands[KT_COMMAND_INLINE];
	work->inline_bytes = submitted->bytes - work->direct_bytes;
	work->launches = submitted->commands[KT_COMMAND_LAUNCH];
	work->empty_grids = submitted->commands[KT_COMMAND_EMPTY_GRID];
	work->acquires = submitted->commands[KT_COMMAND_ACQUIRE];
	work->waits_for_idle = submitted->commands[KT_COMMAND_WAIT_FOR_IDLE];
	return code;
}

const char *kt_work_name(const struct kt_work *work, char buffer[static KT_SUBMITTED_NAME])
{
	return kt_submitted_name(&work->submitted, buffer);
}

const char *kt_work_list(const struct kt_work *work, char buffer[static KT_WORK_LIST])
{
	size_t n = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < work->n_commands && n < KT_WORK_LIST; i++) {
		const struct kt_work_command *command = &work->commands[i];
		const bool binds = command->kind == KT_COMMAND_BIND;
		char number[16];
		char times[24] = "";

		if (command->n > 1) {
			snprintf(times, sizeof(times), " ×%" PRIu64, command->n);
		}
		n += (size_t)snprintf(
			buffer + n, KT_WORK_LIST - n, "%s%s%s%s%s", i ? ", " : "",
			kt_command_name(command->kind), binds ? " " : "",
			binds ? kt_class_label(command->class_number, number) : "", times);
	}
	if (work->other_commands && n < KT_WORK_LIST) {
		snprintf(buffer + n, KT_WORK_LIST - n, ", and %" PRIu64 " more",
			 work->other_commands);
	}
	return buffer;
}

void kt_work_clear(struct kt_work *work)
{
	struct kt_submitted submitted = work->submitted;

	kt_submitted_clear(&submitted);
	memset(work, 0, sizeof(*work));
	work->submitted = submitted;
}

void kt_work_free(struct kt_work *work)
{
	kt_submitted_free(&work->submitted);
}
