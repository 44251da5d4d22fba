/* SPDX-License-Identifier: MIT */
/*
 * Tests destroyed and failed contexts in the software GPU's driver: other contexts wait for
 * them, handles and memory counts are checked afterwards, and children are forked.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus/softgpu/driver/api.h"
#include "corpus/workloads/common.h"
#include "tests/suite.h"

#define OK(call)           CU_ASSERT_EQUAL((call), KT_CU_OK)
#define FAILS(call, error) CU_ASSERT_EQUAL((call), (error))

#define NOWHERE 0x10000 /* an unmapped GPU address */

static kt_cu_context begin(void)
{
	kt_cu_context context = NULL;

	CU_ASSERT_EQUAL_FATAL(cuInit(0), KT_CU_OK);
	CU_ASSERT_EQUAL_FATAL(cuCtxCreate(&context, 0, 0), KT_CU_OK);
	return context;
}

static kt_cu_function find_spin(void)
{
	kt_cu_module module = NULL;
	kt_cu_function function = NULL;

	OK(cuModuleLoadData(&module, ".version 7.0 .entry spin(){}"));
	OK(cuModuleGetFunction(&function, module, "spin"));
	return function;
}

static int spin(kt_cu_function function, kt_cu_stream stream, kt_cu_address counter,
		unsigned milliseconds)
{
	uint64_t ticks = milliseconds * UINT64_C(1755000);
	void *parameters[] = {&counter, &ticks};

	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

/* --- memory counts --- */

static size_t memory_left(void)
{
	size_t left = 0;
	size_t total = 0;

	OK(cuMemGetInfo(&left, &total));
	CU_ASSERT(left <= total);
	return left;
}

static void test_memory_left(void)
{
	kt_cu_context context = begin();
	kt_cu_context other = begin();
	kt_cu_address address = 0;
	size_t before = memory_left();

	for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 7 + 1) {
		OK(cuMemAlloc(&address, bytes));
		CU_ASSERT(memory_left() <= before - bytes);
		OK(cuMemFree(address));
		CU_ASSERT_EQUAL(memory_left(), before);
	}
	OK(cuMemAlloc(&address, 12345));
	OK(cuMemAlloc(&address, 5 << 20));
	OK(cuCtxDestroy(other));
	CU_ASSERT_EQUAL(memory_left(), before);
	OK(cuCtxDestroy(context));
}

/* --- a context that fails --- */

/* Polls until the result is no longer NOT_READY; gives up after 2 s at the earliest. */
static int poll_long(kt_cu_stream stream)
{
	int code = KT_CU_NOT_READY;

	for (unsigned i = 0; i < 2000 && code == KT_CU_NOT_READY; i++) {
		code = cuStreamQuery(stream);
		usleep(1000);
	}
	return code;
}

static void test_poll_a_dead_one(void)
{
	kt_cu_context context = begin();
	kt_cu_function function = find_spin();
	kt_cu_stream streams[2];
	kt_cu_event event = NULL;

	OK(cuStreamCreate(&streams[0], KT_CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&streams[1], KT_CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&event, 0));
	OK(spin(function, streams[0], NOWHERE, 1));
	OK(cuEventRecord(event, streams[0]));
	OK(cuStreamWaitEvent(streams[1], event, 0));
	FAILS(poll_long(streams[1]), KT_CU_ILLEGAL_ADDRESS);
	OK(cuCtxDestroy(context));
}

/*
 * A wait for an event of a failing context returns, and the waiting context continues to
 * work.
 */
static void test_wait_for_a_dead_one(void)
{
	kt_cu_context living = begin();
	kt_cu_context dying = begin();
	kt_cu_function function = find_spin();
	kt_cu_event event = NULL;
	kt_cu_address address = 0;

	OK(cuEventCreate(&event, 0));
	OK(spin(function, NULL, NOWHERE, 20));
	OK(cuEventRecord(event, NULL));
	OK(cuCtxSetCurrent(living));
	FAILS(cuStreamWaitEvent(NULL, event, 0), KT_CU_ILLEGAL_ADDRESS);
	FAILS(poll_long(NULL), KT_CU_OK);
	OK(cuMemAlloc(&address, 100));
	OK(cuCtxDestroy(dying));
	OK(cuCtxSetCurrent(living));
	OK(cuCtxDestroy(living));
}

