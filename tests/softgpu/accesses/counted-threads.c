/* SPDX-License-Identifier: MIT */
/*
 * Eight threads run random code on memory that all share and on memory of their own, and
 * count each access. Prints lines "THREAD-ID KIND MAPPING-ADDRESS OFFSET COUNT", of which
 * several may be for the same access. With `submit`, the threads also make submissions,
 * each in its own channel. Usage: counted-threads SEED [submit]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/softgpu/accesses/random-code.h"
#include "tests/softgpu/kmd/play.h"

#define THREADS  8
#define TURNS    24 /* each instruction of a thread faults more often than 16 times */
#define STEPS    20 /* of each piece of code */
#define CODE     0x10000000u
#define DEVICE   0x20000000u
#define ORDINARY 0x30000000u
#define USED     8192u /* bytes of each memory that the code accesses */
#define ALARM_US 300   /* from one alarm to the next */

/* Own memory of each thread, then two that all share. */
#define MEMORIES (THREADS + 2)
#define CLASS(i) ((i) % 2 ? KT_ABI_CLASS_MEMORY_LOCAL : KT_ABI_CLASS_MEMORY_SYSTEM)

struct thread {
	pthread_t thread;
	pid_t id;
	struct random_code own;
	struct code_state state;
	struct play_channel channel;
	volatile uint32_t *semaphore;
	uint64_t semaphore_address;
};

static struct play driver;
static struct play_memory memories[MEMORIES];
static struct play_memory ring;
static struct play_memory push;
static struct play_memory data;
static struct thread threads[THREADS];
static struct random_code shared;
static pthread_barrier_t begin;
static bool submits;

static void *map_low(uintptr_t address, size_t bytes)
{
	void *memory = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return memory == (void *)address ? memory : NULL;
}

static bool map_all(void)
{
	uint32_t group;
	uint32_t share;

	if (!map_low(CODE, (size_t)(THREADS + 1) * CODE_BYTES) ||
	    !map_low(ORDINARY, (size_t)(THREADS + 1) * USED) || !play_open(&driver)) {
		return false;
	}
	driver.next_address = DEVICE;
	for (unsigned i = 0; i < MEMORIES; i++) {
		if (!play_memory_create(&driver, &memories[i], CLASS(i), 65536, true) ||
		    (uintptr_t)memories[i].cpu != memories[i].address) {
			return false;
		}
	}
	if (!play_group_create(&driver, &group, &share) ||
	    !play_memory_create(&driver, &ring, KT_ABI_CLASS_MEMORY_LOCAL, 1 << 20, true) ||
	    !play_memory_create(&driver, &push, KT_ABI_CLASS_MEMORY_SYSTEM, 1 << 20,
				true) ||
	    !play_memory_create(&driver, &data, KT_ABI_CLASS_MEMORY_SYSTEM, 1 << 20,
				true)) {
		return false;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		struct thread *t = &threads[i];

		t->semaphore = (volatile uint32_t *)(data.cpu + (size_t)i * 8192);
		t->semaphore_address = data.address + (uint64_t)i * 8192;
		if (!play_channel_create(&driver, &t->channel, group, share, &ring, &push,
					 i)) {
			return false;
		}
	}
	return play_schedule(&driver, group);
}

static void make_code(uint64_t seed)
{
	struct code_target targets[3];
	struct code_target of_all[2];

	random_code_seed(seed);
	for (unsigned i = 0; i < 2; i++) {
		of_all[i] =
			(struct code_target){(uintptr_t)memories[THREADS + i].cpu, USED};
	}
	/* Threads run the shared code at the same time, so its addresses are the same. */
	random_code_make(&shared, (void *)(uintptr_t)CODE, (uint64_t *)ORDINARY, STEPS,
			 of_all, 2, false);
	for (unsigned i = 0; i < THREADS; i++) {
		char *ordinary = (char *)(uintptr_t)ORDINARY + (size_t)(i + 1) * USED;
		char *code = (char *)(uintptr_t)CODE + (size_t)(i + 1) * CODE_BYTES;

		targets[0] = (struct code_target){(uintptr_t)memories[i].cpu, USED};
		targets[1] = of_all[0];
		targets[2] = of_all[1];
		random_code_make(&threads[i].own, code, (uint64_t *)(uintptr_t)ordinary,
				 STEPS, targets, 3, false);
		random_code_state(&threads[i].state);
	}
}

static void submit(struct thread *t, uint32_t n)
{
	uint32_t words[32];
	size_t length = play_words(words, t->semaphore_address + 4096, n * 3,
				   t->semaphore_address, n);

	play_submit(&driver, &t->channel, words, length);
	while (__atomic_load_n(t->semaphore, __ATOMIC_ACQUIRE) != n) {
		usleep(100);
	}
}

static void *run(void *argument)
{
	struct thread *t = argument;

	t->id = gettid();
	pthread_barrier_wait(&begin);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		random_code_run(&t->own, &t->state, turn);
		random_code_run(&shared, &t->state, 0);
		if (submits) {
			submit(t, turn + 1);
		}
	}
	return NULL;
}

static void print_access(const struct thread *t, const struct code_access *a, unsigned turn,
			 unsigned count)
{
	unsigned i = 0;

	while (a->address[turn] - (uintptr_t)memories[i].cpu >= memories[i].bytes) {
		i++; /* all addresses are in one of them */
	}
	printf("%d %c 0x%lX 0x%lX %u\n", t->id, a->write ? 'W' : 'R',
	       (unsigned long)(uintptr_t)memories[i].cpu,
	       (unsigned long)(a->address[turn] - (uintptr_t)memories[i].cpu), count);
}

static void print_accesses(const struct thread *t, const struct random_code *code,
			   unsigned turns)
{
	for (size_t i = 0; i < code->n; i++) {
		for (unsigned turn = 0; turn < turns; turn++) {
			print_access(t, &code->accesses[i], turn, TURNS / turns);
		}
	}
}

static void on_alarm(int number)
{
	(void)number;
}

static void set_timer(suseconds_t us)
{
	const struct sigaction action = {.sa_handler = us ? on_alarm : SIG_IGN,
					 .sa_flags = SA_RESTART};
	const struct itimerval interval = {.it_interval.tv_usec = us,
					   .it_value.tv_usec = us};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &interval, NULL);
}

int main(int argc, char **argv)
{
	uint64_t seed;

	if (argc < 2 || !map_all()) {
		fprintf(stderr, "usage: counted-threads SEED [submit]\n");
		return 2;
	}
	submits = argc > 2;
	seed = strtoull(argv[1], NULL, 10);
	make_code(seed);
	set_timer(seed % 2 ? ALARM_US : 0);
	pthread_barrier_init(&begin, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_create(&threads[i].thread, NULL, run, &threads[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i].thread, NULL);
		print_accesses(&threads[i], &threads[i].own, CODE_TURNS);
		print_accesses(&threads[i], &shared, 1);
	}
	set_timer(0);
	play_close(&driver);
	return 0;
}
