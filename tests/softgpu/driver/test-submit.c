/* SPDX-License-Identifier: MIT */
/* Tests submissions and waits of the software GPU's driver, with the device in its KMD. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "tests/softgpu/driver/commands.h"

#define MANY (12 * KT_RING_ENTRIES)

/* --- engines and semaphores --- */

static void test_release(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[2];
	struct kt_semaphore semaphore;
	struct kt_push push = {0};
	const volatile uint64_t *cpu;

	CU_ASSERT_EQUAL_FATAL(kt_semaphore_take(context, &semaphore), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_poll(channel, &semaphore, 5), KT_CU_NOT_READY);
	kt_push_release(&push, kt_semaphore_address(context, semaphore.index), 5);
	CU_ASSERT_EQUAL(push.n, KT_RELEASE_WORDS);
	CU_ASSERT_EQUAL(kt_submit(channel, &push, NULL), KT_CU_OK);
	kt_push_free(&push);
	CU_ASSERT_EQUAL(kt_wait(channel, &semaphore, 5), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_poll(channel, &semaphore, 4), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_poll(channel, &semaphore, 6), KT_CU_NOT_READY);
	cpu = (const volatile uint64_t *)(context->semaphores.cpu + semaphore.index * 16);
	CU_ASSERT_EQUAL(cpu[0], 5);
	CU_ASSERT(cpu[1] > 0);
	semaphore.value = 5;
	kt_semaphore_give(context, &semaphore);
	CU_ASSERT_EQUAL(kt_semaphore_take(context, &semaphore), KT_CU_OK);
	CU_ASSERT_EQUAL(semaphore.value, 5);
	kt_context_destroy(context);
}

static void test_acquire(void)
{
	struct kt_context *context = new_context();
	struct kt_semaphore gate;
	struct kt_push waits = {0};
	struct kt_push opens = {0};
	uint64_t value = 0;

	CU_ASSERT_EQUAL_FATAL(kt_semaphore_take(context, &gate), KT_CU_OK);
	kt_push_acquire(&waits, kt_semaphore_address(context, gate.index), 1);
	kt_push_release(&opens, kt_semaphore_address(context, gate.index), 1);
	CU_ASSERT_EQUAL(kt_submit(&context->channels[0], &waits, &value), KT_CU_OK);
	usleep(20000);
	CU_ASSERT_EQUAL(
		kt_wait_poll(&context->channels[0], &context->channels[0].progress, value),
		KT_CU_NOT_READY);
	CU_ASSERT_EQUAL(kt_submit(&context->channels[1], &opens, NULL), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_all(context), KT_CU_OK);
	kt_push_free(&waits);
	kt_push_free(&opens);
	kt_context_destroy(context);
}

