/* SPDX-License-Identifier: MIT */
/*
 * Changes of a mapping: maps HOW SAID. Before each store an entry is submitted, which the
 * device must take.
 *
 * five      five doorbells; stores to the fifth are not expected in the trace, because no
 *           debug register is free. Then one is unmapped, and the next gets its register
 * all-five  the same, but all stores are expected
 * reuse     the address of a doorbell becomes ordinary memory and a doorbell again
 * move      mremap moves the doorbell, and ordinary memory takes its old address
 * part      four pages, the second with the doorbell; the others are unmapped first
 * protect   mprotect revokes and restores the right to write
 * blind     the mapping is write-only, but the CPU permits reads
 * revoke    the driver repeatedly unmaps the mapping's pages
 * sleep     the device sleeps until its page is accessed
 * nod       the device falls asleep while stores are made
 * whole     an access maps all four pages, the second with the doorbell; the driver
 *           unmaps them again
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "bare.h"

#define STORES 50

static int fd;
static struct bare_ring *ring;
static struct said said;
static uint32_t number;

/*
 * Submits the next entry by a store of its token, and waits until the device has taken it.
 */
static void submit(doorbell_reg *doorbell, bool is_said)
{
	bare_submit(ring, is_said ? &said : NULL, doorbell, 0, ++number);
}

static void submit_all(doorbell_reg *doorbell, bool is_said)
{
	for (int i = 0; i < STORES; i++) {
		submit(doorbell, is_said);
	}
}

static void *ordinary(void *at)
{
	void *memory = mmap(at, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	if (memory == MAP_FAILED) {
		fail("mmap: %s", strerror(errno));
	}
	return memory;
}

/* Stores to ordinary memory, which must keep the values. */
static void store_elsewhere(void *page)
{
	doorbell_reg *word = bare_doorbell(page);

	for (uint32_t i = 1; i <= 20; i++) {
		*word = i << 4 | 8;
		if (*word != (i << 4 | 8)) {
			fail("ordinary memory at %p lost a store", page);
		}
	}
}

static void map_five(bool are_all_said)
{
	void *pages[6];

	for (size_t i = 0; i < 5; i++) {
		pages[i] = bare_map(fd, 1, i);
	}
	for (size_t i = 0; i < 5; i++) {
		submit_all(bare_doorbell(pages[i]), are_all_said || i < 4);
	}
	munmap(pages[0], PAGE);
	pages[5] = bare_map(fd, 1, 5);
	for (size_t i = 1; i < 6; i++) {
		submit_all(bare_doorbell(pages[i]), are_all_said || i != 4);
	}
}

static void map_four_and_one(void)
{
	map_five(false);
}

static void map_all_five(void)
{
	map_five(true);
}

static void reuse(void)
{
	void *at = bare_map(fd, 1, 0);

	for (int i = 0; i < 50; i++) {
		submit(bare_doorbell(at), true);
		if (i % 2) {
			munmap(at, PAGE);
		}
		store_elsewhere(ordinary(at)); /* MAP_FIXED replaces a mapping, if any */
		if (mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
		    at) {
			fail("mmap the doorbell at %p again: %s", at, strerror(errno));
		}
	}
	submit_all(bare_doorbell(at), true);
}

static void *move_to(void *from, void *to)
{
	void *at = mremap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);

	if (at != to) {
		fail("mremap: %s", strerror(errno));
	}
	return at;
}

static void move(void)
{
	void *at = bare_map(fd, 1, 0);
	void *other = ordinary(NULL);

	for (int i = 0; i < 20; i++) {
		void *from = at;

		submit(bare_doorbell(at), true);
		at = move_to(at, other);
		submit(bare_doorbell(at), true);
		other = ordinary(from);
		store_elsewhere(other);
		submit(bare_doorbell(at), true);
	}
	submit_all(bare_doorbell(at), true);
}

static void unmap_parts(void)
{
	for (int i = 0; i < 20; i++) {
		char *at = bare_map(fd, 4, 0);
		doorbell_reg *doorbell = bare_doorbell(at + PAGE);

		submit(doorbell, true);
		munmap(at, PAGE);
		submit(doorbell, true);
		munmap(at + 3L * PAGE, PAGE);
		submit(doorbell, true);
		store_elsewhere(ordinary(at));
		if (i % 2) {
			munmap(at + 2L * PAGE, PAGE);
			submit(doorbell, true);
		}
		munmap(at + PAGE, PAGE);
		store_elsewhere(ordinary(at + PAGE));
		munmap(at, 3L * PAGE);
	}
}

static void touch(const char *at, long page)
{
	(void)*(const volatile uint32_t *)(at + page * PAGE + BARE_TIMER_LOW);
}

