/* SPDX-License-Identifier: MIT */
/*
 * The part `labels` of an annotation: what each letter means by the rules, so what each
 * transition and state mean; with what calls drive them, what the alphabet left out, how
 * long they take and where in the traces they are to be seen.
 */
#ifndef KTAIL_ANNOTATE_LABELS_H
#define KTAIL_ANNOTATE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/events/bursts.h"
#include "annotate/labels/label-tally.h"
#include "annotate/labels/unfinished.h"
#include "annotate/meaning/annotation.h"
#include "annotate/meaning/label-facts.h"
#include "annotate/meaning/label-work.h"
#include "base/texts.h"

extern const struct kt_annotation_part kt_labels_part;

/* An event of a ring entry: itself, or its words. */
struct kt_labels_entry {
	uint64_t seq;
	uint64_t entry; /* seq of the entry */
};

/* What is in hand of a process: what its last doorbell submits, its last object. */
struct kt_labels_process {
	uint64_t instance;
	const char *kind; /* Static: of the object that was made or mapped last; or NULL */
	struct kt_label_work doorbell_work; /* all that its last doorbell submits */
	uint64_t marks; /* inline copies of the submission in hand that mark an end */
	uint64_t mark_bytes;
	struct kt_labels_entry *entries; /* Owned by this: that gave letters */
	size_t n_entries;
	size_t entries_capacity;
	uint64_t newest;         /* entry that came: seq */
	uint64_t reported_entry; /* entry that is of the submission in hand: seq */
};

/* A letter with the label that rules gave it, kept to be written as a table. */
struct kt_occurrence {
	struct kt_placed placed;
	size_t trace;      /* index */
	const char *label; /* Weak: of the texts; NULL: no rule fits */
};

struct kt_labels {
	const struct kt_annotation_input *input; /* Weak */
	const struct kt_annotation *annotation;  /* Weak; NULL before the end */
	struct kt_label_tally tally;
	struct kt_texts texts;             /* labels that there are */
	struct kt_occurrence *occurrences; /* Owned by this: if input->occurrences */
	size_t n_occurrences;
	size_t occurrences_capacity;
	struct kt_event_facts facts; /* of the event in hand */
	struct kt_bursts bursts;
	struct kt_unfinished unfinished;
	struct kt_labels_process *processes; /* Owned by this: one a life */
	size_t n_processes;
	size_t processes_capacity;
	bool any_calls; /* of the API, in some trace */
};

/* Labels the letters of the event at `moment` by labels->facts. */
int kt_labels_event(struct kt_labels *labels, const struct kt_moment *moment,
		    const char *submission);

/* A burst is over; `next` is what the thread does then: a fact. */
int kt_labels_end_burst(struct kt_labels *labels, struct kt_burst *burst,
			const char *process, const char *next);

/* The thread does something else than to read: `next` is what. */
int kt_labels_turn(struct kt_labels *labels, const struct kt_moment *moment,
		   const char *next);

/* What is in hand of a process; KT_E_MEMORY. */
int kt_labels_process(struct kt_labels_process **out, struct kt_labels *labels,
		      uint64_t instance);
void kt_labels_forget_processes(struct kt_labels *labels);

extern const struct kt_activity_visitor kt_labels_visitor;

/* Of that visitor, what is about doorbells. */
int kt_labels_on_doorbell(void *context, const struct kt_moment *moment,
			  const struct kt_doorbell_fields *fields);
int kt_labels_on_event(void *context, const struct kt_moment *moment,
		       const struct kt_event *event);
int kt_labels_on_entry(void *context, const struct kt_moment *moment,
		       const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry);
int kt_labels_on_method(void *context, const struct kt_moment *moment,
			const struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded);
int kt_labels_on_submission(void *context, const struct kt_moment *moment,
			    const struct kt_submission *submission,
			    const struct kt_work *work);
int kt_labels_on_doorbell_end(void *context, const struct kt_moment *moment,
			      const struct kt_doorbell_fields *fields,
			      uint64_t submissions);

/* The functions of the part that write. */
int kt_labels_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions);
int kt_labels_text(void *part, FILE *out);

#endif
