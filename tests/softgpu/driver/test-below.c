/* SPDX-License-Identifier: MIT */
/* The lower half of the software GPU's driver, on the device that the face has in it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/softgpu/driver/commands.h"
#include "tests/suite.h"

#define MANY (12 * KT_RING_ENTRIES)

static struct kt_context *new_context(void)
{
	struct kt_context *context = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_driver_open(), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(kt_context_create(&context, false, false), KT_CU_OK);
	return context;
}

/* Submits and frees the push, and waits. */
static int run(struct kt_channel *channel, struct kt_push *push)
{
	int result = kt_submit(channel, push, NULL);

	kt_push_free(push);
	return result == KT_CU_OK ? kt_wait_channel(channel) : result;
}

/* --- the driver and its contexts --- */

static void test_open(void)
{
	uint8_t no_uuid[KT_ABI_UUID_SIZE] = {0};
	struct kt_driver *driver;

	CU_ASSERT_EQUAL_FATAL(kt_driver_open(), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_driver_open(), KT_CU_OK);
	driver = kt_driver_get();
	CU_ASSERT_PTR_NOT_NULL_FATAL(driver);
	CU_ASSERT(strlen(driver->name) > 0);
	CU_ASSERT(memcmp(driver->uuid, no_uuid, sizeof(no_uuid)) != 0);
	CU_ASSERT(driver->memory_bytes >= UINT64_C(1) << 30);
}

/* The device's clock runs when there is a channel. */
static void test_timer(void)
{
	struct kt_context *context = new_context();
	const volatile uint64_t *timer =
		(const volatile uint64_t *)(kt_driver_get()->registers +
					    KT_ABI_USERMODE_TIME_LO);
	uint64_t time = *timer;

	for (unsigned i = 0; i < 1000 && *timer == time; i++) {
		usleep(1000);
	}
	CU_ASSERT(*timer > time);
	kt_context_destroy(context);
}

static void test_contexts(void)
{
	struct kt_context *contexts[20];
	unsigned n = sizeof(contexts) / sizeof(contexts[0]);

	for (unsigned i = 0; i < n; i++) {
		contexts[i] = new_context();
		CU_ASSERT(kt_context_lives(contexts[i]));
	}
	for (unsigned i = 0; i < n; i++) {
		struct kt_push push = {0};

		CU_ASSERT_EQUAL(run(&contexts[i]->channels[i % KT_CHANNELS], &push),
				KT_CU_OK);
		kt_context_destroy(contexts[i]);
		CU_ASSERT_FALSE(kt_context_lives(contexts[i]));
	}
}

static void test_primary(void)
{
	struct kt_context *a = NULL;
	struct kt_context *b = NULL;

	CU_ASSERT_EQUAL_FATAL(kt_driver_open(), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_context_release_primary(), KT_CU_INVALID_CONTEXT);
	CU_ASSERT_EQUAL_FATAL(kt_context_retain_primary(&a), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_context_retain_primary(&b), KT_CU_OK);
	CU_ASSERT_PTR_EQUAL(a, b);
	CU_ASSERT_EQUAL(kt_context_release_primary(), KT_CU_OK);
	CU_ASSERT(kt_context_lives(a));
	CU_ASSERT_EQUAL(kt_context_release_primary(), KT_CU_OK);
	CU_ASSERT_FALSE(kt_context_lives(a));
}

/* --- memory --- */

