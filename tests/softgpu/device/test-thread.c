/* SPDX-License-Identifier: MIT */
/*
 * Tests the device with its thread, which must execute work in order while other threads
 * map, free and read.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "tests/suite.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif
#endif

/* Silences Memcheck while the device may access freed memory. */
static void allow_freed(struct rig *rig, bool allow)
{
#ifdef VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE
	if (allow) {
		(void)VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(rig->data,
								     KT_GPU_DEVICE_BYTES);
	} else {
		(void)VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(rig->data,
								    KT_GPU_DEVICE_BYTES);
	}
#else
	(void)rig;
	(void)allow;
#endif
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MANY 20000u
#else
#define MANY 100000u
#endif

static uint32_t read_value(struct rig *rig, uint64_t offset)
{
	return __atomic_load_n((uint32_t *)(void *)(rig->data + offset), __ATOMIC_ACQUIRE);
}

static void wait_for(struct rig *rig, uint64_t offset, uint32_t value)
{
	while ((int32_t)(read_value(rig, offset) - value) < 0) {
		sched_yield();
	}
}

/*
 * Each entry waits for the number that the previous entry releases, so entries that are
 * executed out of order would wait for ever.
 */
static void submit_many(struct rig *rig, unsigned i, uint32_t n)
{
	struct rig_channel *channel = &rig->channels[i];

	for (uint32_t k = 1; k <= n; k++) {
		uint32_t next = (channel->put + 1) % RIG_ENTRIES;

		while (rig_get(channel) == next) {
			sched_yield();
		}
		rig_acquire(channel, RIG_DATA + 64ull * i, k - 1);
		rig_release(channel, RIG_DATA + 64ull * i, k);
		rig_submit(channel);
		rig_ring(channel);
	}
	wait_for(rig, 64ull * i, n);
}

static void test_many_entries_in_order(void)
{
	struct rig rig;
	struct kt_gpu_counts counts;

	CU_ASSERT_FATAL(rig_open(&rig, false));
	submit_many(&rig, 0, MANY);
	while (rig_get(&rig.channels[0]) != MANY % RIG_ENTRIES) {
		sched_yield();
	}
	kt_gpu_counts(rig.gpu, &counts);
	CU_ASSERT(counts.entries == MANY && counts.errors == 0);
	rig_close(&rig);
}

static struct rig shared;

static void *submit_second(void *unused)
{
	(void)unused;
	submit_many(&shared, 1, MANY / 10);
	return NULL;
}

static void *map_and_free(void *stop)
{
	while (!atomic_load((atomic_bool *)stop)) {
		struct kt_gpu_space *space = NULL;
		uint64_t physical = 0;

		if (kt_gpu_memory_allocate(shared.gpu, KT_GPU_DEVICE_MEMORY, 0x3000, 0,
					   &physical) ||
		    kt_gpu_space_create(shared.gpu, &space) ||
		    kt_gpu_space_map(shared.space, 0x10000, 0x3000, physical) ||
		    kt_gpu_space_map(space, 0x10000, 0x3000, physical)) {
			return stop;
		}
		kt_gpu_space_unmap(shared.space, 0x11000, 0x1000);
		kt_gpu_space_unmap(shared.space, 0x10000, 0x3000);
		kt_gpu_space_release(space);
		kt_gpu_memory_free(shared.gpu, physical);
	}
	return NULL;
}

static void test_two_channels_while_a_third_maps(void)
{
	atomic_bool stop = false;
	pthread_t second;
	pthread_t mapper;
	void *failed = NULL;

	CU_ASSERT_FATAL(rig_open(&shared, false));
	CU_ASSERT_FATAL(pthread_create(&second, NULL, submit_second, NULL) == 0);
	CU_ASSERT_FATAL(pthread_create(&mapper, NULL, map_and_free, &stop) == 0);
	submit_many(&shared, 0, MANY / 10);
	pthread_join(second, NULL);
	atomic_store(&stop, true);
	pthread_join(mapper, &failed);
	CU_ASSERT(failed == NULL && rig_errors(&shared) == 0);
	rig_close(&shared);
}

/* Frees channels while they run, and memory while it is in use. */
static void test_frees_while_running(void)
{
	struct rig rig;
	bool ok = true;

	CU_ASSERT_FATAL(rig_open(&rig, false));
	allow_freed(&rig, true);
	for (int round = 0; ok && round < 200; round++) {
		struct rig_channel *channel = &rig.channels[round % 2];

		rig_bind(channel);
		for (int i = 0; i < 10; i++) {
			rig_copy(channel, RIG_DATA + 0x100000, RIG_DATA + 0x800000,
				 0x10000);
			rig_submit(channel);
		}
		rig_ring(channel);
		if (round % 3 == 0) {
			kt_gpu_space_unmap(rig.space, RIG_DATA + 0x808000, 0x1000);
			ok = kt_gpu_space_map(rig.space, RIG_DATA + 0x808000, 0x1000,
					      rig.data_physical + 0x808000) == 0;
		}
		if (round == 100) {
			kt_gpu_memory_free(rig.gpu, rig.data_physical);
		}
		ok = ok && rig_renew(&rig, (unsigned)round % 2);
	}
	CU_ASSERT(ok);
	allow_freed(&rig, false);
	rig_close(&rig);
}

static void test_time_goes_on(void)
{
	struct rig rig;
	uint64_t *time = NULL;
	uint64_t first = 0;

	CU_ASSERT_FATAL(rig_open(&rig, false));
	time = kt_gpu_memory_at(rig.gpu,
				kt_gpu_usermode_page(rig.gpu) + KT_ABI_USERMODE_TIME_LO, 8);
	first = __atomic_load_n(time, __ATOMIC_ACQUIRE);
	CU_ASSERT(first != 0 && first <= kt_gpu_time());
	while (__atomic_load_n(time, __ATOMIC_ACQUIRE) <= first) {
		sched_yield();
	}
	rig_close(&rig);
}

static void on_signal(int number)
{
	(void)number;
}

/*
 * The device's thread blocks all signals that can be blocked, so a signal to the process
 * does not reach it.
 */
static void test_the_thread_takes_no_signals(void)
{
	struct rig rig;
	sigset_t before;
	sigset_t blocked;
	sigset_t after;
	sigset_t pending;
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction old;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGUSR1, &action, &old);
	CU_ASSERT_FATAL(rig_open(&rig, false));
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	CU_ASSERT(sigismember(&after, SIGUSR1) == 1);
	CU_ASSERT(sigismember(&after, SIGUSR2) == sigismember(&before, SIGUSR2));
	kill(getpid(), SIGUSR1);
	rig_release(&rig.channels[0], RIG_DATA, 1);
	rig_submit(&rig.channels[0]);
	rig_ring(&rig.channels[0]);
	wait_for(&rig, 0, 1);
	/* This thread blocks the signal, and no other thread has received it. */
	sigpending(&pending);
	CU_ASSERT(sigismember(&pending, SIGUSR1) == 1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGUSR1, &old, NULL);
	rig_close(&rig);
}

static void test_devices_come_and_go(void)
{
	bool ok = true;

	for (int i = 0; ok && i < 20; i++) {
		struct rig rig;

		ok = rig_open(&rig, false);
		rig_release(&rig.channels[0], RIG_DATA, 1);
		rig_submit(&rig.channels[0]);
		rig_ring(&rig.channels[0]);
		if (i % 2) {
			wait_for(&rig, 0, 1);
		}
		rig_close(&rig);
	}
	CU_ASSERT(ok);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"many entries in order", test_many_entries_in_order},
		{"two channels while a third thread maps",
		 test_two_channels_while_a_third_maps},
		{"frees while running", test_frees_while_running},
		{"time goes on", test_time_goes_on},
		{"the thread takes no signals", test_the_thread_takes_no_signals},
		{"devices come and go", test_devices_come_and_go},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-thread", tests);
}
