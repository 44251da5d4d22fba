/* SPDX-License-Identifier: MIT */
/*
 * Submissions as NVIDIA's driver 580 writes them for a Hopper GPU, and their like of other
 * generations, word by word: what each starts.
 */
#include "decode/commands.h"

#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "tests/suite.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct seen {
	struct kt_channel_decoder *decoder;
	size_t methods;
	size_t n;
	struct kt_decoded given[64]; /* that start something */
	struct kt_decoded first;
	struct kt_decoded last;
	uint32_t qmd[96]; /* of the newest launch */
	uint32_t data[8]; /* the first words of the newest inline data */
};

static void each(void *context, const struct kt_decoded *decoded)
{
	struct seen *seen = context;
	const struct kt_command *command = &decoded->command;

	if (!seen->methods++) {
		seen->first = *decoded;
	}
	seen->last = *decoded;
	if (command->kind == KT_COMMAND_NONE) {
		return;
	}
	if (command->qmd) {
		memcpy(seen->qmd, command->qmd, command->qmd_bytes);
	}
	if (command->data) {
		memcpy(seen->data, command->data,
		       command->data_words < 8 ? command->data_words * 4 : 32);
	}
	if (seen->n < N(seen->given)) {
		seen->given[seen->n] = *decoded;
	}
	seen->n++;
}

static void begin(struct seen *seen, uint32_t channel_class)
{
	memset(seen, 0, sizeof(*seen));
	CU_ASSERT_EQUAL_FATAL(kt_channel_decoder_new(&seen->decoder, channel_class), 0);
}

static void feed(struct seen *seen, const uint32_t *words, size_t n)
{
	seen->methods = 0;
	seen->n = 0;
	kt_channel_decode(seen->decoder, words, n, each, seen);
}

#define FEED(seen, ...)                                                                    \
	do {                                                                               \
		static const uint32_t words_[] = {__VA_ARGS__};                            \
		feed(seen, words_, N(words_));                                             \
	} while (0)

/* The counts of all, and that they add up. */
static void end(struct seen *seen, uint64_t headers, uint64_t methods, uint64_t bad)
{
	struct kt_decode_counts counts;
	uint64_t sum = 0;

	kt_channel_decoder_counts(seen->decoder, &counts);
	CU_ASSERT_EQUAL(counts.headers, headers);
	CU_ASSERT_EQUAL(counts.methods, methods);
	CU_ASSERT_EQUAL(counts.bad, bad);
	CU_ASSERT_EQUAL(counts.words, headers + methods + bad);
	for (unsigned i = 0; i < KT_COMMAND_KINDS; i++) {
		sum += counts.commands[i];
	}
	CU_ASSERT_EQUAL(sum, methods);
	kt_channel_decoder_free(seen->decoder);
}

static const struct kt_command *only(const struct seen *seen, enum kt_command_kind kind)
{
	CU_ASSERT_EQUAL_FATAL(seen->n, 1);
	CU_ASSERT_EQUAL(seen->given[0].command.kind, kind);
	return &seen->given[0].command;
}

/* SET_OBJECT as the driver does it: compute 1, copy 4. */
#define BIND_HOPPER 0x20012000, 0xcbc0, 0x20018000, 0xc8b5

/* --- binding --- */

static void binds(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.given[0].command.kind, KT_COMMAND_BIND);
	CU_ASSERT_EQUAL(seen.given[0].command.class_number, 0xcbc0);
	CU_ASSERT_EQUAL(seen.given[0].method.subchannel, 1);
	CU_ASSERT_EQUAL(seen.given[0].class_number, 0xc86f);
	CU_ASSERT_STRING_EQUAL(seen.given[0].info.name, "SET_OBJECT");
	CU_ASSERT_EQUAL(seen.given[1].command.class_number, 0xc8b5);
	FEED(&seen, 0x818280c0); /* LAUNCH_DMA at 4, another word of that number at 1 */
	CU_ASSERT_STRING_EQUAL(seen.last.info.name, "LAUNCH_DMA");
	CU_ASSERT_EQUAL(seen.last.class_number, 0xc8b5);
	end(&seen, 2, 3, 0);
}

