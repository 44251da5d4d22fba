/* SPDX-License-Identifier: MIT */
#include "annotate/requests/request-tables.h"

#include <ktail/status.h>

#include "annotate/requests/request-rows.h"
#include "base/try.h"

enum column {
	TRACE,
	TIME,
	PROCESS,
	PID,
	THREAD,
	CHANNEL,
	TOKEN,
	CALL,
	WHAT,
	BYTES,
	LAUNCHES,
	WORDS,
	SEMAPHORE,
	PAYLOAD,
	RELEASES,
	RING_AT,
	TIE,
	LOOK,
	LAST,
	LOOKS,
	LOOK_IN,
	RUN,
	RUN_IN,
	NOTICED,
	NOTICE,
	NOTICE_IN,
	RETURNED,
	SLEPT,
	POLL_AT,
	SEQ,
	COLUMNS,
};

static const struct kt_column columns[COLUMNS] = {
	[TRACE] = {"trace", "trace", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	[TIME] = {"time", "time", KT_COLUMN_TIME, 0},
	[PROCESS] = {"process", "process", KT_COLUMN_TEXT, 7},
	[PID] = {"pid", "pid", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	[THREAD] = {"tid", "thread", KT_COLUMN_COUNT, 8},
	[CHANNEL] = {"channel", "channel", KT_COLUMN_HANDLE, 5},
	[TOKEN] = {"token", "token", KT_COLUMN_HANDLE, 2},
	[CALL] = {"call", "in", KT_COLUMN_TEXT, 0},
	[WHAT] = {"what", "what", KT_COLUMN_TEXT, 0},
	[BYTES] = {"bytes", "bytes", KT_COLUMN_COUNT, 0},
	[LAUNCHES] = {"launches", "launches", KT_COLUMN_COUNT, 6},
	[WORDS] = {"words", "words", KT_COLUMN_COUNT, 6},
	[SEMAPHORE] = {"semaphore", "semaphore", KT_COLUMN_HANDLE, 3},
	[PAYLOAD] = {"payload", "payload", KT_COLUMN_HANDLE, 4},
	[RELEASES] = {"releases", "releases", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	[RING_AT] = {"doorbell_transition", "rings at", KT_COLUMN_COUNT, 3},
	[TIE] = {"tie", "tie", KT_COLUMN_TEXT, 1},
	[LOOK] = {"first_look", "look", KT_COLUMN_TIME, 0},
	[LAST] = {"last_look", "last", KT_COLUMN_TIME, 4},
	[LOOKS] = {"looks", "looks", KT_COLUMN_COUNT, 4},
	[LOOK_IN] = {"look_call", "look in", KT_COLUMN_TEXT, 1},
	[RUN] = {"run", "run", KT_COLUMN_TIME, 5},
	[RUN_IN] = {"run_call", "run in", KT_COLUMN_TEXT, 6},
	[NOTICED] = {"noticed_tie", "notice tie", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	[NOTICE] = {"noticed", "noticed", KT_COLUMN_TIME, 1},
	[NOTICE_IN] = {"noticed_call", "noticed in", KT_COLUMN_TEXT, 1},
	[RETURNED] = {"returned", "returned", KT_COLUMN_TIME, 2},
	[SLEPT] = {"slept", "slept", KT_COLUMN_TIME, 2},
	[POLL_AT] = {"poll_transition", "polls at", KT_COLUMN_COUNT, 3},
	[SEQ] = {"seq", "seq", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
};

static const char *name_of(const struct kt_requests *requests, uint64_t call)
{
	const struct kt_request_call *found = kt_requests_call(requests, call);

	return found ? found->name : "";
}

int kt_request_table_make(struct kt_table *out, const void *of)
{
	const struct kt_requests *requests = of;

	*out = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < requests->n; i++) {
		const struct kt_request *request = &requests->requests[i];
		const struct kt_completion *c = &request->completion;
		struct kt_cell *row;

		KT_TRY(kt_table_add(out, &row));
		row[TRACE].text = requests->input->paths[request->trace];
		row[PROCESS].text = request->process;
		row[CALL].text = request->call_name;
		row[WHAT].text = request->what;
		kt_put(row, TIME, request->time);
		kt_put(row, PID, request->pid);
		kt_put(row, THREAD, request->tid);
		kt_put(row, CHANNEL, request->channel);
		if (request->token_known) {
			kt_put(row, TOKEN, request->token);
		}
		kt_put(row, BYTES,
		       request->inline_bytes + request->macro_bytes +
			       request->direct_bytes);
		kt_put(row, LAUNCHES, request->launches);
		kt_put(row, WORDS, request->words);
		kt_put(row, RELEASES, request->releases);
		if (request->releases) {
			kt_put(row, SEMAPHORE, request->semaphore.address);
			kt_put(row, PAYLOAD, request->semaphore.payload);
		}
		kt_put_transition(row, RING_AT, request->transition);
		kt_put(row, SEQ, request->seq);
		row[TIE].text = kt_tie_name(c->tie);
		row[LOOK_IN].text = row[RUN_IN].text = row[NOTICED].text =
			row[NOTICE_IN].text = "";
		if (c->tie) {
			kt_put(row, LOOK, c->first.time - request->time);
			kt_put(row, LAST, c->last.time - request->time);
			kt_put(row, LOOKS, c->looks);
			kt_put(row, SLEPT, c->slept);
			kt_put_transition(row, POLL_AT, c->first.transition);
			row[LOOK_IN].text = name_of(requests, c->first.call);
		}
		if (c->hidden) {
			kt_put(row, RUN, c->run.time - request->time);
			row[RUN_IN].text = name_of(requests, c->run.call);
		}
		if (c->noticed) {
			kt_put(row, NOTICE, c->notice.time - request->time);
			kt_put(row, RETURNED, c->returned - request->time);
			kt_put(row, SLEPT, c->notice_slept);
			kt_put_transition(row, POLL_AT, c->notice.transition);
			row[NOTICED].text = kt_tie_name(c->noticed);
			row[NOTICE_IN].text = name_of(requests, c->notice.call);
		}
	}
	return KT_OK;
}
