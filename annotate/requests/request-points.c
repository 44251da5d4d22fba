/* SPDX-License-Identifier: MIT */
/*
 * Initiation and completion points: transitions of the machine that submit requests, and
 * those that observe completion.
 */
#include <string.h>

#include <ktail/status.h>

#include "annotate/requests/request-rows.h"
#include "annotate/requests/request-tables.h"

uint32_t kt_request_noticed_at(const struct kt_request *request)
{
	const struct kt_poll *poll;

	return kt_request_sign(request, &poll) ? poll->transition : KT_UNPLACED;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/*
 * Writes source state, letter and target state of the transition in `column` to the next
 * three columns.
 */
static void put_states(struct kt_table *table, int column,
		       const struct kt_requests *requests)
{
	const struct kt_fsm *fsm = requests->input ? requests->input->fsm : NULL;

	for (size_t i = 0; i < table->n_rows; i++) {
		struct kt_cell *row = &table->cells[i * table->n_columns];
		uint64_t at = row[column].number;

		row[column + 2].text = "";
		if (fsm && row[column].known && at < fsm->n_transitions) {
			const struct kt_fsm_transition *t = &fsm->transitions[at];

			kt_put(row, column + 1, t->from);
			row[column + 2].text = fsm->letters[t->letter];
			kt_put(row, column + 3, t->to);
		}
	}
}

/* Writes quantiles of the time from submission to completion evidence, if there is any. */
static int put_latencies(struct kt_cell *row, int column,
			 const struct kt_request *const *rows, size_t n)
{
	struct kt_times latencies = {.n = 0};
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		const struct kt_poll *poll;

		if (kt_request_sign(rows[i], &poll)) {
			code = kt_times_add(&latencies, 0, poll->time - rows[i]->time);
		}
	}
	kt_put_quantiles(row, column, &latencies);
	kt_times_free(&latencies);
	return code;
}

/* --- pairs of points --- */

enum point_column {
	REQUESTS,
	RING,
	RING_FROM,
	RING_LETTER,
	RING_TO,
	CALL,
	WHAT,
	SIGN,
	POLL,
	POLL_FROM,
	POLL_LETTER,
	POLL_TO,
	POLL_CALL,
	LATENCY,
	LATENCY_P99,
	POINT_COLUMNS,
};

static const struct kt_column point_columns[POINT_COLUMNS] = {
	[REQUESTS] = {"requests", "requests", KT_COLUMN_COUNT, 0},
	[RING] = {"doorbell_transition", "written at", KT_COLUMN_COUNT, 0},
	[RING_FROM] = {"doorbell_from", "from", KT_COLUMN_COUNT, 4},
	[RING_LETTER] = {"doorbell_letter", "letter", KT_COLUMN_TEXT, 3},
	[RING_TO] = {"doorbell_to", "to", KT_COLUMN_COUNT, 4},
	[CALL] = {"call", "submitted in", KT_COLUMN_TEXT, 0},
	[WHAT] = {"what", "what", KT_COLUMN_TEXT, 1},
	[SIGN] = {"sign", "sign", KT_COLUMN_TEXT, 2},
	[POLL] = {"poll_transition", "noticed at", KT_COLUMN_COUNT, 0},
	[POLL_FROM] = {"poll_from", "from", KT_COLUMN_COUNT, 4},
	[POLL_LETTER] = {"poll_letter", "letter", KT_COLUMN_TEXT, 3},
	[POLL_TO] = {"poll_to", "to", KT_COLUMN_COUNT, 4},
	[POLL_CALL] = {"poll_call", "noticed in", KT_COLUMN_TEXT, 1},
	[LATENCY] = {"latency_median", "latency", KT_COLUMN_TIME, 0},
	[LATENCY_P99] = {"latency_p99", "99 %", KT_COLUMN_TIME, 2},
};

static int compare_points(const void *a, const void *b)
{
	const struct kt_request *x = *(const struct kt_request *const *)a;
	const struct kt_request *y = *(const struct kt_request *const *)b;
	const struct kt_poll *poll;
	int order = compare_numbers(x->transition, y->transition);

	if (!order) {
		order = strcmp(x->call_name, y->call_name);
	}
	if (!order) {
		order = strcmp(x->what, y->what);
	}
	if (!order) {
		order = (int)kt_request_sign(x, &poll) - (int)kt_request_sign(y, &poll);
	}
	if (!order) {
		order = compare_numbers(kt_request_noticed_at(x), kt_request_noticed_at(y));
	}
	return order ? order : strcmp(x->sign_call, y->sign_call);
}

