/* SPDX-License-Identifier: MIT */
#include "infer/words/split/letter-calls.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/split/call-stacks.h"

/* --- events --- */

int kt_letter_calls_add(struct kt_letter_calls *c, bool enter, uint64_t correlation,
			const char *name, struct kt_record *record)
{
	struct kt_call_event event = {
		.correlation = correlation, .enter = enter, .detail = record->detail};

	KT_TRY(kt_array_reserve(&c->events, &c->capacity, c->n + 1));
	if (c->n == UINT32_MAX) {
		return kt_error(KT_E_MEMORY, "keep API calls: too many");
	}
	if (enter) {
		KT_TRY(kt_texts_add(&c->names, name, &event.name));
	}
	c->events[c->n++] = event;
	record->kind = KT_EVENT_CALL;
	record->detail = (uint32_t)c->n;
	return KT_OK;
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

/* Changes the letter's detail to what stands for it and the call. */
static int put(struct kt_letter_calls *c, struct kt_record *record, uint32_t call)
{
	uint32_t detail = record->kind == KT_EVENT_CALL
				  ? c->events[record->detail - 1].detail
				  : record->detail;

	if (!c->details) {
		record->detail = call;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&c->besides, &c->besides_capacity, c->n_besides + 1));
	if (c->n_besides == UINT32_MAX) {
		return kt_error(KT_E_MEMORY, "keep API calls of letters: too many");
	}
	c->besides[c->n_besides++] = (struct kt_letter_beside){detail, call};
	record->detail = (uint32_t)c->n_besides;
	return KT_OK;
}

int kt_letter_calls_follow(void *calls, struct kt_record *records, size_t n)
{
	struct kt_letter_calls *c = calls;
	struct kt_call_stacks stacks = {.open = 0};
	uint64_t next = n > 0 ? records[0].seq : 0;
	struct kt_open_call call;
	int code = KT_OK;

	for (size_t i = 0; i < n && c->n > 0; i++) {
		struct kt_record *r = &records[i];
		struct kt_call_event *event =
			r->kind == KT_EVENT_CALL ? &c->events[r->detail - 1] : NULL;
		const bool ends = r->kind == KT_EVENT_END;
		bool returns = false;

		/* After a gap it is not known which calls are open. */
		if (r->seq > next) {
			kt_call_stacks_clear(&stacks);
		}
		/* Letters that were spelled have numbers of events before them. */
		next = r->seq >= next ? r->seq + 1 : next;
		if (event && event->enter) {
			KT_TRY_END(kt_call_stacks_enter(
				&stacks, r->tid, event->correlation,
				(union kt_call_tag){.number = r->detail}));
			event->outermost =
				number_of(kt_call_stacks_bottom(&stacks, r->tid));
		} else if (event &&
			   kt_call_stacks_has(&stacks, r->tid, event->correlation)) {
			/* What lies above the call that returned is closed, then it. */
			returns = true;
			while (kt_call_stacks_top(&stacks, r->tid)->correlation !=
			       event->correlation) {
				kt_call_stacks_pop(&stacks, r->tid, &call);
			}
		}
		if (r->letter != KT_NO_LETTER) {
			KT_TRY_END(
				put(c, r, number_of(kt_call_stacks_top(&stacks, r->tid))));
		}
		if (returns) {
			kt_call_stacks_pop(&stacks, r->tid, &call);
		}
		if (ends) {
			kt_call_stacks_clear(&stacks);
		}
	}
end:
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