static void test_copies(void)
{
	struct kt_context *context = new_context();
	struct kt_memory host;
	uint64_t device = 0;
	struct kt_push push = {0};
	volatile uint32_t *words;
	unsigned n = KT_STAGING_BYTES / 4;
	unsigned wrong = 0;

	CU_ASSERT_EQUAL_FATAL(
		kt_memory_create(&host, KT_MEMORY_SYSTEM, 2 * KT_STAGING_BYTES), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(
		kt_heap_allocate(context->heap, KT_STAGING_BYTES + 4096, &device),
		KT_CU_OK);
	words = (volatile uint32_t *)host.cpu;
	for (unsigned i = 0; i < n; i++) {
		words[i] = i * 2654435761u;
	}
	push_copy(&push, device + 64, host.address, KT_STAGING_BYTES);
	push_copy(&push, host.address + KT_STAGING_BYTES, device + 64, KT_STAGING_BYTES);
	CU_ASSERT_EQUAL(run(&context->channels[3], &push), KT_CU_OK);
	for (unsigned i = 0; i < n; i++) {
		wrong += words[n + i] != i * 2654435761u;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	kt_memory_destroy(&host);
	CU_ASSERT_PTR_NULL(host.cpu);
	kt_context_destroy(context);
}

/* --- ring and pushbuffer --- */

/* Each submission writes its number. The ring wraps around about twelve times. */
static void test_wrap(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[0];
	struct kt_memory host;
	unsigned wrong = 0;

	CU_ASSERT_EQUAL_FATAL(kt_memory_create(&host, KT_MEMORY_SYSTEM, MANY * 4),
			      KT_CU_OK);
	for (uint32_t i = 0; i < MANY; i++) {
		struct kt_push push = {0};
		uint32_t number = i + 1;

		push_inline(&push, host.address + (uint64_t)i * 4, &number, 1);
		wrong += kt_submit(channel, &push, NULL) != KT_CU_OK;
		kt_push_free(&push);
	}
	CU_ASSERT_EQUAL(kt_wait_channel(channel), KT_CU_OK);
	for (uint32_t i = 0; i < MANY; i++) {
		wrong += ((volatile uint32_t *)host.cpu)[i] != i + 1;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	kt_memory_destroy(&host);
	kt_context_destroy(context);
}

/*
 * Submissions of many sizes, up to the whole pushbuffer, fill it several times. They must
 * never write to the next channel's part.
 */
static void test_sizes(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[0];
	unsigned most = KT_PUSHBUFFER_BYTES / 4 - KT_RELEASE_WORDS;
	volatile uint32_t *next_part;
	uint32_t next_words[64];
	struct kt_memory host;
	unsigned wrong = 0;
	uint32_t n = 0;

	CU_ASSERT_EQUAL_FATAL(kt_memory_create(&host, KT_MEMORY_SYSTEM, 4096), KT_CU_OK);
	next_part = (volatile uint32_t *)(context->pushbuffer.cpu + KT_PUSHBUFFER_BYTES);
	for (unsigned i = 0; i < 64; i++) {
		next_words[i] = next_part[i];
	}
	for (unsigned words = 20; words <= most; words = words * 3 / 2 + 1) {
		struct kt_push push = {0};
		uint32_t number = ++n;

		push_inline(&push, host.address + n * 4, &number, 1);
		while (push.n < words) {
			kt_push_method(&push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_NO_OPERATION,
				       0);
		}
		for (unsigned times = 0; times < 4; times++) {
			wrong += kt_submit(channel, &push, NULL) != KT_CU_OK;
		}
		kt_push_free(&push);
	}
	CU_ASSERT(n > 20);
	CU_ASSERT_EQUAL(kt_wait_channel(channel), KT_CU_OK);
	for (uint32_t i = 1; i <= n; i++) {
		wrong += ((volatile uint32_t *)host.cpu)[i] != i;
	}
	for (unsigned i = 0; i < 64; i++) {
		wrong += next_part[i] != next_words[i];
	}
	CU_ASSERT_EQUAL(wrong, 0);
	kt_memory_destroy(&host);
	kt_context_destroy(context);
}

static void test_limits(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[0];
	unsigned most = KT_PUSHBUFFER_BYTES / 4 - KT_RELEASE_WORDS;
	static size_t parts[KT_RING_ENTRIES];
	struct kt_push push = {0};

	while (push.n < most) {
		kt_push_method(&push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_NO_OPERATION, 0);
	}
	CU_ASSERT_EQUAL(kt_submit(channel, &push, NULL), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_submit(channel, &push, NULL), KT_CU_OK);
	kt_push_word(&push, 0);
	CU_ASSERT_EQUAL(kt_submit(channel, &push, NULL), KT_CU_INVALID_VALUE);
	push.n = KT_RING_ENTRIES;
	for (unsigned i = 0; i < KT_RING_ENTRIES; i++) {
		parts[i] = i + 1;
	}
	CU_ASSERT_EQUAL(kt_submit_parts(channel, &push, parts, KT_RING_ENTRIES, NULL),
			KT_CU_INVALID_VALUE);
	push.n--;
	CU_ASSERT_EQUAL(kt_submit_parts(channel, &push, parts, KT_RING_ENTRIES - 1, NULL),
			KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_channel(channel), KT_CU_OK);
	kt_push_free(&push);
	kt_context_destroy(context);
}

static void test_parts(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[1];
	struct kt_memory host;
	struct kt_push push = {0};
	size_t parts[5];
	uint64_t before = channel->progress.value;
	uint64_t value = 0;

	CU_ASSERT_EQUAL_FATAL(kt_memory_create(&host, KT_MEMORY_SYSTEM, 4096), KT_CU_OK);
	for (uint32_t i = 0; i < 5; i++) {
		push_inline(&push, host.address + i * 4, &i, 1);
		parts[i] = push.n;
	}
	CU_ASSERT_EQUAL(kt_submit_parts(channel, &push, parts, 5, &value), KT_CU_OK);
	CU_ASSERT_EQUAL(value, before + 5);
	CU_ASSERT_EQUAL(kt_wait(channel, &channel->progress, value), KT_CU_OK);
	CU_ASSERT_EQUAL(((volatile uint32_t *)host.cpu)[4], 4);
	parts[2] = 1;
	CU_ASSERT_EQUAL(kt_submit_parts(channel, &push, parts, 5, &value),
			KT_CU_INVALID_VALUE);
	kt_push_free(&push);
	kt_memory_destroy(&host);
	kt_context_destroy(context);
}

static void push_nothing(struct kt_push *push, size_t words)
{
	size_t end = push->n + words;

	while (push->n < end) {
		kt_push_method(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_NO_OPERATION, 0);
	}
}

/*
 * One submission of three parts is written from the pushbuffer's middle to its end and on
 * from its start. No part is executed before all parts are written, so no part may overlap
 * another.
 */
static void test_parts_around(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[0];
	size_t third = KT_PUSHBUFFER_BYTES / 4 / 3 - 2 * KT_RELEASE_WORDS;
	struct kt_semaphore gate;
	struct kt_memory host;
	struct kt_push half = {0};
	struct kt_push push = {0};
	struct kt_push opens = {0};
	size_t parts[3];

	CU_ASSERT_EQUAL_FATAL(kt_memory_create(&host, KT_MEMORY_SYSTEM, 4096), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(kt_semaphore_take(context, &gate), KT_CU_OK);
	push_nothing(&half, KT_PUSHBUFFER_BYTES / 4 / 2);
	CU_ASSERT_EQUAL(run(channel, &half), KT_CU_OK);
	kt_push_acquire(&push, kt_semaphore_address(context, gate.index), 1);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t number = i + 1;

		push_nothing(&push, third - 20);
		push_inline(&push, host.address + i * 4, &number, 1);
		parts[i] = push.n;
	}
	kt_push_release(&opens, kt_semaphore_address(context, gate.index), 1);
	CU_ASSERT_EQUAL(kt_submit_parts(channel, &push, parts, 3, NULL), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_submit(&context->channels[1], &opens, NULL), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_channel(channel), KT_CU_OK);
	for (uint32_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(((volatile uint32_t *)host.cpu)[i], i + 1);
	}
	kt_push_free(&push);
	kt_push_free(&opens);
	kt_memory_destroy(&host);
	kt_context_destroy(context);
}

/* --- threads --- */

#define THREADS 8
#define ROUNDS  300

struct worker {
	struct kt_context *context;
	struct kt_channel *channel;
	uint64_t address;
	unsigned wrong;
};

static void *work(void *argument)
{
	struct worker *w = argument;

	for (uint32_t i = 1; i <= ROUNDS; i++) {
		struct kt_push push = {0};
		uint64_t value = 0;

		push_inline(&push, w->address, &i, 1);
		w->wrong += kt_submit(w->channel, &push, &value) != KT_CU_OK;
		if (i % 10 == 0) {
			w->wrong += kt_wait(w->channel, &w->channel->progress, value) !=
				    KT_CU_OK;
		}
		kt_push_free(&push);
	}
	w->wrong += kt_wait_all(w->context) != KT_CU_OK;
	w->wrong += *(volatile uint32_t *)(uintptr_t)w->address != ROUNDS;
	return NULL;
}

static void test_threads(void)
{
	struct kt_context *contexts[2] = {new_context(), new_context()};
	struct kt_memory host;
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	CU_ASSERT_EQUAL_FATAL(kt_memory_create(&host, KT_MEMORY_SYSTEM, 4096), KT_CU_OK);
	for (unsigned i = 0; i < THREADS; i++) {
		struct kt_context *context = contexts[i % 2];

		workers[i] = (struct worker){
			.context = context,
			.channel = &context->channels[i % 3],
			.address = host.address + i * 64,
		};
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(workers[i].wrong, 0);
	}
	kt_memory_destroy(&host);
	kt_context_destroy(contexts[0]);
	kt_context_destroy(contexts[1]);
}

/* --- errors --- */

/*
 * After an error in a channel, the channel's context returns `error`; other contexts
 * continue.
 */
static void kill_by(struct kt_push *push, int error)
{
	struct kt_context *context = new_context();
	struct kt_context *other = new_context();
	struct kt_push none = {0};

	CU_ASSERT_EQUAL(run(&context->channels[1], push), error);
	CU_ASSERT_EQUAL(kt_submit(&context->channels[0], &none, NULL), error);
	CU_ASSERT_EQUAL(kt_wait_all(context), error);
	CU_ASSERT_EQUAL(kt_context_error(context), error);
	CU_ASSERT_EQUAL(run(&other->channels[1], &none), KT_CU_OK);
	kt_context_destroy(context);
	kt_context_destroy(other);
}

static void test_errors(void)
{
	struct kt_push method = {0};
	struct kt_push header = {0};
	struct kt_push address = {0};

	kt_push_method(&method, KT_SUBCHANNEL_COMPUTE, 0xffc, 1);
	kill_by(&method, KT_CU_LAUNCH_FAILED);
	kt_push_word(&header, 0xc0000000);
	kill_by(&header, KT_CU_ILLEGAL_INSTRUCTION);
	push_copy(&address, 0x10000, 0x20000, 4096);
	kill_by(&address, KT_CU_ILLEGAL_ADDRESS);
}

/* A channel that waits for a failed channel must not wait for ever. */
static void test_error_elsewhere(void)
{
	struct kt_context *context = new_context();
	struct kt_semaphore gate;
	struct kt_push waits = {0};
	struct kt_push dies = {0};

	CU_ASSERT_EQUAL_FATAL(kt_semaphore_take(context, &gate), KT_CU_OK);
	kt_push_acquire(&waits, kt_semaphore_address(context, gate.index), 1);
	push_copy(&dies, 0x10000, 0x20000, 4096);
	kt_push_release(&dies, kt_semaphore_address(context, gate.index), 1);
	CU_ASSERT_EQUAL(kt_submit(&context->channels[1], &dies, NULL), KT_CU_OK);
	CU_ASSERT_EQUAL(run(&context->channels[0], &waits), KT_CU_ILLEGAL_ADDRESS);
	kt_push_free(&dies);
	kt_context_destroy(context);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"release", test_release},
		{"acquire", test_acquire},
		{"copies", test_copies},
		{"wrap", test_wrap},
		{"sizes", test_sizes},
		{"limits", test_limits},
		{"parts", test_parts},
		{"parts around the end", test_parts_around},
		{"threads", test_threads},
		{"errors", test_errors},
		{"error elsewhere", test_error_elsewhere},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("submissions of the software GPU's driver", tests);
}
