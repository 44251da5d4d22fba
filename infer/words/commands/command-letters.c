/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-letters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/qmd.h"
#include "infer/words/commands/channels.h"
#include "infer/words/commands/command-polls.h"
#include "infer/words/commands/submission-letter.h"

/* The current sequence of equal methods, which gives one letter. */
struct method_run {
	uint64_t key; /* 0: there is no such sequence */
	uint32_t letter;
};

/*
 * State of one process: events that have not yet given letters, and records that are ready
 * to be returned. All members except `tools` are zero before the first event.
 */
struct encoder {
	struct kt_command_letters *tools; /* Weak */
	kt_roles *roles; /* Weak: set only with the alphabet `roles`; gets what is read */
	struct kt_channels channels;
	struct kt_polls polls;
	/* with `roles`: the channel that the record polls; KT_NO_CHANNEL: none */
	uint32_t polled;
	struct kt_record *out; /* Owned by this until it is returned */
	size_t n;
	size_t capacity;
	bool doorbell_written; /* a doorbell is open: after it, only ring entries and dwords
				* have come */
	bool used;             /* a ring entry has come after the open doorbell */
	struct kt_record doorbell;
	struct kt_command_event ring; /* the event of `doorbell` */
	bool submitting;              /* a submission to one channel is open */
	/*
	 * gives the letter its time: the doorbell or, if no doorbell is open, the first
	 * entry
	 */
	struct kt_record first;
	struct kt_command_event entry;
	struct kt_record entry_record;
	uint32_t channel; /* ordinal of the submission's channel */
	struct kt_submitted submitted;
	struct method_run run;
	bool gathering;        /* more dwords of `entry` may follow */
	const uint32_t *words; /* Weak: points into the pool or into `joined` */
	size_t n_words;
	uint32_t *joined; /* Owned by this */
	size_t joined_capacity;
	int code; /* first error of take_decoded(), which cannot return it */
};

static bool of_methods(const struct encoder *s)
{
	return s->tools->alphabet == KT_COMMANDS_METHODS;
}

static bool of_submissions(const struct encoder *s)
{
	return s->tools->alphabet == KT_COMMANDS_SUBMISSION;
}

/* --- records --- */

static int add_record(struct encoder *s, const struct kt_record *record)
{
	KT_TRY(kt_array_reserve(&s->out, &s->capacity, s->n + 1));
	s->out[s->n++] = *record;
	return KT_OK;
}

/*
 * Adds a letter of the channel with the ordinal `channel`. The letter gets the time, thread
 * and sequence number of the record `of`.
 */
static int add_letter(struct encoder *s, const struct kt_record *of, uint32_t letter,
		      uint32_t channel)
{
	const struct kt_record record = {.seq = of->seq,
					 .time = of->time,
					 .tid = of->tid,
					 .mapping = channel,
					 .detail =
						 kt_channels_handle(&s->channels, channel),
					 .letter = letter & KT_NO_LETTER};

	return add_record(s, &record);
}

/* Like add_letter(), for a letter given by name. */
static int add_named(struct encoder *s, const struct kt_record *of, const char *name,
		     uint32_t channel)
{
	uint32_t letter = 0;

	KT_TRY(kt_letters_intern(s->tools->letters, name, strlen(name), &letter));
	return add_letter(s, of, letter, channel);
}

/* --- methods --- */

/* Returns a key, not 0, that identifies the method. */
static uint64_t key_of(const struct kt_decoded *d)
{
	uint32_t offset = d->named ? d->info.offset : d->method.offset;

	return (uint64_t)d->class_number << 32 | (uint64_t)offset << 1 | 1;
}

/*
 * Writes the letter of the method with that key to *letter. Expected O(1), except when a
 * key comes for the first time.
 */
