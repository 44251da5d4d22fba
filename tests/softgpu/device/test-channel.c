/* SPDX-License-Identifier: MIT */
/* Tests rings, entries, host methods and errors. */
#include <errno.h>
#include <string.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "rig.h"
#include "tests/suite.h"

static uint32_t word_at(const struct rig *rig, uint64_t offset)
{
	uint32_t word = 0;

	memcpy(&word, rig->data + offset, 4);
	return word;
}

static void test_what_no_channel_consists_of(void)
{
	struct rig rig;
	struct kt_gpu_channel *channel = NULL;
	struct kt_gpu_channel_options good = {.gpfifo_entries = 4};
	struct kt_gpu_channel_options options;
	uint32_t token = 0;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	good.space = rig.space;
	good.userd_physical = rig.rings_physical + 0x9000;
	good.notifier_physical = UINT64_MAX;
	options = good;
	options.gpfifo_entries = 3;
	CU_ASSERT(kt_gpu_channel_create(rig.gpu, &options, &channel, &token) == -EINVAL);
	options = good;
	options.userd_physical = KT_GPU_ARENA_BYTES;
	CU_ASSERT(kt_gpu_channel_create(rig.gpu, &options, &channel, &token) == -EINVAL);
	options.userd_physical = 8;
	CU_ASSERT(kt_gpu_channel_create(rig.gpu, &options, &channel, &token) == -EINVAL);
	options = good;
	options.notifier_physical = KT_GPU_ARENA_BYTES - 8;
	CU_ASSERT(kt_gpu_channel_create(rig.gpu, &options, &channel, &token) == -EINVAL);
	CU_ASSERT(kt_gpu_channel_create(rig.gpu, &good, &channel, &token) == 0);
	CU_ASSERT(token != rig.channels[0].token && token != rig.channels[1].token);
	CU_ASSERT(kt_gpu_channel_allow(channel, 0x40) == -EINVAL);
	rig_close(&rig);
}

static void test_entries_wrap_and_stay_in_order(void)
{
	struct rig rig;
	struct kt_gpu_counts counts;
	bool in_order = true;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (uint32_t i = 1; i <= 5000; i++) {
		struct rig_channel *channel = &rig.channels[0];

		/*
		 * Each entry waits for the previous entry's number and then releases its
		 * own number, so entries that are executed out of order would wait for
		 * ever.
		 */
		if (i == 1) {
			rig_bind(channel);
		}
		rig_acquire(channel, RIG_DATA, i - 1);
		rig_release(channel, RIG_DATA, i);
		rig_submit(channel);
		if (i % 7 == 0) {
			rig_run(&rig);
			in_order = in_order && word_at(&rig, 0) == i;
		}
	}
	rig_run(&rig);
	kt_gpu_counts(rig.gpu, &counts);
	CU_ASSERT(in_order);
	CU_ASSERT(word_at(&rig, 0) == 5000);
	CU_ASSERT(counts.entries == 5000 && counts.errors == 0);
	CU_ASSERT(counts.methods == 5000 * 10 + 2);
	CU_ASSERT(rig_get(&rig.channels[0]) == 5000 % RIG_ENTRIES);
	rig_close(&rig);
}

static void test_nothing_runs_before_it_is_enabled(void)
{
	struct rig rig;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	kt_gpu_channel_enable(rig.channels[0].channel, false);
	rig_release(&rig.channels[0], RIG_DATA, 1);
	rig_submit(&rig.channels[0]);
	rig_run(&rig);
	CU_ASSERT(word_at(&rig, 0) == 0 && rig_get(&rig.channels[0]) == 0);
	kt_gpu_channel_enable(rig.channels[0].channel, true);
	rig_run(&rig);
	CU_ASSERT(word_at(&rig, 0) == 1 && rig_get(&rig.channels[0]) == 1);
	rig_close(&rig);
}

