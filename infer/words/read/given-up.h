/* SPDX-License-Identifier: MIT */
/* Detail that the recorder gave up to limit its overhead, by the events `detail`. */
#ifndef KTAIL_WORDS_GIVEN_UP_H
#define KTAIL_WORDS_GIVEN_UP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "infer/words/split/instances.h"

struct kt_event_head;

#define KT_GIVEN_UP_MAX 64

/* What a process instance does not record from `time` on. */
struct kt_given_up {
	int64_t time; /* ns since the epoch */
	uint32_t pid;
	char process[64];           /* name, cut to fit; "unknown" */
	bool commands;              /* ring entries and commands; otherwise accesses */
	uint32_t mapping;           /* the only mapping of the accesses; 0: all */
	char space[KT_SPACE_BYTES]; /* of that mapping; "": unknown */
};

struct kt_given_up_list {
	struct kt_given_up items[KT_GIVEN_UP_MAX]; /* the first ones, by arrival */
	size_t n;
	uint64_t all; /* with those that `items` has no place for */
};

/* Adds an event for which kt_event_gives_up() is true. */
void kt_given_up_add(struct kt_given_up_list *list, const struct kt_event_head *head,
		     const struct kt_instance *instance);

#define KT_GIVEN_UP_TEXT 192

/*
 * Writes "accesses to mapping 5 (sys) of app (pid 12) after 0.250000000 s"; `begin` is the
 * time of the trace's first event.
 */
void kt_given_up_text(char text[KT_GIVEN_UP_TEXT], const struct kt_given_up *given_up,
		      int64_t begin);

#endif