static void counts_what_is_not_known(void)
{
	struct seen seen;
	struct kt_decode_counts counts;

	begin(&seen, 0xc86f);
	/* Nothing bound to 3; class 0x1234 at 2; a hole of 0xc8b5 at 4 */
	FEED(&seen, 0x80056040, 0x20014000, 0x1234, 0x80054040, BIND_HOPPER, 0x80008041);
	CU_ASSERT_FALSE(seen.last.named);
	CU_ASSERT_EQUAL(seen.first.class_number, 0);
	CU_ASSERT_PTR_NULL(seen.first.class_);
	kt_channel_decoder_counts(seen.decoder, &counts);
	CU_ASSERT_EQUAL(counts.unbound, 2);
	CU_ASSERT_EQUAL(counts.unnamed, 1);
	end(&seen, 3, 6, 0);
}

/* Recorded from the middle on: no SET_OBJECT was seen. */
static void takes_what_is_allowed(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	kt_channel_decoder_allow(seen.decoder, 0xc7b5);
	kt_channel_decoder_allow(seen.decoder, 0xcbc0);
	kt_channel_decoder_allow(seen.decoder, 0xc8b5);
	kt_channel_decoder_allow(seen.decoder, 0x40); /* memory: not on a subchannel */
	FEED(&seen, 0x818280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->class_number, 0xc8b5);
	FEED(&seen, 0x80002044);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_WAIT_FOR_IDLE)->class_number, 0xcbc0);
	FEED(&seen, 0x20018000, 0xc6b5);
	kt_channel_decoder_allow(seen.decoder, 0xc8b5);
	FEED(&seen, 0x818280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->class_number, 0xc6b5);
	end(&seen, 1, 4, 0);
}

/* --- copies --- */

/* 60 bytes: a copy of 32 MiB and its release by the host. */
static void copies_directly(void)
{
	struct seen seen;
	const struct kt_command *copy;
	const struct kt_command *release;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	FEED(&seen, 0x20048100, 0x7f12, 0x34000000, 0x7f56, 0x78000000, 0x20018106,
	     0x2000000, 0x818280c0, 0x20050017, 0x4000, 0x2, 7, 0, 0x03100001, 0xe0000000);
	CU_ASSERT_EQUAL_FATAL(seen.n, 2);
	copy = &seen.given[0].command;
	CU_ASSERT_EQUAL(copy->kind, KT_COMMAND_COPY);
	CU_ASSERT_EQUAL(copy->from, 0x7f1234000000);
	CU_ASSERT_EQUAL(copy->to, 0x7f5678000000);
	CU_ASSERT_EQUAL(copy->bytes, 0x2000000);
	CU_ASSERT_EQUAL(copy->lines, 1);
	CU_ASSERT_FALSE(copy->releases);
	release = &seen.given[1].command;
	CU_ASSERT_EQUAL(release->kind, KT_COMMAND_RELEASE);
	CU_ASSERT_EQUAL(release->address, 0x200004000);
	CU_ASSERT_EQUAL(release->payload, 0x0000000000000007);
	CU_ASSERT_EQUAL(release->class_number, 0xc86f);
	CU_ASSERT_TRUE(release->timestamp && release->releases);
	end(&seen, 2 + 4, 2 + 11, 0);
}

static void copies_lines_and_components(void)
{
	struct seen seen;
	const struct kt_command *copy;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	/* Lines count only with MULTI_LINE_ENABLE. */
	FEED(&seen, 0x20028106, 100, 7, 0x818280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->bytes, 100);
	FEED(&seen, 0x838280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->bytes, 700);
	CU_ASSERT_EQUAL(seen.given[0].command.lines, 7);
	/* A fill: four bytes of CONST_A; then two components of two bytes, one read */
	FEED(&seen, 0x20028100, 1, 2, 0x200181c2, 0x00030004, 0x858280c0);
	copy = only(&seen, KT_COMMAND_COPY);
	CU_ASSERT_EQUAL(copy->bytes, 400);
	CU_ASSERT_EQUAL(copy->from, 0);
	FEED(&seen, 0x200181c2, 0x01010004, 0x858280c0);
	copy = only(&seen, KT_COMMAND_COPY);
	CU_ASSERT_EQUAL(copy->bytes, 400);
	CU_ASSERT_EQUAL(copy->from, 0x100000002);
	/* More than 64 bits can say */
	FEED(&seen, 0x20028106, 0xffffffff, 0xffffffff, 0x200181c2, 0x03030000, 0x878280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->bytes, UINT64_MAX);
	kt_channel_decoder_free(seen.decoder);
}

