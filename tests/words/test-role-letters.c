/* SPDX-License-Identifier: MIT */
/*
 * Tests the alphabet roles on synthetic events: letters, runs, polled doorbells, and
 * letters record by record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "decode/method-names.h"
#include "infer/words/commands/role-letters.h"
#include "tests/suite.h"

#define COMMANDS 0x200800000u
#define SIGNAL   0x7d0000000400u /* a semaphore in mapping 4 */
#define CHANNEL  0x5c000010u
#define MANY     64

static struct kt_command_events events;
static struct kt_record records[MANY];
static size_t n_records;
static uint64_t seq;
static uint32_t tid;

static void begin(void)
{
	kt_command_events_free(&events);
	n_records = 0;
	seq = 0;
	tid = 7;
}

static void add(struct kt_command_event event)
{
	events.events = realloc(events.events, (events.n + 1) * sizeof(event));
	CU_ASSERT_PTR_NOT_NULL_FATAL(events.events);
	events.events[events.n++] = event;
	records[n_records++] = (struct kt_record){.seq = seq++,
						  .tid = tid,
						  .detail = (uint32_t)events.n,
						  .letter = KT_NO_LETTER};
}

static void map(uint32_t number, const char *space, uint64_t address)
{
	struct kt_command_event event = {
		.kind = KT_COMMAND_MAP,
		.map = {.mapping = number, .address = address, .length = 0x10000}};

	snprintf(event.map.space, sizeof(event.map.space), "%s", space);
	add(event);
}

/* `role` is what the recorder knew. */
static void access_at(char op, uint32_t mapping, uint64_t offset, const char *role)
{
	struct kt_command_event event = {
		.kind = KT_COMMAND_ACCESS,
		.access = {.mapping = mapping, .offset = offset, .write = op == 'W'}};

	snprintf(event.access.role, sizeof(event.access.role), "%s", role);
	add(event);
}

static void ring(void)
{
	add((struct kt_command_event){.kind = KT_COMMAND_DOORBELL,
				      .doorbell = {.known = true, .moved = 1}});
	records[n_records - 1].letter = 0; /* a rule gives this letter, so it ends a run */
}

static void entry(uint64_t address)
{
	add((struct kt_command_event){.kind = KT_COMMAND_ENTRY,
				      .entry = {.words = 8, .address = address}});
}

/* Submits a release of a semaphore. */
static void release(uint32_t channel, uint64_t address)
{
	static const struct kt_method_header header = {
		.op = KT_METHOD_INCREASING, .count = 5, .offset = KT_C86F_SEM_ADDR_LO};
	const uint32_t words[] = {kt_method_header_encode(&header),
				  (uint32_t)address,
				  (uint32_t)(address >> 32),
				  1,
				  0,
				  1};

	events.words = realloc(events.words, (events.n_words + 6) * sizeof(*words));
	CU_ASSERT_PTR_NOT_NULL_FATAL(events.words);
	memcpy(events.words + events.n_words, words, sizeof(words));
	ring();
	add((struct kt_command_event){
		.kind = KT_COMMAND_ENTRY,
		.object = channel,
		.entry = {.class_number = 0xc86f, .words = 6, .address = COMMANDS}});
	add((struct kt_command_event){.kind = KT_COMMAND_WORDS,
				      .object = channel,
				      .words = {.n = 6, .at = events.n_words}});
	events.n_words += 6;
}

static void read_signal(void)
{
	access_at('R', 4, SIGNAL & 0xffff, "");
}

static void write_letters(char out[static 512], const struct kt_record *encoded, size_t n,
			  const kt_letters *letters)
{
	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (encoded[i].letter != KT_NO_LETTER) {
			snprintf(out + strlen(out), 512 - strlen(out), "%s%s",
				 *out ? " " : "",
				 kt_letters_name(letters, encoded[i].letter));
			CU_ASSERT_EQUAL(encoded[i].run, KT_RUN_NONE);
		}
	}
}

