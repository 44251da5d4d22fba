/* SPDX-License-Identifier: MIT */
/* Event handlers of the part `labels`: the meaning of each event's letters. */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels/labels.h"
#include "base/array.h"
#include "base/try.h"

/* --- letters --- */

int kt_labels_event(struct kt_labels *labels, const struct kt_moment *moment,
		    const char *submission)
{
	const kt_label_rules *rules = labels->input->rules;
	const struct kt_fsm *fsm = labels->input->fsm;
	struct kt_facts *facts = &labels->facts.facts;
	size_t n;
	const struct kt_placed *placed = kt_placement_find(
		labels->input->placement, moment->instance, moment->seq, &n);
	const size_t count = kt_label_rules_count(rules);

	for (size_t i = 0; i < n; i++) {
		struct kt_labelled labelled = {.placed = &placed[i],
					       .call = facts->values[KT_FACT_CALL],
					       .detail = labels->facts.detail,
					       .submission = submission,
					       .trace = labels->input->trace,
					       .process = moment->process};
		size_t rule;

		facts->values[KT_FACT_LETTER] = placed[i].letter != KT_UNPLACED
							? fsm->letters[placed[i].letter]
							: NULL;
		rule = kt_label_rules_match(rules, facts, 0, count);
		if (rule < count) {
			const struct kt_label_rule *found = kt_label_rules_at(rules, rule);
			char *label;

			KT_TRY(kt_label_format(&label, found, facts));
			labelled.role = found->role;
			labelled.label = kt_texts_keep(&labels->texts, label);
			free(label);
			if (!labelled.label) {
				return KT_E_MEMORY;
			}
		}
		KT_TRY(kt_meanings_set(labels->input->meanings, &placed[i], labelled.label,
				       labelled.role));
		KT_TRY(kt_label_tally_add(&labels->tally, &labelled));
		if (labels->input->occurrences) {
			KT_TRY(kt_array_reserve(&labels->occurrences,
						&labels->occurrences_capacity,
						labels->n_occurrences + 1));
			labels->occurrences[labels->n_occurrences++] =
				(struct kt_occurrence){placed[i], labelled.trace,
						       labelled.label};
		}
	}
	return KT_OK;
}

int kt_labels_turn(struct kt_labels *labels, const struct kt_moment *moment,
		   const char *next)
{
	struct kt_burst *burst;

	KT_TRY(kt_bursts_find(&burst, &labels->bursts, moment));
	return kt_labels_end_burst(labels, burst, moment->process, next);
}

/* Ends all bursts of a process instance. */
static int turn_all(struct kt_labels *labels, const struct kt_moment *moment,
		    const char *next)
{
	for (size_t i = 0; i < labels->bursts.n; i++) {
		if (labels->bursts.bursts[i].instance == moment->instance) {
			KT_TRY(kt_labels_end_burst(labels, &labels->bursts.bursts[i],
						   moment->process, next));
		}
	}
	return KT_OK;
}

static int begin(struct kt_labels *labels, const struct kt_moment *moment,
		 const char *event)
{
	KT_TRY(kt_labels_turn(labels, moment, event));
	kt_facts_begin(&labels->facts, event, moment->call);
	return KT_OK;
}

/* --- processes --- */

int kt_labels_process(struct kt_labels_process **out, struct kt_labels *labels,
		      uint64_t instance)
{
	for (size_t i = labels->n_processes; i > 0; i--) {
		*out = &labels->processes[i - 1];
		if ((*out)->instance == instance) {
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&labels->processes, &labels->processes_capacity,
				labels->n_processes + 1));
	*out = &labels->processes[labels->n_processes++];
	**out = (struct kt_labels_process){.instance = instance};
	return KT_OK;
}

void kt_labels_forget_processes(struct kt_labels *labels)
{
	for (size_t i = 0; i < labels->n_processes; i++) {
		free(labels->processes[i].entries);
	}
	labels->n_processes = 0;
}

/* --- a trace --- */

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
	kt_labels_forget_processes(labels);
	return code;
}

/*
 * Ends the bursts of the process: events are missing, so it is unknown what the threads did
 * after their reads.
 */
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
	KT_TRY(kt_labels_turn(labels, moment, event));
	kt_facts_begin(&labels->facts, event, call);
	return kt_labels_event(labels, moment, NULL);
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
	/*
	 * `moment` may be an event of another thread, but the burst of the thread that made
	 * the call must end.
	 */
	struct kt_moment own = *moment;

	own.tid = call->tid;
	own.instance = call->instance;
	if (!call->returned) {
		return kt_labels_turn(context, &own, "api_exit");
	}
	return label_call(context, moment, call, "api_exit");
}

