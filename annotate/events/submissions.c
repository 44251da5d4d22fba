/* SPDX-License-Identifier: MIT */
#include "annotate/events/submissions.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"
#include "infer/words/commands/channels.h"

/* The last doorbell of a process instance. */
struct last_doorbell {
	bool doorbell_written; /* set by a doorbell, until end_doorbell() */
	bool used;             /* a ring entry has followed */
	bool matched;          /* a ring entry of fields.channel has followed */
	uint64_t time;
	uint32_t tid;
	uint64_t seq;
	struct kt_doorbell_fields fields;
};

/* A process instance with its current submission. */
struct submitter {
	char *name; /* Owned by this */
	struct kt_channels channels;
	struct last_doorbell doorbell;
	uint64_t next_seq; /* sequence number expected next */
	bool submitting;   /* `submission` is not complete */
	struct kt_submission submission;
	bool gathering; /* `entry` is not complete */
	struct kt_submitted_entry entry;
	char *unread;    /* Owned by this: the text of entry.unread */
	uint32_t *words; /* Owned by this: dwords of `entry` before the first gap */
	size_t n_words;
	size_t words_capacity;
};

struct kt_submission_feed {
	const struct kt_submission_visitor *visitor; /* Weak */
	void *context;                               /* Weak */
	struct kt_submission_totals *totals;         /* Weak */
	/* Owned by this, with its elements; by instance ordinal; NULL: no event yet. */
	struct submitter **submitters;
	size_t n_submitters;
	size_t capacity;
	struct submitter *telling; /* Weak: the submitter whose entry is being decoded */
};

/* --- end of entries and submissions --- */

static void report_method(void *context, const struct kt_decoded *decoded)
{
	kt_submission_feed *f = context;

	f->visitor->method(f->context, &f->telling->submission, &f->telling->entry,
			   decoded);
}

/* Counts the unread dwords of an entry under their reason. */
static int count_unread(struct kt_submission_totals *totals,
			const struct kt_submitted_entry *entry)
{
	struct kt_unread *reason;
	uint64_t words =
		entry->words > entry->captured ? entry->words - entry->captured : 0;
	size_t i = 0;

	while (i < totals->n_reasons && strcmp(totals->reasons[i].why, entry->unread)) {
		i++;
	}
	if (i == totals->n_reasons) {
		KT_TRY(kt_array_reserve(&totals->reasons, &totals->reasons_capacity,
					i + 1));
		totals->reasons[i] = (struct kt_unread){.why = strdup(entry->unread)};
		if (!totals->reasons[i].why) {
			return kt_no_memory("read submissions");
		}
		totals->n_reasons++;
	}
	reason = &totals->reasons[i];
	reason->entries++;
	reason->words += words;
	totals->unread += words;
	totals->unread_rings += entry->words == 0;
	return KT_OK;
}

/*
 * Reports and decodes the current entry. All its dwords have been read, or no more will
 * come.
 */
static int end_entry(kt_submission_feed *f, struct submitter *p)
{
	struct kt_submitted_entry *entry = &p->entry;
	struct kt_decode_counts *sum = &f->totals->decoded;
	struct kt_decode_counts counts;
	struct kt_decode_counts segment;
	struct kt_channel *channel;
	int code = KT_OK;

	if (!p->gathering) {
		return KT_OK;
	}
	p->gathering = false;
	if (entry->unread[0]) {
		code = count_unread(f->totals, entry);
	} else if (entry->words > entry->captured) {
		f->totals->missing += entry->words - entry->captured;
	}
	entry->dwords = p->words;
	entry->n_dwords = p->n_words;
	f->visitor->entry(f->context, &p->submission, entry);
	KT_TRY(code);
	if (entry->words == 0) {
		return KT_OK;
	}
	KT_TRY(kt_channels_find(&p->channels, &channel, p->submission.client,
				p->submission.channel, p->submission.class_number));
	f->telling = p;
	kt_channel_decode(channel->decoder, p->words, p->n_words, report_method, f);
	if (p->n_words < entry->words) {
		kt_channel_decoder_gap(channel->decoder);
	}
	if (p->n_words == 0) {
		return KT_OK;
	}
	kt_channel_decoder_counts(channel->decoder, &counts);
	segment = (struct kt_decode_counts){
		.words = counts.words - channel->counts.words,
		.headers = counts.headers - channel->counts.headers,
		.methods = counts.methods - channel->counts.methods,
		.unnamed = counts.unnamed - channel->counts.unnamed,
		.unbound = counts.unbound - channel->counts.unbound,
		.bad = counts.bad - channel->counts.bad,
	};
	sum->words += segment.words;
	sum->headers += segment.headers;
	sum->methods += segment.methods;
	sum->unnamed += segment.unnamed;
	sum->unbound += segment.unbound;
	sum->bad += segment.bad;
	channel->counts = counts;
	if (f->visitor->decoded) {
		f->visitor->decoded(f->context, &p->submission, entry, &segment);
	}
	return KT_OK;
}

