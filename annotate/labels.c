/* SPDX-License-Identifier: MIT */
#include "annotate/labels.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels-part.h"
#include "base/array.h"
#include "decode/api-functions.h"

/* --- letters --- */

int kt_labels_event(struct kt_labels *labels, const struct kt_moment *moment,
		    const char *submission)
{
	const kt_label_rules *rules = labels->input->rules;
	const struct kt_fsm *fsm = labels->input->fsm;
	struct kt_facts *facts = &labels->facts.facts;
	size_t n;
	const struct kt_placed *placed =
		kt_placement_find(labels->input->placement, moment->life, moment->seq, &n);
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		struct kt_labelled labelled = {.placed = &placed[i],
					       .call = facts->values[KT_FACT_CALL],
					       .detail = labels->facts.detail,
					       .submission = submission,
					       .trace = labels->input->trace,
					       .process = moment->process};
		size_t count = kt_label_rules_count(rules);
		size_t rule;
		char *label = NULL;

		facts->values[KT_FACT_LETTER] = placed[i].letter != KT_UNPLACED
							? fsm->letters[placed[i].letter]
							: NULL;
		rule = kt_label_rules_match(rules, facts, 0, count);
		if (rule < count) {
			const struct kt_label_rule *found = kt_label_rules_at(rules, rule);

			labelled.role = found->role;
			code = kt_label_spell(&label, found, facts);
		}
		labelled.label = label;
		code = code ? code
			    : kt_meanings_set(labels->input->meanings, &placed[i], label,
					      labelled.role);
		code = code ? code : kt_label_tally_add(&labels->tally, &labelled);
		if (!code && labels->input->occurrences) {
			code = kt_occurrences_add(&labels->occurrences, &labelled);
		}
		free(label);
	}
	return code;
}

/* The thread does something else than to read. */
static int turn(struct kt_labels *labels, const struct kt_moment *moment, const char *next)
{
	struct kt_burst *burst;
	int code = kt_bursts_find(&burst, &labels->bursts, moment);

	return code ? code : kt_labels_end_burst(labels, burst, moment->process, next);
}

/* Ends the bursts of a life. */
static int turn_all(struct kt_labels *labels, const struct kt_moment *moment,
		    const char *next)
{
	int code = KT_OK;

	for (size_t i = 0; i < labels->bursts.n && !code; i++) {
		if (labels->bursts.bursts[i].life == moment->life) {
			code = kt_labels_end_burst(labels, &labels->bursts.bursts[i],
						   moment->process, next);
		}
	}
	return code;
}

static int begin(struct kt_labels *labels, const struct kt_moment *moment,
		 const char *event)
{
	int code = turn(labels, moment, event);

	kt_facts_begin(&labels->facts, event, moment->call);
	return code;
}

/* --- a trace --- */

static void forget_doorbells(struct kt_labels *labels)
{
	for (size_t i = 0; i < labels->n_doorbells; i++) {
		free(labels->doorbells[i].works);
		free(labels->doorbells[i].entries);
	}
	labels->n_doorbells = 0;
}

static int on_end(void *context)
{
	struct kt_labels *labels = context;
	int code = KT_OK;

	for (size_t i = 0; i < labels->bursts.n && !code; i++) {
		code = kt_labels_end_burst(labels, &labels->bursts.bursts[i], "unknown",
					   "end");
	}
	kt_bursts_forget(&labels->bursts, UINT64_MAX);
	kt_unfinished_free(&labels->unfinished);
	forget_doorbells(labels);
	return code;
}

/* What was in hand is another's now; what is unfinished may be finished. */
static int on_gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	(void)n;
	return turn_all(context, moment, "gap");
}

static int on_process_end(void *context, const struct kt_moment *moment,
			  const struct kt_process_end_fields *fields)
{
	(void)fields;
	return turn_all(context, moment, "process_end");
}

/* --- calls --- */

static int label_call(struct kt_labels *labels, const struct kt_moment *moment,
		      const struct kt_activity_call *call, const char *event)
{
	int code = begin(labels, moment, event);

	kt_facts_begin(&labels->facts, event, call);
	return code ? code : kt_labels_event(labels, moment, NULL);
}

static int on_call_enter(void *context, const struct kt_moment *moment,
			 const struct kt_activity_call *call)
{
	struct kt_labels *labels = context;

	labels->any_calls = true;
	return label_call(labels, moment, call, "api_enter");
}