/* --- requests and mappings --- */

static int on_ioctl(void *context, const struct kt_moment *moment,
		    const struct kt_call *call)
{
	struct kt_labels *labels = context;
	const char **values = labels->facts.facts.values;
	struct kt_labels_process *process;

	KT_TRY(begin(labels, moment, "ioctl"));
	KT_TRY(kt_labels_process(&process, labels, moment->instance));
	kt_facts_of_ioctl(&labels->facts, call);
	/*
	 * A request that names no object is taken to concern the object allocated or
	 * mapped last.
	 */
	values[KT_FACT_BEFORE] = process->kind;
	if (strcmp(values[KT_FACT_REQUEST], "NV_ESC_RM_ALLOC") == 0 ||
	    strcmp(values[KT_FACT_REQUEST], "NV_ESC_RM_MAP_MEMORY") == 0) {
		process->kind = values[KT_FACT_KIND];
	}
	return kt_labels_event(labels, moment, NULL);
}

static int label_device(struct kt_labels *labels, const struct kt_moment *moment,
			const struct kt_device_fields *fields, const char *event)
{
	KT_TRY(begin(labels, moment, event));
	kt_facts_of_device(&labels->facts, fields);
	return kt_labels_event(labels, moment, NULL);
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

	KT_TRY(begin(labels, moment, "object"));
	kt_facts_of_object(&labels->facts, fields);
	return kt_labels_event(labels, moment, NULL);
}

static int on_map(void *context, const struct kt_moment *moment,
		  const struct kt_map_fields *fields)
{
	struct kt_labels *labels = context;

	KT_TRY(begin(labels, moment, "map"));
	kt_facts_of_map(&labels->facts, fields);
	return kt_labels_event(labels, moment, NULL);
}

static int on_unmap(void *context, const struct kt_moment *moment,
		    const struct kt_unmap_fields *fields)
{
	struct kt_labels *labels = context;

	KT_TRY(begin(labels, moment, "unmap"));
	kt_facts_of_unmap(&labels->facts, fields, labels->input->roles, moment->instance);
	return kt_labels_event(labels, moment, NULL);
}

static int on_wait(void *context, const struct kt_moment *moment,
		   const struct kt_wait_fields *fields)
{
	struct kt_labels *labels = context;

	KT_TRY(begin(labels, moment, "wait"));
	kt_facts_of_wait(&labels->facts, fields);
	return kt_labels_event(labels, moment, NULL);
}

static int on_access(void *context, const struct kt_moment *moment,
		     const struct kt_access_fields *fields)
{
	struct kt_labels *labels = context;
	enum kt_access_role role = kt_roles_of(labels->input->roles, moment->instance,
					       fields->mapping, fields->offset);
	struct kt_burst *burst;

	KT_TRY(kt_bursts_find(&burst, &labels->bursts, moment));
	if (!fields->write) {
		/*
		 * A read of staging memory means that the data has arrived, so the read
		 * begins another burst.
		 */
		if (role == KT_ACCESS_STAGING) {
			KT_TRY(kt_labels_end_burst(labels, burst, moment->process,
						   "staging"));
		}
		KT_TRY(kt_burst_add(burst, moment, fields));
		return burst->n < KT_BURST_READS
			       ? KT_OK
			       : kt_labels_end_burst(labels, burst, moment->process,
						     "access");
	}
	KT_TRY(kt_labels_end_burst(labels, burst, moment->process,
				   role != KT_ACCESS_UNKNOWN ? kt_access_role_name(role)
							     : "access"));
	kt_facts_begin(&labels->facts, "access", moment->call);
	kt_facts_of_access(&labels->facts, fields, labels->input->roles, moment->instance);
	return kt_labels_event(labels, moment, NULL);
}

const struct kt_activity_visitor kt_labels_visitor = {
	.end = on_end,
	.process_end = on_process_end,
	.gap = on_gap,
	.event = kt_labels_on_event,
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
	.doorbell = kt_labels_on_doorbell,
	.entry = kt_labels_on_entry,
	.method = kt_labels_on_method,
	.submission = kt_labels_on_submission,
	.doorbell_end = kt_labels_on_doorbell_end,
};
