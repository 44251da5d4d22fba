/* SPDX-License-Identifier: MIT */
#include "annotate/requests/requests.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "annotate/requests/request-tables.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/try.h"
#include "base/wrap.h"

#define POINTS_SHOWN 20
#define POINTS_WIDTH 140

static int make(void **out, const struct kt_annotation_input *input)
{
	struct kt_requests *requests = malloc(sizeof(*requests));

	if (!requests) {
		return kt_no_memory("read requests");
	}
	kt_requests_init(requests);
	requests->input = input;
	*out = requests;
	return KT_OK;
}

static void free_part(void *requests)
{
	if (requests) {
		kt_requests_free(requests);
		free(requests);
	}
}

/* --- JSON --- */

static int add_count(json_t *object, const char *name, uint64_t n)
{
	return json_object_set_new(object, name, json_integer((json_int_t)n));
}

/* Counts requests in the members "initiates" and "notices" of transitions. */
static int mark_transitions(const struct kt_requests *requests, json_t *const *transitions)
{
	int failed = 0;

	for (size_t i = 0; i < requests->n; i++) {
		const struct kt_request *request = &requests->requests[i];
		const uint32_t at[2] = {request->transition,
					kt_request_noticed_at(request)};
		static const char *const names[2] = {"initiates", "notices"};

		for (int k = 0; k < 2; k++) {
			json_t *object;

			if (at[k] == KT_UNPLACED) {
				continue;
			}
			object = transitions[at[k]];
			failed |= add_count(object, names[k],
					    (uint64_t)json_integer_value(
						    json_object_get(object, names[k])) +
						    1);
		}
	}
	return failed ? kt_no_memory("write requests") : KT_OK;
}

static int json(void *context, json_t *top, json_t *const *states,
		json_t *const *transitions)
{
	static const struct {
		const char *name;
		kt_table_make_fn *make;
	} tables[] = {
		{"kinds", kt_request_kinds},
		{"calls", kt_request_calls_table},
		{"disagreements", kt_request_disagreements},
		{"initiating", kt_request_initiating},
		{"noticing", kt_request_noticing},
		{"points", kt_request_points},
	};
	const struct kt_requests *requests = context;
	const struct kt_request_waits *waits = &requests->waits;
	const struct kt_request_ties ties = kt_request_ties(requests);
	json_t *object = json_object();
	int failed;

	(void)states;
	if (!object || json_object_set_new(top, kt_requests_part.name, object)) {
		return kt_no_memory("write requests");
	}
	failed = add_count(object, "doorbells", requests->doorbells);
	failed |= add_count(object, "idle_doorbells", requests->idle);
	failed |= add_count(object, "processes", requests->instances);
	failed |= add_count(object, "processes_without_accesses",
			    requests->unwatched_instances);
	failed |= json_object_set_new(
		object, "waits",
		json_pack("{s:I, s:I, s:I, s:I}", "calls", (json_int_t)waits->calls,
			  "without_read", (json_int_t)waits->blind, "sleeps",
			  (json_int_t)waits->sleeps, "without_read_after",
			  (json_int_t)waits->unmatched));
	failed |= add_count(object, "requests", ties.requests);
	for (int tie = KT_TIE_READ; tie < KT_TIES; tie++) {
		failed |= add_count(object, kt_tie_name((enum kt_tie)tie), ties.by[tie]);
	}
	failed |= add_count(object, "run", ties.hidden);
	failed |= add_count(object, "after_loss", ties.lossy);
	failed |= add_count(object, "never", ties.never);
	failed |= add_count(object, "noticed", ties.noticed);
	failed |= add_count(object, "interrupts", ties.slept);
	if (failed) {
		return kt_no_memory("write requests");
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		KT_TRY(kt_table_output_member(object, tables[i].name, requests,
					      tables[i].make));
	}
	return mark_transitions(requests, transitions);
}

/* --- text --- */

/*
 * Prints only the pairs of points with the most requests, because a machine of many
 * traces has hundreds of pairs.
 */
