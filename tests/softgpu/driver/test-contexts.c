/* SPDX-License-Identifier: MIT */
/*
 * Tests contexts, memory and semaphores of the software GPU's driver, with the device in
 * its KMD.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/softgpu/driver/commands.h"

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

/* The device's clock runs as soon as a channel exists. */
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
		CU_ASSERT(kt_context_is_alive(contexts[i]));
	}
	for (unsigned i = 0; i < n; i++) {
		struct kt_push push = {0};

		CU_ASSERT_EQUAL(run(&contexts[i]->channels[i % KT_CHANNELS], &push),
				KT_CU_OK);
		kt_context_destroy(contexts[i]);
		CU_ASSERT_FALSE(kt_context_is_alive(contexts[i]));
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
	CU_ASSERT(kt_context_is_alive(a));
	CU_ASSERT_EQUAL(kt_context_release_primary(), KT_CU_OK);
	CU_ASSERT_FALSE(kt_context_is_alive(a));
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
	/* Adjacent freed pieces must be merged. */
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

/* --- threads and processes --- */

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
		{"semaphores come to an end", test_semaphores_end},
		{"contexts of threads", test_contexts_of_threads},
		{"fork", test_fork},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("contexts and memory of the software GPU's driver", tests);
}