/*
 * The event was complete before its context was destroyed, so a later wait must not fail.
 */
static void test_wait_for_a_destroyed_one(void)
{
	kt_cu_context living = begin();
	kt_cu_function function = find_spin();
	kt_cu_context destroyed;
	kt_cu_event event = NULL;
	kt_cu_address counter = 0;
	uint32_t value = 0;

	OK(cuMemAlloc(&counter, 4));
	OK(cuMemsetD32(counter, 0, 1));
	destroyed = begin();
	OK(cuEventCreate(&event, 0));
	OK(cuEventRecord(event, NULL));
	OK(cuCtxSetCurrent(living));
	OK(spin(function, NULL, counter, 50));
	OK(cuStreamWaitEvent(NULL, event, 0));
	OK(cuCtxDestroy(destroyed));
	OK(cuCtxSetCurrent(living));
	OK(cuMemcpyDtoH(&value, counter, 4));
	CU_ASSERT_EQUAL(value, 1);
	OK(cuCtxDestroy(living));
}

/* --- handles --- */

static pthread_barrier_t barrier;

static void *go_on(void *argument)
{
	kt_cu_address address = 0;

	OK(cuCtxSetCurrent(argument));
	pthread_barrier_wait(&barrier);
	/* The context is destroyed now, and another context has its address. */
	pthread_barrier_wait(&barrier);
	FAILS(cuMemAlloc(&address, 4), KT_CU_CONTEXT_IS_DESTROYED);
	FAILS(cuCtxSynchronize(), KT_CU_CONTEXT_IS_DESTROYED);
	OK(cuCtxPopCurrent(NULL));
	FAILS(cuCtxSynchronize(), KT_CU_INVALID_CONTEXT);
	return NULL;
}

static void test_current_one_is_destroyed(void)
{
	kt_cu_context context = begin();
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, go_on, context), 0);
	pthread_barrier_wait(&barrier);
	OK(cuCtxDestroy(context));
	context = begin();
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
	OK(cuCtxDestroy(context));
}

static void test_no_memory_for_another(void)
{
	kt_cu_context context = begin();
	kt_cu_context other = NULL;
	unsigned n = 0;

	while (cuCtxPushCurrent(context) == KT_CU_OK) {
		n++;
	}
	FAILS(cuCtxCreate(&other, 0, 0), KT_CU_OUT_OF_MEMORY);
	CU_ASSERT_PTR_NULL(other);
	while (n-- > 0) {
		OK(cuCtxPopCurrent(NULL));
	}
	OK(cuCtxDestroy(context));
}

/*
 * Each context is pushed on top of the previous one, and is destroyed while later contexts
 * are on top of it.
 */
static void test_many_one_after_another(void)
{
	kt_cu_context contexts[100] = {NULL};
	size_t created = 0;

	for (unsigned round = 0; round < 7; round++) {
		for (created = 0; created < 100; created++) {
			if (cuCtxCreate(&contexts[created], 0, 0) != KT_CU_OK) {
				break;
			}
		}
		CU_ASSERT_EQUAL(created, 100);
		for (size_t i = 0; i < created; i++) {
			OK(cuCtxDestroy(contexts[i]));
		}
	}
	while (cuCtxPopCurrent(NULL) == KT_CU_OK) {
	}
}

/* --- captures and graphs --- */

/*
 * Payloads have 32 bits. A launch that is more than half of their range in the past must
 * count as complete.
 */
static void test_launch_of_long_ago(void)
{
	struct kt_context *context = (struct kt_context *)begin();
	struct kt_semaphore *progress = &context->channels[0].progress;
	kt_cu_function function = find_spin();
	kt_cu_stream stream = NULL;
	kt_cu_graph graph = NULL;
	kt_cu_graph_exec executable = NULL;
	kt_cu_address counter = 0;

	OK(cuMemAlloc(&counter, 4));
	OK(cuStreamCreate(&stream, 0));
	OK(cuStreamBeginCapture(stream, KT_CU_CAPTURE_RELAXED));
	OK(spin(function, stream, counter, 0));
	OK(cuStreamEndCapture(stream, &graph));
	OK(cuGraphInstantiate(&executable, graph, 0));
	OK(cuGraphDestroy(graph));
	OK(cuGraphLaunch(executable, stream));
	OK(cuCtxSynchronize());
	progress->value += UINT64_C(3) << 30;
	*(volatile uint32_t *)(context->semaphores.cpu + (size_t)progress->index * 16) =
		(uint32_t)progress->value;
	OK(cuGraphExecDestroy(executable));
	OK(cuStreamSynchronize(stream));
	OK(cuCtxDestroy((kt_cu_context)context));
}

