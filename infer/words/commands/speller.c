/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/speller.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

int kt_speller_add(struct kt_speller *s, const struct kt_record *record)
{
	KT_TRY(kt_array_reserve(&s->out, &s->capacity, s->n + 1));
	s->out[s->n++] = *record;
	return KT_OK;
}

int kt_speller_letter(struct kt_speller *s, const struct kt_record *of, uint32_t letter,
		      uint32_t channel, const char *detail, size_t length)
{
	struct kt_record record = {.seq = of->seq,
				   .time = of->time,
				   .tid = of->tid,
				   .mapping = channel,
				   .letter = letter & KT_NO_LETTER};

	if (s->tools->keep) {
		KT_TRY(s->tools->keep(s->tools->keep_context, detail, length,
				      &record.detail));
	}
	return kt_speller_add(s, &record);
}

int kt_speller_named(struct kt_speller *s, const struct kt_record *of, const char *name,
		     uint32_t channel, const char *format, ...)
{
	char detail[256] = "";
	uint32_t letter = 0;
	va_list args;

	KT_TRY(kt_letters_intern(s->tools->letters, name, strlen(name), &letter));
	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	return kt_speller_letter(s, of, letter, channel, detail, strlen(detail));
}

void kt_speller_number_strays(struct kt_speller *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->out[i].letter != KT_NO_LETTER &&
		    s->out[i].mapping == KT_NO_CHANNEL) {
			s->out[i].mapping = s->ordinals.total;
		}
	}
}

void kt_speller_clear(struct kt_speller *s)
{
	kt_channels_clear(&s->channels);
	kt_ordinals_free(&s->ordinals);
	kt_polls_free(&s->polls);
	kt_submitted_free(&s->submitted);
	free(s->joined);
}
