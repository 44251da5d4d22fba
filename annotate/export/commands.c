/* SPDX-License-Identifier: MIT */
#include "annotate/export/commands.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * The request of a command is not known yet, because a request is reported after its
 * commands.
 */
#define OPEN SIZE_MAX

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
	KT_TRY(kt_array_reserve(&c->rows, &c->capacity, c->n + 1));
	c->rows[c->n++] = (struct kt_command_row){.request = OPEN,
						  .instance = submission->instance,
						  .found = entry->found,
						  .kind = command->kind,
						  .class_number = command->class_number,
						  .bytes = command->bytes};
	return KT_OK;
}

/* The visitor of requests has just added the request. */
static int on_submission(void *context, const struct kt_moment *moment,
			 const struct kt_submission *submission, const struct kt_work *work)
{
	struct kt_command_rows *c = context;

	(void)moment;
	for (size_t i = c->settled; i < c->n; i++) {
		struct kt_command_row *row = &c->rows[i];

		if (row->request == OPEN && row->instance == submission->instance &&
		    row->found == work->found) {
			row->request = c->requests->n - 1;
		}
	}
	while (c->settled < c->n && c->rows[c->settled].request != OPEN) {
		c->settled++;
	}
	return KT_OK;
}

/* Forgets commands of submissions that the trace does not end. */
static int on_end(void *context)
{
	struct kt_command_rows *c = context;
	size_t n = c->settled;

	for (size_t i = c->settled; i < c->n; i++) {
		if (c->rows[i].request != OPEN) {
			c->rows[n++] = c->rows[i];
		}
	}
	c->n = n;
	c->settled = n;
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
	*commands = (struct kt_command_rows){.n = 0};
}
