/* SPDX-License-Identifier: MIT */
/*
 * Plays a user-mode driver in front of tests/collect/scenarios/fake-driver.c: what the
 * scenarios have in common. Each scenario is a program of its own that prints what it
 * computed, so that runs with and without the recorder can be compared.
 */
#ifndef KTAIL_TESTS_PLAY_H
#define KTAIL_TESTS_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "tests/collect/scenarios/fake-driver.h"

#define PAGE 4096

/* Handles. Memory objects of a kind may be numbered from these. */
#define CLIENT   0xc1d00001u
#define DEVICE   0x5c000001u
#define USERMODE 0x5c000010u
#define FB       0x5c000020u
#define SYS      0x5c000030u
#define CHANNEL  0x5c000040u
#define PIN      0x5c000050u

extern int control_fd;

/* One ioctl of the resource manager, on the control descriptor. */
int call(int nr, void *argument, size_t size);

void alloc(uint32_t parent, uint32_t object, uint32_t class_, void *params, uint32_t size);
void release(uint32_t object);

/* Maps a memory object as libcuda does: a fresh descriptor, named, mapped, closed. */
void *map(uint32_t memory, size_t length, int protection);
void *map_as(uint32_t memory, size_t length, int protection, int flags);

/* Opens the control device, allocates the client and a device. */
void set_up(void);

/* The doorbell store as libcuda makes it: an address computed, a register stored. */
void ring(volatile char *doorbell, uint32_t token);

/* A channel, `n` submissions, completion by polling. Prints what came back. */
void submit(unsigned n);

/* All of it: set-up, three submissions, release. */
void run_submit(void);

#endif