static int on_call_exit(void *context, const struct kt_moment *moment,
			const struct kt_activity_call *call)
{
	/* It may be ended by another thread's event; its burst must not outlive it. */
	struct kt_moment own = *moment;

	own.tid = call->tid;
	own.life = call->life;
	if (!call->returned) {
		return turn(context, &own, "api_exit");
	}
	return label_call(context, moment, call, "api_exit");
}

static int find_doorbell(struct kt_labels_doorbell **out, struct kt_labels *labels,
			 uint64_t life)
{
	int code;

	for (size_t i = labels->n_doorbells; i > 0; i--) {
		*out = &labels->doorbells[i - 1];
		if ((*out)->life == life) {
			return KT_OK;
		}
	}
	code = kt_array_reserve(&labels->doorbells, &labels->doorbells_capacity,
				labels->n_doorbells + 1);
	if (code) {
		return code;
	}
	*out = &labels->doorbells[labels->n_doorbells++];
	**out = (struct kt_labels_doorbell){.life = life};
	return KT_OK;
}

/* --- requests and mappings --- */

/* Requests that name no object are about the one that was made or mapped before. */
static void follow_object(struct kt_labels_doorbell *process, struct kt_facts *facts)
{
	const char *request = facts->values[KT_FACT_REQUEST];

	facts->values[KT_FACT_BEFORE] = process->kind;
	if (strcmp(request, "NV_ESC_RM_ALLOC") == 0 ||
	    strcmp(request, "NV_ESC_RM_MAP_MEMORY") == 0) {
		process->kind = facts->values[KT_FACT_KIND];
	}
}

static int on_ioctl(void *context, const struct kt_moment *moment,
		    const struct kt_call *call)
{
	struct kt_labels *labels = context;
	struct kt_labels_doorbell *process;
	int code = begin(labels, moment, "ioctl");

	code = code ? code : find_doorbell(&process, labels, moment->life);
	if (code) {
		return code;
	}
	kt_facts_of_ioctl(&labels->facts, call);
	follow_object(process, &labels->facts.facts);
	return kt_labels_event(labels, moment, NULL);
}

static int label_device(struct kt_labels *labels, const struct kt_moment *moment,
			const struct kt_device_fields *fields, const char *event)
{
	int code = begin(labels, moment, event);

	kt_facts_of_device(&labels->facts, fields);
	return code ? code : kt_labels_event(labels, moment, NULL);
}

static int on_device_open(void *context, const struct kt_moment *moment,
			  const struct kt_device_fields *fields)
{
	return label_device(context, moment, fields, "device_open");
}

static int on_device_close(void *context, const struct kt_moment *moment,
			   const struct kt_device_fields *fields)
{
	return label_device(context, moment, fields, "device_close");
}

static int on_object(void *context, const struct kt_moment *moment,
		     const struct kt_object_fields *fields)
{
	struct kt_labels *labels = context;
	int code = begin(labels, moment, "object");

	kt_facts_of_object(&labels->facts, fields);
	return code ? code : kt_labels_event(labels, moment, NULL);
}

static int on_map(void *context, const struct kt_moment *moment,
		  const struct kt_map_fields *fields)
{
	struct kt_labels *labels = context;
	int code = begin(labels, moment, "map");

	kt_facts_of_map(&labels->facts, fields);
	return code ? code : kt_labels_event(labels, moment, NULL);
}

static int on_unmap(void *context, const struct kt_moment *moment,
		    const struct kt_unmap_fields *fields)
{
	struct kt_labels *labels = context;
	int code = begin(labels, moment, "unmap");

	kt_facts_of_unmap(&labels->facts, fields, labels->input->roles, moment->life);
	return code ? code : kt_labels_event(labels, moment, NULL);
}

static int on_wait(void *context, const struct kt_moment *moment,
		   const struct kt_wait_fields *fields)
{
	struct kt_labels *labels = context;
	int code = begin(labels, moment, "wait");

	kt_facts_of_wait(&labels->facts, fields);
	return code ? code : kt_labels_event(labels, moment, NULL);
}