static int letter_of(struct kt_method_letters *c, kt_letters *letters, uint64_t key,
		     const struct kt_decoded *d, uint32_t *letter)
{
	uint32_t hash = kt_hash_number(key);
	struct kt_hash_probe probe = kt_hash_probe(&c->by_key, hash);
	/* Names of classes and methods fit, because they are short. */
	char class_[64];
	char name[192];
	uint32_t i;
	int n;

	while (kt_hash_next(&c->by_key, &probe, &i)) {
		if (c->given[i].key == key) {
			*letter = c->given[i].letter;
			return KT_OK;
		}
	}
	if (d->class_) {
		snprintf(class_, sizeof(class_), "%s", kt_method_class_name(d->class_));
	} else {
		snprintf(class_, sizeof(class_), "0x%" PRIx32, d->class_number);
	}
	if (d->named) {
		n = snprintf(name, sizeof(name), "m:%s:%s", class_, d->info.name);
	} else {
		n = snprintf(name, sizeof(name), "m:%s:0x%" PRIx16, class_,
			     d->method.offset);
	}
	if (n < 0 || (size_t)n >= sizeof(name)) {
		return kt_error(KT_E_INTERNAL, "encode methods: a name is too long");
	}
	KT_TRY(kt_letters_intern(letters, name, (size_t)n, letter));
	KT_TRY(kt_array_reserve(&c->given, &c->capacity, c->n + 1));
	KT_TRY(kt_hash_add(&c->by_key, hash, c->n));
	c->given[c->n++] = (struct kt_method_letter){key, *letter};
	return KT_OK;
}

static int end_run(struct encoder *s)
{
	if (!s->run.key) {
		return KT_OK;
	}
	s->run.key = 0;
	return add_letter(s, &s->entry_record, s->run.letter, s->channel);
}

static int take_method(struct encoder *s, const struct kt_decoded *decoded)
{
	uint64_t key = key_of(decoded);

	if (key == s->run.key) {
		return KT_OK;
	}
	KT_TRY(end_run(s));
	KT_TRY(letter_of(&s->tools->methods, s->tools->letters, key, decoded,
			 &s->run.letter));
	s->run.key = key;
	return KT_OK;
}

/* --- effects of a submission --- */

static int take_releases(struct encoder *s, const struct kt_command *command)
{
	const struct kt_qmd_layout *layout;
	struct kt_qmd_launch launch;

	if (command->releases) {
		KT_TRY(kt_polls_release(&s->polls, s->channel, command->address));
	}
	if (!command->qmd) {
		return KT_OK;
	}
	/* The QMD of a launch can release semaphores too. */
	layout = kt_qmd_find(command->class_number, command->qmd, command->qmd_bytes);
	if (!layout) {
		return KT_OK;
	}
	kt_qmd_launch(layout, command->qmd, command->qmd_bytes, &launch);
	for (size_t i = 0; i < 3; i++) {
		if (launch.release[i]) {
			KT_TRY(kt_polls_release(&s->polls, s->channel, launch.release[i]));
		}
	}
	return KT_OK;
}

static int take_command(struct encoder *s, const struct kt_decoded *decoded)
{
	KT_TRY(kt_submitted_add(&s->submitted, decoded));
	return take_releases(s, &decoded->command);
}

/*
 * An inline copy of at most the size of a semaphore counts as a release here, as in
 * kt_roles_command().
 */
static int take_role_command(struct encoder *s, const struct kt_command *command)
{
	KT_TRY(kt_roles_command(s->roles, 0, command));
	if (command->kind == KT_COMMAND_INLINE && command->bytes <= KT_SEMAPHORE_BYTES) {
		KT_TRY(kt_polls_release(&s->polls, s->channel, command->to));
	}
	return take_releases(s, command);
}

static void take_decoded(void *context, const struct kt_decoded *decoded)
{
	struct encoder *s = context;

	if (!s->code) {
		s->code = s->roles        ? take_role_command(s, &decoded->command)
			  : of_methods(s) ? take_method(s, decoded)
					  : take_command(s, decoded);
	}
}

