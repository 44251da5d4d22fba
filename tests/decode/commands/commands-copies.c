/* SPDX-License-Identifier: MIT */
/* Tests of commands that start a copy, by the copy engine or of inline data. */
#include "tests/decode/commands/commands-rig.h"

#include "tests/suite.h"

/* A copy of 32 MiB and a semaphore release by the host take 60 bytes. */
void copies_directly(void)
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

void copies_lines_and_components(void)
{
	struct seen seen;
	const struct kt_command *copy;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	/* LINE_COUNT has an effect only with MULTI_LINE_ENABLE. */
	FEED(&seen, 0x20028106, 100, 7, 0x818280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->bytes, 100);
	FEED(&seen, 0x838280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->bytes, 700);
	CU_ASSERT_EQUAL(seen.given[0].command.lines, 7);
	/*
	 * A fill with one component of four bytes, CONST_A; then two components of two
	 * bytes, of which one is read
	 */
	FEED(&seen, 0x20028100, 1, 2, 0x200181c2, 0x00030004, 0x858280c0);
	copy = only(&seen, KT_COMMAND_COPY);
	CU_ASSERT_EQUAL(copy->bytes, 400);
	CU_ASSERT_EQUAL(copy->from, 0);
	FEED(&seen, 0x200181c2, 0x01010004, 0x858280c0);
	copy = only(&seen, KT_COMMAND_COPY);
	CU_ASSERT_EQUAL(copy->bytes, 400);
	CU_ASSERT_EQUAL(copy->from, 0x100000002);
	/* The size exceeds 64 bits. */
	FEED(&seen, 0x20028106, 0xffffffff, 0xffffffff, 0x200181c2, 0x03030000, 0x878280c0);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_COPY)->bytes, UINT64_MAX);
	kt_channel_decoder_free(seen.decoder);
}

/*
 * The copy engine releases its semaphore with a copy and without one, in this class and in
 * earlier ones.
 */
void releases_by_the_copy_engine(void)
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
	FEED(&seen, 0x200180c0, 0x08000008); /* no copy; a release of a 64-bit payload */
	command = only(&seen, KT_COMMAND_RELEASE);
	CU_ASSERT_TRUE(command->releases && !command->timestamp);
	CU_ASSERT_EQUAL(command->payload, 0x7700000009);
	FEED(&seen, 0x20018000, 0xc6b5, 0x20048090, 0x203, 0x1000, 9, 0x77, 0x200180c0,
	     0x08000008);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.given[1].command.payload, 9);
	/* Addresses have 49 bits in class 0xc6b5, and 40 in 0xa0b5. */
	CU_ASSERT_EQUAL(seen.given[1].command.address, 0x20300001000);
	FEED(&seen, 0x20018000, 0xa0b5, 0x20038090, 0x203, 0x1000, 9, 0x200180c0, 0x10);
	CU_ASSERT_EQUAL(seen.given[1].command.address, 0x300001000);
	CU_ASSERT_TRUE(seen.given[1].command.timestamp);
	FEED(&seen, 0x800080c0); /* neither a copy nor a release */
	CU_ASSERT_EQUAL(seen.n, 0);
	kt_channel_decoder_free(seen.decoder);
}

void copies_inline(void)
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
	/* A dword beyond the length is not part of the data. */
	FEED(&seen, 0x6001206d, 0x5);
	CU_ASSERT_EQUAL(seen.n, 0);
	/* A length of 0, and a semaphore of four dwords */
	FEED(&seen, 0x80002060, 0x20032077, 1, 0x2000, 3, 0x8021206c);
	command = only(&seen, KT_COMMAND_INLINE);
	CU_ASSERT_TRUE(command->releases && command->timestamp);
	CU_ASSERT_EQUAL(command->address, 0x100002000);
	CU_ASSERT_EQUAL(command->payload, 3);
	CU_ASSERT_EQUAL(command->data_words, 0);
	kt_channel_decoder_free(seen.decoder);
}

/*
 * Uses the inline-to-memory class, on subchannel 2. A write whose data are incomplete when
 * another object is bound starts no command.
 */
void copies_inline_in_pieces(void)
{
	struct seen seen;

	begin(&seen, 0xa06f);
	FEED(&seen, 0x20014000, 0xa040, 0x20044060, 8, 1, 0x1ff, 0x10);
	FEED(&seen, 0x8001406c, 0x6001406d, 0xa);
	CU_ASSERT_EQUAL(seen.n, 0);
	/*
	 * A header of the old form between the data changes registers, but not the write.
	 */
	FEED(&seen, 0x8001406c, 0x8007406d, 0x00084184, 0, 0);
	CU_ASSERT_EQUAL(seen.n, 0);
	FEED(&seen, 0x8008406d);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->to, 0xff00000010);
	CU_ASSERT_EQUAL(seen.data[0], 7);
	CU_ASSERT_EQUAL(seen.data[1], 8);
	FEED(&seen, 0x20024060, 8, 1, 0x8001406c, 0x20014000, 0xa140, 0x6002406d, 1, 2);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_BIND)->class_number, 0xa140);
	/* Data on another subchannel do not belong to the write. */
	FEED(&seen, 0x20012000, 0xa0c0, 0x20022060, 8, 1, 0x8001206c, 0x8001206d);
	FEED(&seen, 0x8002406d, 0x8003206d);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->class_number, 0xa0c0);
	CU_ASSERT_EQUAL(seen.data[1], 3);
	kt_channel_decoder_free(seen.decoder);
}

void keeps_the_beginning_of_much(void)
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
		words[n++] = 0x7000206d; /* 0x1000 dwords */
		for (unsigned i = 0; i < 0x1000; i++) {
			words[n++] = part << 16 | i;
		}
	}
	feed(&seen, words, n);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INLINE)->bytes, 0x14000);
	CU_ASSERT_EQUAL(seen.given[0].command.data_words, 0x4000);
	CU_ASSERT_EQUAL(seen.given[0].command.data[0x3fff], 0x30fff);
	/*
	 * Only the first 0x4000 dwords are kept, so a QMD that was written after them is
	 * unknown.
	 */
	CU_ASSERT_EQUAL(launch(&seen, 0x4000)->qmd_bytes, 384);
	CU_ASSERT_EQUAL(seen.qmd[95], 0x1005f);
	CU_ASSERT_EQUAL(launch(&seen, 0xff00)->qmd_bytes, 256);
	CU_ASSERT_PTR_NULL(launch(&seen, 0x10000)->qmd);
	kt_channel_decoder_free(seen.decoder);
}
