/* SPDX-License-Identifier: MIT */
/* Tests the command alphabets on synthetic events: each letter and its channel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "decode/bits.h"
#include "decode/commands.h"
#include "decode/method-names.h"
#include "decode/qmd.h"
#include "infer/words/commands/command-letters.h"
#include "tests/suite.h"

#define CLIENT 0xc1d00000u
#define A      0x10u /* handle of a channel */
#define B      0x20u
#define PAIR   10u /* work-submit token */
#define QMD    0x200800000u
#define BANK0  0x200801000u
#define BANK3  0x200802000u
#define SIGNAL 0x200600000u
#define MANY   512

static struct kt_command_events events;
static struct kt_record records[MANY];
static size_t n_records;
static uint64_t seq;
static uint32_t index_in_ring;
static uint32_t stream[2048]; /* dwords of the next entry */
static size_t n_stream;
static char got[4096]; /* the letters, as "letter@channel ..." */

static void begin(void)
{
	kt_command_events_free(&events);
	n_records = 0;
	seq = 0;
	index_in_ring = 0;
	n_stream = 0;
}

static void add(struct kt_command_event event)
{
	events.events = realloc(events.events, (events.n + 1) * sizeof(event));
	events.events[events.n++] = event;
	records[n_records++] =
		(struct kt_record){.seq = seq, .tid = 7, .detail = (uint32_t)events.n};
	records[n_records - 1].time = (int64_t)seq++;
}

static void add_object(uint32_t parent, uint32_t object, uint32_t class_number)
{
	add((struct kt_command_event){.kind = KT_COMMAND_OBJECT,
				      .client = CLIENT,
				      .object = object,
				      .allocation = {.parent = parent,
						     .class_number = class_number,
						     .alloc = true}});
}

static void add_channel(uint32_t handle)
{
	add_object(1, handle, 0xc86f);
	add_object(handle, handle + 1, 0xcbc0);
	add_object(handle, handle + 2, 0xc8b5);
}

static void ring(uint32_t moved, uint32_t token)
{
	add((struct kt_command_event){
		.kind = KT_COMMAND_DOORBELL,
		.doorbell = {.known = true, .value = token, .moved = moved}});
}

/* Appends a header with increasing offsets and its dwords. */
static void put(unsigned subchannel, uint16_t offset, size_t n, const uint32_t *values)
{
	struct kt_method_header header = {.op = KT_METHOD_INCREASING,
					  .count = (uint16_t)n,
					  .subchannel = (uint8_t)subchannel,
					  .offset = offset};

	stream[n_stream++] = kt_method_header_encode(&header);
	memcpy(stream + n_stream, values, n * sizeof(*values));
	n_stream += n;
}

static void put_one(unsigned subchannel, uint16_t offset, uint32_t value)
{
	put(subchannel, offset, 1, &value);
}

static void put_release(uint64_t address)
{
	uint32_t values[] = {(uint32_t)address, (uint32_t)(address >> 32), 1, 0, 1};

	put(0, KT_C86F_SEM_ADDR_LO, 5, values);
}

static void put_acquire(uint64_t address)
{
	uint32_t values[] = {(uint32_t)address, (uint32_t)(address >> 32), 1, 0, 0};

	put(0, KT_C86F_SEM_ADDR_LO, 5, values);
}

static void put_inline(uint64_t to, const uint32_t *data, uint32_t bytes)
{
	uint32_t destination[] = {(uint32_t)(to >> 32), (uint32_t)to};
	uint32_t size[] = {bytes, 1};
	struct kt_method_header header = {.op = KT_METHOD_NON_INCREASING,
					  .count = (uint16_t)((bytes + 3) / 4),
					  .subchannel = 1,
					  .offset = KT_CBC0_LOAD_INLINE_DATA};

	put(1, KT_CBC0_OFFSET_OUT_UPPER, 2, destination);
	put(1, KT_CBC0_LINE_LENGTH_IN, 2, size);
	put_one(1, KT_CBC0_LAUNCH_DMA, 0x41);
	stream[n_stream++] = kt_method_header_encode(&header);
	memcpy(stream + n_stream, data, header.count * sizeof(*data));
	n_stream += header.count;
}

