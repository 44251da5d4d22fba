/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-letters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/classes.h"
#include "infer/words/commands/speller.h"

/* --- events --- */

static int take_entry(struct kt_speller *s, const struct kt_record *record,
		      const struct kt_command_event *event)
{
	KT_TRY(kt_speller_end_entry(s));
	if (!s->submitting || s->entry.client != event->client ||
	    s->entry.object != event->object ||
	    s->entry.entry.found != event->entry.found) {
		/* It begins a submission. */
		struct kt_ordinal *ordinal;

		KT_TRY(kt_speller_end_submission(s));
		KT_TRY(kt_ordinals_find(&s->ordinals, event->client, event->object,
					&ordinal));
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
	}
	s->entry = *event;
	s->entry_record = *record;
	s->entries++;
	s->gathering = true;
	s->n_words = 0;
	return event->entry.words == 0 ? kt_speller_end_entry(s) : KT_OK;
}

static int take_words(struct kt_speller *s, const struct kt_command_event *event)
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
		/* Another process's came between, or they will not stay: to one place. */
		bool joined = s->joined && s->words == s->joined;

		KT_TRY(kt_array_reserve(&s->joined, &s->joined_capacity, n));
		if (!joined && s->n_words > 0) {
			memcpy(s->joined, s->words, s->n_words * sizeof(*words));
		}
		memcpy(s->joined + s->n_words, words, event->words.n * sizeof(*words));
		s->words = s->joined;
	}
	s->n_words = n;
	return n >= s->entry.entry.words ? kt_speller_end_entry(s) : KT_OK;
}

static int take(struct kt_speller *s, const struct kt_record *record,
		const struct kt_command_event *event, uint32_t *channel)
{
	if (event && event->kind == KT_COMMAND_ENTRY) {
		return take_entry(s, record, event);
	}
	if (event && event->kind == KT_COMMAND_WORDS) {
		return take_words(s, event);
	}
	KT_TRY(kt_speller_end_doorbell(s));
	if (!event) {
		return KT_OK;
	}
	switch (event->kind) {
	case KT_COMMAND_DOORBELL:
		s->rung = true;
		s->used = false;
		s->doorbell = *record;
		s->ring = *event;
		return KT_OK;
	case KT_COMMAND_OBJECT: {
		const struct kt_class *class_ = kt_class_find(event->life.class_number);
		struct kt_engine_object object = {.client = event->client,
						  .parent = event->life.parent,
						  .handle = event->object,
						  .class_number = event->life.class_number};

		if (event->life.freed) {
			kt_channels_free_object(&s->channels, event->client, event->object);
			*channel = kt_ordinals_remove(&s->ordinals, event->client,
						      event->object);
			return KT_OK;
		}
		if (event->life.alloc && class_ && class_->kind == KT_CLASS_CHANNEL) {
			KT_TRY(kt_ordinals_alloc(&s->ordinals, event->client, event->object,
						 channel));
		}
		return kt_channels_alloc(&s->channels, &object);
	}
	case KT_COMMAND_MAP:
		return kt_polls_map(&s->polls, event->map.mapping, event->map.address,
				    event->map.length);
	case KT_COMMAND_ACCESS: {
		uint32_t polled;

		if (kt_speller_of_methods(s) ||
		    !kt_polls_read(&s->polls, event->read.mapping, event->read.offset,
				   &polled)) {
			return KT_OK;
		}
		return kt_speller_named(s, record, "poll", polled,
					"mapping=%" PRIu32 " offset=0x%" PRIx64,
					event->read.mapping, event->read.offset);
	}
	default: return KT_OK;
	}
}

/* --- a process --- */

static int take_record(struct kt_speller *s, const struct kt_record *record,
		       bool behind_gap)
{
	struct kt_record plain = *record;
	/* The number of an API call's event is another one. */
	bool is_command = record->detail && record->kind != KT_EVENT_CALL;
	const struct kt_command_event *event =
		is_command ? &s->tools->of->events[record->detail - 1] : NULL;

	/* What follows a gap is not known to go on with what was before it. */
	if (behind_gap) {
		KT_TRY(kt_speller_end_doorbell(s));
		kt_polls_gap(&s->polls);
	}
	plain.detail = record->kind == KT_EVENT_CALL ? record->detail : 0;
	plain.letter = KT_NO_LETTER;
	plain.run = KT_RUN_NONE;
	plain.mapping = KT_NO_CHANNEL;
	KT_TRY(take(s, record, event, &plain.mapping));
	return kt_speller_add(s, &plain);
}

int kt_command_letters_spell(void *context, const struct kt_record *records, size_t n,
			     struct kt_record **out, size_t *n_out)
{
	struct kt_speller s = {.tools = context};
	int code;

	for (size_t i = 0; i < n; i++) {
		KT_TRY_END(take_record(&s, &records[i],
				       i > 0 && records[i].seq != records[i - 1].seq + 1));
	}
	KT_TRY_END(kt_speller_end_doorbell(&s));
	kt_speller_number_strays(&s);
	*out = s.out;
	*n_out = s.n;
end:
	kt_speller_clear(&s);
	if (code) {
		free(s.out);
	}
	return code;
}

/* --- record by record --- */

static int begin(void *context, void **speller)
{
	struct kt_speller *s = calloc(1, sizeof(*s));

	*speller = s;
	if (!s) {
		return kt_no_memory("spell commands");
	}
	s->tools = context;
	return KT_OK;
}

static int take_next(void *speller, const struct kt_record *record, bool behind_gap,
		     const struct kt_record **out, size_t *n_out)
{
	struct kt_speller *s = speller;
	int code;

	s->n = 0;
	code = record ? take_record(s, record, behind_gap) : kt_speller_end_doorbell(s);
	if (record) {
		kt_command_events_forget(s->tools->forget, record->detail);
	}
	*out = s->out;
	*n_out = code ? 0 : s->n;
	return code;
}

static uint32_t strays(const void *speller)
{
	return ((const struct kt_speller *)speller)->ordinals.total;
}

static void end(void *speller)
{
	struct kt_speller *s = speller;

	kt_speller_clear(s);
	free(s->out);
	free(s);
}

static void drop(void *context, const struct kt_record *record)
{
	kt_command_events_forget(((struct kt_command_letters *)context)->forget,
				 record->detail);
}

const struct kt_spelling kt_command_spelling = {
	.all = kt_command_letters_spell,
	.begin = begin,
	.take = take_next,
	.strays = strays,
	.end = end,
	.drop = drop,
};

void kt_command_letters_free(struct kt_command_letters *letters)
{
	kt_method_letters_free(&letters->methods);
}