/* Decodes the current entry, of which all dwords have arrived or no more will arrive. */
static int end_entry(struct encoder *s)
{
	if (!s->gathering) {
		return KT_OK;
	}
	s->gathering = false;
	if (s->entry.entry.words) {
		struct kt_channel *channel;

		KT_TRY(kt_channels_find(&s->channels, &channel, s->entry.client,
					s->entry.object, s->entry.entry.class_number));
		kt_channel_decode(channel->decoder, s->words, s->n_words, take_decoded, s);
		if (s->n_words < s->entry.entry.words) {
			kt_channel_decoder_gap(channel->decoder);
		}
		KT_TRY(s->code);
		KT_TRY(end_run(s));
	}
	if (!s->entry.entry.unread && s->n_words >= s->entry.entry.words) {
		return KT_OK;
	}
	s->submitted.unread = true;
	if (!of_methods(s)) {
		return KT_OK;
	}
	return add_named(s, &s->entry_record, "m:unread", s->channel);
}

/* Ends the current submission and its last entry. */
static int end_submission(struct encoder *s)
{
	char name[KT_SUBMITTED_NAME + 8];
	char kinds[KT_SUBMITTED_NAME];

	KT_TRY(end_entry(s));
	if (!s->submitting) {
		return KT_OK;
	}
	s->submitting = false;
	if (s->roles) {
		return kt_polls_submit(&s->polls, s->channel);
	}
	if (!of_submissions(s)) {
		return KT_OK;
	}
	snprintf(name, sizeof(name), "%s:%s", s->entry.entry.found ? "found" : "submit",
		 kt_submitted_name(&s->submitted, kinds));
	KT_TRY(add_named(s, &s->first, name, s->channel));
	return kt_polls_submit(&s->polls, s->channel);
}

/*
 * Ends the current doorbell and its submission. They are complete when any event except a
 * ring entry or dwords arrives.
 */
static int end_doorbell(struct encoder *s)
{
	const struct kt_channels *c = &s->channels;
	bool idle = s->doorbell_written && !s->used;
	uint32_t channel = KT_NO_CHANNEL;

	KT_TRY(end_submission(s));
	s->doorbell_written = false;
	if (!idle || !of_submissions(s)) {
		return KT_OK;
	}
	/*
	 * A doorbell without a ring entry belongs to the channel whose handle is in the
	 * doorbell event or, if there is no such channel, to the channel whose token was
	 * written.
	 */
	for (size_t i = 0; i < c->n && channel == KT_NO_CHANNEL; i++) {
		if (c->channels[i].handle == s->ring.object) {
			channel = c->channels[i].ordinal;
		}
	}
	for (size_t i = 0; i < c->n && channel == KT_NO_CHANNEL && s->ring.doorbell.known;
	     i++) {
		if (c->channels[i].token == s->ring.doorbell.value) {
			channel = c->channels[i].ordinal;
		}
	}
	return add_named(s, &s->doorbell,
			 s->ring.doorbell.moved > 0 ? "submit:unread" : "submit:nothing",
			 channel);
}

/* --- events --- */

static int take_entry(struct encoder *s, const struct kt_record *record,
		      const struct kt_command_event *event)
{
	KT_TRY(end_entry(s));
	if (s->roles) {
		KT_TRY(kt_roles_entry(s->roles, 0, event->entry.address,
				      event->entry.words));
	}
	if (!s->submitting || s->entry.client != event->client ||
	    s->entry.object != event->object ||
	    s->entry.entry.found != event->entry.found) {
		/* The entry begins a submission. */
		struct kt_channel *channel;

		KT_TRY(end_submission(s));
		KT_TRY(kt_channels_get(&s->channels, &channel, event->client,
				       event->object));
		if (s->doorbell_written && s->ring.doorbell.known &&
		    s->ring.doorbell.moved == 1) {
			channel->token = s->ring.doorbell.value;
		}
		s->submitting = true;
		s->used = true;
		s->channel = channel->ordinal;
		s->first = s->doorbell_written ? s->doorbell : *record;
		kt_submitted_clear(&s->submitted);
	}
	s->entry = *event;
	s->entry_record = *record;
	s->gathering = true;
	s->n_words = 0;
	return event->entry.words == 0 ? end_entry(s) : KT_OK;
}

