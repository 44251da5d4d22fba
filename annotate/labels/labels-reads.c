/* SPDX-License-Identifier: MIT */
/* Labels reads when the next event of their thread is known. */
#include <string.h>

#include <ktail/status.h>

#include "annotate/labels/labels.h"
#include "base/try.h"

/* Largest number of semaphores that are distinguished in one burst. */
#define MOST_SEMAPHORES 64

/* Summary of a burst, before its reads are labelled. */
struct reading {
	uint64_t addresses[MOST_SEMAPHORES]; /* each semaphore once */
	uint64_t times[MOST_SEMAPHORES];     /* number of reads of addresses[i] */
	size_t n;
	size_t last_check; /* index + 1 of the last read of an error notifier; 0: none */
};

static enum kt_access_role role_of(const struct kt_labels *labels,
				   const struct kt_burst *burst,
				   const struct kt_burst_read *read)
{
	return kt_roles_of(labels->input->roles, burst->instance, read->mapping,
			   read->offset);
}

/*
 * Returns the address of the semaphore that contains the address that was read; 0 if the
 * mapping is unknown.
 */
static uint64_t semaphore_of(const struct kt_labels *labels, const struct kt_burst *burst,
			     const struct kt_burst_read *read)
{
	struct kt_role_mapping mapping;

	if (!kt_roles_mapping(&mapping, labels->input->roles, burst->instance,
			      read->mapping)) {
		return 0;
	}
	return (mapping.address + read->offset) / 16 * 16;
}

/* Returns the index of `address` in reading->addresses, or reading->n if it is not there. */
static size_t find_semaphore(const struct reading *reading, uint64_t address)
{
	size_t at = 0;

	while (at < reading->n && reading->addresses[at] != address) {
		at++;
	}
	return at;
}

static void set_facts(struct kt_labels *labels, const struct kt_burst *burst, size_t i,
		      const struct reading *reading, const char *next)
{
	const struct kt_burst_read *read = &burst->reads[i];
	struct kt_role_mapping mapping = {.space = "other"};
	struct kt_access_fields fields = {.mapping = read->mapping, .offset = read->offset};
	const char **values = labels->facts.facts.values;
	uint64_t address;
	size_t at;

	kt_roles_mapping(&mapping, labels->input->roles, burst->instance, read->mapping);
	fields.space = mapping.space;
	kt_facts_begin(&labels->facts, "access", read->call);
	kt_facts_of_access(&labels->facts, &fields, labels->input->roles, burst->instance);
	/* Add the facts that depend on the rest of the burst and on the event after it. */
	values[KT_FACT_NEXT] = next;
	if (role_of(labels, burst, read) != KT_ACCESS_SEMAPHORE) {
		return;
	}
	address = semaphore_of(labels, burst, read);
	if (kt_unfinished_has(&labels->unfinished, burst->instance, address)) {
		values[KT_FACT_AT] = "released";
	}
	at = find_semaphore(reading, address);
	values[KT_FACT_READS] =
		(at < reading->n && reading->times[at] > 1) || reading->last_check > i + 1
			? "again"
			: "once";
}

static bool is_letter(const struct kt_labels *labels, const struct kt_burst *burst,
		      size_t i)
{
	size_t n;

	return kt_placement_find(labels->input->placement, burst->instance,
				 burst->reads[i].seq, &n) != NULL;
}

/*
 * Labels the letter of a run, reads[from..to) of the burst. Uses the first rule in the table
 * that matches any read of the run.
 */
static int label_run(struct kt_labels *labels, const struct kt_burst *burst, size_t from,
		     size_t to, const struct reading *reading, const char *next,
		     const char *process)
{
	struct kt_moment moment = {.instance = burst->instance,
				   .pid = burst->pid,
				   .tid = burst->tid,
				   .process = process,
				   .time = burst->reads[from].time,
				   .seq = burst->reads[from].seq,
				   .call = burst->reads[from].call};
	const kt_label_rules *rules = labels->input->rules;
	size_t rule = kt_label_rules_count(rules);
	size_t best = from;

	/* The reads of a long run are alike, so match only the first ones with the rules. */
	for (size_t i = from; i < to && i < from + MOST_SEMAPHORES; i++) {
		size_t found;

		set_facts(labels, burst, i, reading, next);
		found = kt_label_rules_match(rules, &labels->facts.facts, 0, rule);
		if (found < rule) {
			rule = found;
			best = i;
		}
	}
	set_facts(labels, burst, best, reading, next);
	return kt_labels_event(labels, &moment, NULL);
}

int kt_labels_end_burst(struct kt_labels *labels, struct kt_burst *burst,
			const char *process, const char *next)
{
	const bool commands = strcmp(next, "pushbuffer") == 0 || strcmp(next, "ring") == 0;
	struct reading reading;
	int code = KT_OK;

	if (burst->n == 0) {
		return KT_OK;
	}
	reading.n = 0;
	reading.last_check = 0;
	for (size_t i = 0; i < burst->n; i++) {
		enum kt_access_role role = role_of(labels, burst, &burst->reads[i]);
		uint64_t address;
		size_t at;

		if (role == KT_ACCESS_NOTIFIER) {
			reading.last_check = i + 1;
		}
		if (role != KT_ACCESS_SEMAPHORE) {
			continue;
		}
		address = semaphore_of(labels, burst, &burst->reads[i]);
		at = find_semaphore(&reading, address);
		if (at == reading.n && at < MOST_SEMAPHORES) {
			reading.addresses[reading.n++] = address;
			reading.times[at] = 0;
		}
		if (at < reading.n) {
			reading.times[at]++;
		}
	}
	/* Consecutive reads of one mapping are a run: only the first read has a letter. */
	for (size_t i = 0, end; i < burst->n; i = end) {
		end = i + 1;
		if (!is_letter(labels, burst, i)) {
			continue;
		}
		while (end < burst->n &&
		       burst->reads[end].mapping == burst->reads[i].mapping &&
		       !is_letter(labels, burst, end)) {
			end++;
		}
		KT_TRY_END(label_run(labels, burst, i, end, &reading, next, process));
	}
	/*
	 * The process is taken to have waited for a semaphore if it read the semaphore
	 * repeatedly, or if the event after the burst is not a write of commands. The
	 * submission that releases the semaphore is then finished.
	 */
	for (size_t i = 0; i < reading.n; i++) {
		if (!commands || reading.times[i] > 1) {
			kt_unfinished_finish(&labels->unfinished, burst->instance,
					     reading.addresses[i]);
		}
	}
end:
	burst->n = 0;
	return code;
}