static int end_submission(kt_submission_feed *f, struct submitter *p)
{
	KT_TRY(end_entry(f, p));
	if (p->submitting) {
		p->submitting = false;
		f->visitor->end(f->context, &p->submission);
	}
	return KT_OK;
}

/*
 * Ends the current doorbell and submission. Called at a gap, at an event that is neither a
 * ring entry nor dwords, and at the end of the trace.
 */
static int end_doorbell(kt_submission_feed *f, struct submitter *p)
{
	KT_TRY(end_submission(f, p));
	f->totals->idle += p->doorbell.doorbell_written && !p->doorbell.used;
	p->doorbell.doorbell_written = false;
	return KT_OK;
}

/* --- events --- */

static bool is_of(const struct kt_submission *submission, uint32_t client, uint32_t channel)
{
	return submission->client == client && submission->channel == channel;
}

static int take_entry(kt_submission_feed *f, struct submitter *p,
		      const struct kt_event *event)
{
	const struct kt_entry_fields fields = kt_entry_fields(event);
	const uint32_t raw[2] = {(uint32_t)fields.entry, (uint32_t)(fields.entry >> 32)};
	struct last_doorbell *doorbell = &p->doorbell;
	const bool named = doorbell->doorbell_written && doorbell->fields.moved > 0 &&
			   doorbell->fields.channel == fields.channel;
	struct kt_submitted_entry *entry = &p->entry;
	struct kt_channel *channel;

	KT_TRY(end_entry(f, p));
	if (p->submitting && !is_of(&p->submission, fields.client, fields.channel)) {
		KT_TRY(end_submission(f, p));
	}
	if (!p->submitting) {
		KT_TRY(kt_channels_get(&p->channels, &channel, fields.client,
				       fields.channel));
		p->submitting = true;
		p->submission = (struct kt_submission){
			.number = ++f->totals->submissions,
			.time = doorbell->doorbell_written
					? doorbell->time
					: kt_reading_time(&f->totals->reading, event),
			.pid = event->pid,
			.tid = doorbell->doorbell_written ? doorbell->tid : event->tid,
			.process = p->name,
			.instance = event->process,
			.seq = doorbell->doorbell_written ? doorbell->seq : event->seq,
			.doorbell_written = doorbell->doorbell_written,
			.value_known = doorbell->doorbell_written && doorbell->fields.known,
			.value = doorbell->fields.value,
			/*
			 * The doorbell gives only the handle of its channel, and a channel
			 * of another client may have the same handle. So only the first
			 * submission that fits gets the doorbell's GP_PUT.
			 */
			.after_known = named && !doorbell->matched,
			.before = fields.index,
			.after = doorbell->fields.gp_put,
			.get_known =
				named && !doorbell->matched && doorbell->fields.get_known,
			.get = doorbell->fields.gp_get,
			.ring = channel->ring,
			.client = fields.client,
			.channel = fields.channel,
			.class_number = fields.class_number,
		};
		doorbell->used = true;
		doorbell->matched = doorbell->matched || named;
	}
	free(p->unread);
	p->unread = kt_utf8_printable_copy(fields.unread);
	if (!p->unread) {
		return kt_no_memory("read submissions");
	}
	*entry = (struct kt_submitted_entry){
		.index = fields.index,
		.raw = fields.entry,
		.address = fields.address,
		.words = fields.words,
		.found = fields.found,
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
	return entry->words == 0 ? end_entry(f, p) : KT_OK;
}

static int take_words(kt_submission_feed *f, struct submitter *p,
		      const struct kt_event *event)
{
	struct kt_words_fields fields;
	bool is_ours;

	KT_TRY(kt_words_fields(&fields, event));
	f->totals->captured += fields.words.n;
	is_ours = fields.index == p->entry.index &&
		  is_of(&p->submission, fields.client, fields.channel);
	if (!p->gathering || !is_ours) {
		/*
		 * The ring entry of the dwords has ended or is unknown, so the dwords are
		 * not decoded.
		 */
		f->totals->after_gap += fields.words.n;
		f->totals->missing -= is_ours && fields.words.n <= f->totals->missing
					      ? fields.words.n
					      : 0;
		return end_entry(f, p);
	}
	if (fields.words.n == 0) {
		return KT_OK;
	}
	p->entry.captured += (uint32_t)fields.words.n;
	p->submission.words += fields.words.n;
	if (fields.offset != p->n_words) {
		p->entry.after_gap += (uint32_t)fields.words.n;
		f->totals->after_gap += fields.words.n;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&p->words, &p->words_capacity,
				p->n_words + fields.words.n));
	memcpy(p->words + p->n_words, fields.words.items,
	       fields.words.n * sizeof(*fields.words.items));
	p->n_words += fields.words.n;
	return p->n_words >= p->entry.words ? end_entry(f, p) : KT_OK;
}

static int take_object(struct submitter *p, const struct kt_object_fields *fields)
{
	const struct kt_engine_object *object = &fields->object;
	struct kt_channel *channel;

	KT_TRY(kt_channels_alloc(&p->channels, object));
	if (fields->ring) {
		KT_TRY(kt_channels_get(&p->channels, &channel, object->client,
				       object->handle));
		channel->ring = fields->ring;
	}
	return KT_OK;
}