static void test_heap(void)
{
	struct kt_context *context = new_context();
	uint64_t pieces[64];
	uint64_t large;
	uint64_t again;
	uint64_t piece;
	uint64_t bytes;
	struct kt_memory object;

	for (unsigned i = 0; i < 64; i++) {
		CU_ASSERT_EQUAL_FATAL(
			kt_heap_allocate(context->heap, 100000 + i, &pieces[i]), KT_CU_OK);
		CU_ASSERT_EQUAL(pieces[i] % 256, 0);
		for (unsigned k = 0; k < i; k++) {
			CU_ASSERT(pieces[k] + 100000 + k <= pieces[i] ||
				  pieces[i] + 100000 + i <= pieces[k]);
		}
	}
	CU_ASSERT_EQUAL(kt_heap_allocate(context->heap, 3 << 20, &large), KT_CU_OK);
	CU_ASSERT(kt_heap_find(context->heap, large + (3 << 20) - 1, &object, &piece,
			       &bytes));
	CU_ASSERT_EQUAL(piece, large);
	CU_ASSERT_EQUAL(bytes, 3 << 20);
	CU_ASSERT_FALSE(
		kt_heap_find(context->heap, large + (3 << 20), &object, &piece, &bytes));
	CU_ASSERT(kt_heap_find(context->heap, pieces[5] + 7, &object, &piece, &bytes));
	CU_ASSERT_EQUAL(piece, pieces[5]);
	CU_ASSERT(object.address <= piece &&
		  object.address + object.bytes >= piece + bytes);
	CU_ASSERT_EQUAL(kt_heap_free(context->heap, pieces[5] + 256), KT_CU_INVALID_VALUE);
	CU_ASSERT_EQUAL(kt_heap_free(context->heap, large), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_heap_free(context->heap, large), KT_CU_INVALID_VALUE);
	/* Neighbours that were freed are one piece. */
	CU_ASSERT_EQUAL(kt_heap_free(context->heap, pieces[6]), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_heap_free(context->heap, pieces[4]), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_heap_free(context->heap, pieces[5]), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_heap_allocate(context->heap, 300000, &again), KT_CU_OK);
	CU_ASSERT_EQUAL(again, pieces[4] < pieces[6] ? pieces[4] : pieces[6]);
	CU_ASSERT_EQUAL(kt_heap_allocate(context->heap, UINT64_C(1) << 50, &again),
			KT_CU_OUT_OF_MEMORY);
	CU_ASSERT_EQUAL(kt_heap_allocate(context->heap, UINT64_MAX, &again),
			KT_CU_OUT_OF_MEMORY);
	CU_ASSERT_EQUAL(kt_heap_allocate(context->heap, 0, &again), KT_CU_INVALID_VALUE);
	kt_context_destroy(context);
}

static void test_out_of_memory(void)
{
	struct kt_context *context = new_context();
	uint64_t pieces[4096];
	unsigned n = 0;
	int result = KT_CU_OK;

	while (n < 4096) {
		result = kt_heap_allocate(context->heap, 64 << 20, &pieces[n]);
		if (result != KT_CU_OK) {
			break;
		}
		n++;
	}
	CU_ASSERT_EQUAL(result, KT_CU_OUT_OF_MEMORY);
	CU_ASSERT(n > 8);
	while (n > 0) {
		CU_ASSERT_EQUAL(kt_heap_free(context->heap, pieces[--n]), KT_CU_OK);
	}
	CU_ASSERT_EQUAL(kt_heap_allocate(context->heap, 64 << 20, &pieces[0]), KT_CU_OK);
	kt_context_destroy(context);
}

static void test_registered(void)
{
	struct kt_context *context = new_context();
	uint32_t *user = aligned_alloc(KT_ABI_PAGE, KT_ABI_PAGE * 3);
	uint32_t words[3] = {7, 8, 9};
	struct kt_memory memory;
	struct kt_memory second;
	struct kt_push push = {0};

	memset(user, 0x55, KT_ABI_PAGE * 3);
	CU_ASSERT_EQUAL_FATAL(kt_memory_register(&memory, user + 10, KT_ABI_PAGE * 2),
			      KT_CU_OK);
	CU_ASSERT_EQUAL(memory.address, (uintptr_t)user);
	CU_ASSERT_EQUAL(memory.bytes, KT_ABI_PAGE * 3);
	CU_ASSERT_NOT_EQUAL(kt_memory_register(&second, user, KT_ABI_PAGE), KT_CU_OK);
	push_inline(&push, (uintptr_t)(user + 1022), words, 3);
	CU_ASSERT_EQUAL(run(&context->channels[1], &push), KT_CU_OK);
	CU_ASSERT_EQUAL(user[1021], 0x55555555);
	CU_ASSERT_EQUAL(user[1022], 7);
	CU_ASSERT_EQUAL(user[1024], 9);
	CU_ASSERT_EQUAL(user[1025], 0x55555555);
	kt_memory_destroy(&memory);
	CU_ASSERT_EQUAL(kt_memory_register(&second, user, KT_ABI_PAGE), KT_CU_OK);
	kt_memory_destroy(&second);
	CU_ASSERT_EQUAL(kt_memory_register(&second, NULL, 1), KT_CU_INVALID_VALUE);
	free(user);
	kt_context_destroy(context);
}

/* --- commands --- */