static int take_words(struct encoder *s, const struct kt_command_event *event)
{
	const uint32_t *words = kt_command_words(s->tools->of, event);
	size_t n = s->n_words + event->words.n;

	if (!s->gathering || event->object != s->entry.object ||
	    event->client != s->entry.client ||
	    event->words.index != s->entry.entry.index ||
	    event->words.offset != s->n_words || event->words.n == 0) {
		return KT_OK;
	}
	if (s->n_words == 0 && !s->tools->forget) {
		s->words = words;
	} else if (s->tools->forget || s->words + s->n_words != words) {
		/*
		 * Joins the pieces of the entry's dwords in one buffer. In the pool, dwords
		 * of another process lie between the pieces; when streaming, each piece is
		 * freed with its event.
		 */
		bool joined = s->joined && s->words == s->joined;

		KT_TRY(kt_array_reserve(&s->joined, &s->joined_capacity, n));
		if (!joined && s->n_words > 0) {
			memcpy(s->joined, s->words, s->n_words * sizeof(*words));
		}
		memcpy(s->joined + s->n_words, words, event->words.n * sizeof(*words));
		s->words = s->joined;
	}
	s->n_words = n;
	return n >= s->entry.entry.words ? end_entry(s) : KT_OK;
}

static int take(struct encoder *s, const struct kt_record *record,
		const struct kt_command_event *event, uint32_t *channel)
{
	if (event && event->kind == KT_COMMAND_ENTRY) {
		return take_entry(s, record, event);
	}
	if (event && event->kind == KT_COMMAND_WORDS) {
		return take_words(s, event);
	}
	KT_TRY(end_doorbell(s));
	if (!event) {
		return KT_OK;
	}
	switch (event->kind) {
	case KT_COMMAND_DOORBELL:
		s->doorbell_written = true;
		s->used = false;
		s->doorbell = *record;
		s->ring = *event;
		return s->roles ? kt_roles_doorbell(s->roles, 0, record->tid) : KT_OK;
	case KT_COMMAND_OBJECT: {
		const struct kt_class *class_ =
			kt_class_find(event->allocation.class_number);
		struct kt_engine_object object = {.client = event->client,
						  .parent = event->allocation.parent,
						  .handle = event->object,
						  .class_number =
							  event->allocation.class_number};

		if (event->allocation.freed) {
			*channel = kt_channels_free_object(&s->channels, event->client,
							   event->object);
			return KT_OK;
		}
		if (event->allocation.alloc && class_ && class_->kind == KT_CLASS_CHANNEL) {
			KT_TRY(kt_channels_add(&s->channels, event->client, event->object,
					       channel));
		}
		return kt_channels_alloc(&s->channels, &object);
	}
	case KT_COMMAND_MAP:
		if (s->roles) {
			const struct kt_role_mapping mapping = {
				event->map.space, event->map.class_number,
				event->map.address, event->map.length};

			KT_TRY(kt_roles_map(s->roles, 0, event->map.mapping, &mapping));
		}
		return kt_polls_map(&s->polls, event->map.mapping, event->map.address,
				    event->map.length);
	case KT_COMMAND_ACCESS: {
		const bool is_poll = !of_methods(s) && !event->access.write &&
				     kt_polls_read(&s->polls, event->access.mapping,
						   event->access.offset, &s->polled);

		if (s->roles) {
			return kt_roles_access(s->roles, 0, record->tid,
					       event->access.write, event->access.mapping,
					       event->access.offset);
		}
		return is_poll ? add_named(s, record, "poll", s->polled) : KT_OK;
	}
	case KT_COMMAND_UNMAP:
		kt_roles_unmap(s->roles, 0, event->unmap.mapping, event->unmap.length);
		return KT_OK;
	case KT_COMMAND_IOCTL: return kt_roles_ioctl(s->roles, 0, record->tid);
	default: return KT_OK;
	}
}

/* --- all records of a process at once --- */

/* Frees everything that the encoder owns except `out`. */
static void clear(struct encoder *s)
{
	kt_channels_clear(&s->channels);
	kt_polls_free(&s->polls);
	kt_submitted_free(&s->submitted);
	free(s->joined);
}

static const struct kt_command_event *event_of(const struct kt_command_letters *tools,
					       const struct kt_record *record)
{
	return record->detail ? &tools->of->events[record->detail - 1] : NULL;
}