static int on_access(void *context, const struct kt_moment *moment,
		     const struct kt_access_fields *fields)
{
	struct kt_labels *labels = context;
	enum kt_place_role role = kt_roles_of(labels->input->roles, moment->life,
					      fields->mapping, fields->offset);
	struct kt_burst *burst;
	int code = kt_bursts_find(&burst, &labels->bursts, moment);

	/* Who reads data that came has waited for them: what follows is another burst. */
	if (!code && !fields->write && role == KT_PLACE_STAGING) {
		code = kt_labels_end_burst(labels, burst, moment->process, "staging");
	}
	if (!code && !fields->write) {
		code = kt_burst_add(burst, moment, fields);
		return code || burst->n < KT_BURST_READS
			       ? code
			       : kt_labels_end_burst(labels, burst, moment->process,
						     "access");
	}
	code = code ? code
		    : kt_labels_end_burst(labels, burst, moment->process,
					  role != KT_PLACE_UNKNOWN
						  ? kt_place_role_name(role)
						  : "access");
	if (code) {
		return code;
	}
	kt_facts_begin(&labels->facts, "access", moment->call);
	kt_facts_of_access(&labels->facts, fields, labels->input->roles, moment->life);
	return kt_labels_event(labels, moment, NULL);
}

/* --- doorbells --- */

static int on_doorbell(void *context, const struct kt_moment *moment,
		       const struct kt_doorbell_fields *fields)
{
	struct kt_labels *labels = context;
	struct kt_labels_doorbell *doorbell;
	int code = turn(labels, moment, "doorbell");

	(void)fields;
	code = code ? code : find_doorbell(&doorbell, labels, moment->life);
	if (!code) {
		doorbell->n = 0;
		doorbell->n_entries = 0;
	}
	return code;
}

/* Letters of entries (alphabet `methods`) mean what the doorbell does; of other events that
 * nobody else sees, what rules say of the event alone. */
static int on_event(void *context, const struct kt_moment *moment,
		    const struct kt_event *event)
{
	static const char *const others[] = {"process_begin", "process_end",
					     "api_coverage"};
	struct kt_labels *labels = context;
	struct kt_labels_doorbell *doorbell;
	int code = KT_OK;
	size_t n;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(event->name, others[i]) == 0) {
			kt_facts_begin(&labels->facts, others[i], moment->call);
			return kt_labels_event(labels, moment, NULL);
		}
	}
	if (strcmp(event->name, "gpfifo_entry") != 0 &&
	    strcmp(event->name, "pushbuffer") != 0) {
		return KT_OK;
	}
	if (!kt_placement_find(labels->input->placement, moment->life, moment->seq, &n)) {
		return KT_OK;
	}
	code = find_doorbell(&doorbell, labels, moment->life);
	code = code ? code
		    : kt_array_reserve(&doorbell->entries, &doorbell->entries_capacity,
				       doorbell->n_entries + 1);
	if (!code) {
		doorbell->entries[doorbell->n_entries++] = moment->seq;
	}
	return code;
}

/* An inline copy that says that what is in front of it is done. */
static bool marks_end(const struct kt_labels *labels, uint64_t life,
		      const struct kt_command *command)
{
	return command->kind == KT_COMMAND_INLINE && command->bytes <= 16 &&
	       kt_roles_release_inline(labels->input->roles, life, command->to);
}

static int on_method(void *context, const struct kt_moment *moment,
		     const struct kt_submission *submission,
		     const struct kt_submitted_entry *entry,
		     const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	struct kt_labels *labels = context;
	struct kt_labels_doorbell *doorbell;
	int code = KT_OK;

	(void)submission;
	(void)entry;
	if (command->releases || command->kind == KT_COMMAND_RELEASE) {
		code = kt_unfinished_release(&labels->unfinished, moment->life,
					     command->address);
	}
	if (code || !marks_end(labels, moment->life, command)) {
		return code;
	}
	code = find_doorbell(&doorbell, labels, moment->life);
	if (!code) {
		doorbell->marks++;
		doorbell->mark_bytes += command->bytes;
	}
	return code ? code
		    : kt_unfinished_release(&labels->unfinished, moment->life, command->to);
}

static bool launches_graph(const struct kt_activity_call *call)
{
	for (; call; call = call->outer) {
		if (call->function && call->function->kind == KT_API_KIND_GRAPH_LAUNCH) {
			return true;
		}
	}
	return false;
}

