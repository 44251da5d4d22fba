/* SPDX-License-Identifier: MIT */
/*
 * Plays a user-mode driver on top of tests/collect/scenarios/fake-driver.c; shared by the
 * scenarios. Each scenario is a separate program that prints its results, so that runs with
 * and without the recorder can be compared.
 */
#ifndef KTAIL_TESTS_PLAY_H
#define KTAIL_TESTS_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "tests/collect/scenarios/fake-driver.h"

#define PAGE 4096

/* Handles. Memory objects of one kind may use consecutive numbers. */
#define CLIENT   0xc1d00001u
#define DEVICE   0x5c000001u
#define USERMODE 0x5c000010u
#define FB       0x5c000020u
#define SYS      0x5c000030u
#define CHANNEL  0x5c000040u
#define PIN      0x5c000050u

extern int control_fd;

/* Makes one ioctl of the resource manager on the control descriptor. */
int call(int nr, void *argument, size_t size);

void alloc(uint32_t parent, uint32_t object, uint32_t class_, void *params, uint32_t size);
void release(uint32_t object);

/*
 * Maps a memory object as libcuda does: with a new descriptor that the request names and
 * that is closed after the mmap.
 */
void *map(uint32_t memory, size_t length, int protection);
void *map_as(uint32_t memory, size_t length, int protection, int flags);

/* Opens the control device, allocates the client and a device. */
void set_up(void);

/*
 * Stores to the doorbell as libcuda does: the address is computed, the value is in a
 * register.
 */
void ring(volatile char *doorbell, uint32_t token);

/*
 * Creates a channel and makes `n` submissions, each completed by polling. Prints the
 * results.
 */
void submit(unsigned n);

/* Runs everything: set-up, three submissions, release. */
void run_submit(void);

#endif
