/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/role-letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/memory/number-map.h"

/* Names of roles in letters, which docs/glossary.md explains. */
static const char *const names[KT_ACCESS_USES] = {
	[KT_ACCESS_UNKNOWN] = "other",     [KT_ACCESS_PUSHBUFFER] = "commands",
	[KT_ACCESS_RING] = "ring",         [KT_ACCESS_SEMAPHORE] = "semaphore",
	[KT_ACCESS_NOTIFIER] = "notifier", [KT_ACCESS_STAGING] = "staging",
	[KT_ACCESS_GP_PUT] = "put",        [KT_ACCESS_GP_GET] = "get",
	[KT_ACCESS_TOKEN] = "token",       [KT_ACCESS_TIMER] = "timer",
};

/*
 * The maximum number of letters between a doorbell and its R:poll. For any larger k, each
 * state's k-tail shows whether R:poll comes before the next doorbell. States before R:poll
 * are then never merged with states after it, so R:poll is on no self-loop.
 */
#define LETTERS_TO_POLL 8

/* A thread's run of accesses of one role. */
struct run {
	bool open;
	bool wrote; /* a write of the run has given its letter */
	enum kt_access_role role;
	/*
	 * Number of the record with the letter of the run's reads, from 1; 0: reads of the
	 * run have no letter, because a write began it.
	 */
	size_t read;
};

/* All of one process. */
struct encoder {
	const struct kt_command_events *of; /* Weak */
	kt_letters *letters;                /* Weak */
	struct kt_record *out;              /* Weak */
	kt_roles *roles;                    /* Owned by this */
	/* Letters of accesses by role and whether they write; KT_NO_LETTER: none yet. */
	uint32_t by_role[KT_ACCESS_USES][2];
	uint32_t doorbell;
	uint32_t unpolled;
	uint32_t poll;
	struct run *runs; /* Owned by this: one for each thread */
	size_t n_runs;
	size_t runs_capacity;
	struct kt_number_map by_tid; /* thread -> index in `runs` */
	/*
	 * Number of the record of the last doorbell, from 1; 0 if none was written, or if
	 * R:poll followed.
	 */
	size_t unanswered;
	size_t since; /* letters since that doorbell */
};

static const struct kt_command_event *event_of(const struct encoder *e,
					       const struct kt_record *record)
{
	return record->detail ? &e->of->events[record->detail - 1] : NULL;
}

static int letter_of(struct encoder *e, enum kt_access_role role, bool write,
		     uint32_t *letter)
{
	uint32_t *slot = &e->by_role[role][write];
	char name[32];

	if (*slot == KT_NO_LETTER) {
		snprintf(name, sizeof(name), "%c:%s", write ? 'W' : 'R', names[role]);
		KT_TRY(kt_letters_intern(e->letters, name, strlen(name), slot));
	}
	*letter = *slot;
	return KT_OK;
}

/* Finds the run of a thread, or adds it. Expected O(1). */
static int run_of(struct encoder *e, struct run **out, uint32_t tid)
{
	size_t i = kt_number_map_get(&e->by_tid, tid);

	if (i == KT_NOWHERE) {
		i = e->n_runs;
		KT_TRY(kt_array_reserve(&e->runs, &e->runs_capacity, i + 1));
		KT_TRY(kt_number_map_set(&e->by_tid, tid, i));
		e->runs[e->n_runs++] = (struct run){.open = false};
	}
	*out = &e->runs[i];
	return KT_OK;
}

static int end_run(struct encoder *e, uint32_t tid)
{
	struct run *run;

	KT_TRY(run_of(e, &run, tid));
	run->open = false;
	return KT_OK;
}

/*
 * Gives an access its letter, or none if its run has the letter already. *at becomes the
 * index of the record that gets the letter of a poll: the record with the letter of the
 * run's reads, if there is one.
 */
static int name_access(struct encoder *e, size_t i, const struct kt_command_event *event,
		       size_t *at)
{
	const bool write = event->access.write;
	const enum kt_access_role role =
		kt_roles_use(e->roles, 0, event->access.mapping, event->access.offset,
			     event->access.role);
	struct run *run;
	uint32_t letter;
	bool opens;

	KT_TRY(run_of(e, &run, e->out[i].tid));
	opens = !run->open || run->role != role;
	if (opens) {
		*run = (struct run){.open = true, .role = role, .read = write ? 0 : i + 1};
	}
	*at = run->read ? run->read - 1 : i;
	if (write ? !run->wrote : opens) {
		KT_TRY(letter_of(e, role, write, &letter));
		e->out[i].letter = letter & KT_NO_LETTER;
		run->wrote |= write;
	}
	return KT_OK;
}

/*
 * Names a poll after a doorbell; `at` is the index of the record that gets the letter of
 * the poll.
 */
static void name_poll(struct encoder *e, size_t at)
{
	if (e->unanswered && e->since <= LETTERS_TO_POLL) {
		e->out[e->unanswered - 1].letter = e->doorbell & KT_NO_LETTER;
		e->out[at].letter = e->poll & KT_NO_LETTER;
		e->unanswered = 0;
	}
}

