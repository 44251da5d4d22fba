/* SPDX-License-Identifier: MIT */
/*
 * Tests of commands that launch a kernel: by the address of a QMD written before, or by an
 * inline QMD.
 */
#include "tests/decode/commands/commands-rig.h"

#include "decode/bits.h"
#include "decode/method-names.h"
#include "decode/qmd.h"
#include "tests/suite.h"

/*
 * On Hopper, arguments and a QMD of version 4.0 are written as inline data; then the QMD is
 * launched by its address.
 */
void launches(void)
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
	kt_bits_set(words + n - 96, KT_QMD_V04_00__PROGRAM_ADDRESS_LOWER, 0x1000);
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
	/*
	 * Without the action that schedules the QMD, neither method launches it; with the
	 * action, the older method launches it. The QMD at another address is unknown.
	 */
	FEED(&seen, 0x800120b0, 0x800120af);
	CU_ASSERT_EQUAL(seen.n, 0);
	FEED(&seen, 0x800320af);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_LAUNCH)->qmd_bytes, 384);
	CU_ASSERT_PTR_NULL(launch(&seen, QMD_ADDRESS + 0x100000)->qmd);
	kt_channel_decoder_free(seen.decoder);
}

void finds_qmds_in_pieces(void)
{
	static uint32_t words[512];
	size_t n;
	struct seen seen;
	const uint8_t *qmd = (const uint8_t *)seen.qmd;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	/* The QMD is in the middle of a longer write. */
	write_inline(&seen, QMD_ADDRESS - 256, 1024, 1);
	CU_ASSERT_EQUAL(launch(&seen, QMD_ADDRESS)->qmd_bytes, 384);
	CU_ASSERT_EQUAL(qmd[0], 1);
	/* Newer writes change bytes of the QMD at odd addresses. */
	write_inline(&seen, QMD_ADDRESS + 3, 7, 2);
	write_inline(&seen, QMD_ADDRESS + 383, 1, 3);
	CU_ASSERT_EQUAL(launch(&seen, QMD_ADDRESS)->qmd_bytes, 384);
	CU_ASSERT(qmd[2] == 1 && qmd[3] == 2 && qmd[9] == 2 && qmd[10] == 1);
	CU_ASSERT(qmd[382] == 1 && qmd[383] == 3);
	/* A QMD of 256 bytes comes in two writes; 252 bytes are too few. */
	write_inline(&seen, 0x10000, 100, 4);
	write_inline(&seen, 0x10000 + 100, 156, 5);
	CU_ASSERT_EQUAL(launch(&seen, 0x10000)->qmd_bytes, 256);
	CU_ASSERT(qmd[99] == 4 && qmd[100] == 5 && qmd[255] == 5);
	write_inline(&seen, 0x20000, 252, 4);
	CU_ASSERT_PTR_NULL(launch(&seen, 0x20000)->qmd);
	/*
	 * The write begins one byte before the QMD, so no dword of the QMD is a dword of
	 * the stream.
	 */
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

/* A write of several lines changes those bytes of a QMD that its lines cover. */
void finds_qmds_of_lines(void)
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

void forgets_the_oldest(void)
{
	struct seen seen;
	const uint8_t *qmd = (const uint8_t *)seen.qmd;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	for (unsigned i = 0; i < 1000; i++) {
		write_inline(&seen, 0x10000 + i * 0x400, 384, (uint8_t)i);
	}
	/* The decoder keeps at most 64 KiB, enough for 170 QMDs, and at most 512 writes. */
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

/*
 * The stream has SET_INLINE_QMD_ADDRESS_A and _B, and the QMD, which has 256 bytes, or 384
 * from Hopper on.
 */
void launches_inline_qmds(void)
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
	/*
	 * The QMD is launched again by its address, which has at most 40 bits in this
	 * class.
	 */
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

/*
 * Kepler launches by SEND_PCAS_A and SEND_SIGNALING_PCAS_B; it has no method 0x2c0 and no
 * inline QMDs.
 */
void launches_on_kepler(void)
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

/* Sets element 0 of an array in a QMD of Hopper, which must already contain its version. */
static void set_element(uint32_t *qmd, const char *name, uint64_t value)
{
	struct kt_qmd_field field;

	CU_ASSERT_TRUE_FATAL(
		kt_qmd_field_named(kt_qmd_find(0xcbc0, qmd, 384), name, &field));
	kt_bits_set(qmd, field.hi, field.lo, (uint32_t)value);
}

/* The arguments are in constant bank 0, after the driver's part of it. */
void finds_arguments(void)
{
	const uint64_t bank = 0x5600000000;
	static uint32_t words[512];
	struct seen seen;
	const uint32_t *arguments;
	uint64_t address = 0;
	size_t bytes = 0;
	size_t n;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	n = inline_write(words, bank, 528, 0x22);
	n += inline_write(words + n, bank + 0x210, 28, 0x33);
	n += inline_write(words + n, QMD_ADDRESS, 384, 0);
	kt_bits_set(words + n - 96, KT_QMD_V04_00__QMD_MAJOR_VERSION, 4);
	set_element(words + n - 96, "PROGRAM_ADDRESS_LOWER", 0x1000);
	set_element(words + n - 96, "CONSTANT_BUFFER_VALID", 1);
	set_element(words + n - 96, "CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6", bank >> 38);
	set_element(words + n - 96, "CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6",
		    bank >> 6 & UINT32_MAX);
	set_element(words + n - 96, "CONSTANT_BUFFER_SIZE_SHIFTED4", 0x300 / 16);
	feed(&seen, words, n);
	launch(&seen, QMD_ADDRESS);
	arguments = kt_launch_arguments(&seen.given[0], &address, &bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(arguments);
	CU_ASSERT_EQUAL(address, bank + 0x210);
	CU_ASSERT_EQUAL(bytes, 28);
	CU_ASSERT_EQUAL(arguments[0], 0x33333333);
	CU_ASSERT_EQUAL(arguments[6], 0x33333333);
	/*
	 * A single write fills the whole bank, so the arguments end where the write ends.
	 */
	write_inline(&seen, bank, 768, 0x44);
	launch(&seen, QMD_ADDRESS);
	arguments = kt_launch_arguments(&seen.given[0], &address, &bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(arguments);
	CU_ASSERT_EQUAL(bytes, 768 - 0x210);
	CU_ASSERT_EQUAL(arguments[0], 0x44444444);
	/* A newer write that begins within a dword makes the arguments unknown. */
	write_inline(&seen, bank + 0x20e, 8, 0x55);
	launch(&seen, QMD_ADDRESS);
	CU_ASSERT_PTR_NULL(kt_launch_arguments(&seen.given[0], &address, &bytes));
	CU_ASSERT_PTR_NULL(kt_launch_arguments(&seen.last, &address, &bytes));
	kt_channel_decoder_free(seen.decoder);
}

/* Writes a QMD of Hopper with the program's address. */
static void write_qmd(struct seen *seen, uint64_t to, uint32_t program)
{
	static uint32_t words[512];
	size_t n = inline_write(words, to, 384, 0);

	kt_bits_set(words + n - 96, KT_QMD_V04_00__QMD_MAJOR_VERSION, 4);
	kt_bits_set(words + n - 96, KT_QMD_V04_00__PROGRAM_ADDRESS_LOWER, program);
	feed(seen, words, n);
}

/* A QMD without a program is an empty grid, also when the decoder no longer has its
 * contents.
 */
void recognises_empty_grids(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	write_qmd(&seen, QMD_ADDRESS, 0);
	CU_ASSERT_PTR_NOT_NULL(send_qmd(&seen, QMD_ADDRESS, KT_COMMAND_EMPTY_GRID)->qmd);
	/* A QMD that was forgotten before it was sent counts as a launch. */
	write_qmd(&seen, QMD_ADDRESS + 0x400, 0);
	for (unsigned i = 0; i < 512; i++) {
		write_inline(&seen, 0x800000 + i * 4, 4, 8);
	}
	CU_ASSERT_PTR_NULL(send_qmd(&seen, QMD_ADDRESS, KT_COMMAND_EMPTY_GRID)->qmd);
	CU_ASSERT_PTR_NULL(launch(&seen, QMD_ADDRESS + 0x400)->qmd);
	/*
	 * The last byte of the QMD is overwritten, so it is no longer known to be an empty
	 * grid.
	 */
	write_inline(&seen, QMD_ADDRESS + 383, 1, 1);
	CU_ASSERT_PTR_NULL(launch(&seen, QMD_ADDRESS)->qmd);
	/* A QMD with a program replaces an empty grid. */
	write_qmd(&seen, QMD_ADDRESS, 0);
	send_qmd(&seen, QMD_ADDRESS, KT_COMMAND_EMPTY_GRID);
	write_qmd(&seen, QMD_ADDRESS, 0x1000);
	launch(&seen, QMD_ADDRESS);
	/* The addresses of the newest 32 are kept. */
	for (unsigned i = 0; i < 33; i++) {
		write_qmd(&seen, 0x10000 + i * 0x400, 0);
		send_qmd(&seen, 0x10000 + i * 0x400, KT_COMMAND_EMPTY_GRID);
	}
	for (unsigned i = 0; i < 512; i++) {
		write_inline(&seen, 0x800000 + i * 4, 4, 8);
	}
	launch(&seen, 0x10000);
	send_qmd(&seen, 0x10400, KT_COMMAND_EMPTY_GRID);
	send_qmd(&seen, 0x10000 + 32 * 0x400, KT_COMMAND_EMPTY_GRID);
	kt_channel_decoder_free(seen.decoder);
}