/* --- processes --- */

/* Frees the large members of a process that has ended. */
static void forget(struct submitter *p)
{
	kt_channels_clear(&p->channels);
	free(p->words);
	p->words = NULL;
	p->words_capacity = 0;
	p->n_words = 0;
}

static int take(kt_submission_feed *f, const struct kt_event *event)
{
	const size_t need = (size_t)event->process + 1;
	struct submitter *p;

	KT_TRY(kt_array_reserve(&f->submitters, &f->capacity, need));
	while (f->n_submitters < need) {
		f->submitters[f->n_submitters++] = NULL;
	}
	p = f->submitters[event->process];
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			return kt_no_memory("read submissions");
		}
		f->submitters[event->process] = p;
		p->name = kt_utf8_printable_copy(event->process_name);
		if (!p->name) {
			return kt_no_memory("read submissions");
		}
	}
	/* After a gap it is unknown to which entry dwords belong, so end the entry. */
	if (event->seq > p->next_seq) {
		KT_TRY(end_doorbell(f, p));
		kt_channels_gap(&p->channels);
	}
	p->next_seq = event->seq + 1;
	if (event->shape == KT_ON_ENTRY) {
		return take_entry(f, p, event);
	}
	if (event->shape == KT_ON_WORDS) {
		return take_words(f, p, event);
	}
	KT_TRY(end_doorbell(f, p));
	if (event->shape == KT_ON_DOORBELL) {
		f->totals->doorbells++;
		p->doorbell = (struct last_doorbell){
			.doorbell_written = true,
			.time = kt_reading_time(&f->totals->reading, event),
			.tid = event->tid,
			.seq = event->seq,
			.fields = kt_doorbell_fields(event),
		};
		f->totals->moved += p->doorbell.fields.moved > 0;
	} else if (event->shape == KT_ON_OBJECT) {
		const struct kt_object_fields fields = kt_object_fields(event);

		if (!fields.freed) {
			return take_object(p, &fields);
		}
		kt_channels_free_object(&p->channels, fields.object.client,
					fields.object.handle);
	} else if (event->shape == KT_ON_PROCESS_END &&
		   strcmp(kt_process_end_fields(event).reason, "exit") == 0) {
		/*
		 * After an exec that fails, or after a seccomp filter, the process goes on
		 * and still needs its channels.
		 */
		forget(p);
	}
	return KT_OK;
}

/* --- the feed --- */

int kt_submission_feed_take(void *feed, const struct kt_event *event)
{
	kt_submission_feed *f = feed;

	KT_TRY(take(f, event));
	return f->visitor->event ? f->visitor->event(f->context, event) : KT_OK;
}

int kt_submission_feed_settle(kt_submission_feed *f, uint64_t instance)
{
	struct submitter *p = instance < f->n_submitters ? f->submitters[instance] : NULL;

	return p ? end_doorbell(f, p) : KT_OK;
}

int kt_submission_feed_new(kt_submission_feed **out,
			   const struct kt_submission_visitor *visitor, void *context,
			   struct kt_submission_totals *totals)
{
	kt_submission_feed *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f) {
		return kt_no_memory("read submissions");
	}
	f->visitor = visitor;
	f->context = context;
	f->totals = totals;
	return KT_OK;
}

void kt_submission_feed_free(kt_submission_feed *feed)
{
	if (!feed) {
		return;
	}
	for (size_t i = 0; i < feed->n_submitters; i++) {
		struct submitter *p = feed->submitters[i];

		if (p) {
			forget(p);
			free(p->name);
			free(p->unread);
			free(p);
		}
	}
	free(feed->submitters);
	free(feed);
}

/* --- a trace --- */

int kt_submissions_read(const char *path, const struct kt_submission_visitor *visitor,
			void *context, struct kt_submission_totals *totals)
{
	kt_submission_feed *feed;
	int code;

	KT_TRY_END(kt_submission_feed_new(&feed, visitor, context, totals));
	KT_TRY_END(kt_read_events(path, kt_submission_feed_take, feed, &totals->reading));
	for (size_t instance = 0; instance < feed->n_submitters; instance++) {
		KT_TRY_END(kt_submission_feed_settle(feed, instance));
	}
	if (totals->entries == 0) {
		code = kt_error(
			KT_E_EMPTY, "read %s: no event gpfifo_entry in it: %s", path,
			totals->doorbells == 0
				? "no doorbell was written, or doorbells were not recorded"
			: totals->moved > 0
				? "its doorbells were recorded without their submissions "
				  "(--submissions=off, or an older recorder)"
				: "no ring had advanced at any of its doorbells");
	}
end:
	kt_submission_feed_free(feed);
	return code;
}

void kt_submission_totals_free(struct kt_submission_totals *totals)
{
	for (size_t i = 0; i < totals->n_reasons; i++) {
		free(totals->reasons[i].why);
	}
	free(totals->reasons);
}
