/* SPDX-License-Identifier: MIT */
/* What the files of libktail-raw share. */
#ifndef KTAIL_RAW_STATE_H
#define KTAIL_RAW_STATE_H

#include "raw/channel/cuda.h"
#include "raw/channel/idle-space.h"
#include "raw/channel/observe.h"
#include "raw/channel/raw.h"

#define KT_RELEASE_WORDS 6
#define KT_OWN_SEGMENTS  2 /* of each submission: a release before and after */
#define KT_SLOTS         KT_RAW_TIMES
#define KT_SLOT_BYTES    32 /* two semaphores: payload, 0, time */

struct kt_raw_allocation {
	enum kt_raw_memory_kind kind;
	uint64_t address;
	size_t bytes;
};

struct kt_raw {
	struct kt_raw_cuda cuda;
	int device;
	bool retained; /* the context */
	bool current;  /* it is the thread's */
	unsigned timeout_ms;
	bool stuck;    /* a wait took too long, and no later one has succeeded */
	bool reported; /* the caller knows that the channel is lost */
	struct kt_observed_channel channel;
	/* The channel's memory as the CPU sees it. */
	volatile uint32_t *ring;
	volatile uint32_t *gp_get;
	volatile uint32_t *gp_put;
	volatile uint32_t *doorbell;
	const volatile uint32_t *notifier;
	uint32_t first_put; /* GP_PUT as libcuda left it */
	uint32_t put;
	uint32_t done; /* GP_PUT at the last wait: the entries before are done */
	uint32_t last_entry[2]; /* the entry before `put`, as it must still be */
	/*
	 * Commands: `next` bytes are written since the last wait, `touched` ever.
	 * `written`, as long as `commands`, has what must be there: what was written, then
	 * zeroes.
	 */
	struct kt_idle_space commands;
	size_t next;
	size_t touched;
	unsigned char *written;   /* Owned by this */
	struct kt_idle_space low; /* the semaphores, then allocations */
	size_t low_used;
	uint32_t submissions;
	uint32_t waited;  /* submissions of which the times were given */
	uint32_t settled; /* submissions after which the notifier was watched */
	struct kt_raw_allocation *allocations; /* Owned by this */
	size_t n_allocations, allocations_capacity;
};

/* --- find-channel.c --- */

/*
 * Finds an idle channel and the doorbell, and memory for commands and semaphores. KT_E_IO
 * if there is none. libcuda must have submitted something, and be done with it.
 */
int kt_raw_find_channel(kt_raw *raw);
int kt_raw_find_space(kt_raw *raw);

/* --- submit.c --- */

#define KT_SETTLE_MS 100u /* for an error that the kernel driver reports late */

/* KT_E_IO if the channel is dead, or libcuda has used it; also if that was so before. */
int kt_raw_check_channel(kt_raw *raw);
/* KT_E_IO if commands that were written are not what they were. O(bytes written). */
int kt_raw_check_commands(kt_raw *raw);
void kt_raw_note_last_entry(kt_raw *raw);
/* Whether the device has finished the last submission; true if there is none. */
bool kt_raw_is_done(const kt_raw *raw);
/* Whether the kernel driver has reported an error of the channel. */
bool kt_raw_is_dead(const kt_raw *raw);
/* Moves GP_PUT to where libcuda left it, by NOP entries and a release, and waits. */
int kt_raw_go_round(kt_raw *raw);
size_t kt_raw_most_segments(const kt_raw *raw);
size_t kt_raw_most_words(const kt_raw *raw);

#endif