static void put_direct(void)
{
	uint32_t addresses[] = {0, 0x1000, 0, 0x2000};

	put(4, KT_C8B5_OFFSET_IN_UPPER, 4, addresses);
	put_one(4, KT_C8B5_LINE_LENGTH_IN, 64);
	put_one(4, KT_C8B5_LAUNCH_DMA, 0x182);
}

static void set(const struct kt_qmd_layout *layout, uint32_t *words, const char *name,
		unsigned index, uint32_t value)
{
	struct kt_qmd_field field;
	unsigned bit;

	CU_ASSERT_TRUE_FATAL(kt_qmd_field_named(layout, name, &field));
	bit = kt_qmd_bit(&field, index);
	kt_bits_set_at(words, bit + field.hi - field.lo, bit, value);
}

/* Makes a QMD of version 4.0 with banks 0 and 3, of 256 bytes each. */
static void make_qmd(uint32_t words[static 96])
{
	const struct kt_qmd_layout *layout = NULL;

	for (size_t i = 0; i < kt_qmd_layouts(); i++) {
		layout = kt_qmd_layout_at(i);
		if (kt_qmd_major(layout) == 4 && kt_qmd_class(layout, 0) == 0xcbc0) {
			break;
		}
	}
	memset(words, 0, 96 * sizeof(*words));
	set(layout, words, "QMD_MAJOR_VERSION", 0, 4);
	for (unsigned bank = 0; bank < 4; bank += 3) {
		uint64_t address = bank ? BANK3 : BANK0;

		set(layout, words, "CONSTANT_BUFFER_VALID", bank, 1);
		set(layout, words, "CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6", bank,
		    (uint32_t)(address >> 6));
		set(layout, words, "CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6", bank,
		    (uint32_t)(address >> 38));
		set(layout, words, "CONSTANT_BUFFER_SIZE_SHIFTED4", bank, 256 >> 4);
	}
}

static void put_launch(void)
{
	uint32_t qmd[96];

	make_qmd(qmd);
	put_inline(QMD, qmd, sizeof(qmd));
	put_one(1, KT_CBC0_SEND_PCAS_A, (uint32_t)((uint64_t)QMD >> 8));
	put_one(1, KT_CBC0_SEND_SIGNALING_PCAS2_B, 0xa);
}

/* Submits an entry with the dwords appended so far, in parts of at most `part`. */
static void submit_as(uint32_t channel, bool found, size_t part)
{
	add((struct kt_command_event){.kind = KT_COMMAND_ENTRY,
				      .client = CLIENT,
				      .object = channel,
				      .entry = {.class_number = 0xc86f,
						.index = index_in_ring,
						.words = (uint32_t)n_stream,
						.found = found}});
	for (size_t at = 0; at < n_stream; at += part) {
		size_t n = n_stream - at < part ? n_stream - at : part;

		events.words = realloc(events.words, (events.n_words + n + 1) * 4);
		memcpy(events.words + events.n_words, stream + at, n * 4);
		add((struct kt_command_event){.kind = KT_COMMAND_WORDS,
					      .client = CLIENT,
					      .object = channel,
					      .words = {.index = index_in_ring,
							.offset = (uint32_t)at,
							.n = (uint32_t)n,
							.at = events.n_words}});
		events.n_words += n + (part == 3); /* parts of 3 are not adjacent */
	}
	index_in_ring++;
	n_stream = 0;
}

static void submit(uint32_t channel)
{
	submit_as(channel, false, MANY);
}

static void map(void)
{
	add((struct kt_command_event){
		.kind = KT_COMMAND_MAP,
		.map = {.mapping = 5, .address = SIGNAL, .length = 0x1000}});
}

static void read_at(uint64_t offset)
{
	add((struct kt_command_event){.kind = KT_COMMAND_ACCESS,
				      .access = {.mapping = 5, .offset = offset}});
}