/* The copy engine's own semaphore: with a copy, alone, and in the classes before. */
static void releases_by_the_copy_engine(void)
{
	struct seen seen;
	const struct kt_command *command;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	FEED(&seen, 0x20048090, 0x3, 0x1000, 9, 0x77, 0x20018106, 64, 0x819280c0);
	command = only(&seen, KT_COMMAND_COPY);
	CU_ASSERT_TRUE(command->releases && command->timestamp);
	CU_ASSERT_EQUAL(command->address, 0x300001000);
	CU_ASSERT_EQUAL(command->payload, 9);
	FEED(&seen, 0x200180c0, 0x08000008); /* no copy; one word of 64 bits */
	command = only(&seen, KT_COMMAND_RELEASE);
	CU_ASSERT_TRUE(command->releases && !command->timestamp);
	CU_ASSERT_EQUAL(command->payload, 0x7700000009);
	FEED(&seen, 0x20018000, 0xc6b5, 0x20048090, 0x203, 0x1000, 9, 0x77, 0x200180c0,
	     0x08000008);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.given[1].command.payload, 9);
	/* Addresses of 49 bits there, of 40 before */
	CU_ASSERT_EQUAL(seen.given[1].command.address, 0x20300001000);
	FEED(&seen, 0x20018000, 0xa0b5, 0x20038090, 0x203, 0x1000, 9, 0x200180c0, 0x10);
	CU_ASSERT_EQUAL(seen.given[1].command.address, 0x300001000);
	CU_ASSERT_TRUE(seen.given[1].command.timestamp);
	FEED(&seen, 0x800080c0); /* neither */
	CU_ASSERT_EQUAL(seen.n, 0);
	kt_channel_decoder_free(seen.decoder);
}

/* --- inline data --- */

#define QMD_ADDRESS 0x1234000400u /* SEND_PCAS_A holds 40 bits */

/* Inline data of n bytes that hold `byte`; gives the number of words. */
static size_t inline_write(uint32_t *words, uint64_t to, uint32_t bytes, uint8_t byte)
{
	size_t n = 0;

	words[n++] = 0x20022062;
	words[n++] = (uint32_t)(to >> 32);
	words[n++] = (uint32_t)to;
	words[n++] = 0x20022060;
	words[n++] = bytes;
	words[n++] = 1;
	words[n++] = 0x8041206c;
	words[n++] = 0x6000206d | (bytes + 3) / 4 << 16;
	memset(words + n, byte, (bytes + 3) / 4 * 4);
	return n + (bytes + 3) / 4;
}

static void write_inline(struct seen *seen, uint64_t to, uint32_t bytes, uint8_t byte)
{
	static uint32_t words[0x1008];

	feed(seen, words, inline_write(words, to, bytes, byte));
	CU_ASSERT_EQUAL(only(seen, KT_COMMAND_INLINE)->to, to);
}

/* SEND_PCAS_A and SEND_SIGNALING_PCAS2_B of 0xa */
static const struct kt_command *launch(struct seen *seen, uint64_t address)
{
	const uint32_t words[] = {0x200120ad, (uint32_t)(address >> 8), 0x800a20b0};

	feed(seen, words, N(words));
	CU_ASSERT_EQUAL(only(seen, KT_COMMAND_LAUNCH)->address, address);
	return &seen->given[0].command;
}

static void copies_inline(void)
{
	struct seen seen;
	const struct kt_command *command;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	FEED(&seen, 0x20022062, 0x7f12, 0x34000100, 0x20022060, 10, 1, 0x8041206c,
	     0x6003206d, 0x03020100, 0x07060504, 0x0908);
	command = only(&seen, KT_COMMAND_INLINE);
	CU_ASSERT_EQUAL(seen.given[0].method.at, 10);
	CU_ASSERT_EQUAL(command->to, 0x7f1234000100);
	CU_ASSERT_EQUAL(command->bytes, 10);
	CU_ASSERT_EQUAL(command->data_words, 3);
	CU_ASSERT_EQUAL(seen.data[0], 0x03020100);
	CU_ASSERT_EQUAL(seen.data[2], 0x0908);
	CU_ASSERT_FALSE(command->releases);
	FEED(&seen, 0x6001206d, 0x5); /* a word too many is no second one */
	CU_ASSERT_EQUAL(seen.n, 0);
	/* Nothing to copy, and a semaphore of four words */
	FEED(&seen, 0x80002060, 0x20032077, 1, 0x2000, 3, 0x8021206c);
	command = only(&seen, KT_COMMAND_INLINE);
	CU_ASSERT_TRUE(command->releases && command->timestamp);
	CU_ASSERT_EQUAL(command->address, 0x100002000);
	CU_ASSERT_EQUAL(command->payload, 3);
	CU_ASSERT_EQUAL(command->data_words, 0);
	kt_channel_decoder_free(seen.decoder);
}

