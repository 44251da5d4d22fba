/* SPDX-License-Identifier: MIT */
#include "infer/words/command-letters.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "decode/classes.h"
#include "decode/commands.h"
#include "decode/qmd.h"
#include "infer/words/channels.h"
#include "infer/words/command-ordinals.h"
#include "infer/words/command-polls.h"
#include "infer/words/submission-letter.h"

/* A method that goes on. */
struct run {
	uint64_t key; /* 0: none */
	uint32_t letter;
	uint32_t count;
	uint32_t value; /* of the first */
	uint8_t subchannel;
};

/* One process. */
struct speller {
	struct kt_command_letters *tools; /* Weak */
	struct kt_channels channels;
	struct kt_ordinals ordinals;
	struct kt_polls polls;
	struct kt_record *out; /* Owned by this until it is given */
	size_t n;
	size_t capacity;
	bool rung; /* a doorbell came, and no other event since */
	bool used; /* it has an entry */
	struct kt_record doorbell;
	struct kt_command_event ring; /* its event */
	bool submitting;              /* to one channel */
	struct kt_record first;       /* of the submission: what its letter bears */
	struct kt_command_event entry;
	struct kt_record entry_record;
	uint32_t channel; /* its ordinal */
	uint32_t entries;
	uint64_t submitted_words;
	struct kt_submitted submitted;
	struct run run;
	bool gathering;        /* words of `entry` may follow */
	const uint32_t *words; /* Weak: in the pool, or `joined` */
	size_t n_words;
	uint32_t *joined; /* Owned by this */
	size_t joined_capacity;
	int code; /* of what failed within the decoder's callback */
};

/* --- records --- */

static int add(struct speller *s, const struct kt_record *record)
{
	int code = kt_array_reserve(&s->out, &s->capacity, s->n + 1);

	if (!code) {
		s->out[s->n++] = *record;
	}
	return code;
}

/* A letter in the place of an event. */
static int add_letter(struct speller *s, const struct kt_record *of, uint32_t letter,
		      uint32_t channel, const char *detail, size_t length)
{
	struct kt_record record = {.seq = of->seq,
				   .time = of->time,
				   .tid = of->tid,
				   .mapping = channel,
				   .letter = letter & KT_NO_LETTER};
	uint32_t number = 0;
	int code = KT_OK;

	if (s->tools->keep) {
		code = s->tools->keep(s->tools->keep_context, detail, length, &number);
		record.detail = number;
	}
	return code ? code : add(s, &record);
}

__attribute__((format(printf, 5, 6))) static int
add_named(struct speller *s, const struct kt_record *of, const char *name, uint32_t channel,
	  const char *format, ...)
{
	char detail[256] = "";
	uint32_t letter = 0;
	va_list args;
	int code = kt_letters_intern(s->tools->letters, name, strlen(name), &letter);

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	return code ? code : add_letter(s, of, letter, channel, detail, strlen(detail));
}

static bool is_methods(const struct speller *s)
{
	return s->tools->alphabet == KT_COMMANDS_METHODS;
}

/* --- methods --- */

static int end_run(struct speller *s)
{
	char detail[192];
	int n;

	if (!s->run.key) {
		return KT_OK;
	}
	n = snprintf(detail, sizeof(detail),
		     "client=0x%" PRIx32 " channel=0x%" PRIx32 " index=%" PRIu32
		     " subchannel=%u value=0x%" PRIx32 " count=%" PRIu32,
		     s->entry.client, s->entry.object, s->entry.entry.index,
		     s->run.subchannel, s->run.value, s->run.count);
	s->run.key = 0;
	return add_letter(s, &s->entry_record, s->run.letter, s->channel, detail,
			  (size_t)n);
}

static int take_method(struct speller *s, const struct kt_decoded *decoded)
{
	uint64_t key = kt_method_key(decoded);
	int code;

	if (key == s->run.key) {
		s->run.count++;
		return KT_OK;
	}
	code = end_run(s);
	if (!code) {
		s->run = (struct run){.count = 1,
				      .value = decoded->method.value,
				      .subchannel = decoded->method.subchannel};
		code = kt_method_letter(&s->tools->methods, s->tools->letters, key, decoded,
					&s->run.letter);
		s->run.key = code ? 0 : key;
	}
	return code;
}

