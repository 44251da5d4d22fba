/* SPDX-License-Identifier: MIT */
#include "annotate/events/submitters.h"

#include <stdlib.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

void kt_submitter_forget(struct kt_submitter *submitter)
{
	kt_channels_clear(&submitter->channels);
	free(submitter->words);
	submitter->words = NULL;
	submitter->words_capacity = 0;
	submitter->n_words = 0;
}

static int add(struct kt_submitter **out, const struct kt_event *event)
{
	*out = calloc(1, sizeof(**out));
	if (*out) {
		(*out)->name = kt_utf8_printable_copy(event->process_name);
	}
	return *out && (*out)->name
		       ? KT_OK
		       : kt_error(KT_E_MEMORY, "read submissions: out of memory");
}

int kt_submitters_find(struct kt_submitters *s, const struct kt_event *event,
		       struct kt_submitter **out)
{
	size_t need = (size_t)event->process + 1;
	int code = kt_array_reserve(&s->items, &s->capacity, need);

	if (code) {
		return code;
	}
	while (s->n < need) {
		s->items[s->n++] = NULL;
	}
	if (!s->items[event->process]) {
		code = add(&s->items[event->process], event);
	}
	*out = s->items[event->process];
	return code;
}

void kt_submitters_free(struct kt_submitters *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->items[i]) {
			kt_submitter_forget(s->items[i]);
			free(s->items[i]->name);
			free(s->items[i]->unread);
			free(s->items[i]);
		}
	}
	free(s->items);
}