/* The class of its own at 2; one whose data stop is not given, the next one is. */
static void copies_inline_in_pieces(void)
{
	struct seen seen;

	begin(&seen, 0xa06f);
	FEED(&seen, 0x20014000, 0xa040, 0x20044060, 8, 1, 0x1ff, 0x10);
	FEED(&seen, 0x8001406c, 0x6001406d, 0xa);
	CU_ASSERT_EQUAL(seen.n, 0);
	FEED(&seen, 0x8001406c, 0x8007406d, 0x00084184, 0, 0); /* an old header between */
	CU_ASSERT_EQUAL(seen.n, 0);
	FEED(&seen, 0x8008406d);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->to, 0xff00000010);
	CU_ASSERT_EQUAL(seen.data[0], 7);
	CU_ASSERT_EQUAL(seen.data[1], 8);
	FEED(&seen, 0x20024060, 8, 1, 0x8001406c, 0x20014000, 0xa140, 0x6002406d, 1, 2);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_BIND)->class_number, 0xa140);
	/* Data on another subchannel are not these. */
	FEED(&seen, 0x20012000, 0xa0c0, 0x20022060, 8, 1, 0x8001206c, 0x8001206d);
	FEED(&seen, 0x8002406d, 0x8003206d);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->class_number, 0xa0c0);
	CU_ASSERT_EQUAL(seen.data[1], 3);
	kt_channel_decoder_free(seen.decoder);
}

static void keeps_the_beginning_of_much(void)
{
	static uint32_t words[8 + 0x5000 + 3];
	struct seen seen;
	size_t n = 0;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	words[n++] = 0x20022060;
	words[n++] = 0x5000 * 4;
	words[n++] = 1;
	words[n++] = 0x8041206c;
	for (unsigned part = 0; part < 5; part++) {
		words[n++] = 0x7000206d; /* of 0x1000 words */
		for (unsigned i = 0; i < 0x1000; i++) {
			words[n++] = part << 16 | i;
		}
	}
	feed(&seen, words, n);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->bytes, 0x14000);
	CU_ASSERT_EQUAL(seen.given[0].command.data_words, 0x4000);
	CU_ASSERT_EQUAL(seen.given[0].command.data[0x3fff], 0x30fff);
	/* A QMD in the part that is not kept, over an older one, is not known. */
	CU_ASSERT_EQUAL(launch(&seen, 0x4000)->qmd_bytes, 384);
	CU_ASSERT_EQUAL(seen.qmd[95], 0x1005f);
	CU_ASSERT_EQUAL(launch(&seen, 0xff00)->qmd_bytes, 256);
	CU_ASSERT_PTR_NULL(launch(&seen, 0x10000)->qmd);
	kt_channel_decoder_free(seen.decoder);
}

/* --- launches --- */

/* Arguments and a QMD of version 4.0 inline, then its address: Hopper. */
static void launches(void)
{
	static uint32_t words[512];
	struct seen seen;
	const struct kt_command *command;
	size_t n;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	n = inline_write(words, QMD_ADDRESS + 0x400, 24, 0x11);
	n += inline_write(words + n, QMD_ADDRESS, 384, 0);
	kt_bits_set(words + n - 96, KT_QMD_V04_00__QMD_MAJOR_VERSION, 4);
	kt_bits_set(words + n - 96, KT_QMD_V04_00__GRID_WIDTH, 40);
	words[n++] = 0x200120ad;
	words[n++] = (uint32_t)(QMD_ADDRESS >> 8);
	words[n++] = 0x800a20b0;
	feed(&seen, words, n);
	CU_ASSERT_EQUAL_FATAL(seen.n, 3);
	CU_ASSERT_EQUAL(seen.given[0].command.kind, KT_COMMAND_INLINE);
	CU_ASSERT_EQUAL(seen.given[1].command.bytes, 384);
	command = &seen.given[2].command;
	CU_ASSERT_EQUAL(command->kind, KT_COMMAND_LAUNCH);
	CU_ASSERT_EQUAL(command->address, QMD_ADDRESS);
	CU_ASSERT_EQUAL(command->qmd_bytes, 384);
	CU_ASSERT_FALSE(command->inlined);
	CU_ASSERT_EQUAL(kt_bits_get(seen.qmd, KT_QMD_V04_00__GRID_WIDTH), 40);
	CU_ASSERT_STRING_EQUAL(seen.given[2].info.name, "SEND_SIGNALING_PCAS2_B");
	/* Without an action that schedules; one by the older method; one unknown address */
	FEED(&seen, 0x800120b0, 0x800120af);
	CU_ASSERT_EQUAL(seen.n, 0);
	FEED(&seen, 0x800320af);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_LAUNCH)->qmd_bytes, 384);
	CU_ASSERT_PTR_NULL(launch(&seen, QMD_ADDRESS + 0x100000)->qmd);
	kt_channel_decoder_free(seen.decoder);
}

