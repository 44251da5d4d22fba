/* SPDX-License-Identifier: MIT */
#include "annotate/export/visits.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/files/machine.h"

int kt_visits_open(struct kt_visits *out, const char *path)
{
	KT_TRY(kt_machine_read(&out->fsm, path));
	if (strcmp(out->fsm->machine, "diff") == 0) {
		return kt_error(
			KT_E_USAGE,
			"read %s: it is a difference of two machines, which no word "
			"can be read along",
			path);
	}
	return KT_OK;
}

static int add_words(struct kt_visits *v, const struct kt_placement *placement)
{
	const size_t n = kt_placement_words(placement);

	KT_TRY(kt_array_reserve(&v->words, &v->words_capacity, v->n_words + n + 1));
	for (size_t i = 0; i < n; i++) {
		const struct kt_placed_word *placed = kt_placement_word(placement, i);
		struct kt_visited_word *word = &v->words[v->n_words];

		word->name = strdup(placed->name);
		if (!word->name) {
			return kt_no_memory("read words");
		}
		word->letters = placed->letters;
		word->fitting = placed->fitting;
		v->n_words++;
	}
	return KT_OK;
}

static int add_visits(struct kt_visits *v, const struct kt_timeline_events *events,
		      const struct kt_placement *placement, size_t first_word)
{
	size_t n;
	const struct kt_placed *letters = kt_placement_letters(placement, &n);

	KT_TRY(kt_array_reserve(&v->visits, &v->capacity, v->n + n + 1));
	for (size_t i = 0; i < n; i++) {
		v->visits[v->n++] = (struct kt_visit){
			.word = (uint32_t)(first_word + letters[i].word),
			.position = letters[i].position,
			.event = kt_timeline_events_find(events, letters[i].instance,
							 letters[i].seq),
			.letter = letters[i].letter,
			.transition = letters[i].transition};
	}
	return KT_OK;
}

int kt_visits_read(struct kt_visits *v, const struct kt_timeline_events *events,
		   const char *machine, const char *path, enum kt_source source,
		   const struct kt_trace_filter *part)
{
	const size_t first_word = v->n_words;
	kt_placement *placement = NULL;
	int code;

	KT_TRY_END(
		kt_placement_make(&placement, v->fsm, machine, path, NULL, source, part));
	KT_TRY_END(add_words(v, placement));
	code = add_visits(v, events, placement, first_word);
end:
	kt_placement_free(placement);
	return code;
}

void kt_visits_free(struct kt_visits *v)
{
	for (size_t i = 0; i < v->n_words; i++) {
		free(v->words[i].name);
	}
	kt_fsm_free(v->fsm);
	free(v->words);
	free(v->visits);
	*v = (struct kt_visits){.n = 0};
}