static void test_control_entries(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	struct kt_gpfifo_entry entry = {.opcode = KT_GPFIFO_NOP};
	uint32_t words[2];
	uint64_t high = UINT64_C(0x1a5) << 40;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	kt_gpfifo_encode(words, &entry);
	rig_entry(channel, words);
	entry.opcode = KT_GPFIFO_SET_EXTENDED_BASE;
	entry.operand = 0x1a5;
	kt_gpfifo_encode(words, &entry);
	rig_entry(channel, words);
	CU_ASSERT(kt_gpu_space_map(rig.space, high | RIG_PUSH, RIG_PUSH_BYTES,
				   rig.rings_physical + 0x10000) == 0);
	kt_gpu_space_unmap(rig.space, RIG_PUSH, RIG_PUSH_BYTES);
	rig_release(channel, RIG_DATA, 3);
	rig_submit(channel);
	rig_run(&rig);
	CU_ASSERT(word_at(&rig, 0) == 3 && rig_get(channel) == 3);

	/*
	 * The extended base applies to all later entries until it is changed. When it is 0
	 * again, the entry points to an address where nothing is mapped.
	 */
	entry.operand = 0;
	kt_gpfifo_encode(words, &entry);
	rig_entry(channel, words);
	rig_release(channel, RIG_DATA, 4);
	rig_submit(channel);
	rig_run(&rig);
	CU_ASSERT(rig_error(channel) == KT_ABI_XID_MMU_FAULT && rig_get(channel) == 4);
	rig_close(&rig);
}

static void test_a_subroutine_is_an_entry_like_others(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_release(channel, RIG_DATA, 3);
	rig_submit(channel);
	channel->entries[1] |= 1u << 9 | 1u << 31;
	rig_run(&rig);
	CU_ASSERT(word_at(&rig, 0) == 3);
	rig_close(&rig);
}

/* --- semaphores --- */

static void host_semaphore(struct rig_channel *channel, uint64_t address, uint64_t payload,
			   uint32_t execute)
{
	rig_header(channel, KT_METHOD_INCREASING, 6, KT_C86F_SEM_ADDR_LO, 5);
	rig_word(channel, (uint32_t)address);
	rig_word(channel, (uint32_t)(address >> 32));
	rig_word(channel, (uint32_t)payload);
	rig_word(channel, (uint32_t)(payload >> 32));
	rig_word(channel, execute);
}

static void test_forms_of_release(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];
	uint32_t wide = kt_bits(KT_C86F_SEM_EXECUTE__PAYLOAD_SIZE, 1);
	uint32_t timed = kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP, 1);
	uint64_t payload = UINT64_C(0x1122334455667788);
	uint64_t before = kt_gpu_time();
	uint64_t values[8];

	CU_ASSERT_FATAL(rig_open(&rig, true));
	memset(rig.data, 0xff, 64);
	host_semaphore(channel, RIG_DATA, payload, 1);
	host_semaphore(channel, RIG_DATA + 16, payload, 1 | wide);
	host_semaphore(channel, RIG_DATA + 32, payload, 1 | timed);
	host_semaphore(channel, RIG_DATA + 48, payload, 1 | wide | timed);
	rig_submit(channel);
	rig_run(&rig);
	memcpy(values, rig.data, sizeof(values));
	CU_ASSERT(values[0] == UINT64_C(0xffffffff55667788) && values[1] == UINT64_MAX);
	CU_ASSERT(values[2] == payload && values[3] == UINT64_MAX);
	CU_ASSERT(values[4] == 0x55667788);
	CU_ASSERT(values[5] >= before && values[5] <= kt_gpu_time());
	CU_ASSERT(values[6] == payload);
	CU_ASSERT(values[7] >= values[5] && values[7] <= kt_gpu_time());
	rig_close(&rig);
}

