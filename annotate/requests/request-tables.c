/* SPDX-License-Identifier: MIT */
/* Tables of requests: a row for each request, kind of work, or submitting function. */
#include "annotate/requests/request-tables.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-rows.h"
#include "base/try.h"

struct kt_request_ties kt_request_ties(const struct kt_requests *requests)
{
	struct kt_request_ties ties = {.requests = requests->n};

	for (size_t i = 0; i < requests->n; i++) {
		const struct kt_request *request = &requests->requests[i];
		const struct kt_completion *c = &request->completion;

		ties.by[c->tie]++;
		ties.noticed += c->noticed != KT_TIE_NONE;
		ties.slept += c->noticed && c->notice_slept;
		if (!c->tie) {
			ties.hidden += c->hidden;
			ties.lossy += !c->hidden && request->lossy;
			ties.never += !c->hidden && !request->lossy;
		}
	}
	return ties;
}

/* --- each request --- */

static const struct kt_column columns[] = {
	{"trace", "trace", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	{"time", "at us", KT_COLUMN_TIME, 3},
	{"process", "process", KT_COLUMN_TEXT, 4},
	{"pid", "pid", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	{"tid", "thread", KT_COLUMN_COUNT, 8},
	{"channel", "channel", KT_COLUMN_HANDLE, 6},
	{"token", "token", KT_COLUMN_HANDLE, 6},
	{"call", "submitted in", KT_COLUMN_TEXT, 0},
	{"what", "what", KT_COLUMN_TEXT, 0},
	{"bytes", "bytes", KT_COLUMN_COUNT, 1},
	{"launches", "launches", KT_COLUMN_COUNT, 2},
	{"empty_grids", "empty grids", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	{"kernel", "kernel", KT_COLUMN_TEXT, 2},
	{"kernels_differ", "other kernels", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	{"words", "dwords", KT_COLUMN_COUNT, 5},
	{"semaphore", "semaphore", KT_COLUMN_HANDLE, 7},
	{"payload", "payload", KT_COLUMN_HANDLE, 7},
	{"releases", "releases", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
	{"doorbell_transition", "doorbell transition", KT_COLUMN_COUNT, 8},
	{"tie", "tie", KT_COLUMN_TEXT, 5},
	{"first_poll", "first poll us", KT_COLUMN_TIME, 4},
	{"last_poll", "last poll us", KT_COLUMN_TIME, 6},
	{"polls", "polls", KT_COLUMN_COUNT, 5},
	{"poll_call", "poll in", KT_COLUMN_TEXT, 4},
	{"run", "run us", KT_COLUMN_TIME, 7},
	{"run_call", "run in", KT_COLUMN_TEXT, 8},
	{"noticed_tie", "notice tie", KT_COLUMN_TEXT, KT_COLUMN_WIDE},
	{"noticed", "noticed us", KT_COLUMN_TIME, 0},
	{"noticed_call", "noticed in", KT_COLUMN_TEXT, 0},
	{"returned", "returned us", KT_COLUMN_TIME, 3},
	{"slept", "slept us", KT_COLUMN_TIME, 3},
	{"poll_transition", "poll transition", KT_COLUMN_COUNT, 8},
	{"device_end", "device end us", KT_COLUMN_TIME, KT_COLUMN_WIDE},
	{"device_time", "device us", KT_COLUMN_TIME, KT_COLUMN_WIDE},
	{"seq", "seq", KT_COLUMN_COUNT, KT_COLUMN_WIDE},
};

static const char *name_of(const struct kt_requests *requests, const struct kt_poll *poll)
{
	const struct kt_request_call *call = kt_requests_call(requests, poll->call);

	return call ? call->name : "";
}

static struct kt_cell cell_if(bool known, uint64_t number)
{
	return (struct kt_cell){.number = known ? number : 0, .known = known};
}

int kt_request_table_make(struct kt_table *out, const void *of)
{
	const struct kt_requests *requests = of;

	*out = KT_TABLE_OF(columns);
	out->all_in = "--requests FILE.tsv";
	for (size_t i = 0; i < requests->n; i++) {
		const struct kt_request *r = &requests->requests[i];
		const struct kt_completion *c = &r->completion;
		uint32_t poll = kt_request_noticed_at(r);

		KT_TRY(KT_TABLE_ROW(
			out, KT_TEXT_CELL(requests->input->paths[r->trace]),
			KT_CELL(r->time), KT_TEXT_CELL(r->process), KT_CELL(r->pid),
			KT_CELL(r->tid), KT_CELL(r->channel),
			cell_if(r->token_known, r->token), KT_TEXT_CELL(r->call_name),
			KT_TEXT_CELL(r->what),
			KT_CELL(r->inline_bytes + r->macro_bytes + r->direct_bytes),
			KT_CELL(r->launches), KT_CELL(r->empty_grids),
			KT_TEXT_CELL(r->kernel), KT_CELL(r->kernels_differ),
			KT_CELL(r->words), cell_if(r->releases, r->semaphore.address),
			cell_if(r->releases, r->semaphore.payload), KT_CELL(r->releases),
			cell_if(r->transition != KT_UNPLACED, r->transition),
			KT_TEXT_CELL(kt_tie_name(c->tie)),
			cell_if(c->tie, c->first.time - r->time),
			cell_if(c->tie, c->last.time - r->time), cell_if(c->tie, c->polls),
			KT_TEXT_CELL(c->tie ? name_of(requests, &c->first) : ""),
			cell_if(c->hidden, c->run.time - r->time),
			KT_TEXT_CELL(c->hidden ? name_of(requests, &c->run) : ""),
			KT_TEXT_CELL(c->noticed ? kt_tie_name(c->noticed) : ""),
			cell_if(c->noticed, c->notice.time - r->time),
			KT_TEXT_CELL(c->noticed ? name_of(requests, &c->notice) : ""),
			cell_if(c->noticed, c->returned - r->time),
			cell_if(c->tie || c->noticed,
				c->noticed ? c->notice_slept : c->slept),
			cell_if(poll != KT_UNPLACED, poll),
			cell_if(r->device.releases, r->device.end),
			cell_if(r->device.took_known, r->device.took), KT_CELL(r->seq)));
	}
	return KT_OK;
}

/* --- by kind of work --- */

enum kind_column {
	WHAT,
	REQUESTS,
	BYTES,
	READ,
	LATER,
	ORDER,
	ACQUIRE,
	HIDDEN,
	NEVER,
	NOTICED,
	SLEPT,
	LOOK,
	LOOK_P99,
	NOTICE,
	NOTICE_P99,
	RETURN,
	RETURN_P99,
	KIND_COLUMNS,
};

static const struct kt_column kind_columns[KIND_COLUMNS] = {
	[WHAT] = {"what", "what", KT_COLUMN_TEXT, 0},
	[REQUESTS] = {"requests", "requests", KT_COLUMN_COUNT, 0},
	[BYTES] = {"bytes", "bytes", KT_COLUMN_COUNT, 5},
	[READ] = {"read", "read", KT_COLUMN_COUNT, 1},
	[LATER] = {"later", "later", KT_COLUMN_COUNT, 1},
	[ORDER] = {"order", "order", KT_COLUMN_COUNT, 1},
	[ACQUIRE] = {"acquire", "acquire", KT_COLUMN_COUNT, 1},
	[HIDDEN] = {"run", "run", KT_COLUMN_COUNT, 1},
	[NEVER] = {"never", "never", KT_COLUMN_COUNT, 0},
	[NOTICED] = {"noticed", "noticed", KT_COLUMN_COUNT, 1},
	[SLEPT] = {"interrupts", "slept", KT_COLUMN_COUNT, 2},
	[LOOK] = {"poll_median", "poll", KT_COLUMN_TIME, 1},
	[LOOK_P99] = {"poll_p99", "99 %", KT_COLUMN_TIME, 3},
	[NOTICE] = {"noticed_median", "notice", KT_COLUMN_TIME, 2},
	[NOTICE_P99] = {"noticed_p99", "99 %", KT_COLUMN_TIME, 3},
	[RETURN] = {"returned_median", "return", KT_COLUMN_TIME, 2},
	[RETURN_P99] = {"returned_p99", "99 %", KT_COLUMN_TIME, 4},
};

static int compare_what(const void *a, const void *b)
{
	return strcmp((*(const struct kt_request *const *)a)->what,
		      (*(const struct kt_request *const *)b)->what);
}

static int put_kind(struct kt_cell *row, const struct kt_request *const *rows, size_t n)
{
	static const enum kind_column ties[KT_TIES] = {[KT_TIE_READ] = READ,
						       [KT_TIE_LATER] = LATER,
						       [KT_TIE_ORDER] = ORDER,
						       [KT_TIE_ACQUIRE] = ACQUIRE};
	/* Times since the doorbell. */
	struct kt_times poll = {.n = 0};
	struct kt_times notice = {.n = 0};
	struct kt_times returned = {.n = 0};
	int code = KT_OK;

	for (int column = REQUESTS; column <= SLEPT; column++) {
		kt_put(row, column, 0);
	}
	row[WHAT].text = rows[0]->what;
	row[REQUESTS].number = n;
	for (size_t i = 0; i < n; i++) {
		const struct kt_completion *c = &rows[i]->completion;
		enum kind_column tie = c->hidden ? HIDDEN : NEVER;
		uint64_t begin = rows[i]->time;

		row[BYTES].number += rows[i]->inline_bytes + rows[i]->macro_bytes +
				     rows[i]->direct_bytes;
		row[c->tie ? ties[c->tie] : tie].number++;
		row[NOTICED].number += c->noticed != KT_TIE_NONE;
		row[SLEPT].number += c->noticed && c->notice_slept;
		if (c->tie) {
			KT_TRY_END(kt_times_add(&poll, 0, c->first.time - begin));
		}
		if (c->noticed) {
			KT_TRY_END(kt_times_add(&notice, 0, c->notice.time - begin));
			KT_TRY_END(kt_times_add(&returned, 0, c->returned - begin));
		}
	}
	kt_put_quantiles(row, LOOK, &poll);
	kt_put_quantiles(row, NOTICE, &notice);
	kt_put_quantiles(row, RETURN, &returned);
end:
	kt_times_free(&poll);
	kt_times_free(&notice);
	kt_times_free(&returned);
	return code;
}

int kt_request_kinds(struct kt_table *out, const void *requests)
{
	*out = (struct kt_table){.columns = kind_columns, .n_columns = KIND_COLUMNS};
	return kt_request_rows(out, requests, compare_what, put_kind, true);
}

/* --- by call --- */

enum call_column {
	CALL,
	CALLS,
	FAILED,
	CAPTURED,
	WITHOUT,
	CALL_REQUESTS,
	TIED,
	INSIDE,
	BEHIND,
	BEHIND_IN,
	CALL_NEVER,
	INLINE,
	DIRECT,
	STAGED,
	MACRO,
	MIXED,
	UNSEEN,
	WRONG,
	CALL_COLUMNS,
};

static const struct kt_column call_columns[CALL_COLUMNS] = {
	[CALL] = {"name", "function", KT_COLUMN_TEXT, 0},
	[CALLS] = {"calls", "calls", KT_COLUMN_COUNT, 0},
	[FAILED] = {"failed", "failed", KT_COLUMN_COUNT, 4},
	[CAPTURED] = {"captured", "captured", KT_COLUMN_COUNT, 3},
	[WITHOUT] = {"without_doorbell", "no doorbell", KT_COLUMN_COUNT, 1},
	[CALL_REQUESTS] = {"requests", "requests", KT_COLUMN_COUNT, 0},
	[TIED] = {"tied", "tied", KT_COLUMN_COUNT, 0},
	[INSIDE] = {"noticed_inside", "inside", KT_COLUMN_COUNT, 0},
	[BEHIND] = {"noticed_later", "later", KT_COLUMN_COUNT, 0},
	[BEHIND_IN] = {"noticed_later_in", "mostly in", KT_COLUMN_TEXT, 1},
	[CALL_NEVER] = {"never", "never", KT_COLUMN_COUNT, 0},
	[INLINE] = {"inline", "inline", KT_COLUMN_COUNT, 2},
	[DIRECT] = {"direct", "direct", KT_COLUMN_COUNT, 2},
	[STAGED] = {"staged", "staged", KT_COLUMN_COUNT, 2},
	[MACRO] = {"macro", "macro", KT_COLUMN_COUNT, 2},
	[MIXED] = {"mixed", "mixed", KT_COLUMN_COUNT, 2},
	[UNSEEN] = {"nothing_submitted", "nothing", KT_COLUMN_COUNT, 2},
	[WRONG] = {"disagree", "disagree", KT_COLUMN_COUNT, 1},
};

static int compare_names(const void *a, const void *b)
{
	const struct kt_request_call *x = *(const struct kt_request_call *const *)a;
	const struct kt_request_call *y = *(const struct kt_request_call *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int put_function(struct kt_cell *row, const struct kt_requests *requests,
			const struct kt_request_call *const *calls, size_t n)
{
	static const enum call_column ways[KT_COPY_WAYS] = {
		[KT_COPY_INLINE] = INLINE, [KT_COPY_DIRECT] = DIRECT,
		[KT_COPY_STAGED] = STAGED, [KT_COPY_MACRO] = MACRO,
		[KT_COPY_MIXED] = MIXED,   [KT_COPY_UNSEEN] = UNSEEN,
		[KT_COPY_WRONG] = WRONG,
	};
	const char **later = malloc(n * sizeof(*later));
	size_t n_later = 0;
	size_t most = 0;

	if (!later) {
		return kt_no_memory("count calls");
	}
	row[CALL].text = calls[0]->name;
	for (int column = CALLS; column < CALL_COLUMNS; column++) {
		if (column != BEHIND_IN) {
			kt_put(row, column, 0);
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct kt_request_call *call = calls[i];
		enum call_column way = ways[kt_request_call_way(call)];
		struct kt_call_completion all;

		row[CALLS].number++;
		row[FAILED].number += call->outcome == KT_API_FAILED;
		if (way) {
			row[way].number++;
		}
		if (call->requests == 0) {
			row[call->captured ? CAPTURED : WITHOUT].number++;
			continue;
		}
		all = kt_requests_completion(requests, call);
		row[CALL_REQUESTS].number += all.requests;
		row[all.attributed == all.requests ? TIED : CALL_NEVER].number++;
		if (all.sign && all.inside) {
			row[INSIDE].number++;
		} else if (all.sign) {
			later[n_later++] = all.in ? all.in->name : "";
		}
	}
	row[BEHIND].number = n_later;
	row[BEHIND_IN].text = "";
	/* Find the most frequent name; of equally frequent names, the alphabetically first.
	 */
	qsort(later, n_later, sizeof(*later), compare_texts);
	for (size_t i = 0, next; i < n_later; i = next) {
		for (next = i; next < n_later && strcmp(later[next], later[i]) == 0;
		     next++) {
		}
		if (next - i > most) {
			most = next - i;
			row[BEHIND_IN].text = later[i];
		}
	}
	free(later);
	return KT_OK;
}

int kt_request_calls_table(struct kt_table *out, const void *of)
{
	const struct kt_requests *requests = of;
	const struct kt_request_call **calls;
	size_t n = 0;
	int code = KT_OK;

	*out = (struct kt_table){.columns = call_columns, .n_columns = CALL_COLUMNS};
	calls = malloc((requests->calls.n + 1) * sizeof(struct kt_request_call *));
	if (!calls) {
		return kt_no_memory("count calls");
	}
	for (size_t i = 0; i < requests->calls.n; i++) {
		const struct kt_request_call *call = &requests->calls.calls[i];

		if (kt_api_kind_is_work(kt_request_call_kind(call)) && !call->given_up) {
			calls[n++] = call;
		}
	}
	qsort(calls, n, sizeof(*calls), compare_names);
	for (size_t i = 0, next; i < n; i = next) {
		struct kt_cell *row;

		for (next = i; next < n && calls[next]->name == calls[i]->name; next++) {
		}
		KT_TRY_END(kt_table_add(out, &row));
		KT_TRY_END(put_function(row, requests, calls + i, next - i));
	}
end:
	free(calls);
	return code;
}

/* --- copies that disagree --- */

static const struct kt_column wrong_columns[] = {
	{"trace", "trace", KT_COLUMN_TEXT, 0},
	{"time", "time", KT_COLUMN_TIME, 0},
	{"name", "function", KT_COLUMN_TEXT, 0},
	{"bytes", "bytes", KT_COLUMN_COUNT, 0},
	{"inline_bytes", "inline", KT_COLUMN_COUNT, 0},
	{"macro_bytes", "macro", KT_COLUMN_COUNT, 0},
	{"direct_bytes", "direct", KT_COLUMN_COUNT, 0},
	{"requests", "requests", KT_COLUMN_COUNT, 0},
};

int kt_request_disagreements(struct kt_table *out, const void *of)
{
	const struct kt_requests *requests = of;

	*out = KT_TABLE_OF(wrong_columns);
	for (size_t i = 0; i < requests->calls.n; i++) {
		const struct kt_request_call *call = &requests->calls.calls[i];

		if (kt_request_call_way(call) == KT_COPY_WRONG) {
			KT_TRY(KT_TABLE_ROW(
				out, KT_TEXT_CELL(requests->input->paths[call->trace]),
				KT_CELL(call->begin), KT_TEXT_CELL(call->name),
				KT_CELL(call->bytes), KT_CELL(call->inline_bytes),
				KT_CELL(call->macro_bytes), KT_CELL(call->direct_bytes),
				KT_CELL(call->requests)));
		}
	}
	return KT_OK;
}
