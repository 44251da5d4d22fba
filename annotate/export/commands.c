/* SPDX-License-Identifier: MIT */
#include "annotate/export/commands.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

static int on_method(void *context, const struct kt_moment *moment,
		     const struct kt_submission *submission,
		     const struct kt_submitted_entry *entry,
		     const struct kt_decoded *decoded)
{
	struct kt_command_rows *c = context;
	const struct kt_command *command = &decoded->command;

	(void)moment;
	if (command->kind == KT_COMMAND_NONE) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->open, &c->open_capacity, c->n_open + 1));
	c->open[c->n_open++] =
		(struct kt_command_row){.instance = submission->instance,
					.found = entry->found,
					.kind = command->kind,
					.class_number = command->class_number,
					.bytes = command->bytes};
	return KT_OK;
}

/*
 * kt_requests_visitor runs before this visitor and has just added the request of this
 * submission.
 */
static int on_submission(void *context, const struct kt_moment *moment,
			 const struct kt_submission *submission, const struct kt_work *work)
{
	struct kt_command_rows *c = context;
	size_t n_open = 0;

	(void)moment;
	KT_TRY(kt_array_reserve(&c->rows, &c->capacity, c->n + c->n_open));
	for (size_t i = 0; i < c->n_open; i++) {
		struct kt_command_row row = c->open[i];

		if (row.instance == submission->instance && row.found == work->found) {
			row.request = c->requests->n - 1;
			c->rows[c->n++] = row;
		} else {
			c->open[n_open++] = row;
		}
	}
	c->n_open = n_open;
	return KT_OK;
}

/* Forgets the commands of submissions that have not ended when the trace ends. */
static int on_end(void *context)
{
	struct kt_command_rows *c = context;

	c->n_open = 0;
	return KT_OK;
}

const struct kt_activity_visitor kt_command_rows_visitor = {
	.end = on_end,
	.method = on_method,
	.submission = on_submission,
};

void kt_command_rows_free(struct kt_command_rows *commands)
{
	free(commands->rows);
	free(commands->open);
	*commands = (struct kt_command_rows){.n = 0};
}
