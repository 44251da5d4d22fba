/* SPDX-License-Identifier: MIT */
/*
 * Functions for /dev/gpusim that the cases share. On failure they print a reason and exit
 * with status 1.
 */
#ifndef CASES_BARE_H
#define CASES_BARE_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/qemu/gpusim/gpusim-bare.h"

#define PAGE 4096

typedef volatile uint32_t doorbell_reg;

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format,
									...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "fail: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	_exit(1);
}

/* Seconds to wait for an event that must occur; no machine takes that long. */
#define PATIENCE 120

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline pid_t thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* --- the device --- */

static inline int bare_open(void)
{
	int fd = open("/dev/gpusim", O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		fail("open /dev/gpusim: %s", strerror(errno));
	}
	return fd;
}

static inline void *bare_map(int fd, size_t pages, size_t first)
{
	void *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			(off_t)(first * PAGE));

	if (at == MAP_FAILED) {
		fail("mmap page %zu of the device: %s", first, strerror(errno));
	}
	return at;
}

static inline doorbell_reg *bare_doorbell(void *page)
{
	return (doorbell_reg *)((char *)page + BARE_DOORBELL);
}

static inline struct bare_ring *bare_ring(int fd, unsigned channel)
{
	return bare_map(fd, 1, BARE_PAGES + channel);
}

/* Makes a request that must succeed. */
static inline void bare_ask(int fd, unsigned long request, void *argument, const char *what)
{
	if (ioctl(fd, request, argument) != 0) {
		fail("%s: %s", what, strerror(errno));
	}
}

static inline struct bare_state bare_state(int fd)
{
	struct bare_state state;

	bare_ask(fd, BARE_STATE, &state, "get the device's state");
	return state;
}

/* Makes the kernel store to the address. Returns 0, or the error of that store. */
static inline int bare_kernel_store(int fd, doorbell_reg *at, uint32_t value)
{
	struct bare_store store = {.address = (uintptr_t)at, .value = value};

	bare_ask(fd, BARE_STORE, &store, "have the kernel store");
	return store.error;
}

/* Returns the device's own value of the register at `offset` in the first doorbell page. */
static inline uint32_t bare_word(int fd, uint32_t offset)
{
	struct bare_word word = {.offset = offset};

	bare_ask(fd, BARE_WORD, &word, "read a register of the device");
	return word.value;
}

/* --- submissions --- */

static inline bool bare_is_idle(const struct bare_ring *ring)
{
	return __atomic_load_n(&ring->get, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&ring->put, __ATOMIC_ACQUIRE);
}

/* Waits at most `limit` seconds. Returns whether the device has taken all entries. */
static inline bool bare_wait(const struct bare_ring *ring, double limit)
{
	double end = seconds() + limit;

	while (!bare_is_idle(ring)) {
		if (seconds() > end) {
			return false;
		}
		usleep(50);
	}
	return true;
}

static inline void bare_put(struct bare_ring *ring, uint32_t entry)
{
	uint32_t put = ring->put;
	double end = seconds() + PATIENCE;

	while ((put + 1) % BARE_ENTRIES == __atomic_load_n(&ring->get, __ATOMIC_ACQUIRE)) {
		if (seconds() > end) {
			fail("the ring stays full: a kick was lost");
		}
		usleep(50);
	}
	ring->entries[put] = entry;
	__atomic_store_n(&ring->put, (put + 1) % BARE_ENTRIES, __ATOMIC_RELEASE);
}

/* --- expected doorbells; the check reads them as lines "TID VALUE" --- */

struct said {
	pid_t tid;
	uint32_t *values;
	size_t n;
};

static inline void said_begin(struct said *said, size_t capacity)
{
	said->tid = thread_id();
	said->values = calloc(capacity + 1, sizeof(*said->values));
	said->n = 0;
}

/* Stores with one plain mov, and adds the value to the expected doorbells. */
static inline void ring_doorbell(struct said *said, doorbell_reg *at, uint32_t value)
{
	said->values[said->n++] = value;
	*at = value;
}

/*
 * Waits until the device has taken all entries; exits with an error after PATIENCE seconds.
 */
static inline void bare_await(const struct bare_ring *ring, unsigned channel,
			      uint32_t number)
{
	if (!bare_wait(ring, PATIENCE)) {
		fail("channel %u, store %u: the kick was lost", channel, number);
	}
}

/*
 * Submits one entry and waits until the device has taken it. Adds its token to the expected
 * doorbells, unless `said` is NULL.
 */
static inline void bare_submit(struct bare_ring *ring, struct said *said,
			       doorbell_reg *doorbell, unsigned channel, uint32_t number)
{
	uint32_t token = BARE_TOKEN(number, channel);

	bare_put(ring, number);
	*doorbell = token;
	if (said) {
		said->values[said->n++] = token;
	}
	bare_await(ring, channel, number);
}

/*
 * Appends a line for each expected doorbell, ending with `note`. Locks the file, because
 * concurrent appends over 9p, which mounts the host's folder, would overwrite each other.
 */
static inline void said_write(const struct said *said, const char *path, const char *note)
{
	FILE *file = fopen(path, "a");

	if (!file) {
		fail("write %s: %s", path, strerror(errno));
	}
	flock(fileno(file), LOCK_EX);
	for (size_t i = 0; i < said->n; i++) {
		fprintf(file, "%d %u%s\n", said->tid, said->values[i], note);
	}
	fclose(file);
}

/* Prints "begun", for a script that waits for it. */
static inline void say_begun(void)
{
	printf("begun\n");
	fflush(stdout);
}

/* Waits for a child, which must exit with status 0. */
static inline void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status != 0) {
		fail("process %d ended with status 0x%x", child, status);
	}
}

#endif
