/* SPDX-License-Identifier: MIT */
/*
 * Decodes submissions as NVIDIA's driver 580 writes them for a Hopper GPU, and similar ones
 * of other generations, dword by dword, and checks the commands that each starts.
 */
#include <string.h>

#include "tests/decode/commands/commands-rig.h"
#include "tests/suite.h"

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
	FEED(&seen, 0x818280c0); /* LAUNCH_DMA on subchannel 4, another method on 1 */
	CU_ASSERT_STRING_EQUAL(seen.last.info.name, "LAUNCH_DMA");
	CU_ASSERT_EQUAL(seen.last.class_number, 0xc8b5);
	end(&seen, 2, 3, 0);
}

static void counts_what_is_not_known(void)
{
	struct seen seen;
	struct kt_decode_counts counts;

	begin(&seen, 0xc86f);
	/*
	 * Subchannel 3 has no object, 2 has the unknown class 0x1234, and 4 gets an offset
	 * that 0xc8b5 does not use.
	 */
	FEED(&seen, 0x80056040, 0x20014000, 0x1234, 0x80054040, BIND_HOPPER, 0x80008041);
	CU_ASSERT_FALSE(seen.last.named);
	CU_ASSERT_EQUAL(seen.first.class_number, 0);
	CU_ASSERT_PTR_NULL(seen.first.class_);
	kt_channel_decoder_counts(seen.decoder, &counts);
	CU_ASSERT_EQUAL(counts.unbound, 2);
	CU_ASSERT_EQUAL(counts.unnamed, 1);
	end(&seen, 3, 6, 0);
}

/* The recording begins after SET_OBJECT. */
static void takes_what_is_allowed(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	kt_channel_decoder_allow(seen.decoder, 0xc7b5);
	kt_channel_decoder_allow(seen.decoder, 0xcbc0);
	kt_channel_decoder_allow(seen.decoder, 0xc8b5);
	/* 0x40 is a class of memory, which is never bound to a subchannel. */
	kt_channel_decoder_allow(seen.decoder, 0x40);
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
	/*
	 * Binding the same object again keeps the registers; another object starts with
	 * registers of 0.
	 */
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
	FEED(&seen, 0x80008040, 0x20028100, 1);          /* cut: 1 header, 2 methods */
	FEED(&seen, 2);                                  /* its data: 1 method */
	FEED(&seen, 0x20028100, 1);                      /* cut: 1 header, 1 method */
	kt_channel_decoder_gap(seen.decoder);
	FEED(&seen, 0x80008040, 0xe0000000, 1, 2);       /* 1 method, end header, 2 bad */
	FEED(&seen, 0x00030000);                         /* mask of subdevices: 1 header */
	FEED(&seen, 0x40030000);                         /* unknown code, old form: 1 bad */
	FEED(&seen, 0x0008c100, 1, 2, 0x40088100, 3, 4); /* old: 2 headers, 4 methods */
	/* methods past the last offset: 2 headers, 6 methods */
	FEED(&seen, 0xa0038fff, 1, 2, 3);
	FEED(&seen, 0x20038fff, 1, 2, 3);
	feed(&seen, NULL, 0);
	end(&seen, 2 + 2 + 1 + 1 + 1 + 1 + 2 + 1 + 1, 2 + 1 + 1 + 2 + 1 + 1 + 1 + 4 + 3 + 3,
	    3 + 2 + 1);
}

/* Without a callback, the decoder counts the same. */
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
		{"finds arguments", finds_arguments},
		{"recognises empty grids", recognises_empty_grids},
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
