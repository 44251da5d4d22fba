/* SPDX-License-Identifier: MIT */
#include "annotate/requests/request-table.h"

#include <ktail/status.h>

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

static void put(struct kt_cell *row, enum column column, uint64_t number)
{
	row[column].number = number;
	row[column].known = true;
}

static void put_transition(struct kt_cell *row, enum column column, uint32_t transition)
{
	if (transition != KT_UNPLACED) {
		put(row, column, transition);
	}
}

static const char *name_of(const struct kt_requests *requests, uint64_t call)
{
	const struct kt_request_call *found = kt_requests_call(requests, call);

	return found ? found->name : "";
}

static void put_request(struct kt_cell *row, const struct kt_request *request)
{
	row[PROCESS].text = request->process;
	row[CALL].text = request->call_name;
	row[WHAT].text = request->what;
	put(row, TIME, request->time);
	put(row, PID, request->pid);
	put(row, THREAD, request->tid);
	put(row, CHANNEL, request->channel);
	if (request->token_known) {
		put(row, TOKEN, request->token);
	}
	put(row, BYTES,
	    request->inline_bytes + request->macro_bytes + request->direct_bytes);
	put(row, LAUNCHES, request->launches);
	put(row, WORDS, request->words);
	put(row, RELEASES, request->releases);
	if (request->releases) {
		put(row, SEMAPHORE, request->semaphore.address);
		put(row, PAYLOAD, request->semaphore.payload);
	}
	put_transition(row, RING_AT, request->transition);
	put(row, SEQ, request->seq);
}

static void put_completion(struct kt_cell *row, const struct kt_requests *requests,
			   const struct kt_request *request)
{
	const struct kt_completion *c = &request->completion;

	row[TIE].text = kt_tie_name(c->tie);
	row[LOOK_IN].text = row[RUN_IN].text = row[NOTICED].text = row[NOTICE_IN].text = "";
	if (c->tie) {
		put(row, LOOK, c->first.time - request->time);
		put(row, LAST, c->last.time - request->time);
		put(row, LOOKS, c->looks);
		put(row, SLEPT, c->slept);
		put_transition(row, POLL_AT, c->first.transition);
		row[LOOK_IN].text = name_of(requests, c->first.call);
	}
	if (c->hidden) {
		put(row, RUN, c->run.time - request->time);
		row[RUN_IN].text = name_of(requests, c->run.call);
	}
	if (c->noticed) {
		put(row, NOTICE, c->notice.time - request->time);
		put(row, RETURNED, c->returned - request->time);
		put(row, SLEPT, c->notice_slept);
		put_transition(row, POLL_AT, c->notice.transition);
		row[NOTICED].text = kt_tie_name(c->noticed);
		row[NOTICE_IN].text = name_of(requests, c->notice.call);
	}
}

int kt_request_table_make(struct kt_table *out, const struct kt_requests *requests,
			  const char *const *paths)
{
	*out = (struct kt_table){.columns = columns, .n_columns = COLUMNS};
	for (size_t i = 0; i < requests->n; i++) {
		struct kt_cell *row;
		int code = kt_table_add(out, &row);

		if (code) {
			return code;
		}
		row[TRACE].text = paths[requests->requests[i].trace];
		put_request(row, &requests->requests[i]);
		put_completion(row, requests, &requests->requests[i]);
	}
	return KT_OK;
}
