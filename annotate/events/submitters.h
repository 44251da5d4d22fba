/* SPDX-License-Identifier: MIT */
/* The processes of a trace, for submissions.c: how far each has come. */
#ifndef KTAIL_ANNOTATE_SUBMITTERS_H
#define KTAIL_ANNOTATE_SUBMITTERS_H

#include "annotate/events/submission-events.h"
#include "annotate/events/submissions.h"
#include "infer/words/commands/channels.h"

/* The doorbell that came last in a process. */
struct kt_last_doorbell {
	bool rung;    /* there was one, and other events have not come since */
	bool used;    /* it has an entry */
	bool matched; /* one of the channel that it names */
	uint64_t time;
	uint32_t tid;
	uint64_t seq;
	struct kt_doorbell_fields fields;
};

/* One life of a process, and what it is submitting. */
struct kt_submitter {
	char *name; /* Owned by this */
	struct kt_channels channels;
	struct kt_last_doorbell doorbell;
	uint64_t next_seq; /* of its next event, if none is missing */
	bool submitting;   /* `submission` goes on */
	struct kt_submission submission;
	bool gathering; /* words of `entry` may follow */
	struct kt_submitted_entry entry;
	char *unread;    /* Owned by this: of the entry */
	uint32_t *words; /* Owned by this: of the entry, without a gap */
	size_t n_words;
	size_t words_capacity;
};

/* By the ordinal of their lives. All zero: none. */
struct kt_submitters {
	struct kt_submitter **items; /* Owned by this, each as well; NULL: none yet */
	size_t n;
	size_t capacity;
};

/* The process of an event, made if need be. KT_E_MEMORY with a message. */
int kt_submitters_find(struct kt_submitters *submitters, const struct kt_event *event,
		       struct kt_submitter **out);

/* Frees what takes room, of a process that is over. */
void kt_submitter_forget(struct kt_submitter *submitter);

void kt_submitters_free(struct kt_submitters *submitters);

#endif
