/* SPDX-License-Identifier: MIT */
/* Tracks the open API calls of process instances. */
#include "annotate/events/activity-parts.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/api-functions.h"

/* Sets *out to the number of the next call with this name; `name` is in a->texts. */
static int number_call(struct kt_activity *a, const char *name, uint64_t *out)
{
	uint32_t text;

	KT_TRY(kt_texts_add(&a->texts, name, &text));
	KT_TRY(kt_array_reserve(&a->calls_of, &a->calls_of_capacity, (size_t)text + 1));
	while (a->n_calls_of <= text) {
		a->calls_of[a->n_calls_of++] = 0;
	}
	*out = ++a->calls_of[text];
	return KT_OK;
}

int kt_activity_open_call(struct kt_activity *a, struct kt_activity_instance *instance,
			  struct kt_moment *moment, const struct kt_event *event)
{
	const struct kt_api_enter_fields fields = kt_api_enter_fields(event);
	struct kt_activity_call *call = calloc(1, sizeof(*call));
	int code;

	if (!call) {
		return kt_no_memory("follow API calls");
	}
	KT_TRY_END(kt_texts_printable(&a->texts, fields.api, &call->api));
	KT_TRY_END(kt_texts_printable(&a->texts, fields.name, &call->name));
	call->function = kt_api_function_find(call->name);
	call->correlation = fields.correlation;
	call->n_arguments = fields.arguments.n;
	memcpy(call->arguments, fields.arguments.items, sizeof(call->arguments));
	call->instance = moment->instance;
	call->pid = moment->pid;
	call->tid = moment->tid;
	call->begin = moment->time;
	call->seq = moment->seq;
	call->outer = kt_activity_innermost(instance, moment->tid);
	KT_TRY_END(kt_call_stacks_enter(&instance->stacks, moment->tid, call->correlation,
					call));
	/* From here on the stack owns the call. */
	moment->call = call;
	call->id = ++a->totals->calls;
	return number_call(a, call->name, &call->number);
end:
	free(call);
	return code;
}

/* Reports the end of a call that was popped from its stack, and frees the call. */
static int end_call(struct kt_activity *a, struct kt_activity_call *call,
		    const struct kt_moment *moment)
{
	struct kt_moment own = *moment;
	int code = KT_OK;

	/*
	 * If the api_exit is missing, the event that ends the call may be of another
	 * thread, or there is no such event.
	 */
	own.tid = call->tid;
	own.call = call;
	call->end = moment->time;
	a->totals->unreturned += !call->returned;
	KT_REPORT_AT(code, a, call->begin, call_exit, &own, call)
	free(call);
	return code;
}

int kt_activity_find_exit(struct kt_activity *a, struct kt_activity_instance *instance,
			  struct kt_moment *moment, const struct kt_event *event,
			  bool *found)
{
	const uint64_t correlation = kt_api_exit_fields(event).correlation;
	struct kt_open_call call;

	*found = kt_call_stacks_has(&instance->stacks, moment->tid, correlation);
	a->totals->stray_exits += !*found;
	while (*found && kt_call_stacks_top(&instance->stacks, moment->tid)->correlation !=
				 correlation) {
		kt_call_stacks_pop(&instance->stacks, moment->tid, &call);
		KT_TRY(end_call(a, call.call, moment));
	}
	moment->call = kt_activity_innermost(instance, moment->tid);
	return KT_OK;
}

int kt_activity_close_call(struct kt_activity *a, struct kt_activity_instance *instance,
			   const struct kt_moment *moment, const struct kt_event *event)
{
	const struct kt_api_exit_fields fields = kt_api_exit_fields(event);
	struct kt_activity_call *call;
	struct kt_open_call top;

	if (!kt_call_stacks_pop(&instance->stacks, moment->tid, &top)) {
		return KT_OK;
	}
	call = top.call;
	call->returned = true;
	call->known = fields.known;
	call->result = fields.result;
	call->duration = fields.duration;
	return end_call(a, call, moment);
}

int kt_activity_give_up(struct kt_activity *a, struct kt_activity_instance *instance,
			const struct kt_moment *moment)
{
	struct kt_open_call call;

	while (kt_call_stacks_pop_any(&instance->stacks, &call)) {
		KT_TRY(end_call(a, call.call, moment));
	}
	return KT_OK;
}

const struct kt_activity_call *
kt_activity_innermost(const struct kt_activity_instance *instance, uint32_t tid)
{
	const struct kt_open_call *top = kt_call_stacks_top(&instance->stacks, tid);

	return top ? top->call : NULL;
}

void kt_activity_drop_calls(struct kt_activity_instance *instance)
{
	struct kt_open_call call;

	while (kt_call_stacks_pop_any(&instance->stacks, &call)) {
		free(call.call);
	}
	kt_call_stacks_free(&instance->stacks);
}