/* --- what a submission does --- */

/* Semaphores that the QMD of a launch releases. */
static int take_launch(struct speller *s, const struct kt_command *command)
{
	const struct kt_qmd_layout *layout =
		command->qmd ? kt_qmd_find(command->class_number, command->qmd,
					   command->qmd_bytes)
			     : NULL;
	struct kt_qmd_launch launch;
	int code = KT_OK;

	if (!layout) {
		return KT_OK;
	}
	kt_qmd_launch(layout, command->qmd, command->qmd_bytes, &launch);
	for (size_t i = 0; i < 3 && !code; i++) {
		if (launch.release[i]) {
			code = kt_polls_release(&s->polls, s->channel, launch.release[i]);
		}
	}
	return code;
}

static void take_decoded(void *context, const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	struct speller *s = context;

	if (s->code) {
		return;
	}
	if (is_methods(s)) {
		s->code = take_method(s, decoded);
		return;
	}
	s->code = kt_submitted_add(&s->submitted, decoded);
	if (!s->code && command->releases) {
		s->code = kt_polls_release(&s->polls, s->channel, command->address);
	}
	if (!s->code && command->kind == KT_COMMAND_LAUNCH) {
		s->code = take_launch(s, command);
	}
}

static int decode(struct speller *s)
{
	struct kt_channel *channel;
	int code = kt_channels_find(&s->channels, &channel, s->entry.client,
				    s->entry.object, s->entry.entry.class_number);

	if (!code) {
		kt_channel_decode(channel->decoder, s->words, s->n_words, take_decoded, s);
		code = s->code;
	}
	return code ? code : end_run(s);
}

/* The words of an entry have all come, or will not come any more. */
static int end_entry(struct speller *s)
{
	int code = KT_OK;

	if (!s->gathering) {
		return KT_OK;
	}
	s->gathering = false;
	s->submitted_words += s->n_words;
	code = s->n_words ? decode(s) : KT_OK;
	if (!code && (s->entry.entry.unread || s->n_words < s->entry.entry.words)) {
		s->submitted.unread = true;
		if (is_methods(s)) {
			code = add_named(
				s, &s->entry_record, "m:unread", s->channel,
				"client=0x%" PRIx32 " channel=0x%" PRIx32 " index=%" PRIu32,
				s->entry.client, s->entry.object, s->entry.entry.index);
		}
	}
	return code;
}

static int print_submission(struct speller *s, FILE *out, FILE *detail)
{
	fputs(s->entry.entry.found ? "found:" : "submit:", out);
	kt_submitted_print(out, &s->submitted);
	fprintf(detail,
		"client=0x%" PRIx32 " channel=0x%" PRIx32 " class=0x%" PRIx32
		" entries=%" PRIu32 " words=%" PRIu64,
		s->entry.client, s->entry.object, s->entry.entry.class_number, s->entries,
		s->submitted_words);
	kt_submitted_print_detail(detail, &s->submitted);
	return ferror(out) || ferror(detail)
		       ? kt_error(KT_E_INTERNAL, "spell submissions: a letter is too long")
		       : KT_OK;
}

static int add_submission(struct speller *s)
{
	char name[256];
	char text[1024];
	FILE *out = fmemopen(name, sizeof(name), "w");
	FILE *detail = fmemopen(text, sizeof(text), "w");
	uint32_t letter = 0;
	int code = out && detail
			   ? print_submission(s, out, detail)
			   : kt_error(KT_E_MEMORY, "spell submissions: out of memory");

	if (out) {
		fclose(out);
	}
	if (detail) {
		fclose(detail);
	}
	code = code ? code
		    : kt_letters_intern(s->tools->letters, name, strlen(name), &letter);
	return code ? code
		    : add_letter(s, &s->first, letter, s->channel, text, strlen(text));
}