/* Labels the letters of one event by some work. */
static int label_work(struct kt_labels *labels, const struct kt_moment *moment,
		      const struct kt_label_work *work, const char *event)
{
	char text[256];

	kt_facts_begin(&labels->facts, event, moment->call);
	kt_facts_of_work(&labels->facts, work);
	kt_label_work_describe(text, sizeof(text), work);
	return kt_labels_event(labels, moment, text);
}

static int on_submission(void *context, const struct kt_moment *moment,
			 const struct kt_submission *submission, const struct kt_work *work)
{
	struct kt_labels *labels = context;
	struct kt_labels_doorbell *doorbell;
	struct kt_label_work *sum;
	int code = find_doorbell(&doorbell, labels, moment->life);

	code = code ? code
		    : kt_array_reserve(&doorbell->works, &doorbell->capacity,
				       doorbell->n + 1);
	if (code) {
		return code;
	}
	sum = &doorbell->works[doorbell->n];
	*sum = (struct kt_label_work){0};
	kt_label_work_add(sum, work, launches_graph(moment->call));
	/* Of those that no launch has claimed for itself. */
	if (doorbell->marks <= sum->inline_copies) {
		sum->inline_copies -= doorbell->marks;
		sum->inline_bytes -= doorbell->mark_bytes;
		sum->releases += doorbell->marks;
	}
	doorbell->marks = 0;
	doorbell->mark_bytes = 0;
	if (submission->rung) {
		doorbell->n++;
		return KT_OK;
	}
	/* What was found in the ring is nobody's doorbell's. */
	for (size_t i = 0; i < doorbell->n_entries && !code; i++) {
		struct kt_moment entry = *moment;

		entry.seq = doorbell->entries[i];
		code = label_work(labels, &entry, sum, "submission");
	}
	if (doorbell->n_entries == 0) {
		code = label_work(labels, moment, sum, "submission");
	}
	doorbell->n_entries = 0;
	return code;
}

static struct kt_label_work add_works(const struct kt_labels_doorbell *doorbell)
{
	struct kt_label_work sum = {0};

	for (size_t i = 0; i < doorbell->n; i++) {
		const struct kt_label_work *one = &doorbell->works[i];

		sum.submissions += one->submissions;
		sum.launches += one->launches;
		sum.inline_copies += one->inline_copies;
		sum.inline_bytes += one->inline_bytes;
		sum.copies += one->copies;
		sum.copy_bytes += one->copy_bytes;
		sum.fills += one->fills;
		sum.fill_bytes += one->fill_bytes;
		sum.releases += one->releases;
		sum.acquires += one->acquires;
		sum.binds += one->binds;
		sum.entries += one->entries;
		sum.words += one->words;
		sum.unread |= one->unread;
		sum.graph |= one->graph;
	}
	return sum;
}

static int on_doorbell_end(void *context, const struct kt_moment *moment,
			   const struct kt_doorbell_fields *fields, uint64_t submissions)
{
	struct kt_labels *labels = context;
	struct kt_labels_doorbell *doorbell;
	struct kt_label_work sum;
	int code = find_doorbell(&doorbell, labels, moment->life);

	(void)fields;
	(void)submissions;
	if (code) {
		return code;
	}
	sum = add_works(doorbell);
	code = label_work(labels, moment, &sum, "doorbell");
	for (size_t i = 0; i < doorbell->n_entries && !code; i++) {
		struct kt_moment entry = *moment;

		entry.seq = doorbell->entries[i];
		code = label_work(labels, &entry, &sum, "submission");
	}
	doorbell->n = 0;
	doorbell->n_entries = 0;
	return code;
}

static const struct kt_activity_visitor visitor = {
	.end = on_end,
	.process_end = on_process_end,
	.gap = on_gap,
	.event = on_event,
	.call_enter = on_call_enter,
	.call_exit = on_call_exit,
	.ioctl = on_ioctl,
	.device_open = on_device_open,
	.device_close = on_device_close,
	.object = on_object,
	.map = on_map,
	.unmap = on_unmap,
	.access = on_access,
	.wait = on_wait,
	.doorbell = on_doorbell,
	.method = on_method,
	.submission = on_submission,
	.doorbell_end = on_doorbell_end,
};

/* --- the part --- */

