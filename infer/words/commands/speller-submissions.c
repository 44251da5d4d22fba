/* SPDX-License-Identifier: MIT */
/* From a submission's entries, words and methods to letters. */
#include "infer/words/commands/speller.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
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

	if (key == s->run.key) {
		s->run.count++;
		return KT_OK;
	}
	KT_TRY(end_run(s));
	s->run = (struct kt_method_run){.count = 1,
					.value = decoded->method.value,
					.subchannel = decoded->method.subchannel};
	KT_TRY(kt_method_letter(&s->tools->methods, s->tools->letters, key, decoded,
				&s->run.letter));
	s->run.key = key;
	return KT_OK;
}

/* --- what a submission does --- */

static int take_command(struct kt_speller *s, const struct kt_decoded *decoded)
{
	const struct kt_command *command = &decoded->command;
	const struct kt_qmd_layout *layout;
	struct kt_qmd_launch launch;

	KT_TRY(kt_submitted_add(&s->submitted, decoded));
	if (command->releases) {
		KT_TRY(kt_polls_release(&s->polls, s->channel, command->address));
	}
	if (command->kind != KT_COMMAND_LAUNCH || !command->qmd) {
		return KT_OK;
	}
	/* The QMD of a launch releases semaphores, too. */
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

static void take_decoded(void *context, const struct kt_decoded *decoded)
{
	struct kt_speller *s = context;

	if (!s->code) {
		s->code = kt_speller_of_methods(s) ? take_method(s, decoded)
						   : take_command(s, decoded);
	}
}

int kt_speller_end_entry(struct kt_speller *s)
{
	if (!s->gathering) {
		return KT_OK;
	}
	s->gathering = false;
	s->submitted_words += s->n_words;
	if (s->n_words) {
		struct kt_channel *channel;

		KT_TRY(kt_channels_find(&s->channels, &channel, s->entry.client,
					s->entry.object, s->entry.entry.class_number));
		kt_channel_decode(channel->decoder, s->words, s->n_words, take_decoded, s);
		KT_TRY(s->code);
		KT_TRY(end_run(s));
	}
	if (!s->entry.entry.unread && s->n_words >= s->entry.entry.words) {
		return KT_OK;
	}
	s->submitted.unread = true;
	if (!kt_speller_of_methods(s)) {
		return KT_OK;
	}
	return kt_speller_named(s, &s->entry_record, "m:unread", s->channel,
				"client=0x%" PRIx32 " channel=0x%" PRIx32 " index=%" PRIu32,
				s->entry.client, s->entry.object, s->entry.entry.index);
}

int kt_speller_end_submission(struct kt_speller *s)
{
	char name[256];
	char text[1024];
	char kinds[KT_SUBMITTED_NAME];
	FILE *out;
	FILE *detail;
	uint32_t letter = 0;
	int code;

	KT_TRY(kt_speller_end_entry(s));
	if (!s->submitting) {
		return KT_OK;
	}
	s->submitting = false;
	if (kt_speller_of_methods(s)) {
		return KT_OK;
	}
	out = fmemopen(name, sizeof(name), "w");
	detail = fmemopen(text, sizeof(text), "w");
	code = out && detail ? KT_OK : kt_no_memory("spell submissions");
	if (!code) {
		fprintf(out, "%s:%s", s->entry.entry.found ? "found" : "submit",
			kt_submitted_name(&s->submitted, kinds));
		fprintf(detail,
			"client=0x%" PRIx32 " channel=0x%" PRIx32 " class=0x%" PRIx32
			" entries=%" PRIu32 " words=%" PRIu64,
			s->entry.client, s->entry.object, s->entry.entry.class_number,
			s->entries, s->submitted_words);
		kt_submitted_print_detail(detail, &s->submitted);
		if (ferror(out) || ferror(detail)) {
			code = kt_error(KT_E_INTERNAL,
					"spell submissions: a letter is too long");
		}
	}
	if (out) {
		fclose(out);
	}
	if (detail) {
		fclose(detail);
	}
	KT_TRY(code);
	KT_TRY(kt_letters_intern(s->tools->letters, name, strlen(name), &letter));
	KT_TRY(kt_speller_letter(s, &s->first, letter, s->channel, text, strlen(text)));
	return kt_polls_submit(&s->polls, s->channel);
}

int kt_speller_end_doorbell(struct kt_speller *s)
{
	bool idle = s->rung && !s->used;
	uint32_t channel;

	KT_TRY(kt_speller_end_submission(s));
	s->rung = false;
	if (!idle || kt_speller_of_methods(s)) {
		return KT_OK;
	}
	/* A doorbell without an entry: of a channel that moved, or of none. */
	channel = kt_ordinals_of_handle(&s->ordinals, s->ring.object);
	if (channel == KT_NO_CHANNEL && s->ring.doorbell.known) {
		channel = kt_ordinals_of_token(&s->ordinals, s->ring.doorbell.value);
	}
	return kt_speller_named(s, &s->doorbell,
				s->ring.doorbell.moved > 0 ? "submit:unread"
							   : "submit:nothing",
				channel, "channel=0x%" PRIx32 " value=0x%" PRIx32,
				s->ring.object, s->ring.doorbell.value);
}
