/* SPDX-License-Identifier: MIT */
/* Threads are cancelled during recorded actions, at any time or at cancellation points. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define ROUNDS 100

/*
 * The address sanitizer keeps its marks for the stack frames in which a thread was
 * cancelled, and confuses them with later frames on the same stack. Under the thread
 * sanitizer, the second cancelled thread is never joined, even without the recorder.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AT_ANY_TIME PTHREAD_CANCEL_DEFERRED
#else
#define AT_ANY_TIME PTHREAD_CANCEL_ASYNCHRONOUS
#endif

static volatile uint32_t *memory;
static volatile char *doorbell;
static pthread_barrier_t begun;

static void ask(void)
{
	struct fake_control control = {.client = CLIENT, .object = DEVICE, .cmd = 1};

	call(0x2a, &control, sizeof(control));
}

static void touch(void)
{
	memory[0]++;
	memory[PAGE / 4]++;
}

static void ring_doorbell(void)
{
	ring(doorbell, 1);
}

struct way {
	void (*run)(void);
	int type;
};

static void *run_on(void *argument)
{
	const struct way *way = argument;
	int before;

	pthread_setcanceltype(way->type, &before);
	pthread_barrier_wait(&begun);
	for (;;) {
		way->run();
		pthread_testcancel();
	}
	return NULL;
}

static void cancel(const char *what, void (*run)(void), int type)
{
	struct way way = {run, type};
	int n = 0;

	for (useconds_t i = 0; i < ROUNDS; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, run_on, &way);
		pthread_barrier_wait(&begun);
		usleep(i % 37 * 10);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		n += result == PTHREAD_CANCELED;
		run();
	}
	printf("%s: %d of %d\n", what, n, ROUNDS);
}

int main(void)
{
	set_up();
	pthread_barrier_init(&begun, NULL, 2);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	memory = map(SYS, 2 * PAGE, PROT_READ | PROT_WRITE);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	cancel("ioctl, at any time", ask, AT_ANY_TIME);
	cancel("ioctl, where it asks", ask, PTHREAD_CANCEL_DEFERRED);
	cancel("accesses, at any time", touch, AT_ANY_TIME);
	cancel("accesses, where it asks", touch, PTHREAD_CANCEL_DEFERRED);
	cancel("doorbells, at any time", ring_doorbell, AT_ANY_TIME);
	cancel("doorbells, where it asks", ring_doorbell, PTHREAD_CANCEL_DEFERRED);
	release(CLIENT);
	return 0;
}