int kt_command_letters_find_roles(struct kt_command_letters *letters, kt_roles *roles,
				  const struct kt_record *records, size_t n, bool *polls)
{
	struct encoder s = {.tools = letters, .roles = roles};
	int code;

	for (size_t i = 0; i < n; i++) {
		uint32_t channel;

		if (i > 0 && records[i].seq != records[i - 1].seq + 1) {
			KT_TRY_END(end_doorbell(&s));
			kt_polls_gap(&s.polls);
			kt_channels_gap(&s.channels);
			kt_roles_gap(roles, 0);
		}
		s.polled = KT_NO_CHANNEL;
		KT_TRY_END(take(&s, &records[i], event_of(letters, &records[i]), &channel));
		polls[i] = s.polled != KT_NO_CHANNEL;
	}
	code = end_doorbell(&s);
end:
	clear(&s);
	return code;
}

static int take_record(struct encoder *s, const struct kt_record *record, bool after_gap)
{
	struct kt_record plain = *record;
	const struct kt_command_event *event = event_of(s->tools, record);

	/*
	 * Ends an open submission, because events after a gap do not continue a submission
	 * before the gap.
	 */
	if (after_gap) {
		KT_TRY(end_doorbell(s));
		kt_polls_gap(&s->polls);
		kt_channels_gap(&s->channels);
	}
	plain.detail = 0;
	plain.letter = KT_NO_LETTER;
	plain.run = KT_RUN_NONE;
	if (plain.kind != KT_EVENT_RETURN) {
		plain.mapping = KT_NO_CHANNEL;
	}
	KT_TRY(take(s, record, event, &plain.mapping));
	return add_record(s, &plain);
}

int kt_command_letters_encode(void *context, const struct kt_record *records, size_t n,
			      struct kt_record **out, size_t *n_out)
{
	struct encoder s = {.tools = context};
	int code;

	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(take_record(&s, &records[i],
				       i > 0 && records[i].seq != records[i - 1].seq + 1));
	}
	KT_TRY_END(end_doorbell(&s));
	/* Letters of unknown channels get the ordinal after the last channel. */
	for (size_t i = 0; i < s.n; i++) {
		if (s.out[i].letter != KT_NO_LETTER && s.out[i].mapping == KT_NO_CHANNEL) {
			s.out[i].mapping = s.channels.total;
		}
	}
	*out = s.out;
	*n_out = s.n;
end:
	clear(&s);
	if (code) {
		free(s.out);
	}
	return code;
}

/* --- record by record --- */

static int begin(void *context, void **encoder)
{
	struct encoder *s = calloc(1, sizeof(*s));

	*encoder = s;
	if (!s) {
		return kt_no_memory("encode commands");
	}
	s->tools = context;
	return KT_OK;
}

static int take_next(void *encoder, const struct kt_record *record, bool after_gap,
		     const struct kt_record **out, size_t *n_out)
{
	struct encoder *s = encoder;
	int code;

	s->n = 0;
	code = record ? take_record(s, record, after_gap) : end_doorbell(s);
	if (record) {
		kt_command_events_forget(s->tools->forget, record->detail);
	}
	*out = s->out;
	*n_out = code ? 0 : s->n;
	return code;
}

static uint32_t strays(const void *encoder)
{
	return ((const struct encoder *)encoder)->channels.total;
}

static void end(void *encoder)
{
	struct encoder *s = encoder;

	clear(s);
	free(s->out);
	free(s);
}

static void drop(void *context, const struct kt_record *record)
{
	kt_command_events_forget(((struct kt_command_letters *)context)->forget,
				 record->detail);
}

const struct kt_encoding kt_command_encoding = {
	.all = kt_command_letters_encode,
	.begin = begin,
	.take = take_next,
	.strays = strays,
	.end = end,
	.drop = drop,
};

void kt_command_letters_free(struct kt_command_letters *letters)
{
	free(letters->methods.given);
	kt_hash_free(&letters->methods.by_key);
	memset(&letters->methods, 0, sizeof(letters->methods));
}