static void finds_qmds_in_pieces(void)
{
	static uint32_t words[512];
	size_t n;
	struct seen seen;
	const uint8_t *qmd = (const uint8_t *)seen.qmd;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	/* In the middle of a longer write */
	write_inline(&seen, QMD_ADDRESS - 256, 1024, 1);
	CU_ASSERT_EQUAL(launch(&seen, QMD_ADDRESS)->qmd_bytes, 384);
	CU_ASSERT_EQUAL(qmd[0], 1);
	/* Patched by newer ones, at odd places */
	write_inline(&seen, QMD_ADDRESS + 3, 7, 2);
	write_inline(&seen, QMD_ADDRESS + 383, 1, 3);
	CU_ASSERT_EQUAL(launch(&seen, QMD_ADDRESS)->qmd_bytes, 384);
	CU_ASSERT(qmd[2] == 1 && qmd[3] == 2 && qmd[9] == 2 && qmd[10] == 1);
	CU_ASSERT(qmd[382] == 1 && qmd[383] == 3);
	/* 256 bytes alone, in two pieces; 252 are too few */
	write_inline(&seen, 0x10000, 100, 4);
	write_inline(&seen, 0x10000 + 100, 156, 5);
	CU_ASSERT_EQUAL(launch(&seen, 0x10000)->qmd_bytes, 256);
	CU_ASSERT(qmd[99] == 4 && qmd[100] == 5 && qmd[255] == 5);
	write_inline(&seen, 0x20000, 252, 4);
	CU_ASSERT_PTR_NULL(launch(&seen, 0x20000)->qmd);
	/* One byte before the QMD, so that none of its words is one of the stream's */
	write_inline(&seen, 0x30000, 384, 6);
	n = inline_write(words, 0x2ffff, 388, 0);
	for (uint32_t i = 0; i < 97; i++) {
		words[n - 97 + i] = i;
	}
	feed(&seen, words, n);
	CU_ASSERT_EQUAL(launch(&seen, 0x30000)->qmd_bytes, 384);
	CU_ASSERT(qmd[2] == 0 && qmd[3] == 1 && qmd[7] == 2 && qmd[383] == 96);
	kt_channel_decoder_free(seen.decoder);
}

/* What a write that cannot be followed hides must not be taken for the QMD. */
static void finds_qmds_of_lines(void)
{
	struct seen seen;
	const uint8_t *qmd = (const uint8_t *)seen.qmd;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	write_inline(&seen, 0x1000, 384, 1);
	/* Two lines of 4 bytes, 256 apart */
	FEED(&seen, 0x20052060, 4, 2, 0, 0x1010, 256, 0x8041206c, 0x6002206d, 0x02020202,
	     0x03030303);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->bytes, 8);
	CU_ASSERT_EQUAL(launch(&seen, 0x1000)->qmd_bytes, 384);
	CU_ASSERT(qmd[15] == 1 && qmd[16] == 2 && qmd[19] == 2 && qmd[20] == 1);
	CU_ASSERT(qmd[271] == 1 && qmd[272] == 3 && qmd[276] == 1);
	kt_channel_decoder_free(seen.decoder);
}

static void forgets_the_oldest(void)
{
	struct seen seen;
	const uint8_t *qmd = (const uint8_t *)seen.qmd;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	for (unsigned i = 0; i < 1000; i++) {
		write_inline(&seen, 0x10000 + i * 0x400, 384, (uint8_t)i);
	}
	/* 64 KiB are 170 of them. */
	CU_ASSERT_PTR_NOT_NULL(launch(&seen, 0x10000 + 999 * 0x400)->qmd);
	CU_ASSERT_EQUAL(qmd[100], (uint8_t)999);
	CU_ASSERT_PTR_NOT_NULL(launch(&seen, 0x10000 + 835 * 0x400)->qmd);
	CU_ASSERT_EQUAL(qmd[100], (uint8_t)835);
	CU_ASSERT_PTR_NULL(launch(&seen, 0x10000 + 820 * 0x400)->qmd);
	write_inline(&seen, 0x1000, 384, 7);
	for (unsigned i = 0; i < 511; i++) {
		write_inline(&seen, 0x800000 + i * 4, 4, 8);
	}
	CU_ASSERT_PTR_NOT_NULL(launch(&seen, 0x1000)->qmd);
	write_inline(&seen, 0x800000, 4, 8);
	CU_ASSERT_PTR_NULL(launch(&seen, 0x1000)->qmd);
	kt_channel_decoder_free(seen.decoder);
}