static void test_acquires_wait_each_in_its_way(void)
{
	static const struct {
		uint32_t execute;
		uint64_t payload;
		uint64_t not_yet;
		uint64_t enough;
	} rows[] = {
		{0, 5, 6, 5},
		{3, 5, 4, 5},
		{3, 5, 4, 7},
		{3, 1, 0xffffffff, 1}, /* the comparison wraps around */
		/* The counter has wrapped around, so 2 comes after the payload. */
		{3, 0xfffffff0, 0xffffffe0, 2},
		{3 | 1u << 24, UINT64_C(1) << 32, 5, (UINT64_C(1) << 32) + 1},
		{0 | 1u << 24, UINT64_C(7) << 32, 0, UINT64_C(7) << 32},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		CU_ASSERT_FATAL(rig_open(&rig, true));
		memcpy(rig.data, &rows[i].not_yet, 8);
		host_semaphore(&rig.channels[0], RIG_DATA, rows[i].payload,
			       rows[i].execute);
		rig_release(&rig.channels[0], RIG_DATA + 64, 1);
		rig_submit(&rig.channels[0]);
		rig_release(&rig.channels[1], RIG_DATA + 128, 1);
		rig_submit(&rig.channels[1]);
		rig_run(&rig);
		CU_ASSERT(word_at(&rig, 64) == 0 && rig_get(&rig.channels[0]) == 0);
		CU_ASSERT(word_at(&rig, 128) == 1); /* the other channel continued */
		memcpy(rig.data, &rows[i].enough, 8);
		rig_run(&rig);
		CU_ASSERT(word_at(&rig, 64) == 1 && rig_get(&rig.channels[0]) == 1);
		rig_close(&rig);
	}
}

static void test_channels_wait_for_each_other(void)
{
	struct rig rig;
	struct kt_gpu_counts counts;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (uint32_t i = 1; i <= 1000; i++) {
		rig_acquire(&rig.channels[0], RIG_DATA + 16, i - 1);
		rig_release(&rig.channels[0], RIG_DATA, i);
		rig_submit(&rig.channels[0]);
		rig_acquire(&rig.channels[1], RIG_DATA, i);
		rig_release(&rig.channels[1], RIG_DATA + 16, i);
		rig_submit(&rig.channels[1]);
		if (i % 8 == 0) {
			rig_run(&rig);
		}
	}
	rig_run(&rig);
	kt_gpu_counts(rig.gpu, &counts);
	CU_ASSERT(word_at(&rig, 0) == 1000 && word_at(&rig, 16) == 1000);
	CU_ASSERT(counts.entries == 2000);
	rig_close(&rig);
}

/* --- errors --- */

struct bad {
	const char *what;
	void (*push)(struct rig *rig, struct rig_channel *channel);
	uint32_t xid;
};

static void put_far(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	channel->put = RIG_ENTRIES;
}

static void opcode(struct rig *rig, struct rig_channel *channel)
{
	uint32_t words[2] = {0, KT_GPFIFO_ILLEGAL};

	(void)rig;
	rig_entry(channel, words);
}

static void segment_unmapped(struct rig *rig, struct rig_channel *channel)
{
	struct kt_gpfifo_entry entry = {.address = 0x1000, .words = 1};
	uint32_t words[2];

	(void)rig;
	kt_gpfifo_encode(words, &entry);
	rig_entry(channel, words);
}

static void segment_runs_out(struct rig *rig, struct rig_channel *channel)
{
	struct kt_gpfifo_entry entry = {.address = RIG_PUSH + RIG_PUSH_BYTES,
					.words = KT_GPFIFO_MAX_WORDS};
	uint32_t words[2];

	(void)rig;
	kt_gpfifo_encode(words, &entry);
	rig_entry(channel, words);
}

static void ring_unmapped(struct rig *rig, struct rig_channel *channel)
{
	kt_gpu_space_unmap(rig->space, RIG_RINGS, 0x10000);
	rig_word(channel, 0);
	rig_submit(channel);
}

static void conditional(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_word(channel, 0);
	rig_submit(channel);
	channel->entries[0] |= 1;
}

static void reserved_header(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_word(channel, (uint32_t)KT_METHOD_RESERVED << 29);
	rig_submit(channel);
}

static void host_method(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_method(channel, 0, 0x70, 0);
	rig_submit(channel);
}

static void operation(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	host_semaphore(channel, RIG_DATA, 0, 6);
	rig_submit(channel);
}

static void semaphore_unmapped(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_release(channel, RIG_DATA + RIG_DATA_BYTES, 0);
	rig_submit(channel);
}

