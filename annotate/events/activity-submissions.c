/* SPDX-License-Identifier: MIT */
/* What the doorbells of a life of a process submitted. */
#include "annotate/events/activity-parts.h"

#include <ktail/status.h>

#include "base/try.h"

/* All of a submission, or the part of it that was found in the ring, or was not. */
static void tell_part(void *context, const struct kt_submission *submission)
{
	struct kt_activity *a = context;
	struct kt_activity_life *life = a->lives[submission->life];

	life->submissions++;
	KT_TELL(a->code, a, submission, &life->submitting, submission, &life->work)
	kt_work_clear(&life->work);
}

static void tell_entry(void *context, struct kt_submission *submission,
		       const struct kt_submitted_entry *entry)
{
	struct kt_activity *a = context;
	struct kt_activity_life *life = a->lives[submission->life];

	if (life->work.entries > 0 && life->work.found != entry->found) {
		tell_part(a, submission);
	}
	if (life->work.entries == 0 && submission->rung && life->rung) {
		life->submitting = life->doorbell;
	} else if (life->work.entries == 0) {
		/* The thread's calls have not changed since the entry's event. */
		life->submitting = (struct kt_moment){
			.time = entry->time,
			.pid = submission->pid,
			.tid = entry->tid,
			.life = submission->life,
			.process = life->process,
			.seq = entry->seq,
			.call = kt_activity_innermost(life, entry->tid),
		};
	}
	life->work.entries++;
	life->work.words += entry->captured;
	life->work.found = entry->found;
	if (kt_submitted_entry_lacks(entry)) {
		life->work.submitted.unread = true;
	}
	KT_TELL(a->code, a, entry, &life->submitting, submission, entry)
}

static void tell_method(void *context, struct kt_submission *submission,
			const struct kt_submitted_entry *entry,
			const struct kt_decoded *decoded)
{
	struct kt_activity *a = context;
	struct kt_activity_life *life = a->lives[submission->life];

	if (!a->code) {
		a->code = kt_work_add(&life->work, decoded);
	}
	KT_TELL(a->code, a, method, &life->submitting, submission, entry, decoded)
}

const struct kt_submission_visitor kt_activity_submission_visitor = {
	.entry = tell_entry,
	.method = tell_method,
	.end = tell_part,
};

int kt_activity_settle(struct kt_activity *a, struct kt_activity_life *life,
		       uint64_t number)
{
	int code = KT_OK;

	KT_TRY(kt_submission_feed_settle(a->submissions, number));
	KT_TRY(a->code);
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
	int code = KT_OK;

	life->fields = kt_doorbell_fields(event);
	KT_TRY(kt_texts_printable(&a->texts, life->fields.by, &life->fields.by));
	KT_TRY(kt_texts_printable(&a->texts, life->fields.space, &life->fields.space));
	life->rung = true;
	life->doorbell = *moment;
	KT_TELL(code, a, doorbell, moment, &life->fields)
	return code;
}