static void test_release(void)
{
	struct kt_context *context = new_context();
	struct kt_channel *channel = &context->channels[2];
	struct kt_semaphore semaphore;
	struct kt_push push = {0};
	const volatile uint64_t *cpu;

	CU_ASSERT_EQUAL_FATAL(kt_semaphore_take(context, &semaphore), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_look(channel, &semaphore, 5), KT_CU_NOT_READY);
	kt_push_release(&push, kt_semaphore_address(context, semaphore.index), 5);
	CU_ASSERT_EQUAL(push.n, KT_RELEASE_WORDS);
	CU_ASSERT_EQUAL(kt_submit(channel, &push, NULL), KT_CU_OK);
	kt_push_free(&push);
	CU_ASSERT_EQUAL(kt_wait(channel, &semaphore, 5), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_look(channel, &semaphore, 4), KT_CU_OK);
	CU_ASSERT_EQUAL(kt_wait_look(channel, &semaphore, 6), KT_CU_NOT_READY);
	cpu = (const volatile uint64_t *)(context->semaphores.cpu + semaphore.index * 16);
	CU_ASSERT_EQUAL(cpu[0], 5);
	CU_ASSERT(cpu[1] > 0);
	semaphore.value = 5;
	kt_semaphore_give(context, &semaphore);
	CU_ASSERT_EQUAL(kt_semaphore_take(context, &semaphore), KT_CU_OK);
	CU_ASSERT_EQUAL(semaphore.value, 5);
	kt_context_destroy(context);
}

static void test_semaphores_end(void)
{
	struct kt_context *context = new_context();
	struct kt_semaphore semaphore;
	unsigned n = 0;

	while (n <= KT_SEMAPHORES && kt_semaphore_take(context, &semaphore) == KT_CU_OK) {
		n++;
	}
	CU_ASSERT_EQUAL(n, KT_SEMAPHORES - KT_CHANNELS);
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
		kt_wait_look(&context->channels[0], &context->channels[0].progress, value),
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

/* Each submission writes its number; the ring goes round more than ten times. */
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

/* Submissions of many sizes up to the pushbuffer's own, several of it in all, and nothing
 * in the next channel's. */
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
 * Parts that fill the pushbuffer, when it is half-way round: none may lie over another,
 * though none is executed before all are there.
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

static void *make_contexts(void *argument)
{
	unsigned *wrong = argument;

	for (unsigned i = 0; i < 4; i++) {
		struct kt_context *context = NULL;

		if (kt_context_create(&context, false, true) != KT_CU_OK) {
			*wrong += 1;
		} else {
			kt_context_destroy(context);
		}
	}
	return NULL;
}

static void test_contexts_of_threads(void)
{
	pthread_t threads[4];
	unsigned wrong[4] = {0};

	CU_ASSERT_EQUAL_FATAL(kt_driver_open(), KT_CU_OK);
	for (unsigned i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, make_contexts, &wrong[i]);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(wrong[i], 0);
	}
}

/* --- errors --- */

/* The context of a channel that died gives `error` from then on; others go on. */
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

/* A channel that waits for one that died does not wait for ever. */
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

static void test_fork(void)
{
	struct kt_context *context = new_context();
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct kt_context *none;
		bool right =
			!kt_driver_get() && kt_driver_open() == KT_CU_NOT_INITIALIZED &&
			kt_context_create(&none, false, false) == KT_CU_NOT_INITIALIZED &&
			kt_wait_all(context) == KT_CU_NOT_INITIALIZED;

		_exit(right ? 0 : 1);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	kt_context_destroy(context);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"open", test_open},
		{"timer", test_timer},
		{"contexts", test_contexts},
		{"primary context", test_primary},
		{"heap", test_heap},
		{"out of memory", test_out_of_memory},
		{"registered memory", test_registered},
		{"release", test_release},
		{"semaphores come to an end", test_semaphores_end},
		{"acquire", test_acquire},
		{"copies", test_copies},
		{"wrap", test_wrap},
		{"sizes", test_sizes},
		{"limits", test_limits},
		{"parts", test_parts},
		{"parts around the end", test_parts_around},
		{"threads", test_threads},
		{"contexts of threads", test_contexts_of_threads},
		{"errors", test_errors},
		{"error elsewhere", test_error_elsewhere},
		{"fork", test_fork},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("lower half of the software GPU's driver", tests);
}