static void semaphore_misaligned(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_release(channel, RIG_DATA + 4, 0);
	rig_submit(channel);
}

static void acquire_unmapped(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_acquire(channel, UINT64_C(0x1ffffff) << 32, 0);
	rig_submit(channel);
}

static void no_class(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_method(channel, 2, KT_C8B5_NOP, 0);
	rig_submit(channel);
}

static void other_class(struct rig *rig, struct rig_channel *channel)
{
	(void)rig;
	rig_method(channel, 2, KT_C86F_SET_OBJECT, KT_ABI_CLASS_CHANNEL);
	rig_submit(channel);
}

static const struct bad bads[] = {
	{"GP_PUT beyond the ring", put_far, KT_ABI_XID_PBDMA_ERROR},
	{"a control entry of no known kind", opcode, KT_ABI_XID_PBDMA_ERROR},
	{"a segment that is not mapped", segment_unmapped, KT_ABI_XID_MMU_FAULT},
	{"a segment that ends in unmapped memory", segment_runs_out, KT_ABI_XID_MMU_FAULT},
	{"a ring that is not mapped", ring_unmapped, KT_ABI_XID_MMU_FAULT},
	{"a conditional fetch", conditional, KT_ABI_XID_PBDMA_ERROR},
	{"a header of no known form", reserved_header, KT_ABI_XID_PBDMA_ERROR},
	{"a method that the host does not have", host_method, KT_ABI_XID_PBDMA_ERROR},
	{"a semaphore operation", operation, KT_ABI_XID_PBDMA_ERROR},
	{"a release of what is not mapped", semaphore_unmapped, KT_ABI_XID_MMU_FAULT},
	{"a misaligned release", semaphore_misaligned, KT_ABI_XID_PBDMA_ERROR},
	{"an acquire of what is not mapped", acquire_unmapped, KT_ABI_XID_MMU_FAULT},
	{"a subchannel without a class", no_class, KT_ABI_XID_PBDMA_ERROR},
	{"a class that is not an engine class", other_class, KT_ABI_XID_PBDMA_ERROR},
};

static void test_errors_end_a_channel_and_no_other(void)
{
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct rig rig;
		uint64_t before = kt_gpu_time();

		CU_ASSERT_FATAL(rig_open(&rig, true));
		bads[i].push(&rig, &rig.channels[0]);
		rig_run(&rig);
		if (rig_error(&rig.channels[0]) != bads[i].xid) {
			CU_FAIL(bads[i].what);
		}
		CU_ASSERT(rig_errors(&rig) == 1);
		CU_ASSERT(rig.channels[0].notifier->time >= before);
		CU_ASSERT(rig_get(&rig.channels[0]) == 0);

		/*
		 * A channel with an error executes nothing more and reports no further
		 * error.
		 */
		rig.channels[0].put %= RIG_ENTRIES;
		rig_release(&rig.channels[0], RIG_DATA, 1);
		rig_submit(&rig.channels[0]);
		rig_run(&rig);
		CU_ASSERT(word_at(&rig, 0) == 0 && rig_get(&rig.channels[0]) == 0);
		CU_ASSERT(rig_errors(&rig) == 1);
		if (bads[i].push != ring_unmapped) {
			rig_release(&rig.channels[1], RIG_DATA, 2);
			rig_submit(&rig.channels[1]);
			rig_run(&rig);
			CU_ASSERT(word_at(&rig, 0) == 2);
			CU_ASSERT(rig_error(&rig.channels[1]) == 0);
		}
		rig_close(&rig);
	}
}

static void test_data_go_on_in_the_next_segment(void)
{
	struct rig rig;
	struct rig_channel *channel = &rig.channels[0];

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_header(channel, KT_METHOD_INCREASING, 0, KT_C86F_SEM_ADDR_LO, 5);
	rig_word(channel, (uint32_t)RIG_DATA);
	rig_submit(channel);
	rig_word(channel, (uint32_t)(RIG_DATA >> 32));
	rig_word(channel, 7);
	rig_word(channel, 0);
	rig_word(channel, KT_C86F_SEM_EXECUTE__OPERATION__RELEASE);
	rig_submit(channel);
	rig_run(&rig);
	CU_ASSERT(rig_errors(&rig) == 0);
	CU_ASSERT(word_at(&rig, 0) == 7);
	rig_close(&rig);
}

