/* SPDX-License-Identifier: MIT */
/*
 * A mapping that contains the rings and USERDs of three channels, stores to it, and the
 * values that the recorder knows from them. The cases of test-ring-stores share this rig;
 * each file covers one subject.
 */
#ifndef KTAIL_TESTS_COLLECT_RING_STORES_RIG_H
#define KTAIL_TESTS_COLLECT_RING_STORES_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/mappings.h"
#include "collect/preload/submissions/ring-stores.h"
#include "decode/gpfifo.h"

#define CLIENT   1u
#define MEMORY   2u
#define PAGE     4096u
#define PAGES    8u
#define WORDS    (PAGES * PAGE / 4)
#define CHANNELS 3u
#define ENTRIES  16u
#define RING     (PAGE / 4 - 8u) /* dword index of channel 0's ring; crosses a page */
#define USERD    (4u * PAGE / 4) /* dword index of channel 0's USERD */
#define APART    (2u * ENTRIES)  /* dwords from one ring to the next: they are adjacent */
#define USERDS   (512u / 4)      /* dwords from one USERD to the next */
#define PUT      (KT_USERD_GP_PUT / 4)

extern uint32_t *program; /* the program's mapping; NULL: none */
extern uint32_t *memory;  /* the device's view of the same memory */
extern int file;
extern struct kt_ring_copy *copies[CHANNELS];
extern struct kt_channel_alloc allocs[CHANNELS];

uint32_t ring_word(uint32_t channel);
uint32_t put_word(uint32_t channel);
void *map_pages(void *where);

/* Maps the memory object at `where`, from the object's first byte. */
struct kt_mapping *add_mapping(void *where, uint32_t object, enum kt_watch watch);

struct kt_mapping *set_up(enum kt_watch watch);
void tear_down(void);

/* Reports a store at byte offset `at` of the memory. */
void store(size_t at, size_t size, bool known, uint64_t value);
void store_entry(uint32_t channel, uint32_t index, uint64_t value);

/* Return the known value, or all ones if it is unknown. */
uint64_t entry(uint32_t channel, uint32_t index);
uint32_t put(uint32_t channel);

void know_all(void);

/* Returns the number of known entries of all channels, plus 100 for each known GP_PUT. */
uint32_t count_known(void);

#define ALL (CHANNELS * (ENTRIES + 100))

/* cases in ring-stores-pages.c */
void forgets_what_lies_open(void);
void knows_nothing_beside_a_step(void);
void knows_nothing_where_pages_stay_open(void);
void closes_their_pages_alone(void);
void waits_for_system_calls(void);

/* a case in ring-stores-model.c */
void knows_what_the_model_knows(void);

#endif