static void protect(void)
{
	char *at = bare_map(fd, 1, 0);
	doorbell_reg *word = (doorbell_reg *)(at + 0x200);

	for (int i = 0; i < 20; i++) {
		submit(bare_doorbell(at), true);
		*word = number;
		if (mprotect(at, PAGE, PROT_READ) != 0) {
			fail("mprotect: %s", strerror(errno));
		}
		bare_state(fd); /* any call closes the pages whose accesses are traced */
		touch(at, 0);
		if (mprotect(at, PAGE, PROT_READ | PROT_WRITE) != 0) {
			fail("mprotect: %s", strerror(errno));
		}
		submit(bare_doorbell(at), true);
		if (*word != number - 1) {
			fail("store %u: the doorbell is in another page than before",
			     number);
		}
	}
	submit_all(bare_doorbell(at), true);
}

/* The CPU has no write-only pages, so reads are permitted. */
static void map_to_write(void)
{
	char *at = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		fail("mmap the doorbell write-only: %s", strerror(errno));
	}
	for (int i = 0; i < 20; i++) {
		touch(at, 0);
		submit(bare_doorbell(at), true);
	}
}

static void lose_pages(void)
{
	void *at = bare_map(fd, 1, 0);

	for (int i = 0; i < 20; i++) {
		submit(bare_doorbell(at), true);
		submit(bare_doorbell(at), true);
		bare_ask(fd, BARE_REVOKE, NULL, "revoke");
	}
	if (bare_state(fd).faults < 20) {
		fail("the driver mapped only %u pages by faults", bare_state(fd).faults);
	}
}

/* --- a device that sleeps --- */

static void put_to_sleep(void)
{
	bare_ask(fd, BARE_SLEEP, NULL, "put the device to sleep");
}

static void check_sleep(void)
{
	struct bare_state state = bare_state(fd);

	if (state.asleep) {
		fail("%llu words were stored while the device slept",
		     (unsigned long long)state.asleep);
	}
	if (state.wakes < 10) {
		fail("the device woke up only %llu times", (unsigned long long)state.wakes);
	}
}

/* While the device sleeps, only the program may access its page; the module must not. */
static void sleep_and_wake(void)
{
	volatile uint32_t *page = bare_map(fd, 1, 0);

	for (int i = 0; i < 20; i++) {
		submit(bare_doorbell((void *)page), true);
		submit(bare_doorbell((void *)page), true);
		put_to_sleep();
		usleep(50000);
		if (i % 2 && page[BARE_TIMER_HIGH / 4] == BARE_ASLEEP) {
			fail("the timer reads as that of a sleeping device");
		}
	}
	submit(bare_doorbell((void *)page), true);
	check_sleep();
}

static volatile bool nods;

static void *nod(void *nothing)
{
	while (nods) {
		uint32_t before = __atomic_load_n(&number, __ATOMIC_RELAXED);

		put_to_sleep();
		do {
			usleep(3000);
		} while (nods && __atomic_load_n(&number, __ATOMIC_RELAXED) == before);
	}
	return nothing;
}

/* The device falls asleep around stores, but at most once during each store. */
static void nod_off(void)
{
	void *at = bare_map(fd, 1, 0);
	double end = seconds() + 4;
	pthread_t thread;

	nods = true;
	if (pthread_create(&thread, NULL, nod, NULL) != 0) {
		fail("create a thread");
	}
	while (seconds() < end && said.n < 1900) {
		submit(bare_doorbell(at), true);
	}
	nods = false;
	pthread_join(thread, NULL);
	check_sleep();
}

/* --- a driver that maps all pages at once --- */

static void touch_others(void)
{
	char *at = bare_map(fd, 4, 0);
	doorbell_reg *doorbell = bare_doorbell(at + PAGE);
	doorbell_reg *word = (doorbell_reg *)(at + PAGE + 0x200);

	for (int i = 0; i < 20; i++) {
		touch(at, 2);
		touch(at, 3);
		touch(at, 0);
		submit(doorbell, true);
		*word = number; /* same page as the doorbell: device's or shadow */
		touch(at, i % 2 ? 0 : 3);
		submit(doorbell, true);
		if (*word != number - 1) {
			fail("store %u: the doorbell is in another page than before",
			     number);
		}
		bare_ask(fd, BARE_REVOKE, NULL, "revoke");
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"five", map_four_and_one}, {"all-five", map_all_five},
	{"reuse", reuse},           {"move", move},
	{"part", unmap_parts},      {"protect", protect},
	{"revoke", lose_pages},     {"sleep", sleep_and_wake},
	{"nod", nod_off},           {"whole", touch_others},
	{"blind", map_to_write},
};

int main(int argc, char **argv)
{
	fd = bare_open();
	ring = bare_ring(fd, 0);
	said_begin(&said, 2000);
	for (size_t i = 0; argc == 3 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].name, argv[1]) == 0) {
			ways[i].run();
			if (ring->taken != number) {
				fail("%u entries, of which the device took %llu", number,
				     (unsigned long long)ring->taken);
			}
			said_write(&said, argv[2], "");
			return 0;
		}
	}
	fail("usage: maps HOW SAID");
}