/* SET_INLINE_QMD_ADDRESS_A, _B and the QMD, of 256 bytes; from Hopper on also of 384. */
static void launches_inline_qmds(void)
{
	static uint32_t words[100] = {0x204220c6, 0x01, 0x00000200};
	struct seen seen;
	const struct kt_command *command;

	begin(&seen, 0xc56f);
	FEED(&seen, 0x20012000, 0xc6c0);
	for (unsigned i = 0; i < 96; i++) {
		words[3 + i] = 100 + i;
	}
	feed(&seen, words, 3 + 64);
	command = only(&seen, KT_COMMAND_LAUNCH);
	CU_ASSERT_EQUAL(seen.given[0].method.offset, 0x41c);
	CU_ASSERT_TRUE(command->inlined);
	CU_ASSERT_EQUAL(command->address, 0x10000020000);
	CU_ASSERT_EQUAL(command->qmd_bytes, 256);
	CU_ASSERT_EQUAL(seen.qmd[63], 163);
	/* Sent again by its address, which has no more than 40 bits there */
	words[1] = 0;
	feed(&seen, words, 3 + 64);
	CU_ASSERT_EQUAL(launch(&seen, 0x20000)->qmd_bytes, 256);
	FEED(&seen, 0x20012000, 0xcbc0);
	words[0] = 0x206220c6;
	words[1] = 0x40000001;
	feed(&seen, words, 3 + 96);
	command = only(&seen, KT_COMMAND_LAUNCH);
	CU_ASSERT_EQUAL(command->address, 0x10000020000);
	CU_ASSERT_EQUAL(command->qmd_bytes, 384);
	CU_ASSERT_EQUAL(seen.qmd[95], 195);
	kt_channel_decoder_free(seen.decoder);
}

/* Kepler: SEND_PCAS_A and SEND_SIGNALING_PCAS_B; no 0x2c0 and no QMD in the stream. */
static void launches_on_kepler(void)
{
	struct seen seen;

	begin(&seen, 0xa06f);
	FEED(&seen, 0x20012000, 0xa0c0, 0x200120ad, 0x123, 0x800320af);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.given[1].command.kind, KT_COMMAND_LAUNCH);
	CU_ASSERT_EQUAL(seen.given[1].command.address, 0x12300);
	FEED(&seen, 0x800a20b0, 0x80012107);
	CU_ASSERT_EQUAL(seen.n, 0);
	kt_channel_decoder_free(seen.decoder);
}

/* --- semaphores and the rest --- */

static void knows_host_semaphores(void)
{
	struct seen seen;
	const struct kt_command *command;

	begin(&seen, 0xc36f);
	FEED(&seen, 0x20050017, 0x4003, 0x102, 7, 8,
	     0x01000003); /* ACQ_CIRC_GEQ, 64 bits */
	command = only(&seen, KT_COMMAND_ACQUIRE);
	CU_ASSERT_EQUAL(command->address, 0x200004000);
	CU_ASSERT_EQUAL(command->payload, 0x800000007);
	CU_ASSERT_FALSE(command->releases);
	FEED(&seen, 0x8001001b, 0x8006001b, 0x8007001b); /* release, reduction, none */
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.given[0].command.payload, 7);
	CU_ASSERT_FALSE(seen.given[0].command.timestamp);
	CU_ASSERT_EQUAL(seen.given[1].command.kind, KT_COMMAND_RELEASE);
	/* SEMAPHOREA to D, on any subchannel: with time; without; acquire */
	FEED(&seen, 0x2004e004, 0x3, 0x5000, 4, 2, 0x20010007, 0x01000002, 0x80040007);
	CU_ASSERT_EQUAL(seen.n, 3);
	CU_ASSERT_EQUAL(seen.given[0].command.address, 0x300005000);
	CU_ASSERT_EQUAL(seen.given[0].command.payload, 4);
	CU_ASSERT_TRUE(seen.given[0].command.timestamp);
	CU_ASSERT_FALSE(seen.given[1].command.timestamp);
	CU_ASSERT_EQUAL(seen.given[2].command.kind, KT_COMMAND_ACQUIRE);
	kt_channel_decoder_free(seen.decoder);
	/* Before Volta there is no SEM_EXECUTE, and 0xa06f has no reductions. */
	begin(&seen, 0xa06f);
	FEED(&seen, 0x8001001b, 0x80100007);
	CU_ASSERT_EQUAL(seen.n, 0);
	kt_channel_decoder_free(seen.decoder);
}