static int print_points(FILE *out, const struct kt_requests *requests)
{
	struct kt_table table;
	int code = kt_request_points(&table, requests);
	size_t n = table.n_rows;

	table.n_rows = n < POINTS_SHOWN ? n : POINTS_SHOWN;
	table.all_in = "-o FILE.json";
	fputs("\nInitiation and completion points: numbers of transitions, times in us\n",
	      out);
	if (!code) {
		const size_t width = kt_terminal_width(out);

		code = kt_table_print_text(out, &table, width ? width : POINTS_WIDTH);
	}
	if (!code && n > POINTS_SHOWN) {
		fprintf(out, "and %zu more with fewer requests\n", n - POINTS_SHOWN);
	}
	kt_table_free(&table);
	return code;
}

static int text(void *context, FILE *out)
{
	const struct kt_requests *requests = context;
	const struct kt_request_waits *w = &requests->waits;
	const struct kt_request_ties t = kt_request_ties(requests);
	struct kt_wrap line = kt_wrap_line(out, 2);

	fprintf(out, "\nRequests: %" PRIu64 ", by %" PRIu64 " doorbells", t.requests,
		requests->doorbells);
	if (requests->idle) {
		fprintf(out, " (%" PRIu64 " without a recorded submission)",
			requests->idle);
	}
	putc('\n', out);
	kt_wrap_put(&line, "%" PRIu64 " were polled,", t.by[KT_TIE_READ]);
	kt_wrap_put(&line, " %" PRIu64 " are implied by a later request:",
		    t.by[KT_TIE_LATER] + t.by[KT_TIE_ORDER] + t.by[KT_TIE_ACQUIRE]);
	kt_wrap_put(&line, " %" PRIu64 " of the same semaphore,", t.by[KT_TIE_LATER]);
	kt_wrap_put(&line, " %" PRIu64 " of the same channel,", t.by[KT_TIE_ORDER]);
	kt_wrap_put(&line, " %" PRIu64 " by a request that waited for it",
		    t.by[KT_TIE_ACQUIRE]);
	kt_wrap_end(&line);
	kt_wrap_put(&line, "%" PRIu64 " were perhaps polled within a run of reads,",
		    t.hidden);
	kt_wrap_put(&line, " %" PRIu64 " are unknown because events are missing,", t.lossy);
	kt_wrap_put(&line, " %" PRIu64 " were never polled", t.never);
	kt_wrap_end(&line);
	kt_wrap_put(&line, "%" PRIu64 " were noticed by a call that waited or queried,",
		    t.noticed);
	kt_wrap_put(&line, " %" PRIu64 " of them after a wait on a device file", t.slept);
	kt_wrap_end(&line);
	if (requests->unwatched_instances) {
		fprintf(out, "processes whose accesses were not recorded: %" PRIu64 "\n",
			requests->unwatched_instances);
	}
	if (w->calls) {
		kt_wrap_put(&line, "of %" PRIu64 " calls that waited for completion,",
			    w->calls);
		kt_wrap_put(&line,
			    " %" PRIu64 " read no semaphore: the result was already known",
			    w->blind);
		kt_wrap_end(&line);
	}
	if (w->sleeps) {
		kt_wrap_put(&line, "of %" PRIu64 " waits on a device file,", w->sleeps);
		kt_wrap_put(&line,
			    " %" PRIu64 " were not followed by a read of a semaphore",
			    w->unmatched);
		kt_wrap_end(&line);
	}
	if (requests->n == 0) {
		return KT_OK;
	}
	KT_TRY(kt_table_output_under(out,
				     "Kinds of requests, and the time from the doorbell to "
				     "completion polls (us)",
				     requests, kt_request_kinds));
	if (requests->calls.n) {
		KT_TRY(kt_table_output_under(out, "Calls that submit work to the device",
					     requests, kt_request_calls_table));
	}
	return print_points(out, requests);
}

/* --- the list --- */

static const struct kt_output_kind kind = {
	.what = "list of requests",
	.formats = kt_table_formats,
	.table = kt_request_table_make,
};

static const struct kt_annotation_file file = {
	.option = "requests",
	.help = "write all requests: contents, where submitted, where noticed (.tsv .csv "
		".json "
		".txt)",
	.kind = &kind,
};

const struct kt_annotation_part kt_requests_part = {
	.name = "requests",
	.make = make,
	.visitor = &kt_requests_visitor,
	.json = json,
	.text = text,
	.file = &file,
	.free = free_part,
};
