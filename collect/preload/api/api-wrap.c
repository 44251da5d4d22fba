/* SPDX-License-Identifier: MIT */
/* Code that runs around each call of a wrapped function. */
#include "collect/preload/api/api-entry.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collect/preload/access/give-up.h"
#include "collect/preload/api/api-table.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/process/process.h"
#include "decode/api-functions.h"

static _Atomic unsigned forks;

/*
 * Number of 8-byte words of the caller's stack that are passed on if their memory exists,
 * because a newer version of a function may take more arguments than are known.
 */
enum { USUAL_WORDS = 16 };

/*
 * Does not record calls by a vfork child, or calls that the recorder itself makes while it
 * holds its lock.
 */
__attribute__((used)) void *kt_api_wrap_begin(struct kt_api_frame *frame, uint64_t number)
{
	uint64_t arguments[KT_API_ARGUMENTS];
	uint64_t spare[USUAL_WORDS];
	uint64_t words;
	int saved = errno;
	size_t n;

	kt_visit_begin(KT_VISIT_CALL);
	frame->entry = kt_api_entry_at(number);
	frame->is_own = kt_process_is_own();
	frame->is_recorded = frame->is_own && !kt_lock_is_mine();
	frame->is_traced = frame->is_recorded && frame->entry->is_traced;
	frame->forks = atomic_load(&forks);
	/*
	 * Memory after the caller's arguments may be copied too, but only if it exists,
	 * which is certain only up to the end of the page.
	 */
	words = (KT_PAGE - (uintptr_t)frame->stack % KT_PAGE) / sizeof(*frame->stack);
	if (words < USUAL_WORDS &&
	    !(frame->entry->known && frame->entry->known->parameters)) {
		words = kt_memory_read(spare, (uintptr_t)frame->stack, sizeof(spare)) /
			sizeof(*frame->stack);
	}
	words = words < USUAL_WORDS ? words : USUAL_WORDS;
	frame->words =
		words > frame->entry->stack_words ? words : frame->entry->stack_words;
	frame->call = (struct kt_api_call){
		.api = frame->entry->api, .name = frame->entry->name, .by = "wrap"};
	if (frame->is_traced) {
		n = kt_api_arguments_of_registers(arguments, frame->entry->known,
						  frame->arguments);
		kt_count(&kt_counters->api_calls);
		kt_api_enter(&frame->call, arguments, n);
	} else if (frame->entry->is_traced) {
		/* The stub has counted it, but it has no event. */
		atomic_fetch_sub_explicit(&frame->entry->calls, 1, memory_order_relaxed);
	}
	kt_visit_end();
	errno = saved;
	return (void *)__atomic_load_n(&frame->entry->function, __ATOMIC_RELAXED);
}

/* --- after the call --- */

static void wrap_given(const struct kt_api_frame *frame, const char *asked)
{
	uintptr_t *slot = (uintptr_t *)frame->arguments[1];
	const char *how = frame->entry->lookup->name;
	uintptr_t given;

	if (!slot || !*slot) {
		return;
	}
	given = kt_api_wrap(*slot, asked, how);
	if (given != *slot) {
		*slot = given;
	} else if (!kt_api_is_stub(given)) {
		kt_api_note_past(frame->entry->api, asked, how);
	}
}

/*
 * Notes an export table as bypassed. Its identity is formatted as in NVIDIA's own tools: 8,
 * 4, 4, 4 and 12 hexadecimal digits.
 */
static void note_table(const struct kt_api_frame *frame)
{
	unsigned char id[16];
	char name[KT_API_NAME] = KT_API_TABLE_PREFIX;
	size_t at = strlen(name);

	if (kt_memory_read(id, frame->arguments[1], sizeof(id)) != sizeof(id)) {
		return;
	}
	for (size_t i = 0; i < sizeof(id); i++) {
		const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

		at += (size_t)snprintf(name + at, sizeof(name) - at, "%s%02x", dash, id[i]);
	}
	kt_api_note_past(frame->entry->api, name, frame->entry->name);
}

/* Wraps what a lookup function gives the program. */
static void wrap_result(struct kt_api_frame *frame, const struct kt_api_lookup *lookup)
{
	const char *asked = (const char *)frame->arguments[lookup->asked];
	bool worked = (int32_t)frame->rax == 0;

	switch (lookup->gives) {
	case KT_API_GIVES_FUNCTION:
		if (worked && asked) {
			wrap_given(frame, asked);
		}
		break;
	case KT_API_GIVES_RESULT:
		if (frame->rax && asked) {
			frame->rax = kt_api_wrap_any(frame->rax, asked, lookup->name);
		}
		break;
	case KT_API_GIVES_TABLE:
		if (worked) {
			note_table(frame);
		}
		break;
	}
}

__attribute__((used)) void kt_api_wrap_end(struct kt_api_frame *frame)
{
	const struct kt_api_entry *entry = frame->entry;
	const struct kt_api_function *known = entry->known;
	uint64_t arguments[KT_API_ARGUMENTS];
	size_t n;
	int saved = errno;

	kt_visit_begin(KT_VISIT_CALL);
	if (frame->is_own && entry->lookup) {
		wrap_result(frame, entry->lookup);
	}
	if (frame->is_recorded && kt_api_gives_kernel(known) && (int32_t)frame->rax == 0 &&
	    frame->forks == atomic_load(&forks)) {
		n = kt_api_arguments_of_registers(arguments, known, frame->arguments);
		kt_api_kernel(&frame->call, known, arguments, n);
	}
	if (frame->is_traced && frame->forks == atomic_load(&forks)) {
		kt_api_exit(&frame->call, !known || known->returns_code,
			    (int32_t)frame->rax);
	}
	kt_visit_end();
	if (frame->is_own) {
		kt_give_up_if_due();
	}
	errno = saved;
}

void kt_api_wrap_after_fork(void)
{
	atomic_fetch_add(&forks, 1);
	for (size_t i = 0; i < kt_api_entries(); i++) {
		atomic_store(&kt_api_entry_at(i)->calls, 0);
	}
}
