/* SPDX-License-Identifier: MIT */
/* Labels of doorbells, and of the letters of submitted entries and commands. */
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels/labels.h"
#include "base/array.h"
#include "base/try.h"
#include "decode/api-functions.h"

int kt_labels_on_doorbell(void *context, const struct kt_moment *moment,
			  const struct kt_doorbell_fields *fields)
{
	struct kt_labels *labels = context;
	struct kt_labels_process *process;

	(void)fields;
	KT_TRY(kt_labels_turn(labels, moment, "doorbell"));
	KT_TRY(kt_labels_process(&process, labels, moment->instance));
	process->doorbell_work = (struct kt_label_work){0};
	process->n_entries = 0;
	return KT_OK;
}

/*
 * Keeps events of ring entries and of their dwords until the end of the doorbell, because
 * their letters (alphabet `methods`) are labelled by the work of the whole doorbell. Events
 * that have no handler of their own are labelled at once.
 */
int kt_labels_on_event(void *context, const struct kt_moment *moment,
		       const struct kt_event *event)
{
	static const char *const others[] = {"process_begin", "process_end",
					     "api_coverage"};
	struct kt_labels *labels = context;
	const bool begins = strcmp(event->name, "gpfifo_entry") == 0;
	struct kt_labels_process *process;
	size_t n;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(event->name, others[i]) == 0) {
			kt_facts_begin(&labels->facts, others[i], moment->call);
			return kt_labels_event(labels, moment, NULL);
		}
	}
	if (!begins && strcmp(event->name, "pushbuffer") != 0) {
		return KT_OK;
	}
	KT_TRY(kt_labels_process(&process, labels, moment->instance));
	process->newest = begins ? moment->seq : process->newest;
	if (kt_placement_find(labels->input->placement, moment->instance, moment->seq,
			      &n)) {
		KT_TRY(kt_array_reserve(&process->entries, &process->entries_capacity,
					process->n_entries + 1));
		process->entries[process->n_entries++] =
			(struct kt_labels_entry){moment->seq, process->newest};
	}
	return KT_OK;
}

int kt_labels_on_entry(void *context, const struct kt_moment *moment,
		       const struct kt_submission *submission,
		       const struct kt_submitted_entry *entry)
{
	struct kt_labels_process *process;

	(void)submission;
	KT_TRY(kt_labels_process(&process, context, moment->instance));
	process->reported_entry = entry->seq;
	return KT_OK;
}

int kt_labels_on_method(void *context, const struct kt_moment *moment,
			const struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	struct kt_labels *labels = context;
	struct kt_labels_process *process;

	(void)submission;
	(void)entry;
	if (command->releases || command->kind == KT_COMMAND_RELEASE) {
		KT_TRY(kt_unfinished_release(&labels->unfinished, moment->instance,
					     command->address));
	}
	/*
	 * A short inline copy to the address of a semaphore marks completion of the
	 * commands before the copy.
	 */
	if (command->kind == KT_COMMAND_INLINE && command->bytes <= 16 &&
	    kt_roles_release_inline(labels->input->roles, moment->instance, command->to)) {
		KT_TRY(kt_labels_process(&process, labels, moment->instance));
		process->marks++;
		process->mark_bytes += command->bytes;
		return kt_unfinished_release(&labels->unfinished, moment->instance,
					     command->to);
	}
	return KT_OK;
}

/* Labels the letters of one event by the work of a submission. */
static int label_work(struct kt_labels *labels, const struct kt_moment *moment,
		      const struct kt_label_work *work, const char *event)
{
	char text[256];

	kt_facts_begin(&labels->facts, event, moment->call);
	kt_facts_of_work(&labels->facts, work);
	kt_label_work_describe(text, sizeof(text), work);
	return kt_labels_event(labels, moment, text);
}

/*
 * Labels the letters of the kept ring entries up to the entry whose event has the sequence
 * number `last`, and forgets these entries.
 */
static int label_entries(struct kt_labels *labels, struct kt_labels_process *process,
			 const struct kt_moment *moment, const struct kt_label_work *work,
			 uint64_t last)
{
	size_t n = 0;

	for (; n < process->n_entries && process->entries[n].entry <= last; n++) {
		struct kt_moment entry = *moment;

		entry.seq = process->entries[n].seq;
		KT_TRY(label_work(labels, &entry, work, "submission"));
	}
	process->n_entries -= n;
	if (process->n_entries > 0) {
		memmove(process->entries, &process->entries[n],
			process->n_entries * sizeof(*process->entries));
	}
	return KT_OK;
}

int kt_labels_on_submission(void *context, const struct kt_moment *moment,
			    const struct kt_submission *submission,
			    const struct kt_work *work)
{
	struct kt_labels *labels = context;
	struct kt_labels_process *process;
	struct kt_label_work found = {0};
	struct kt_label_work *sum;
	bool graph = false;

	KT_TRY(kt_labels_process(&process, labels, moment->instance));
	for (const struct kt_activity_call *call = moment->call; call; call = call->outer) {
		graph |= call->function && call->function->kind == KT_API_KIND_GRAPH_LAUNCH;
	}
	sum = submission->doorbell_written ? &process->doorbell_work : &found;
	kt_label_work_add(sum, work, graph);
	/*
	 * Count completion marks as releases instead of inline copies, unless launches
	 * have claimed those copies as their own writes.
	 */
	if (process->marks <= work->inline_copies) {
		sum->inline_copies -= process->marks;
		sum->inline_bytes -= process->mark_bytes;
		sum->releases += process->marks;
	}
	process->marks = 0;
	process->mark_bytes = 0;
	/*
	 * Entries whose doorbell is unknown are labelled here, because
	 * kt_labels_on_doorbell_end() is not called for them.
	 */
	return submission->doorbell_written ? KT_OK
					    : label_entries(labels, process, moment, &found,
							    process->reported_entry);
}

int kt_labels_on_doorbell_end(void *context, const struct kt_moment *moment,
			      const struct kt_doorbell_fields *fields, uint64_t submissions)
{
	struct kt_labels *labels = context;
	struct kt_labels_process *process;

	(void)fields;
	(void)submissions;
	KT_TRY(kt_labels_process(&process, labels, moment->instance));
	KT_TRY(label_work(labels, moment, &process->doorbell_work, "doorbell"));
	KT_TRY(label_entries(labels, process, moment, &process->doorbell_work, UINT64_MAX));
	process->doorbell_work = (struct kt_label_work){0};
	return KT_OK;
}
