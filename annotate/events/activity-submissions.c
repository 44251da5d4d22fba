/* SPDX-License-Identifier: MIT */
/* What the doorbells of a life of a process submitted. */
#include "annotate/events/activity-parts.h"

#include <ktail/status.h>

static struct kt_activity_life *life_of(const struct kt_activity *a, uint64_t life)
{
	return a->lives[life];
}

/* Of the doorbell, or of an entry, whose thread's calls have not changed since. */
static struct kt_moment moment_of(const struct kt_activity_life *life,
				  const struct kt_submission *s,
				  const struct kt_submitted_entry *entry)
{
	if (s->rung && life->rung) {
		return life->doorbell;
	}
	return (struct kt_moment){
		.time = entry->time,
		.pid = s->pid,
		.tid = entry->tid,
		.life = s->life,
		.process = life->process,
		.seq = entry->seq,
		.call = kt_activity_innermost(life, entry->tid),
	};
}

/* All of a submission, or the part of it that was found in the ring, or was not. */
static void tell_part(struct kt_activity *a, const struct kt_submission *submission)
{
	struct kt_activity_life *life = life_of(a, submission->life);

	life->submissions++;
	KT_TELL(a->code, a, submission, &life->submitting, submission, &life->work)
	kt_work_clear(&life->work);
}

static void tell_entry(void *context, struct kt_submission *submission,
		       const struct kt_submitted_entry *entry)
{
	struct kt_activity *a = context;
	struct kt_activity_life *life = life_of(a, submission->life);

	if (life->work.entries > 0 && life->work.found != entry->found) {
		tell_part(a, submission);
	}
	if (life->work.entries == 0) {
		life->submitting = moment_of(life, submission, entry);
	}
	life->work.entries++;
	life->work.words += entry->captured;
	life->work.found = entry->found;
	if (kt_submitted_entry_lacks(entry)) {
		kt_work_miss(&life->work);
	}
	KT_TELL(a->code, a, entry, &life->submitting, submission, entry)
}

static void tell_method(void *context, struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded)
{
	struct kt_activity *a = context;
	struct kt_activity_life *life = life_of(a, submission->life);

	if (!a->code) {
		a->code = kt_work_add(&life->work, decoded);
	}
	KT_TELL(a->code, a, method, &life->submitting, submission, entry, decoded)
}

static void tell_decoded(void *context, const struct kt_submission *submission,
			 const struct kt_submitted_entry *entry,
			 const struct kt_decode_counts *counts)
{
	(void)context;
	(void)submission;
	(void)entry;
	(void)counts;
}

static void tell_submission(void *context, const struct kt_submission *submission)
{
	tell_part(context, submission);
}

const struct kt_submission_visitor kt_activity_submission_visitor = {
	.entry = tell_entry,
	.method = tell_method,
	.decoded = tell_decoded,
	.end = tell_submission,
};

int kt_activity_settle(struct kt_activity *a, struct kt_activity_life *life,
		       uint64_t number)
{
	int code = kt_submission_feed_settle(a->submissions, number);

	code = code ? code : a->code;
	if (life->rung) {
		life->rung = false;
		KT_TELL(code, a, doorbell_end, &life->doorbell, &life->fields,
			life->submissions)
	}
	life->submissions = 0;
	return code;
}

int kt_activity_ring(struct kt_activity *a, struct kt_activity_life *life,
		     const struct kt_moment *moment, const struct kt_event *event)
{
	int code;

	life->fields = kt_doorbell_fields(event);
	code = kt_texts_printable(&a->texts, life->fields.by, &life->fields.by);
	code = code ? code
		    : kt_texts_printable(&a->texts, life->fields.space,
					 &life->fields.space);
	if (!code) {
		life->rung = true;
		life->doorbell = *moment;
	}
	KT_TELL(code, a, doorbell, moment, &life->fields)
	return code;
}
