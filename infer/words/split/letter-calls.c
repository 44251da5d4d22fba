/* SPDX-License-Identifier: MIT */
#include "infer/words/split/letter-calls.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/split/call-stacks.h"

/* --- events --- */

int kt_letter_calls_add(struct kt_letter_calls *c, bool enter, uint64_t correlation,
			const char *name, struct kt_record *record)
{
	struct kt_call_event event = {
		.correlation = correlation, .enter = enter, .detail = record->detail};
	int code = kt_array_reserve(&c->events, &c->capacity, c->n + 1);

	if (!code && c->n == UINT32_MAX) {
		code = kt_error(KT_E_MEMORY, "keep API calls: too many");
	}
	code = code || !enter ? code : kt_texts_add(&c->names, name, &event.name);
	if (!code) {
		c->events[c->n++] = event;
		record->kind = KT_EVENT_CALL;
		record->detail = (uint32_t)c->n;
	}
	return code;
}

void kt_letter_calls_free(struct kt_letter_calls *calls)
{
	kt_texts_free(&calls->names);
	free(calls->events);
	free(calls->besides);
}

/* --- a process --- */

static uint32_t number_of(const struct kt_open_call *call)
{
	return call ? (uint32_t)call->tag.number : 0;
}

static int enter(struct kt_letter_calls *c, struct kt_call_stacks *stacks,
		 const struct kt_record *record)
{
	struct kt_call_event *event = &c->events[record->detail - 1];
	int code = kt_call_stacks_enter(stacks, record->tid, event->correlation,
					(union kt_call_tag){.number = record->detail});

	if (!code) {
		event->outermost = number_of(kt_call_stacks_bottom(stacks, record->tid));
	}
	return code;
}

/* Closes what lies above the call that returned; the caller closes that one. */
static bool unwind(const struct kt_letter_calls *c, struct kt_call_stacks *stacks,
		   const struct kt_record *record)
{
	uint64_t correlation = c->events[record->detail - 1].correlation;
	struct kt_open_call call;

	if (!kt_call_stacks_has(stacks, record->tid, correlation)) {
		return false;
	}
	while (kt_call_stacks_top(stacks, record->tid)->correlation != correlation) {
		kt_call_stacks_pop(stacks, record->tid, &call);
	}
	return true;
}

/* Changes the letter's detail to what stands for it and the call. */
static int put(struct kt_letter_calls *c, struct kt_record *record, uint32_t call)
{
	uint32_t detail = record->kind == KT_EVENT_CALL
				  ? c->events[record->detail - 1].detail
				  : record->detail;
	int code;

	if (!c->details) {
		record->detail = call;
		return KT_OK;
	}
	code = kt_array_reserve(&c->besides, &c->besides_capacity, c->n_besides + 1);
	if (!code && c->n_besides == UINT32_MAX) {
		code = kt_error(KT_E_MEMORY, "keep API calls of letters: too many");
	}
	if (!code) {
		c->besides[c->n_besides++] = (struct kt_letter_beside){detail, call};
		record->detail = (uint32_t)c->n_besides;
	}
	return code;
}

static int follow(struct kt_letter_calls *c, struct kt_call_stacks *stacks,
		  struct kt_record *record)
{
	const bool is_call = record->kind == KT_EVENT_CALL;
	const bool enters = is_call && c->events[record->detail - 1].enter;
	const uint32_t tid = record->tid;
	const bool ends = record->kind == KT_EVENT_END;
	struct kt_open_call call;
	bool returns = false;
	int code = KT_OK;

	if (enters) {
		code = enter(c, stacks, record);
	} else if (is_call) {
		returns = unwind(c, stacks, record);
	}
	if (!code && record->letter != KT_NO_LETTER) {
		code = put(c, record, number_of(kt_call_stacks_top(stacks, tid)));
	}
	if (returns) {
		kt_call_stacks_pop(stacks, tid, &call);
	}
	if (ends) {
		kt_call_stacks_clear(stacks);
	}
	return code;
}

int kt_letter_calls_follow(void *calls, struct kt_record *records, size_t n)
{
	struct kt_letter_calls *c = calls;
	struct kt_call_stacks stacks = {.open = 0};
	uint64_t next = n > 0 ? records[0].seq : 0;
	int code = KT_OK;

	for (size_t i = 0; i < n && c->n > 0 && !code; i++) {
		/* Behind a gap nobody knows which calls are open. */
		if (records[i].seq > next) {
			kt_call_stacks_clear(&stacks);
		}
		/* Letters that were spelled have numbers of events before them. */
		next = records[i].seq >= next ? records[i].seq + 1 : next;
		code = follow(c, &stacks, &records[i]);
	}
	kt_call_stacks_free(&stacks);
	return code;
}

/* --- letters --- */

uint32_t kt_letter_calls_detail(const struct kt_letter_calls *c, uint32_t detail)
{
	if (c->n == 0) {
		return detail;
	}
	return c->details && detail > 0 && detail <= c->n_besides
		       ? c->besides[detail - 1].detail
		       : 0;
}

const struct kt_call_event *kt_letter_calls_event(const struct kt_letter_calls *c,
						  uint32_t number)
{
	return number > 0 && number <= c->n ? &c->events[number - 1] : NULL;
}

const struct kt_call_event *kt_letter_calls_call(const struct kt_letter_calls *c,
						 uint32_t detail)
{
	if (!c->details) {
		return kt_letter_calls_event(c, detail);
	}
	return detail > 0 && detail <= c->n_besides
		       ? kt_letter_calls_event(c, c->besides[detail - 1].call)
		       : NULL;
}
