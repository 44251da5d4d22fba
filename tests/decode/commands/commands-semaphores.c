/* SPDX-License-Identifier: MIT */
/* Tests of semaphores and barriers of the host and of compute. */
#include "tests/decode/commands/commands-rig.h"

#include "tests/suite.h"

void knows_host_semaphores(void)
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
	FEED(&seen, 0x8001001b, 0x8006001b, 0x8007001b); /* release, reduction, neither */
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.given[0].command.payload, 7);
	CU_ASSERT_FALSE(seen.given[0].command.timestamp);
	CU_ASSERT_EQUAL(seen.given[1].command.kind, KT_COMMAND_RELEASE);
	/*
	 * SEMAPHOREA to D on any subchannel: a release with a timestamp, one without, an
	 * acquire
	 */
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

void knows_compute_semaphores(void)
{
	struct seen seen;
	const struct kt_command *command;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	FEED(&seen, 0x200426c0, 0x1, 0x6000, 5, 0x10000000); /* a semaphore of one dword */
	command = only(&seen, KT_COMMAND_RELEASE);
	CU_ASSERT_EQUAL(command->address, 0x100006000);
	CU_ASSERT_EQUAL(command->payload, 5);
	CU_ASSERT_FALSE(command->timestamp);
	FEED(&seen, 0x800026c3, 0x800326c3); /* a semaphore of four dwords; a trap */
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

void knows_barriers(void)
{
	struct seen seen;

	begin(&seen, 0xc86f);
	FEED(&seen, BIND_HOPPER);
	/*
	 * WFI; WAIT_FOR_IDLE; MEM_OP_D for a membar and for access counters;
	 * INVALIDATE_SHADER_CACHES
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
	begin(&seen, 0xa06f); /* In this class, MEM_OP_B starts the operation. */
	FEED(&seen, 0x2002000a, 0, 0x28000000, 0x2001000d, 0x28000000);
	CU_ASSERT_EQUAL(only(&seen, KT_COMMAND_INVALIDATE)->class_number, 0xa06f);
	CU_ASSERT_EQUAL(seen.given[0].method.offset, 0x2c);
	kt_channel_decoder_free(seen.decoder);
}