static int put_point(struct kt_cell *row, const struct kt_request *const *rows, size_t n)
{
	const struct kt_poll *poll;

	kt_put(row, REQUESTS, n);
	kt_put_transition(row, RING, rows[0]->transition);
	kt_put_transition(row, POLL, kt_request_noticed_at(rows[0]));
	row[CALL].text = rows[0]->call_name;
	row[WHAT].text = rows[0]->what;
	row[SIGN].text = kt_request_sign_name(kt_request_sign(rows[0], &poll));
	row[POLL_CALL].text = rows[0]->sign_call;
	return put_latencies(row, LATENCY, rows, n);
}

int kt_request_points(struct kt_table *out, const void *requests)
{
	int code;

	*out = (struct kt_table){.columns = point_columns, .n_columns = POINT_COLUMNS};
	code = kt_request_rows(out, requests, compare_points, put_point, true);
	put_states(out, RING, requests);
	put_states(out, POLL, requests);
	return code;
}

/* --- single points --- */

enum end_column {
	AT,
	FROM,
	LETTER,
	TO,
	COUNT,
	INTERRUPTS,
	NOTICES,
	LOOKS,
	RUNS,
	END_LATENCY,
	END_P99,
	END_COLUMNS,
};

static const struct kt_column end_columns[END_COLUMNS] = {
	[AT] = {"transition", "transition", KT_COLUMN_COUNT, 0},
	[FROM] = {"from", "from", KT_COLUMN_COUNT, 0},
	[LETTER] = {"letter", "letter", KT_COLUMN_TEXT, 0},
	[TO] = {"to", "to", KT_COLUMN_COUNT, 0},
	[COUNT] = {"requests", "requests", KT_COLUMN_COUNT, 0},
	[INTERRUPTS] = {"interrupts", "interrupts", KT_COLUMN_COUNT, 1},
	[NOTICES] = {"notices", "notices", KT_COLUMN_COUNT, 1},
	[LOOKS] = {"polls", "polls", KT_COLUMN_COUNT, 1},
	[RUNS] = {"runs", "runs", KT_COLUMN_COUNT, 1},
	[END_LATENCY] = {"latency_median", "latency", KT_COLUMN_TIME, 0},
	[END_P99] = {"latency_p99", "99 %", KT_COLUMN_TIME, 1},
};

static int put_end(struct kt_cell *row, uint32_t transition,
		   const struct kt_request *const *rows, size_t n)
{
	static const int signs[KT_SIGNS] = {[KT_SIGN_RUN] = RUNS,
					    [KT_SIGN_POLL] = LOOKS,
					    [KT_SIGN_NOTICE] = NOTICES,
					    [KT_SIGN_INTERRUPT] = INTERRUPTS};

	kt_put_transition(row, AT, transition);
	for (int column = COUNT; column <= RUNS; column++) {
		kt_put(row, column, 0);
	}
	row[COUNT].number = n;
	for (size_t i = 0; i < n; i++) {
		const struct kt_poll *poll;
		int sign = signs[kt_request_sign(rows[i], &poll)];

		if (sign) {
			row[sign].number++;
		}
	}
	return put_latencies(row, END_LATENCY, rows, n);
}

static int compare_rings(const void *a, const void *b)
{
	return compare_numbers((*(const struct kt_request *const *)a)->transition,
			       (*(const struct kt_request *const *)b)->transition);
}

static int put_ring(struct kt_cell *row, const struct kt_request *const *rows, size_t n)
{
	return put_end(row, rows[0]->transition, rows, n);
}

static int compare_polls(const void *a, const void *b)
{
	return compare_numbers(kt_request_noticed_at(*(const struct kt_request *const *)a),
			       kt_request_noticed_at(*(const struct kt_request *const *)b));
}

static int put_poll(struct kt_cell *row, const struct kt_request *const *rows, size_t n)
{
	return put_end(row, kt_request_noticed_at(rows[0]), rows, n);
}

static int ends(struct kt_table *out, const struct kt_requests *requests,
		int (*compare)(const void *, const void *), kt_request_row_fn *fill)
{
	int code;

	*out = (struct kt_table){.columns = end_columns, .n_columns = END_COLUMNS};
	code = kt_request_rows(out, requests, compare, fill, false);
	put_states(out, AT, requests);
	return code;
}

int kt_request_initiating(struct kt_table *out, const void *requests)
{
	return ends(out, requests, compare_rings, put_ring);
}

int kt_request_noticing(struct kt_table *out, const void *requests)
{
	return ends(out, requests, compare_polls, put_poll);
}