static void encode(enum kt_command_alphabet alphabet)
{
	struct kt_command_letters tools = {.alphabet = alphabet, .of = &events};
	struct kt_record *out = NULL;
	uint64_t last = 0;
	size_t kept = 0;
	size_t n = 0;

	got[0] = '\0';
	CU_ASSERT_EQUAL_FATAL(kt_letters_new(&tools.letters), KT_OK);
	CU_ASSERT_EQUAL_FATAL(
		kt_command_letters_encode(&tools, records, n_records, &out, &n), KT_OK);
	for (size_t i = 0; i < n; i++) {
		if (out[i].letter == KT_NO_LETTER) {
			CU_ASSERT_EQUAL(out[i].seq, records[kept].seq);
			kept++;
			continue;
		}
		CU_ASSERT_TRUE(out[i].seq >= last);
		CU_ASSERT_EQUAL(out[i].time, (int64_t)out[i].seq);
		CU_ASSERT_EQUAL(out[i].tid, 7);
		last = out[i].seq;
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s@%u",
			 *got ? " " : "", kt_letters_name(tools.letters, out[i].letter),
			 out[i].mapping);
	}
	CU_ASSERT_EQUAL(kept, n_records);
	free(out);
	kt_letters_free(tools.letters);
	kt_command_letters_free(&tools);
	kt_command_events_free(&events);
}

static void expect(const char *want)
{
	encode(KT_COMMANDS_SUBMISSION);
	if (strcmp(got, want) != 0) {
		fprintf(stderr, "got  %s\nwant %s\n", got, want);
	}
	CU_ASSERT_STRING_EQUAL(got, want);
}

/* Submits the dwords appended so far by one doorbell on channel A. */
static void expect_alone(const char *want)
{
	ring(1, PAIR);
	submit(A);
	expect(want);
}

static void names_kinds(void)
{
	const uint32_t data[4] = {0};

	begin();
	add_channel(A);
	put_release(SIGNAL);
	expect_alone("submit:semaphore-release@0");

	begin();
	add_channel(A);
	put_launch();
	put_direct();
	put_inline(0x5000, data, 16);
	put_acquire(SIGNAL);
	put_release(SIGNAL);
	put_direct();
	expect_alone("submit:semaphore-acquire+copy-inline+copy-direct+launch@0");

	begin();
	add_channel(A);
	put_acquire(SIGNAL);
	put_release(SIGNAL);
	expect_alone("submit:semaphore-acquire+semaphore-release@0");

	begin();
	add_channel(A);
	put_one(1, 0, 0xcbc0);
	expect_alone("submit:setup@0");

	begin();
	add_channel(A);
	put_one(0, 0, 0xcb99);
	put_one(0, 0x1234, 1);
	put_one(2, 0x1234, 1);
	put_direct();
	expect_alone("submit:copy-direct+0x0+0xcb99@0");
}

/* Only writes of a launch's QMD and its bank 0 belong to the launch. */
static void recognises_own_writes(void)
{
	const uint32_t data[96] = {0};
	static const struct {
		uint64_t to;
		uint32_t bytes;
		bool own;
	} writes[] = {
		{BANK0, 256, true},     {BANK0 + 0xf0, 16, true}, {BANK0 + 0xf4, 16, false},
		{BANK0 - 4, 16, false}, {BANK0, 260, false},      {BANK3, 16, false},
		{QMD + 0x40, 16, true}, {QMD + 0x178, 16, false}, {0x5000, 16, false},
	};

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		begin();
		add_channel(A);
		put_inline(writes[i].to, data, writes[i].bytes);
		put_launch();
		put_release(SIGNAL);
		expect_alone(writes[i].own ? "submit:launch@0"
					   : "submit:copy-inline+launch@0");
	}
	/* A write after the launch or in another submission is a copy. */
	begin();
	add_channel(A);
	put_launch();
	put_inline(BANK0, data, 16);
	expect_alone("submit:copy-inline+launch@0");
	begin();
	add_channel(A);
	put_inline(BANK0, data, 16);
	ring(1, PAIR);
	submit(A);
	put_launch();
	expect_alone("submit:copy-inline@0 submit:launch@0");
	/* A write in another entry of the same doorbell belongs to the launch. */
	begin();
	add_channel(A);
	ring(1, PAIR);
	put_inline(BANK0, data, 16);
	submit(A);
	put_launch();
	submit_as(A, false, 3);
	expect("submit:launch@0");
}

