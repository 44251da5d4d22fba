/* SPDX-License-Identifier: MIT */
#include "annotate/events/submissions.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/events/submission-events.h"
#include "annotate/events/submission-totals.h"
#include "annotate/events/submitters.h"
#include "base/array.h"
#include "base/utf8.h"

struct kt_submission_feed {
	const struct kt_submission_visitor *visitor; /* Weak */
	void *context;                               /* Weak */
	struct kt_submission_totals *totals;         /* Weak */
	struct kt_submitters submitters;             /* Owned by this */
	struct kt_submitter *telling;                /* whose entry is being decoded */
};

/* --- the end of an entry, of a submission --- */

static void tell_method(void *context, const struct kt_decoded *decoded)
{
	kt_submission_feed *f = context;

	f->visitor->method(f->context, &f->telling->submission, &f->telling->entry,
			   decoded);
}

static int decode(kt_submission_feed *f, struct kt_submitter *p)
{
	struct kt_decode_counts counts;
	struct kt_decode_counts segment;
	struct kt_channel *channel;
	int code = kt_channels_find(&p->channels, &channel, p->submission.client,
				    p->submission.channel, p->submission.class_number);

	if (code) {
		return code;
	}
	f->telling = p;
	kt_channel_decode(channel->decoder, p->words, p->n_words, tell_method, f);
	kt_channel_decoder_counts(channel->decoder, &counts);
	kt_submission_totals_decoded(f->totals, &segment, &channel->counts, &counts);
	channel->counts = counts;
	f->visitor->decoded(f->context, &p->submission, &p->entry, &segment);
	return KT_OK;
}

/* The words of an entry have all come, or will not come any more. */
static int end_entry(kt_submission_feed *f, struct kt_submitter *p)
{
	struct kt_submitted_entry *entry = &p->entry;
	int code = KT_OK;

	if (!p->gathering) {
		return KT_OK;
	}
	p->gathering = false;
	if (entry->unread[0]) {
		code = kt_submission_totals_unread(f->totals, entry);
	} else if (entry->words > entry->captured) {
		f->totals->missing += entry->words - entry->captured;
	}
	f->visitor->entry(f->context, &p->submission, entry);
	return code || p->n_words == 0 ? code : decode(f, p);
}

static int end_submission(kt_submission_feed *f, struct kt_submitter *p)
{
	int code = end_entry(f, p);

	if (!code && p->submitting) {
		p->submitting = false;
		f->visitor->end(f->context, &p->submission);
	}
	return code;
}

/* An event that submits nothing, or the next doorbell: what came before is complete. */
static int end_doorbell(kt_submission_feed *f, struct kt_submitter *p)
{
	int code = end_submission(f, p);

	f->totals->idle += p->doorbell.rung && !p->doorbell.used;
	p->doorbell.rung = false;
	return code;
}

/* --- events --- */

static int take_doorbell(kt_submission_feed *f, struct kt_submitter *p,
			 const struct kt_event *event)
{
	int code = end_doorbell(f, p);

	f->totals->doorbells++;
	p->doorbell = (struct kt_last_doorbell){
		.rung = true,
		.time = kt_reading_time(&f->totals->reading, event),
		.tid = event->tid,
		.seq = event->seq,
		.fields = kt_doorbell_fields(event),
	};
	f->totals->moved += p->doorbell.fields.moved > 0;
	return code;
}

static void begin_submission(kt_submission_feed *f, struct kt_submitter *p,
			     const struct kt_event *event,
			     const struct kt_entry_fields *fields)
{
	struct kt_last_doorbell *doorbell = &p->doorbell;
	bool named = doorbell->rung && doorbell->fields.moved > 0 &&
		     doorbell->fields.channel == fields->channel;

	p->submitting = true;
	p->submission = (struct kt_submission){
		.number = ++f->totals->submissions,
		.time = doorbell->rung ? doorbell->time
				       : kt_reading_time(&f->totals->reading, event),
		.pid = event->pid,
		.tid = doorbell->rung ? doorbell->tid : event->tid,
		.process = p->name,
		.life = event->process,
		.seq = doorbell->rung ? doorbell->seq : event->seq,
		.rung = doorbell->rung,
		.value_known = doorbell->rung && doorbell->fields.known,
		.value = doorbell->fields.value,
		/* Another client's channel may have the same handle. */
		.after_known = named && !doorbell->matched,
		.before = fields->index,
		.after = doorbell->fields.gp_put,
		.client = fields->client,
		.channel = fields->channel,
		.class_number = fields->class_number,
	};
	doorbell->used = true;
	doorbell->matched = doorbell->matched || named;
}

static bool is_of(const struct kt_submission *submission, uint32_t client, uint32_t channel)
{
	return submission->client == client && submission->channel == channel;
}

