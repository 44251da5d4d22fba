/* SPDX-License-Identifier: MIT */
/*
 * Acts as a user-mode driver on top of tests/collect/scenarios/fake-driver.c; shared by the
 * scenarios. Each scenario is a program that prints its results, so that its output with
 * and without the recorder can be compared.
 */
#ifndef KTAIL_TESTS_PLAY_H
#define KTAIL_TESTS_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "tests/collect/scenarios/fake-driver.h"

#define PAGE 4096

/* Handles. Several memory objects of one kind have consecutive handles. */
#define CLIENT   0xc1d00001u
#define DEVICE   0x5c000001u
#define USERMODE 0x5c000010u
#define FB       0x5c000020u
#define SYS      0x5c000030u
#define CHANNEL  0x5c000040u
#define PIN      0x5c000050u

extern int control_fd;

/*
 * Makes the resource manager's ioctl with number `nr` on the control descriptor. Returns
 * ioctl's result.
 */
int call(int nr, void *argument, size_t size);

void alloc(uint32_t parent, uint32_t object, uint32_t class_, void *params, uint32_t size);
void release(uint32_t object);

/*
 * Maps a memory object as libcuda does: opens a descriptor, names it in the request, maps
 * memory from it and closes it.
 */
void *map(uint32_t memory, size_t length, int protection);
void *map_as(uint32_t memory, size_t length, int protection, int flags);

/* Opens the control device, and allocates the client and a device. */
void set_up(void);

/*
 * Stores the token to the doorbell as libcuda does: with a computed address, and the value
 * in a register.
 */
void ring(volatile char *doorbell, uint32_t token);

/*
 * Creates a channel, makes `n` submissions and polls until each is complete. Prints the
 * results.
 */
void submit(unsigned n);

/* Runs a whole program: set-up, three submissions, release. */
void run_submit(void);

#endif