static void free_part(void *part)
{
	struct kt_labels *labels = part;

	if (!labels) {
		return;
	}
	kt_label_tally_free(&labels->tally);
	kt_occurrences_free(&labels->occurrences);
	kt_bursts_free(&labels->bursts);
	kt_unfinished_free(&labels->unfinished);
	forget_doorbells(labels);
	free(labels->doorbells);
	free(labels);
}

static int make(void **part, const struct kt_annotation_input *input)
{
	struct kt_labels *labels = calloc(1, sizeof(*labels));
	int code;

	*part = labels;
	if (!labels) {
		return kt_error(KT_E_MEMORY, "label machine: out of memory");
	}
	labels->input = input;
	code = kt_label_tally_make(&labels->tally, input->fsm, input->evidence);
	if (code) {
		free_part(labels);
		*part = NULL;
	}
	return code;
}

static int set_text(char **out, const char *text)
{
	char *copy = strdup(text);

	if (!copy) {
		return kt_error(KT_E_MEMORY, "label machine: out of memory");
	}
	free(*out);
	*out = copy;
	return KT_OK;
}

/* The label that most of an owner's letters have; NULL: none has one. */
static const char *majority(const struct kt_label_tally *tally, uint32_t owner)
{
	size_t n;
	const struct kt_counted *labels = kt_counts_of(tally->labels, owner, &n);

	return n > 0 ? labels[0].text : NULL;
}

static int label_transitions(const struct kt_label_tally *tally,
			     struct kt_annotation *annotation)
{
	struct kt_fsm *fsm = annotation->fsm;
	int code = KT_OK;

	for (size_t i = 0; i < fsm->n_transitions && !code; i++) {
		const char *label = majority(tally, (uint32_t)i);

		annotation->letters[i] = tally->letters[i];
		if (label) {
			annotation->roles[i] = kt_label_tally_role(tally, label);
			code = set_text(&fsm->transitions[i].label, label);
		}
	}
	return code;
}

/* Words begin in the start; those that are over are in a state without a way out. */
static int label_states(const struct kt_label_tally *tally,
			struct kt_annotation *annotation)
{
	struct kt_fsm *fsm = annotation->fsm;
	bool *leaves = calloc(fsm->n_states + 1, sizeof(*leaves));
	int code = leaves ? KT_OK : kt_error(KT_E_MEMORY, "label machine: out of memory");

	for (size_t i = 0; leaves && i < fsm->n_transitions; i++) {
		leaves[fsm->transitions[i].from] = true;
	}
	for (size_t i = 0; i < fsm->n_states && !code; i++) {
		const char *label = majority(tally, kt_label_tally_state(tally, i));

		if (label) {
			annotation->state_roles[i] = kt_label_tally_role(tally, label);
		}
		label = i == fsm->start                         ? "begin"
			: fsm->states[i].ends > 0 && !leaves[i] ? "end"
								: label;
		code = label ? set_text(&fsm->states[i].label, label) : KT_OK;
	}
	free(leaves);
	return code;
}

static int finish(void *part, struct kt_annotation *annotation)
{
	struct kt_labels *labels = part;
	int code = kt_label_tally_sort(&labels->tally);

	labels->annotation = annotation;
	annotation->placed = labels->tally.placed;
	annotation->labels = labels->tally.labels;
	annotation->calls = labels->tally.calls;
	code = code ? code : label_transitions(&labels->tally, annotation);
	return code ? code : label_states(&labels->tally, annotation);
}

static int write_occurrences(FILE *out, const void *part)
{
	const struct kt_labels *labels = part;

	return kt_occurrences_write(out, &labels->occurrences, labels->input->fsm,
				    labels->input->paths);
}

static const struct kt_output_format occurrence_formats[] = {
	{".tsv", NULL, write_occurrences},
	{NULL, NULL, NULL},
};

static const struct kt_output_kind occurrence_kind = {
	.what = "labels of letters",
	.formats = occurrence_formats,
};

static const struct kt_annotation_file occurrence_file = {
	.option = "occurrences",
	.help = "each letter with its label, as a table: .tsv",
	.kind = &occurrence_kind,
};

const struct kt_annotation_part kt_labels_part = {
	.name = "labels",
	.make = make,
	.visitor = &visitor,
	.finish = finish,
	.json = kt_labels_json,
	.text = kt_labels_text,
	.file = &occurrence_file,
	.free = free_part,
};