static int name_record(struct encoder *e, size_t i, const struct kt_record *record,
		       bool poll)
{
	const struct kt_command_event *event = event_of(e, record);
	size_t at = i;

	e->out[i] = *record;
	e->out[i].detail = 0;
	e->out[i].run = KT_RUN_NONE;
	if (event && event->kind == KT_COMMAND_ACCESS) {
		KT_TRY(name_access(e, i, event, &at));
		if (poll) {
			/*
			 * If the run began before another thread's doorbell, the poll
			 * itself gets the letter.
			 */
			name_poll(e, at >= e->unanswered ? at : i);
		}
	} else if (e->out[i].letter != KT_NO_LETTER) {
		KT_TRY(end_run(e, record->tid));
	}
	e->since += e->out[i].letter != KT_NO_LETTER;
	if (event && event->kind == KT_COMMAND_DOORBELL) {
		e->out[i].letter = e->unpolled & KT_NO_LETTER;
		e->unanswered = i + 1;
		e->since = 0;
	}
	return KT_OK;
}

static int intern(struct encoder *e, const char *name, uint32_t *letter)
{
	return kt_letters_intern(e->letters, name, strlen(name), letter);
}

static int encode(struct encoder *e, struct kt_command_letters *tools,
		  const struct kt_record *records, size_t n, bool *polls)
{
	bool polled = false;

	KT_TRY(kt_roles_new(&e->roles));
	KT_TRY(kt_command_letters_find_roles(tools, e->roles, records, n, polls));
	kt_roles_settle(e->roles);
	KT_TRY(intern(e, "W:doorbell", &e->doorbell));
	for (size_t i = 0; i < n && !polled; i++) {
		polled = polls[i];
	}
	/*
	 * If reads or commands were not recorded, no poll is found, and it is not known
	 * whether doorbells are polled.
	 */
	e->unpolled = e->doorbell;
	if (polled) {
		KT_TRY(intern(e, "W:doorbell:unpolled", &e->unpolled));
		KT_TRY(intern(e, "R:poll", &e->poll));
	}
	for (size_t i = 0; i < n; i++) {
		if (kt_record_cuts(&records[i]) ||
		    (i > 0 && records[i].seq != records[i - 1].seq + 1)) {
			e->n_runs = 0;
			kt_number_map_free(&e->by_tid);
			e->unanswered = 0;
		}
		KT_TRY(name_record(e, i, &records[i], polls[i]));
	}
	return KT_OK;
}

int kt_role_letters_encode(void *context, const struct kt_record *records, size_t n,
			   struct kt_record **out, size_t *n_out)
{
	struct kt_command_letters *tools = context;
	struct encoder e = {.of = tools->of, .letters = tools->letters};
	bool *polls = malloc((n + 1) * sizeof(*polls));
	int code;

	e.out = malloc((n + 1) * sizeof(*e.out));
	for (size_t i = 0; i < KT_ACCESS_USES; i++) {
		e.by_role[i][0] = e.by_role[i][1] = KT_NO_LETTER;
	}
	code = polls && e.out ? encode(&e, tools, records, n, polls)
			      : kt_no_memory("encode roles");
	if (code) {
		free(e.out);
	} else {
		*out = e.out;
		*n_out = n;
	}
	kt_roles_free(e.roles);
	free(e.runs);
	kt_number_map_free(&e.by_tid);
	free(polls);
	return code;
}

/* --- record by record --- */

struct waiting {
	struct kt_command_letters *tools; /* Weak */
	struct kt_record *records;        /* Owned by this: all records so far */
	size_t n;
	size_t capacity;
	struct kt_record *encoded; /* Owned by this; NULL before the last record */
};

static int begin(void *context, void **encoder)
{
	struct waiting *w = calloc(1, sizeof(*w));

	*encoder = w;
	if (!w) {
		return kt_no_memory("encode roles");
	}
	w->tools = context;
	return KT_OK;
}

static int take(void *encoder, const struct kt_record *record, bool after_gap,
		const struct kt_record **out, size_t *n)
{
	struct waiting *w = encoder;

	(void)after_gap; /* the sequence numbers show gaps */
	*n = 0;
	if (!record) {
		KT_TRY(kt_role_letters_encode(w->tools, w->records, w->n, &w->encoded, n));
		*out = w->encoded;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&w->records, &w->capacity, w->n + 1));
	w->records[w->n++] = *record;
	return KT_OK;
}

static uint32_t strays(const void *encoder)
{
	(void)encoder;
	return 0;
}

static void drop(void *context, const struct kt_record *record)
{
	kt_command_events_forget(((struct kt_command_letters *)context)->forget,
				 record->detail);
}

static void end(void *encoder)
{
	struct waiting *w = encoder;

	for (size_t i = 0; i < w->n; i++) {
		drop(w->tools, &w->records[i]);
	}
	free(w->records);
	free(w->encoded);
	free(w);
}

const struct kt_encoding kt_role_encoding = {
	.all = kt_role_letters_encode,
	.begin = begin,
	.take = take,
	.strays = strays,
	.end = end,
	.drop = drop,
};
