/* SPDX-License-Identifier: MIT */
/*
 * Doorbells that are difficult to observe: written by a library that is loaded and
 * unloaded, under a profiling timer, by handlers, on an alternate stack, around forks, and
 * until the exit.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

#define RINGERS 4
#define RINGS   2000
#define LOADS   20
#define FORKS   10
#define JUMPS   100

static volatile char *doorbell;
static _Atomic bool stop;
static _Atomic unsigned ticks;

/* Number of stores that changed a register which they must preserve. */
static _Atomic unsigned broken;

static void ring_once(uint32_t token)
{
	unsigned long kept = token * 7ul;
	double number = token + 0.5;

	__asm__ volatile("" : "+r"(kept), "+x"(number));
	ring(doorbell, token);
	__asm__ volatile("" : "+r"(kept), "+x"(number));
	if (kept != token * 7ul || number != token + 0.5) {
		atomic_fetch_add(&broken, 1);
	}
}

/* --- a library that is loaded and unloaded --- */

static void load_and_ring(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	void (*doorbell_ring)(volatile char *, uint32_t);
	unsigned unloaded = 0;
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash : path, "/../lib/libscenario-doorbell.so");
	for (unsigned i = 0; i < LOADS; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		void *symbol = library ? dlsym(library, "doorbell_ring") : NULL;

		if (!symbol) {
			printf("%s\n", dlerror());
			return;
		}
		memcpy(&doorbell_ring, &symbol, sizeof(symbol));
		doorbell_ring(doorbell, 1);
		doorbell_ring(doorbell, 2);
		doorbell_ring(doorbell, 3);
		unloaded += dlclose(library) == 0;
	}
	printf("unloaded %u times\n", unloaded);
}

/* --- threads, before any handler is installed --- */

static void *ring_many(void *rings)
{
	for (unsigned i = 0; i < *(const unsigned *)rings; i++) {
		ring_once(i);
	}
	return NULL;
}

static void ring_in_threads(void)
{
	static const unsigned rings = RINGS;
	pthread_t threads[RINGERS];

	for (unsigned i = 0; i < RINGERS; i++) {
		pthread_create(&threads[i], NULL, ring_many, (void *)(uintptr_t)&rings);
	}
	for (unsigned i = 0; i < RINGERS; i++) {
		pthread_join(threads[i], NULL);
	}
}

/* --- a timer whose handler also writes the doorbell --- */

static void tick(int number)
{
	(void)number;
	atomic_fetch_add(&ticks, 1);
	ring(doorbell, 5);
}

static void ring_under_timer(void)
{
	const struct itimerval every = {{0, 1000}, {0, 1000}};
	const struct itimerval never = {{0, 0}, {0, 0}};

	signal(SIGPROF, tick);
	setitimer(ITIMER_PROF, &every, NULL);
	do {
		ring_in_threads();
	} while (atomic_load(&ticks) < 3);
	setitimer(ITIMER_PROF, &never, NULL);
	printf("broken %u\n", atomic_load(&broken));
}

/* --- a handler that does not return --- */

static sigjmp_buf back;

static void jump(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static void ring_and_jump(void)
{
	const struct itimerval every = {{0, 1000}, {0, 1000}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	volatile unsigned jumps = 0;

	signal(SIGALRM, jump);
	if (sigsetjmp(back, 1) != 0) {
		jumps++;
	} else {
		setitimer(ITIMER_REAL, &every, NULL);
	}
	while (jumps < JUMPS) {
		ring_once(jumps);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	printf("%u jumps\n", jumps);
}

/* --- an alternate stack --- */

static void ring_on_stack(int number)
{
	(void)number;
	ring_once(11);
	ring_once(12);
}

static void *use_stack(void *stack)
{
	const stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
	struct sigaction action = {.sa_handler = ring_on_stack, .sa_flags = SA_ONSTACK};

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigaltstack(&alternate, NULL);
	for (unsigned i = 0; i < 50; i++) {
		raise(SIGUSR1);
		ring_once(i);
	}
	return NULL;
}

static void ring_on_alternate_stack(void)
{
	static char stack[65536];
	pthread_t thread;

	pthread_create(&thread, NULL, use_stack, stack);
	pthread_join(thread, NULL);
	printf("stack %u\n", atomic_load(&broken));
}

/* --- forks and the exit while other threads write the doorbell --- */

static void *ring_on(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		ring_once(3);
		sched_yield();
	}
	return NULL;
}

static void fork_while_ringing(void)
{
	unsigned good = 0;

	for (unsigned i = 0; i < FORKS; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			ring_once(1);
			ring_once(2);
			_exit(17);
		}
		waitpid(child, &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == 17;
	}
	printf("%u children\n", good);
}

int main(void)
{
	pthread_t threads[2];

	set_up();
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	load_and_ring();
	ring_in_threads();
	for (unsigned i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, ring_on, NULL);
	}
	fork_while_ringing();
	atomic_store(&stop, true);
	for (unsigned i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
	}
	ring_on_alternate_stack();
	ring_and_jump();
	ring_under_timer();
	atomic_store(&stop, false);
	for (unsigned i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, ring_on, NULL);
	}
	usleep(1000);
	exit(23);
}