static void test_default_stream_waits(void)
{
	kt_cu_context context = begin();
	kt_cu_stream stream = NULL;
	kt_cu_event event = NULL;
	kt_cu_graph graph = NULL;

	OK(cuStreamCreate(&stream, 0));
	OK(cuEventCreate(&event, 0));
	OK(cuStreamBeginCapture(stream, KT_CU_CAPTURE_RELAXED));
	FAILS(cuStreamWaitEvent(NULL, event, 0), KT_CU_CAPTURE_IMPLICIT);
	FAILS(cuStreamEndCapture(stream, &graph), KT_CU_CAPTURE_INVALIDATED);
	OK(cuCtxDestroy(context));
}

/* --- threads and processes --- */

static atomic_bool stop;

static void *use_handles(void *argument)
{
	(void)argument;
	while (!atomic_load(&stop)) {
		FAILS(cuEventQuery(NULL), KT_CU_INVALID_HANDLE);
	}
	return NULL;
}

/*
 * A child must not need a lock that another thread held during the fork, because this lock
 * is never released in the child.
 */
static void test_forks_beside_threads(void)
{
	kt_cu_context context = begin();
	kt_cu_stream stream = NULL;
	pthread_t threads[4];
	unsigned right = 0;

	OK(cuStreamCreate(&stream, 0));
	atomic_store(&stop, false);
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&threads[i], NULL, use_handles, stream), 0);
	}
	for (unsigned i = 0; i < 200; i++) {
		int status = -1;
		pid_t child = fork();

		if (child == 0) {
			alarm(20);
			_exit(cuStreamQuery(stream) == KT_CU_NOT_INITIALIZED &&
					      cuStreamDestroy(stream) ==
						      KT_CU_NOT_INITIALIZED &&
					      cuEventQuery(NULL) == KT_CU_NOT_INITIALIZED
				      ? 0
				      : 1);
		}
		CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
		right += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		if (!WIFEXITED(status)) {
			break;
		}
	}
	CU_ASSERT_EQUAL(right, 200);
	atomic_store(&stop, true);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
	}
	OK(cuCtxDestroy(context));
}

static void *wait_often(void *argument)
{
	OK(cuCtxSetCurrent(argument));
	while (!atomic_load(&stop)) {
		OK(cuMemsetD8(0, 0, 0));
		OK(cuCtxSynchronize());
	}
	return NULL;
}

/*
 * For the thread sanitizer: the primary context's flags change while another thread waits
 * and reads the flags.
 */
static void test_flags_beside_waits(void)
{
	kt_cu_context context = NULL;
	kt_cu_function function;
	kt_cu_address counter = 0;
	pthread_t thread;

	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	function = find_spin();
	OK(cuMemAlloc(&counter, 4));
	atomic_store(&stop, false);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, wait_often, context), 0);
	for (unsigned i = 0; i < 20; i++) {
		OK(spin(function, NULL, counter, 1));
		OK(cuDevicePrimaryCtxSetFlags(0,
					      i % 2 ? 0 : KT_CU_CTX_SCHED_BLOCKING_SYNC));
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	OK(cuDevicePrimaryCtxSetFlags(0, 0));
	OK(cuDevicePrimaryCtxRelease(0));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"memory left", test_memory_left},
		{"look at a dead one", test_poll_a_dead_one},
		{"wait for a dead one", test_wait_for_a_dead_one},
		{"wait for one that is gone", test_wait_for_a_destroyed_one},
		{"current one is gone", test_current_one_is_destroyed},
		{"no place for another", test_no_memory_for_another},
		{"many one after another", test_many_one_after_another},
		{"launch of long ago", test_launch_of_long_ago},
		{"default stream waits", test_default_stream_waits},
		{"forks beside threads", test_forks_beside_threads},
		{"flags beside waits", test_flags_beside_waits},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("software GPU: lifetimes of contexts", tests);
}