static int begin_entry(kt_submission_feed *f, struct kt_submitter *p,
		       const struct kt_event *event, const struct kt_entry_fields *fields)
{
	struct kt_submitted_entry *entry = &p->entry;
	const uint32_t raw[2] = {(uint32_t)fields->entry, (uint32_t)(fields->entry >> 32)};

	free(p->unread);
	p->unread = kt_utf8_printable_copy(fields->unread);
	if (!p->unread) {
		return kt_error(KT_E_MEMORY, "read submissions: out of memory");
	}
	*entry = (struct kt_submitted_entry){
		.index = fields->index,
		.raw = fields->entry,
		.address = fields->address,
		.words = fields->words,
		.found = fields->found,
		.unread = p->unread,
		.time = kt_reading_time(&f->totals->reading, event),
		.tid = event->tid,
		.seq = event->seq,
	};
	kt_gpfifo_decode(&entry->entry, raw);
	f->totals->entries++;
	f->totals->control += entry->words == 0 && !entry->unread[0];
	f->totals->found += entry->found;
	f->totals->ring_words += entry->words;
	p->submission.entries++;
	p->n_words = 0;
	p->gathering = true;
	return KT_OK;
}

static int take_entry(kt_submission_feed *f, struct kt_submitter *p,
		      const struct kt_event *event)
{
	const struct kt_entry_fields fields = kt_entry_fields(event);
	int code = end_entry(f, p);

	if (!code && p->submitting &&
	    !is_of(&p->submission, fields.client, fields.channel)) {
		code = end_submission(f, p);
	}
	if (code) {
		return code;
	}
	if (!p->submitting) {
		begin_submission(f, p, event, &fields);
	}
	code = begin_entry(f, p, event, &fields);
	if (!code && p->entry.words == 0) {
		code = end_entry(f, p);
	}
	return code;
}

static int take_words(kt_submission_feed *f, struct kt_submitter *p,
		      const struct kt_event *event)
{
	struct kt_words_fields fields;
	bool is_ours;
	int code = kt_words_fields(&fields, event);

	if (code) {
		return code;
	}
	f->totals->captured += fields.n;
	is_ours = fields.index == p->entry.index &&
		  is_of(&p->submission, fields.client, fields.channel);
	if (!p->gathering || !is_ours) {
		/* Of an entry that was given up, or one that nobody knows. */
		f->totals->behind += fields.n;
		f->totals->missing -=
			is_ours && fields.n <= f->totals->missing ? fields.n : 0;
		return end_entry(f, p);
	}
	if (fields.n == 0) {
		return KT_OK;
	}
	p->entry.captured += (uint32_t)fields.n;
	p->submission.words += fields.n;
	if (fields.offset != p->n_words) {
		p->entry.behind += (uint32_t)fields.n;
		f->totals->behind += fields.n;
		return KT_OK;
	}
	code = kt_array_reserve(&p->words, &p->words_capacity, p->n_words + fields.n);
	if (code) {
		return code;
	}
	memcpy(p->words + p->n_words, fields.words, fields.n * sizeof(*fields.words));
	p->n_words += fields.n;
	return p->n_words >= p->entry.words ? end_entry(f, p) : KT_OK;
}

static int take_object(struct kt_submitter *p, const struct kt_event *event)
{
	const struct kt_object_fields fields = kt_object_fields(event);

	if (fields.freed) {
		kt_channels_free_object(&p->channels, fields.object.client,
					fields.object.handle);
		return KT_OK;
	}
	return kt_channels_alloc(&p->channels, &fields.object);
}

int kt_submission_feed_take(kt_submission_feed *f, const struct kt_event *event)
{
	struct kt_submitter *p;
	int code = kt_submitters_find(&f->submitters, event, &p);

	/* Whose words follow a gap, nobody knows. */
	if (!code && event->seq > p->next_seq) {
		code = end_doorbell(f, p);
	}
	if (code) {
		return code;
	}
	p->next_seq = event->seq + 1;
	if (strcmp(event->name, "gpfifo_entry") == 0) {
		return take_entry(f, p, event);
	}
	if (strcmp(event->name, "pushbuffer") == 0) {
		return take_words(f, p, event);
	}
	if (strcmp(event->name, "doorbell") == 0) {
		return take_doorbell(f, p, event);
	}
	code = end_doorbell(f, p);
	if (!code && strcmp(event->name, "object") == 0) {
		code = take_object(p, event);
	}
	/* A process that is about to exec goes on where that fails. */
	if (!code && strcmp(event->name, "process_end") == 0) {
		const char *reason = "";

		kt_event_named_string(event, "reason", &reason);
		if (strcmp(reason, "exit") == 0) {
			kt_submitter_forget(p);
		}
	}
	return code;
}

/* --- life --- */

int kt_submission_feed_settle(kt_submission_feed *f, uint64_t life)
{
	struct kt_submitter *p = life < f->submitters.n ? f->submitters.items[life] : NULL;

	return p ? end_doorbell(f, p) : KT_OK;
}

int kt_submission_feed_end(kt_submission_feed *f)
{
	int code = KT_OK;

	for (size_t i = 0; i < f->submitters.n && !code; i++) {
		code = kt_submission_feed_settle(f, i);
	}
	return code;
}

int kt_submission_feed_new(kt_submission_feed **out,
			   const struct kt_submission_visitor *visitor, void *context,
			   struct kt_submission_totals *totals)
{
	kt_submission_feed *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f) {
		return kt_error(KT_E_MEMORY, "read submissions: out of memory");
	}
	f->visitor = visitor;
	f->context = context;
	f->totals = totals;
	return KT_OK;
}

void kt_submission_feed_free(kt_submission_feed *feed)
{
	if (feed) {
		kt_submitters_free(&feed->submitters);
		free(feed);
	}
}
