/* SPDX-License-Identifier: MIT */
/* From a submission's entries, words and methods to letters. */
#include "infer/words/commands/speller.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "decode/commands.h"
#include "decode/qmd.h"

/* --- methods --- */

static int end_run(struct kt_speller *s)
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
	return kt_speller_letter(s, &s->entry_record, s->run.letter, s->channel, detail,
				 (size_t)n);
}

static int take_method(struct kt_speller *s, const struct kt_decoded *decoded)
{
	uint64_t key = kt_method_key(decoded);
	int code;

	if (key == s->run.key) {
		s->run.count++;
		return KT_OK;
	}
	code = end_run(s);
	if (!code) {
		s->run = (struct kt_method_run){.count = 1,
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
static int take_launch(struct kt_speller *s, const struct kt_command *command)
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
	struct kt_speller *s = context;

	if (s->code) {
		return;
	}
	if (kt_speller_of_methods(s)) {
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

static int decode(struct kt_speller *s)
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

int kt_speller_end_entry(struct kt_speller *s)
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
		if (kt_speller_of_methods(s)) {
			code = kt_speller_named(
				s, &s->entry_record, "m:unread", s->channel,
				"client=0x%" PRIx32 " channel=0x%" PRIx32 " index=%" PRIu32,
				s->entry.client, s->entry.object, s->entry.entry.index);
		}
	}
	return code;
}

static int print_submission(struct kt_speller *s, FILE *out, FILE *detail)
{
	char name[KT_SUBMITTED_NAME];

	fprintf(out, "%s:%s", s->entry.entry.found ? "found" : "submit",
		kt_submitted_name(&s->submitted, name));
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

static int add_submission(struct kt_speller *s)
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
		    : kt_speller_letter(s, &s->first, letter, s->channel, text,
					strlen(text));
}

int kt_speller_end_submission(struct kt_speller *s)
{
	int code = kt_speller_end_entry(s);

	if (code || !s->submitting) {
		return code;
	}
	s->submitting = false;
	if (kt_speller_of_methods(s)) {
		return KT_OK;
	}
	code = add_submission(s);
	return code ? code : kt_polls_submit(&s->polls, s->channel);
}

/* A doorbell without an entry: of a channel that moved, or of none. */
static int add_idle(struct kt_speller *s)
{
	uint32_t channel = kt_ordinals_of_handle(&s->ordinals, s->ring.object);
	bool moved = s->ring.doorbell.moved > 0;

	if (channel == KT_NO_CHANNEL && s->ring.doorbell.known) {
		channel = kt_ordinals_of_token(&s->ordinals, s->ring.doorbell.value);
	}
	if (kt_speller_of_methods(s)) {
		return KT_OK;
	}
	return kt_speller_named(s, &s->doorbell, moved ? "submit:unread" : "submit:nothing",
				channel, "channel=0x%" PRIx32 " value=0x%" PRIx32,
				s->ring.object, s->ring.doorbell.value);
}

int kt_speller_end_doorbell(struct kt_speller *s)
{
	int code = kt_speller_end_submission(s);

	if (!code && s->rung && !s->used) {
		code = add_idle(s);
	}
	s->rung = false;
	return code;
}