static void knows_compute_semaphores(void)
{
	struct seen seen;
	const struct kt_command *command;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	FEED(&seen, 0x200426c0, 0x1, 0x6000, 5, 0x10000000); /* one word */
	command = only(&seen, KT_COMMAND_RELEASE);
	CU_ASSERT_EQUAL(command->address, 0x100006000);
	CU_ASSERT_EQUAL(command->payload, 5);
	CU_ASSERT_FALSE(command->timestamp);
	FEED(&seen, 0x800026c3, 0x800326c3); /* four words; a trap */
	CU_ASSERT_TRUE(only(&seen, KT_COMMAND_RELEASE)->timestamp);
	FEED(&seen, 0x20052056, 6, 7, 0x7000, 1, 0x1000, 0x8001205a, 0x8008205a);
	CU_ASSERT_EQUAL(seen.n, 3);
	CU_ASSERT_EQUAL(seen.given[0].command.address, 0x100007000);
	CU_ASSERT_EQUAL(seen.given[0].command.payload, 0x700000006);
	CU_ASSERT_TRUE(seen.given[0].command.timestamp);
	CU_ASSERT_EQUAL(seen.given[1].command.kind, KT_COMMAND_ACQUIRE);
	CU_ASSERT_EQUAL(seen.given[2].command.payload, 6);
	CU_ASSERT_FALSE(seen.given[2].command.timestamp);
	kt_channel_decoder_free(seen.decoder);
}

static void knows_barriers(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	/* WFI; WAIT_FOR_IDLE; MEM_OP_D: membar, access counters; INVALIDATE_SHADER_CACHES
	 */
	FEED(&seen, 0x8000001e, 0x80002044, 0x2004000a, 0, 0, 0, 0x28000000, 0x2001000d,
	     0xb0000000, 0x80112087);
	CU_ASSERT_EQUAL(seen.n, 4);
	CU_ASSERT_EQUAL(seen.given[0].command.kind, KT_COMMAND_WAIT_FOR_IDLE);
	CU_ASSERT_EQUAL(seen.given[0].command.class_number, 0xc86f);
	CU_ASSERT_EQUAL(seen.given[1].command.class_number, 0xcbc0);
	CU_ASSERT_EQUAL(seen.given[2].command.kind, KT_COMMAND_INVALIDATE);
	CU_ASSERT_EQUAL(seen.given[3].command.kind, KT_COMMAND_INVALIDATE);
	CU_ASSERT_STRING_EQUAL(seen.given[3].info.name, "INVALIDATE_SHADER_CACHES");
	kt_channel_decoder_free(seen.decoder);
	begin(&seen, 0xa06f); /* MEM_OP_B begins it there. */
	FEED(&seen, 0x2002000a, 0, 0x28000000, 0x2001000d, 0x28000000);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INVALIDATE)->class_number, 0xa06f);
	CU_ASSERT_EQUAL(seen.given[0].method.offset, 0x2c);
	kt_channel_decoder_free(seen.decoder);
}

static void names_all_kinds(void)
{
	CU_ASSERT_STRING_EQUAL(kt_command_name(KT_COMMAND_COPY), "copy-direct");
	CU_ASSERT_STRING_EQUAL(kt_command_name(KT_COMMAND_INLINE), "copy-inline");
	CU_ASSERT_STRING_EQUAL(kt_command_name(KT_COMMAND_LAUNCH), "launch");
	CU_ASSERT_STRING_EQUAL(kt_command_name(KT_COMMAND_RELEASE), "semaphore-release");
	for (unsigned i = 0; i < KT_COMMAND_KINDS; i++) {
		for (unsigned j = 0; j < i; j++) {
			CU_ASSERT(strcmp(kt_command_name((enum kt_command_kind)i),
					 kt_command_name((enum kt_command_kind)j)) != 0);
		}
	}
}

/* --- streams --- */

