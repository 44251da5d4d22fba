/* SPDX-License-Identifier: MIT */
/*
 * The annotation part `labels`: labels each letter by the label rules, and each transition
 * and state by the most frequent label of its letters. The part also counts API calls and
 * details that the alphabet leaves out, measures times, and keeps examples from the traces.
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

/*
 * The same part for another machine of the same words: it takes the labels of letters from
 * input->known instead of the rules. It knows no calls and details, and writes nothing.
 */
extern const struct kt_annotation_part kt_known_labels_part;

/* An event of a ring entry or of its dwords. */
struct kt_labels_entry {
	uint64_t seq;
	uint64_t entry; /* seq of the event gpfifo_entry of the ring entry */
};

/*
 * State of a process instance. The pending submission is the one whose entries and methods
 * are being reported.
 */
struct kt_labels_process {
	uint64_t instance;
	const char *kind; /* Static: kind of the object allocated or mapped last; NULL: none */
	struct kt_label_work doorbell_work; /* all work of the last doorbell */
	uint64_t marks; /* inline copies of the pending submission that mark completion */
	uint64_t mark_bytes;
	struct kt_labels_entry *entries; /* Owned by this: events to be labelled */
	size_t n_entries;
	size_t entries_capacity;
	uint64_t newest;         /* seq of the newest event gpfifo_entry */
	uint64_t reported_entry; /* seq of the pending submission's last reported entry */
};

/* A letter with its label, kept for the table of labelled letters. */
struct kt_occurrence {
	struct kt_placed placed;
	size_t trace;      /* index */
	const char *label; /* Weak: in `texts`; NULL: no rule fits */
};

struct kt_labels {
	const struct kt_annotation_input *input; /* Weak */
	/* Weak; NULL before the end of the last trace. */
	const struct kt_annotation *annotation;
	struct kt_label_tally tally;
	struct kt_texts texts;             /* all labels */
	struct kt_occurrence *occurrences; /* Owned by this: empty unless input->occurrences */
	size_t n_occurrences;
	size_t occurrences_capacity;
	struct kt_event_facts facts; /* facts of the current event */
	struct kt_bursts bursts;
	struct kt_unfinished unfinished;
	/* Owned by this: one for each process instance. */
	struct kt_labels_process *processes;
	size_t n_processes;
	size_t processes_capacity;
	bool any_calls; /* a trace has calls of the API */
};

/*
 * Labels the letters of the event at `moment` by labels->facts. `submission` describes the
 * work that the event submits; NULL: the event submits nothing. KT_E_MEMORY.
 */
int kt_labels_event(struct kt_labels *labels, const struct kt_moment *moment,
		    const char *submission);

/*
 * Ends a burst and labels its reads. `process` is the name of the process; `next` is the
 * value of the fact `next`: what the thread does after the burst. KT_E_MEMORY.
 */
int kt_labels_end_burst(struct kt_labels *labels, struct kt_burst *burst,
			const char *process, const char *next);

/*
 * Ends the burst of the moment's thread, because the thread does something other than
 * read. `next` is as in kt_labels_end_burst(). KT_E_MEMORY.
 */
int kt_labels_turn(struct kt_labels *labels, const struct kt_moment *moment,
		   const char *next);

/*
 * Sets *out to the state of a process instance, which is created if needed. *out is valid
 * until the next call. KT_E_MEMORY.
 */
int kt_labels_process(struct kt_labels_process **out, struct kt_labels *labels,
		      uint64_t instance);
void kt_labels_forget_processes(struct kt_labels *labels);

extern const struct kt_activity_visitor kt_labels_visitor;
extern const struct kt_activity_visitor kt_known_labels_visitor;

/* Handlers of kt_labels_visitor that are in labels-doorbells.c. */
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

/* Writers of the part. */
int kt_labels_json(void *part, json_t *top, json_t *const *states,
		   json_t *const *transitions);
int kt_labels_text(void *part, FILE *out);

#endif
