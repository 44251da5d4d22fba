/* SPDX-License-Identifier: MIT */
/* Reports doorbells and the submissions of process instances. */
#include "annotate/events/activity-parts.h"

#include <ktail/status.h>

#include "base/try.h"

/*
 * Reports a submission or a part of it: entries that were found in the ring and entries
 * that a doorbell submitted are reported separately.
 */
static void report_part(void *context, const struct kt_submission *submission)
{
	struct kt_activity *a = context;
	struct kt_activity_instance *instance = a->instances[submission->instance];

	instance->submissions++;
	KT_REPORT_PART(a->code, a, submission, &instance->submitting, submission,
		       &instance->work)
	kt_work_clear(&instance->work);
}

static void report_entry(void *context, struct kt_submission *submission,
			 const struct kt_submitted_entry *entry)
{
	struct kt_activity *a = context;
	struct kt_activity_instance *instance = a->instances[submission->instance];

	if (instance->work.entries > 0 && instance->work.found != entry->found) {
		report_part(a, submission);
	}
	if (instance->work.entries == 0 && submission->doorbell_written &&
	    instance->doorbell_written) {
		instance->submitting = instance->doorbell;
	} else if (instance->work.entries == 0) {
		/*
		 * No API call has begun or ended since the event of the entry, so the
		 * innermost call at that time is still the innermost call.
		 */
		instance->submitting = (struct kt_moment){
			.time = entry->time,
			.pid = submission->pid,
			.tid = entry->tid,
			.instance = submission->instance,
			.process = instance->process,
			.seq = entry->seq,
			.call = kt_activity_innermost(instance, entry->tid),
		};
	}
	instance->work.entries++;
	instance->work.words += entry->captured;
	instance->work.found = entry->found;
	if (kt_submitted_entry_is_incomplete(entry)) {
		instance->work.submitted.unread = true;
	}
	KT_REPORT_PART(a->code, a, entry, &instance->submitting, submission, entry)
}

static void report_method(void *context, struct kt_submission *submission,
			  const struct kt_submitted_entry *entry,
			  const struct kt_decoded *decoded)
{
	struct kt_activity *a = context;
	struct kt_activity_instance *instance = a->instances[submission->instance];

	if (!a->code) {
		a->code = kt_work_add(&instance->work, decoded);
	}
	KT_REPORT_PART(a->code, a, method, &instance->submitting, submission, entry,
		       decoded)
}

const struct kt_submission_visitor kt_activity_submission_visitor = {
	.entry = report_entry,
	.method = report_method,
	.end = report_part,
};

int kt_activity_settle(struct kt_activity *a, struct kt_activity_instance *instance,
		       uint64_t number)
{
	int code = KT_OK;

	KT_TRY(kt_submission_feed_settle(a->submissions, number));
	KT_TRY(a->code);
	if (instance->doorbell_written) {
		instance->doorbell_written = false;
		KT_REPORT_PART(code, a, doorbell_end, &instance->doorbell,
			       &instance->fields, instance->submissions)
	}
	instance->submissions = 0;
	return code;
}

int kt_activity_ring(struct kt_activity *a, struct kt_activity_instance *instance,
		     const struct kt_moment *moment, const struct kt_event *event)
{
	int code = KT_OK;

	instance->fields = kt_doorbell_fields(event);
	KT_TRY(kt_texts_printable(&a->texts, instance->fields.by, &instance->fields.by));
	KT_TRY(kt_texts_printable(&a->texts, instance->fields.space,
				  &instance->fields.space));
	instance->doorbell_written = true;
	instance->doorbell = *moment;
	KT_REPORT_PART(code, a, doorbell, moment, &instance->fields)
	return code;
}