static int end_submission(struct speller *s)
{
	int code = end_entry(s);

	if (code || !s->submitting) {
		return code;
	}
	s->submitting = false;
	if (is_methods(s)) {
		return KT_OK;
	}
	code = add_submission(s);
	return code ? code : kt_polls_submit(&s->polls, s->channel);
}

/* A doorbell without an entry: of a channel that moved, or of none. */
static int add_idle(struct speller *s)
{
	uint32_t channel = kt_ordinals_of_handle(&s->ordinals, s->ring.object);
	bool moved = s->ring.doorbell.moved > 0;

	if (channel == KT_NO_CHANNEL && s->ring.doorbell.known) {
		channel = kt_ordinals_of_token(&s->ordinals, s->ring.doorbell.value);
	}
	if (is_methods(s)) {
		return KT_OK;
	}
	return add_named(s, &s->doorbell, moved ? "submit:unread" : "submit:nothing",
			 channel, "channel=0x%" PRIx32 " value=0x%" PRIx32, s->ring.object,
			 s->ring.doorbell.value);
}

/* An event that submits nothing, or the next doorbell: what came before is complete. */
static int end_doorbell(struct speller *s)
{
	int code = end_submission(s);

	if (!code && s->rung && !s->used) {
		code = add_idle(s);
	}
	s->rung = false;
	return code;
}

/* --- events --- */

static int take_doorbell(struct speller *s, const struct kt_record *record,
			 const struct kt_command_event *event)
{
	int code = end_doorbell(s);

	s->rung = true;
	s->used = false;
	s->doorbell = *record;
	s->ring = *event;
	return code;
}

static bool goes_on(const struct speller *s, const struct kt_command_event *event)
{
	return s->submitting && s->entry.client == event->client &&
	       s->entry.object == event->object &&
	       s->entry.entry.found == event->entry.found;
}

static int begin_submission(struct speller *s, const struct kt_record *record,
			    const struct kt_command_event *event)
{
	struct kt_ordinal *ordinal;
	int code = kt_ordinals_find(&s->ordinals, event->client, event->object, &ordinal);

	if (code) {
		return code;
	}
	if (s->rung && s->ring.doorbell.known && s->ring.doorbell.moved == 1) {
		ordinal->token = s->ring.doorbell.value;
	}
	s->submitting = true;
	s->used = true;
	s->channel = ordinal->ordinal;
	s->first = s->rung ? s->doorbell : *record;
	s->entries = 0;
	s->submitted_words = 0;
	kt_submitted_clear(&s->submitted);
	return KT_OK;
}

static int take_entry(struct speller *s, const struct kt_record *record,
		      const struct kt_command_event *event)
{
	int code = end_entry(s);

	if (!code && !goes_on(s, event)) {
		code = end_submission(s);
		code = code ? code : begin_submission(s, record, event);
	}
	if (code) {
		return code;
	}
	s->entry = *event;
	s->entry_record = *record;
	s->entries++;
	s->gathering = true;
	s->n_words = 0;
	return event->entry.words == 0 ? end_entry(s) : KT_OK;
}

static int take_words(struct speller *s, const struct kt_command_event *event)
{
	const uint32_t *words = s->tools->of->words + event->words.at;
	size_t n = s->n_words + event->words.n;
	int code;

	if (!s->gathering || event->object != s->entry.object ||
	    event->client != s->entry.client ||
	    event->words.index != s->entry.entry.index ||
	    event->words.offset != s->n_words || event->words.n == 0) {
		return KT_OK;
	}
	if (s->n_words == 0) {
		s->words = words;
	} else if (s->words + s->n_words != words) {
		/* Another process's came between. */
		bool joined = s->words == s->joined;

		code = kt_array_reserve(&s->joined, &s->joined_capacity, n);
		if (code) {
			return code;
		}
		if (!joined) {
			memcpy(s->joined, s->words, s->n_words * sizeof(*words));
		}
		memcpy(s->joined + s->n_words, words, event->words.n * sizeof(*words));
		s->words = s->joined;
	}
	s->n_words = n;
	return n >= s->entry.entry.words ? end_entry(s) : KT_OK;
}