static void expect(const char *want)
{
	struct kt_command_letters tools = {
		.alphabet = KT_COMMANDS_ROLES, .of = &events, .forget = &events};
	const struct kt_record *later = NULL;
	struct kt_record *out = NULL;
	void *encoder = NULL;
	char got[512];
	size_t n = 0;

	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&tools.letters), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_role_letters_encode(&tools, records, n_records, &out, &n),
			      KT_OK);
	CU_ASSERT_EQUAL(n, n_records);
	write_letters(got, out, n, tools.letters);
	if (strcmp(got, want) != 0) {
		fprintf(stderr, "got  %s\nwant %s\n", got, want);
	}
	CU_ASSERT_STRING_EQUAL(got, want);
	CU_ASSERT_EQUAL_FATAL(kt_role_encoding.begin(&tools, &encoder), KT_OK);
	for (size_t i = 0; i < n_records; i++) {
		CU_ASSERT_EQUAL(
			kt_role_encoding.take(encoder, &records[i], false, &later, &n),
			KT_OK);
		CU_ASSERT_EQUAL(n, 0);
	}
	CU_ASSERT_EQUAL(kt_role_encoding.take(encoder, NULL, false, &later, &n), KT_OK);
	CU_ASSERT_EQUAL(n, n_records);
	write_letters(got, later, n, tools.letters);
	CU_ASSERT_STRING_EQUAL(got, want);
	kt_role_encoding.end(encoder);
	free(out);
	kt_letters_free(tools.letters);
	kt_command_letters_free(&tools);
	kt_command_events_free(&events);
}

static void start(void)
{
	begin();
	map(1, "reg", 0x7e0000000000);
	map(2, "fb", 0x200600000);
	map(3, "sys", COMMANDS);
	map(4, "sys", 0x7d0000000000);
	map(5, "sys", 0x7c0000000000);
}

/* Commands are known as such after the ring entry that points to them. */
static void later_events_count(void)
{
	start();
	access_at('W', 3, 0x100, "");
	access_at('W', 2, 0x8, "");
	access_at('R', 4, 0x10, "");
	ring();
	entry(COMMANDS + 0x100);
	access_at('R', 1, 0x80, "");
	access_at('W', 5, 0, "");
	expect("W:commands W:ring R:token W:doorbell R:timer W:other");
}

/* The same role in another mapping, or at another offset, does not end a run. */
static void runs_are_of_roles(void)
{
	start();
	access_at('W', 2, 0x8, "ring");
	access_at('W', 2, 0x8c, "GP_PUT");
	access_at('R', 2, 0x88, "GP_GET");
	access_at('R', 4, 0, "other");
	access_at('R', 5, 0, "other");
	expect("W:ring W:put R:get R:other");
}

/*
 * A gap ends a submission, so dwords after the gap are not taken for dwords of the
 * submission.
 */
static void gaps_are_skipped(void)
{
	start();
	access_at('W', 3, 0x100, "");
	access_at('W', 2, 0x8, "");
	ring();
	entry(COMMANDS + 0x100);
	seq += 5;
	access_at('W', 3, 0x100, "");
	access_at('R', 5, 0, "");
	expect("W:commands W:ring W:doorbell W:commands R:other");
}

/* What another thread does ends no run. */
static void runs_are_of_threads(void)
{
	start();
	for (int i = 0; i < 3; i++) {
		tid = 7;
		access_at('W', 2, 0x8, "ring");
		tid = 8;
		access_at('R', 1, 0x80, "");
	}
	tid = 7;
	access_at('R', 1, 0x80, "");
	access_at('W', 2, 0x8, "ring");
	expect("W:ring R:timer R:timer W:ring");
}

/*
 * 20,000 threads access memory in turn: a search through the runs of all threads for each
 * of the 500,000 accesses would take 5e9 steps.
 */
static void many_threads(void)
{
	enum { THREADS = 20000, ROUNDS = 25 };
	struct kt_command_letters tools = {.alphabet = KT_COMMANDS_ROLES, .of = &events};
	struct kt_record *many = calloc(THREADS * ROUNDS, sizeof(*many));
	struct kt_record *out = NULL;
	size_t letters = 0;
	size_t n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(many);
	start();
	access_at('R', 5, 0, "other");
	for (size_t i = 0; i < (size_t)THREADS * ROUNDS; i++) {
		many[i] = records[n_records - 1];
		many[i].seq = i;
		many[i].tid = i % THREADS;
	}
	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&tools.letters), KT_OK);
	CU_ASSERT_EQUAL_FATAL(
		kt_role_letters_encode(&tools, many, (size_t)THREADS * ROUNDS, &out, &n),
		KT_OK);
	for (size_t i = 0; i < n; i++) {
		letters += out[i].letter != KT_NO_LETTER;
	}
	CU_ASSERT_EQUAL(letters, THREADS); /* one run each */
	free(out);
	free(many);
	kt_letters_free(tools.letters);
	kt_command_letters_free(&tools);
	kt_command_events_free(&events);
}

/* Of the reads of a semaphore, the first after a doorbell is the doorbell's poll. */
static void first_reads_are_polls(void)
{
	start();
	release(CHANNEL, SIGNAL);
	read_signal();
	access_at('R', 1, 0x80, "");
	read_signal();
	release(CHANNEL, SIGNAL);
	release(CHANNEL, SIGNAL);
	access_at('R', 1, 0x80, "");
	read_signal();
	expect("W:doorbell R:poll R:timer R:semaphore W:doorbell:unpolled W:doorbell "
	       "R:timer "
	       "R:poll");
}