static void keeps_state_between_segments(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER, 0x20048100, 1, 2, 3, 4);
	FEED(&seen, 0x80408106);
	FEED(&seen, 0x818280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->from, 0x100000002);
	CU_ASSERT_EQUAL(seen.given[0].command.to, 0x300000004);
	CU_ASSERT_EQUAL(seen.given[0].command.bytes, 64);
	/* The same object again keeps them; another one has none. */
	FEED(&seen, 0x20018000, 0xc8b5, 0x818280c0);
	CU_ASSERT_EQUAL(seen.given[1].command.bytes, 64);
	FEED(&seen, 0x20018000, 0xc7b5, 0x20018000, 0xc8b5, 0x818280c0);
	CU_ASSERT_EQUAL(seen.given[2].command.bytes, 0);
	kt_channel_decoder_free(seen.decoder);
}

static void adds_up(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);                        /* 2 headers, 2 methods */
	FEED(&seen, 0x20008100, 0x818280c0, 0x20000000); /* 2 headers, 1 method */
	FEED(&seen, 0x80008040, 0xc0000000, 1, 2);       /* reserved: 1 method, 3 bad */
	FEED(&seen, 0x80008040, 0x20028100, 1);          /* cut: 1 method, 2 bad */
	FEED(&seen, 0x80008040, 0xe0000000, 1, 2);       /* end: 1, 1 header, 2 bad */
	FEED(&seen, 0x00030000);                         /* a code of the old form: bad */
	FEED(&seen, 0x0008c100, 1, 2, 0x40088100, 3, 4); /* old: 2 headers, 4 methods */
	FEED(&seen, 0xa0038fff, 1, 2, 3);                /* beyond the last method: 1, 3 */
	FEED(&seen, 0x20038fff, 1, 2, 3);
	feed(&seen, NULL, 0);
	end(&seen, 2 + 2 + 1 + 2 + 1 + 1, 2 + 1 + 1 + 1 + 1 + 4 + 3 + 3, 3 + 2 + 2 + 1);
}

/* Without a callback: the same counts. */
static void counts_alone(void)
{
	static const uint32_t words[] = {
		BIND_HOPPER, 0x20028106, 64,         1, 0x818280c0, 0x20022060, 4, 1,
		0x8041206c,  0x8001206d, 0x200120ad, 1, 0x800a20b0, 0xc0000000};
	struct seen seen;
	struct kt_decode_counts alone, given;

	begin(&seen, 0xc86f);
	kt_channel_decode(seen.decoder, words, N(words), NULL, NULL);
	kt_channel_decoder_counts(seen.decoder, &alone);
	kt_channel_decoder_free(seen.decoder);
	begin(&seen, 0xc86f);
	feed(&seen, words, N(words));
	kt_channel_decoder_counts(seen.decoder, &given);
	kt_channel_decoder_free(seen.decoder);
	CU_ASSERT_EQUAL(memcmp(&alone, &given, sizeof(alone)), 0);
	CU_ASSERT_EQUAL(alone.commands[KT_COMMAND_COPY], 1);
	CU_ASSERT_EQUAL(alone.commands[KT_COMMAND_INLINE], 1);
	CU_ASSERT_EQUAL(alone.commands[KT_COMMAND_LAUNCH], 1);
	CU_ASSERT_EQUAL(alone.bad, 1);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"binds", binds},
		{"counts what is not known", counts_what_is_not_known},
		{"takes what is allowed", takes_what_is_allowed},
		{"copies directly", copies_directly},
		{"copies lines and components", copies_lines_and_components},
		{"releases by the copy engine", releases_by_the_copy_engine},
		{"copies inline", copies_inline},
		{"copies inline in pieces", copies_inline_in_pieces},
		{"keeps the beginning of much", keeps_the_beginning_of_much},
		{"launches", launches},
		{"finds QMDs in pieces", finds_qmds_in_pieces},
		{"finds QMDs of lines", finds_qmds_of_lines},
		{"forgets the oldest", forgets_the_oldest},
		{"launches inline QMDs", launches_inline_qmds},
		{"launches on Kepler", launches_on_kepler},
		{"knows host semaphores", knows_host_semaphores},
		{"knows compute semaphores", knows_compute_semaphores},
		{"knows barriers", knows_barriers},
		{"names all kinds", names_all_kinds},
		{"keeps state between segments", keeps_state_between_segments},
		{"adds up", adds_up},
		{"counts alone", counts_alone},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("commands", tests);
}
