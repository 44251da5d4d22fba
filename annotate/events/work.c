/* SPDX-License-Identifier: MIT */
#include "annotate/events/work.h"

#include <string.h>

#include <ktail/status.h>

#include "decode/qmd.h"

static void add_release(struct kt_work *work, const struct kt_work_release *release)
{
	work->all_releases++;
	if (work->n_releases < KT_WORK_RELEASES) {
		work->releases[work->n_releases++] = *release;
	}
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