/* One doorbell has one poll, also where several submissions are outstanding. */
static void each_doorbell_has_one_poll(void)
{
	start();
	release(CHANNEL, SIGNAL);
	release(CHANNEL + 1, SIGNAL + 0x10);
	read_signal();
	access_at('R', 1, 0x80, "");
	access_at('R', 4, (SIGNAL & 0xffff) + 0x10, "");
	expect("W:doorbell:unpolled W:doorbell R:poll R:timer R:semaphore");
}

/*
 * A read begins a run although its semaphore was not released again. A poll later in the
 * same run makes the letter of the run R:poll.
 */
static void runs_with_a_poll_are_polls(void)
{
	start();
	release(CHANNEL, SIGNAL);
	read_signal();
	release(CHANNEL + 1, SIGNAL + 0x10);
	read_signal();
	access_at('R', 4, (SIGNAL & 0xffff) + 0x10, "");
	expect("W:doorbell R:poll W:doorbell R:poll");
}

/* The run of another thread began before the doorbell, so the poll is a letter of its own.
 */
static void polls_in_older_runs(void)
{
	start();
	release(CHANNEL, SIGNAL);
	tid = 8;
	read_signal();
	tid = 7;
	release(CHANNEL, SIGNAL);
	tid = 8;
	read_signal();
	expect("W:doorbell R:poll W:doorbell R:poll");
}

static void write_signal(void)
{
	access_at('W', 4, SIGNAL & 0xffff, "");
}

/*
 * In a run that begins with a write, the poll is a letter of its own, and the write keeps
 * its letter.
 */
static void polls_after_writes(void)
{
	start();
	release(CHANNEL, SIGNAL);
	write_signal();
	read_signal();
	release(CHANNEL, SIGNAL);
	read_signal();
	write_signal();
	expect("W:doorbell W:semaphore R:poll W:doorbell R:poll W:semaphore");

	/* Twice in one run, the poll of one thread comes after the doorbell of another. */
	start();
	tid = 8;
	write_signal();
	for (int i = 0; i < 2; i++) {
		tid = 7;
		release(CHANNEL, SIGNAL);
		tid = 8;
		read_signal();
		write_signal();
	}
	expect("W:semaphore W:doorbell R:poll W:doorbell R:poll");
}

/* `between` letters come between a doorbell and the first read of its semaphore. */
static void poll_after(int between)
{
	start();
	release(CHANNEL, SIGNAL);
	for (int i = 0; i < between; i++) {
		access_at('R', 1, i % 2 ? 0x80 : 0, "");
	}
	read_signal();
	/* a second doorbell, with its poll right after it */
	release(CHANNEL, SIGNAL);
	read_signal();
}

static void late_polls_do_not_count(void)
{
	poll_after(8);
	expect("W:doorbell R:other R:timer R:other R:timer R:other R:timer R:other R:timer "
	       "R:poll W:doorbell R:poll");
	poll_after(9);
	expect("W:doorbell:unpolled R:other R:timer R:other R:timer R:other R:timer "
	       "R:other "
	       "R:timer R:other R:semaphore W:doorbell R:poll");
}

/*
 * After a gap, a read may be the first one after a doorbell that is missing from the trace,
 * so it is not named R:poll.
 */
static void polls_after_gaps(void)
{
	start();
	release(CHANNEL, SIGNAL);
	read_signal();
	release(CHANNEL, SIGNAL);
	seq += 5;
	read_signal();
	expect("W:doorbell R:poll W:doorbell:unpolled R:semaphore");
}

/* If no read or no command was recorded, doorbells are not said to be unpolled. */
static void without_reads(void)
{
	start();
	release(CHANNEL, SIGNAL);
	expect("W:doorbell");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"later events count", later_events_count},
		{"runs are of roles", runs_are_of_roles},
		{"gaps", gaps_are_skipped},
		{"runs are of threads", runs_are_of_threads},
		{"many threads", many_threads},
		{"first reads are polls", first_reads_are_polls},
		{"one poll a doorbell", each_doorbell_has_one_poll},
		{"runs with a poll", runs_with_a_poll_are_polls},
		{"polls in older runs", polls_in_older_runs},
		{"polls after writes", polls_after_writes},
		{"late polls", late_polls_do_not_count},
		{"polls after gaps", polls_after_gaps},
		{"without reads", without_reads},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("role-letters", tests);
}
