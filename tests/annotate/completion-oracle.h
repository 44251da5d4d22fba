/* SPDX-License-Identifier: MIT */
/*
 * Random sequences of requests and reads, and a slow oracle that finds the completion
 * evidence of each request.
 */
#ifndef KTAIL_TESTS_COMPLETION_ORACLE_H
#define KTAIL_TESTS_COMPLETION_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/requests/completions.h"

#define KT_ORACLE_EVENTS 60
#define KT_ORACLE_VALUES 3

enum kt_oracle_kind {
	KT_ORACLE_MAP,
	KT_ORACLE_SUBMIT,
	KT_ORACLE_READ,
	KT_ORACLE_SLEEP,
	KT_ORACLE_ACT,
	KT_ORACLE_ENTER,
	KT_ORACLE_RETURN,
	KT_ORACLE_GAP,
	KT_ORACLE_KINDS,
};

struct kt_oracle_event {
	enum kt_oracle_kind kind;
	uint32_t tid;
	uint32_t mapping; /* MAP, READ */
	uint64_t address; /* MAP */
	uint64_t length;  /* MAP */
	uint64_t offset;  /* READ */
	uint64_t size;    /* READ */
	uint64_t limit;   /* READ */
	uint64_t slept;   /* SLEEP */
	bool flag;        /* ENTER: waits; RETURN: done */
	uint64_t channel; /* SUBMIT */
	struct kt_semaphore_value releases[KT_ORACLE_VALUES];
	size_t n_releases;
	struct kt_semaphore_value acquires[KT_ORACLE_VALUES];
	size_t n_acquires;
};

/* Event i has the sequence number i + 1 and the time 10 * (i + 1). */
struct kt_oracle_story {
	bool exact;
	struct kt_oracle_event events[KT_ORACLE_EVENTS];
	size_t n;
};

void kt_oracle_story_make(struct kt_oracle_story *story, unsigned seed);

/* Returns whether kt_completions and the oracle agree on all requests. */
bool kt_oracle_agrees(const struct kt_oracle_story *story);

#endif