static int take_object(struct speller *s, const struct kt_command_event *event,
		       uint32_t *channel)
{
	const struct kt_class *class_ = kt_class_find(event->life.class_number);
	struct kt_engine_object object = {.client = event->client,
					  .parent = event->life.parent,
					  .handle = event->object,
					  .class_number = event->life.class_number};

	if (event->life.freed) {
		kt_channels_free_object(&s->channels, event->client, event->object);
		*channel = kt_ordinals_remove(&s->ordinals, event->client, event->object);
		return KT_OK;
	}
	if (event->life.alloc && class_ && class_->kind == KT_CLASS_CHANNEL) {
		int code = kt_ordinals_alloc(&s->ordinals, event->client, event->object,
					     channel);

		if (code) {
			return code;
		}
	}
	return kt_channels_alloc(&s->channels, &object);
}

static int take_read(struct speller *s, const struct kt_record *record,
		     const struct kt_command_event *event)
{
	uint32_t channel;

	if (is_methods(s) ||
	    !kt_polls_read(&s->polls, event->read.mapping, event->read.offset, &channel)) {
		return KT_OK;
	}
	return add_named(s, record, "poll", channel,
			 "mapping=%" PRIu32 " offset=0x%" PRIx64, event->read.mapping,
			 event->read.offset);
}

static int take(struct speller *s, const struct kt_record *record,
		const struct kt_command_event *event, uint32_t *channel)
{
	int code;

	if (event && event->kind == KT_COMMAND_ENTRY) {
		return take_entry(s, record, event);
	}
	if (event && event->kind == KT_COMMAND_WORDS) {
		return take_words(s, event);
	}
	if (event && event->kind == KT_COMMAND_DOORBELL) {
		return take_doorbell(s, record, event);
	}
	code = end_doorbell(s);
	if (code || !event) {
		return code;
	}
	switch (event->kind) {
	case KT_COMMAND_OBJECT: return take_object(s, event, channel);
	case KT_COMMAND_MAP:
		return kt_polls_map(&s->polls, event->map.mapping, event->map.address,
				    event->map.length);
	case KT_COMMAND_ACCESS: return take_read(s, record, event);
	default: return KT_OK;
	}
}

/* --- a process --- */

static int take_record(struct speller *s, const struct kt_record *record, bool behind_gap)
{
	struct kt_record plain = *record;
	const struct kt_command_event *event =
		record->detail ? &s->tools->of->events[record->detail - 1] : NULL;
	int code = KT_OK;

	/* What follows a gap is not known to go on with what was before it. */
	if (behind_gap) {
		code = end_doorbell(s);
		kt_polls_gap(&s->polls);
	}
	plain.detail = 0;
	plain.letter = KT_NO_LETTER;
	plain.run = KT_RUN_NONE;
	plain.mapping = KT_NO_CHANNEL;
	code = code ? code : take(s, record, event, &plain.mapping);
	return code ? code : add(s, &plain);
}

/* Letters of no known channel are those of one behind all others. */
static void number_strays(struct speller *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->out[i].letter != KT_NO_LETTER &&
		    s->out[i].mapping == KT_NO_CHANNEL) {
			s->out[i].mapping = s->ordinals.total;
		}
	}
}

static int spell(struct speller *s, const struct kt_record *records, size_t n)
{
	int code = KT_OK;

	for (size_t i = 0; i < n && !code; i++) {
		code = take_record(s, &records[i],
				   i > 0 && records[i].seq != records[i - 1].seq + 1);
	}
	return code ? code : end_doorbell(s);
}

int kt_command_letters_spell(void *context, const struct kt_record *records, size_t n,
			     struct kt_record **out, size_t *n_out)
{
	struct speller s = {.tools = context};
	int code = spell(&s, records, n);

	number_strays(&s);
	kt_channels_clear(&s.channels);
	kt_ordinals_free(&s.ordinals);
	kt_polls_free(&s.polls);
	kt_submitted_free(&s.submitted);
	free(s.joined);
	if (code) {
		free(s.out);
		return code;
	}
	*out = s.out;
	*n_out = s.n;
	return KT_OK;
}

void kt_command_letters_free(struct kt_command_letters *letters)
{
	kt_method_letters_free(&letters->methods);
}
