/* SPDX-License-Identifier: MIT */
/* Tests the alphabet roles on synthetic events: letters, runs, and letters record by
 * record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/commands/role-letters.h"
#include "tests/suite.h"

#define COMMANDS 0x200800000u
#define MANY     64

static struct kt_command_events events;
static struct kt_record records[MANY];
static size_t n_records;
static uint64_t seq;

static void begin(void)
{
	kt_command_events_free(&events);
	n_records = 0;
	seq = 0;
}

static void add(struct kt_command_event event)
{
	events.events = realloc(events.events, (events.n + 1) * sizeof(event));
	CU_ASSERT_PTR_NOT_NULL_FATAL(events.events);
	events.events[events.n++] = event;
	records[n_records++] = (struct kt_record){.seq = seq++,
						  .tid = 7,
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
}

static void entry(uint64_t address)
{
	add((struct kt_command_event){.kind = KT_COMMAND_ENTRY,
				      .entry = {.words = 8, .address = address}});
}

static void write_letters(char out[static 512], const struct kt_record *encoded, size_t n,
			  const kt_letters *letters)
{
	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (encoded[i].letter != KT_NO_LETTER) {
			snprintf(out + strlen(out), 512 - strlen(out), "%s%s/%u",
				 *out ? " " : "",
				 kt_letters_name(letters, encoded[i].letter),
				 encoded[i].mapping);
		}
	}
}

/* Expects letters, each with the number of its role: runs end where that changes. */
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
	expect("W:commands/1 W:ring/2 R:token/8 R:timer/9 W:other/0");
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
	expect("W:ring/2 W:put/6 R:get/7 R:other/0 R:other/0");
}

/* A gap ends a submission, so dwords after it are not taken for its own. */
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
	expect("W:commands/1 W:ring/2 W:commands/1 R:other/0");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"later events count", later_events_count},
		{"runs are of roles", runs_are_of_roles},
		{"gaps", gaps_are_skipped},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("role-letters", tests);
}