static void names_channels(void)
{
	begin();
	add_channel(B);
	add_channel(A);
	ring(2, PAIR);
	put_release(SIGNAL);
	submit(A);
	put_direct();
	submit(B);
	put_one(1, 0x1234, 1);
	submit(0x30);
	expect("submit:semaphore-release@1 submit:copy-direct@0 submit:0x0@2");

	/* Tests a reused handle, found submissions, and doorbells without an entry. */
	begin();
	add_channel(A);
	ring(0, 99);
	ring(1, PAIR);
	put_direct();
	submit_as(A, true, MANY);
	put_launch();
	submit(A);
	ring(0, PAIR);
	add_channel(A);
	ring(1, PAIR);
	put_direct();
	submit(A);
	ring(1, 5);
	expect("submit:nothing@2 found:copy-direct@0 submit:launch@0 submit:nothing@0 "
	       "submit:copy-direct@1 submit:unread@2");
}

static void polls(void)
{
	begin();
	map();
	add_channel(A);
	add_channel(B);
	read_at(0);
	ring(1, PAIR);
	put_release(SIGNAL);
	submit(A);
	read_at(16); /* another semaphore */
	read_at(8);  /* the timestamp */
	read_at(0);
	ring(1, PAIR + 1);
	put_release(SIGNAL + 16);
	submit(B);
	ring(1, PAIR);
	put_release(SIGNAL);
	submit(A);
	read_at(16);
	read_at(0);
	read_at(16);
	read_at(0x1000); /* outside the mapping */
	expect("submit:semaphore-release@0 poll@0 submit:semaphore-release@1 "
	       "submit:semaphore-release@0 poll@1 poll@0");
}

/* After a gap, dwords belong to no entry, and a poll may wait for a missing submission. */
static void gaps(void)
{
	begin();
	map();
	add_channel(A);
	ring(1, PAIR);
	put_release(SIGNAL);
	submit(A);
	read_at(0);
	read_at(0);
	seq++;
	read_at(0);
	ring(1, PAIR);
	put_direct();
	submit(A);
	n_records--; /* the dwords are missing */
	ring(1, PAIR);
	put_direct();
	submit(A);
	expect("submit:semaphore-release@0 poll@0 poll@0 submit:unread@0 "
	       "submit:copy-direct@0");
}

/* Dwords that do not continue the previous ones are not decoded. */
static void holes(void)
{
	begin();
	add_channel(A);
	ring(1, PAIR);
	put_direct();
	submit_as(A, false, 4);
	events.events[events.n - 1].words.offset++;
	expect("submit:unread@0");
}

static void encodes_methods(void)
{
	const uint32_t data[4] = {0};

	begin();
	map();
	add_channel(A);
	ring(1, PAIR);
	put_inline(0x5000, data, 16);
	put_one(1, 0x3c, 1);   /* method of the host, without a name */
	put_one(1, 0xffc, 1);  /* method of the class, without a name */
	put_one(2, 0x1234, 1); /* method of an unknown class */
	put_one(2, 0x1234, 1);
	submit(A);
	put_one(1, KT_CBC0_LAUNCH_DMA, 0x41);
	submit(A);
	n_records--;
	read_at(0);
	encode(KT_COMMANDS_METHODS);
	CU_ASSERT_STRING_EQUAL(
		got,
		"m:HOPPER_COMPUTE_A:OFFSET_OUT_UPPER@0 m:HOPPER_COMPUTE_A:OFFSET_OUT@0 "
		"m:HOPPER_COMPUTE_A:LINE_LENGTH_IN@0 m:HOPPER_COMPUTE_A:LINE_COUNT@0 "
		"m:HOPPER_COMPUTE_A:LAUNCH_DMA@0 m:HOPPER_COMPUTE_A:LOAD_INLINE_DATA@0 "
		"m:HOPPER_CHANNEL_GPFIFO_A:0x3c@0 m:HOPPER_COMPUTE_A:0xffc@0 "
		"m:0x0:0x1234@0 m:unread@0");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"names kinds", names_kinds},
		{"tells own writes", recognises_own_writes},
		{"tells channels", names_channels},
		{"polls", polls},
		{"gaps", gaps},
		{"holes", holes},
		{"encodes methods", encodes_methods},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("command-letters", tests);
}
