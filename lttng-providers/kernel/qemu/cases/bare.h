/* SPDX-License-Identifier: MIT */
/* What the programs of the cases do with /dev/gpusim. They end with a reason if they fail.
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

#include "qemu/gpusim/gpusim-bare.h"

#define PAGE 4096

typedef volatile uint32_t doorbell_reg; /* the doorbell's word */

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

/* Seconds until something that has to come is lost: longer than any machine takes. */
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

/* A request that must work. */
static inline void bare_ask(int fd, unsigned long request, void *argument, const char *what)
{
	if (ioctl(fd, request, argument) != 0) {
		fail("%s: %s", what, strerror(errno));
	}
}

static inline struct bare_state bare_state(int fd)
{
	struct bare_state state;

	bare_ask(fd, BARE_STATE, &state, "ask the device's state");
	return state;
}

/* 0, or what the kernel said to its own store at the address. */
static inline int bare_kernel_store(int fd, doorbell_reg *at, uint32_t value)
{
	struct bare_store store = {.address = (uintptr_t)at, .value = value};

	bare_ask(fd, BARE_STORE, &store, "ask the kernel for a store");
	return store.error;
}

/* What stands in a register of the first doorbell page, on the device itself. */
static inline uint32_t bare_word(int fd, uint32_t offset)
{
	struct bare_word word = {.offset = offset};

	bare_ask(fd, BARE_WORD, &word, "ask the device for a word");
	return word.value;
}

/* --- submissions --- */

static inline bool bare_is_idle(const struct bare_ring *ring)
{
	return __atomic_load_n(&ring->get, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&ring->put, __ATOMIC_ACQUIRE);
}

/* False: the device has not taken all there is within this many seconds: a kick is lost. */
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
			fail("ring is full for ever: a kick is lost");
		}
		usleep(50);
	}
	ring->entries[put] = entry;
	__atomic_store_n(&ring->put, (put + 1) % BARE_ENTRIES, __ATOMIC_RELEASE);
}

/* --- what was stored, for the check: lines "TID VALUE" --- */

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

/* The store itself: one plain mov. */
static inline void ring_doorbell(struct said *said, doorbell_reg *at, uint32_t value)
{
	said->values[said->n++] = value;
	*at = value;
}

/* The device must take what was submitted. */
static inline void bare_await(const struct bare_ring *ring, unsigned channel,
			      uint32_t number)
{
	if (!bare_wait(ring, PATIENCE)) {
		fail("channel %u, store %u: the kick is lost", channel, number);
	}
}

/* One entry, which the device must take; its token is said, if `said` is not NULL. */
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
 * Appends: other processes do at the same time, and over 9p, where the host's folder is,
 * they would overwrite each other. `note`: after each line.
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

/* For who waits until this process has begun. */
static inline void say_begun(void)
{
	printf("begun\n");
	fflush(stdout);
}

/* A child's status: 0, or this process fails, too. */
static inline void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status != 0) {
		fail("process %d ended with status 0x%x", child, status);
	}
}

#endif
