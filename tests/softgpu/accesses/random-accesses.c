/* SPDX-License-Identifier: MIT */
/*
 * Runs random code on mappings of the software GPU in one thread, and makes submissions
 * between its turns. Of four seeds, one is interrupted by a timer's signal handler all the
 * time, and one runs in a signal handler on an alternate stack. Prints a hash of the
 * registers for each seed, and one of all memory. The output depends only on the arguments.
 * Usage: random-accesses FIRST-SEED SEEDS
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/softgpu/accesses/random-code.h"
#include "tests/softgpu/kmd/play.h"

#define TURNS      28 /* each instruction faults more often than a site that stays unpatched */
#define STEPS      20 /* of the code of a seed */
#define CODE       0x10000000u
#define DEVICE     0x20000000u
#define ORDINARY   0x30000000u
#define MEMORIES   3
#define USED       8192u /* bytes of each memory that the code accesses */
#define SUBMISSION 13    /* turns from one submission to the next */
#define ALARM_US   300   /* from one alarm to the next */
#define STACK      65536 /* bytes of the alternate stack */

enum { ALARMED = 2, IN_HANDLER = 3, WAYS = 4 };

static struct play driver;
static struct play_memory memories[MEMORIES];
static struct play_memory ring;
static struct play_memory push;
static struct play_memory data;
static struct play_channel channel;
static struct code_target targets[2 * MEMORIES + 1];
static uint32_t submitted;

static void *map_low(uintptr_t address, size_t bytes)
{
	void *memory = mmap((void *)address, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return memory == (void *)address ? memory : NULL;
}

static bool set_up(unsigned seeds)
{
	static const uint32_t classes[MEMORIES] = {KT_ABI_CLASS_MEMORY_SYSTEM,
						   KT_ABI_CLASS_MEMORY_LOCAL,
						   KT_ABI_CLASS_MEMORY_SYSTEM};
	uint32_t group;
	uint32_t share;

	if (!map_low(CODE, (size_t)seeds * CODE_BYTES) || !map_low(ORDINARY, 2 * USED) ||
	    !play_open(&driver)) {
		return false;
	}
	driver.next_address = DEVICE;
	/* Most accesses go to device mappings; they are in the list twice. */
	targets[2 * MEMORIES] = (struct code_target){ORDINARY, USED};
	for (unsigned i = 0; i < MEMORIES; i++) {
		if (!play_memory_create(&driver, &memories[i], classes[i], 65536, true) ||
		    (uintptr_t)memories[i].cpu != memories[i].address) {
			return false;
		}
		targets[i] = (struct code_target){(uintptr_t)memories[i].cpu, USED};
		targets[MEMORIES + i] = targets[i];
	}
	return play_group_create(&driver, &group, &share) &&
	       play_memory_create(&driver, &ring, KT_ABI_CLASS_MEMORY_LOCAL, 65536, true) &&
	       play_memory_create(&driver, &push, KT_ABI_CLASS_MEMORY_SYSTEM, 1 << 20,
				  true) &&
	       play_memory_create(&driver, &data, KT_ABI_CLASS_MEMORY_SYSTEM, 65536,
				  true) &&
	       play_channel_create(&driver, &channel, group, share, &ring, &push, 0) &&
	       play_schedule(&driver, group);
}

/* Polls only the semaphore, so that the reads are one run, however long the wait takes. */
static void submit(void)
{
	const volatile uint32_t *semaphore = (const volatile uint32_t *)data.cpu;
	uint32_t words[32];
	size_t n;

	submitted++;
	n = play_words(words, data.address + 4096, submitted * 3, data.address, submitted);
	play_submit(&driver, &channel, words, n);
	while (__atomic_load_n(semaphore, __ATOMIC_ACQUIRE) != submitted) {
		usleep(100);
	}
}

static struct random_code code;
static struct code_state state;
static unsigned turn;

static void on_alarm(int number)
{
	(void)number;
}

static void on_signal(int number)
{
	(void)number;
	random_code_run(&code, &state, turn);
}

static void set_timer(suseconds_t us)
{
	struct itimerval interval = {.it_interval.tv_usec = us, .it_value.tv_usec = us};

	setitimer(ITIMER_REAL, &interval, NULL);
}

static void set_handler(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(number, &action, NULL);
}

static void run_turns(unsigned way)
{
	for (turn = 0; turn < TURNS; turn++) {
		if (way == IN_HANDLER) {
			raise(SIGUSR1);
		} else {
			random_code_run(&code, &state, turn);
		}
		if (turn % SUBMISSION == SUBMISSION - 1) {
			submit();
		}
	}
}

static void run_seed(uint64_t seed, void *at)
{
	unsigned way = (unsigned)(seed % WAYS);

	random_code_seed(seed);
	random_code_make(&code, at, (uint64_t *)(ORDINARY + USED), STEPS, targets,
			 sizeof(targets) / sizeof(targets[0]), true);
	random_code_state(&state);
	if (way == ALARMED) {
		set_handler(SIGALRM, on_alarm, SA_RESTART);
		set_timer(ALARM_US);
	} else if (way == IN_HANDLER) {
		set_handler(SIGUSR1, on_signal, SA_ONSTACK);
	}
	run_turns(way);
	set_timer(0);
	set_handler(SIGALRM, SIG_IGN, 0); /* one may still be pending */
	set_handler(SIGUSR1, SIG_DFL, 0);
	printf("seed %llu: registers %016llx\n", (unsigned long long)seed,
	       (unsigned long long)random_code_hash(&state));
}

static uint64_t hash_memory(void)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (unsigned i = 0; i <= MEMORIES; i++) {
		const volatile uint64_t *at =
			i < MEMORIES ? (const volatile uint64_t *)memories[i].cpu
				     : (const volatile uint64_t *)ORDINARY;

		for (size_t k = 0; k < USED / 8; k++) {
			hash = (hash ^ at[k]) * 0x100000001b3u;
		}
	}
	return hash;
}

int main(int argc, char **argv)
{
	uint64_t first = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned seeds = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	static char stack[STACK];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	if (!seeds || !set_up(seeds)) {
		fprintf(stderr, "usage: random-accesses FIRST-SEED SEEDS\n");
		return 2;
	}
	sigaltstack(&alternate, NULL);
	for (unsigned i = 0; i < seeds; i++) {
		run_seed(first + i, (char *)(uintptr_t)CODE + (size_t)i * CODE_BYTES);
	}
	printf("memory %016llx, %u submissions\n", (unsigned long long)hash_memory(),
	       submitted);
	play_close(&driver);
	return 0;
}