static void test_a_class_is_to_be_allowed(void)
{
	struct rig rig;
	struct kt_gpu_channel_options options = {
		.gpfifo_address = RIG_RINGS,
		.gpfifo_entries = RIG_ENTRIES,
		.notifier_physical = UINT64_MAX, /* no notifier for the error */
	};
	uint32_t token = 0;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	options.space = rig.space;
	options.userd_physical = rig.rings_physical + 0x1000;
	kt_gpu_channel_free(rig.channels[0].channel);
	CU_ASSERT_FATAL(kt_gpu_channel_create(rig.gpu, &options, &rig.channels[0].channel,
					      &token) == 0);
	CU_ASSERT(token == rig.channels[0].token); /* its number is free again */
	kt_gpu_channel_allow(rig.channels[0].channel, KT_ABI_CLASS_COPY);
	kt_gpu_channel_enable(rig.channels[0].channel, true);
	rig_bind(&rig.channels[0]); /* binding compute is not allowed */
	rig_submit(&rig.channels[0]);
	rig_run(&rig);
	CU_ASSERT(rig_errors(&rig) == 1 && rig_error(&rig.channels[0]) == 0);
	rig_close(&rig);
}

/* A new channel on used ring memory begins at entry 0 and has nothing to execute. */
static void test_a_new_channel_begins_empty(void)
{
	struct rig rig;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	for (int i = 0; i < 5; i++) {
		rig_release(&rig.channels[0], RIG_DATA, 1);
		rig_submit(&rig.channels[0]);
	}
	rig_run(&rig);
	CU_ASSERT(rig_get(&rig.channels[0]) == 5);
	CU_ASSERT_FATAL(rig_renew(&rig, 0));
	CU_ASSERT(!kt_gpu_step(rig.gpu, NULL));
	CU_ASSERT(rig_get(&rig.channels[0]) == 0);
	rig_release(&rig.channels[0], RIG_DATA, 2);
	rig_submit(&rig.channels[0]);
	rig_run(&rig);
	CU_ASSERT(word_at(&rig, 0) == 2);
	rig_close(&rig);
}

static void test_a_parked_channel_can_go(void)
{
	struct rig rig;

	CU_ASSERT_FATAL(rig_open(&rig, true));
	rig_acquire(&rig.channels[0], RIG_DATA, 1);
	rig_submit(&rig.channels[0]);
	rig_run(&rig);
	kt_gpu_channel_free(rig.channels[0].channel);
	rig.channels[0].channel = NULL;
	rig_acquire(&rig.channels[1], RIG_DATA, 1);
	rig_submit(&rig.channels[1]);
	rig_run(&rig);
	kt_gpu_space_unmap(rig.space, RIG_DATA, RIG_DATA_BYTES);
	rig_run(&rig);
	CU_ASSERT(rig_error(&rig.channels[1]) == KT_ABI_XID_MMU_FAULT);
	rig_close(&rig);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"data go on in the next segment", test_data_go_on_in_the_next_segment},
		{"what no channel is made of", test_what_no_channel_consists_of},
		{"entries wrap and stay in order", test_entries_wrap_and_stay_in_order},
		{"nothing runs before it is enabled",
		 test_nothing_runs_before_it_is_enabled},
		{"control entries", test_control_entries},
		{"a subroutine is an entry like others",
		 test_a_subroutine_is_an_entry_like_others},
		{"forms of release", test_forms_of_release},
		{"acquires wait, each in its way", test_acquires_wait_each_in_its_way},
		{"channels wait for each other", test_channels_wait_for_each_other},
		{"errors end a channel and no other",
		 test_errors_end_a_channel_and_no_other},
		{"a class is to be allowed", test_a_class_is_to_be_allowed},
		{"a new channel begins empty", test_a_new_channel_begins_empty},
		{"a parked channel can go", test_a_parked_channel_can_go},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-channel", tests);
}
