/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/placement.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/check.h>
#include <ktail/status.h>

#include "annotate/events/event-fields.h"
#include "base/texts.h"
#include "base/try.h"

struct kt_placement {
	const kt_trace *trace;     /* Weak: `opened`, or a trace of the caller */
	kt_trace *opened;          /* Owned by this; NULL: the caller opened the trace */
	struct kt_placed *letters; /* Owned by this; sorted by compare() */
	size_t n;
	uint64_t unplaced;
	struct kt_placed_word *words; /* Owned by this */
	struct kt_texts names;        /* names of words */
	size_t n_words;
};

/*
 * Places the letters of the i-th word. `numbers` maps the numbers that letters have in the
 * trace to the numbers that they have in the machine.
 */
static int locate_word(struct kt_placement *out, const kt_trace *trace,
		       const kt_check *check, const uint32_t *numbers, size_t i)
{
	struct kt_placed_word *word = &out->words[i];
	const int64_t begin = kt_trace_report(trace)->first_time;
	kt_check_word *reading = NULL;
	struct kt_word_info info;
	bool fits = true;
	int code;

	KT_TRY(kt_trace_word(trace, i, &info, &word->letters));
	out->n_words++;
	word->name = kt_texts_keep(&out->names, info.name);
	word->instance = kt_trace_word_instance(trace, i);
	word->lost = info.lost;
	word->cut_begin = info.cut_begin;
	word->cut_end = info.cut_end;
	if (!word->name) {
		return KT_E_MEMORY;
	}
	KT_TRY_END(kt_check_begin(&reading, check, info.cut_begin));
	for (uint64_t j = 0; j < word->letters; j++) {
		struct kt_placed *placed = &out->letters[out->n];
		struct kt_trace_letter letter;
		uint32_t number;
		uint32_t from;

		KT_TRY_END(kt_trace_letter(trace, i, j, &letter));
		number = numbers[letter.letter];
		*placed = (struct kt_placed){
			.instance = word->instance,
			.seq = letter.seq,
			.word = i,
			.position = j,
			.letter = number == KT_CHECK_UNKNOWN ? KT_UNPLACED : number,
			.transition = KT_UNPLACED,
			.time = letter.time > begin ? kt_time_between(begin, letter.time)
						    : 0,
			.gap = UINT64_MAX,
		};
		if (j > 0) {
			const uint64_t before = placed[-1].time;

			placed->gap = placed->time > before ? placed->time - before : 0;
		}
		/*
		 * A letter is checked if all letters before it in the word fit. The letter
		 * is placed if it fits and the state before it is known.
		 */
		if (fits) {
			bool known = kt_check_state(&from, reading);

			KT_TRY_END(kt_check_feed(&fits, reading, number));
			if (fits && known) {
				placed->transition =
					kt_check_transition(check, from, number);
			}
			word->fitting += fits;
		}
		word->placed += placed->transition != KT_UNPLACED;
		out->unplaced += placed->transition == KT_UNPLACED;
		out->n++;
	}
end:
	kt_check_end(reading);
	return code;
}

static int compare(const void *a, const void *b)
{
	const struct kt_placed *x = a;
	const struct kt_placed *y = b;

	if (x->instance != y->instance) {
		return x->instance < y->instance ? -1 : 1;
	}
	if (x->seq != y->seq) {
		return x->seq < y->seq ? -1 : 1;
	}
	if (x->word != y->word) {
		return x->word < y->word ? -1 : 1;
	}
	return (x->position > y->position) - (x->position < y->position);
}

static int locate_trace(struct kt_placement *out, const kt_trace *trace,
			const kt_check *check)
{
	const size_t n_words = kt_trace_words(trace);
	const size_t n_names = kt_trace_letter_count(trace);
	uint32_t *numbers = NULL;
	struct kt_word_info info;
	size_t n = 0;
	size_t i = 1;
	int code;

	for (size_t k = 0; k < n_words; k++) {
		uint64_t letters = 0;

		KT_TRY(kt_trace_word(trace, k, &info, &letters));
		n += (size_t)letters;
	}
	out->letters = malloc((n + 1) * sizeof(*out->letters));
	out->words = calloc(n_words + 1, sizeof(*out->words));
	numbers = malloc((n_names + 1) * sizeof(*numbers));
	if (!out->letters || !out->words || !numbers) {
		free(numbers);
		return kt_no_memory("place letters");
	}
	for (size_t k = 0; k < n_names; k++) {
		const char *name = kt_trace_letter_name(trace, (uint32_t)k);

		numbers[k] = kt_check_letter(check, name, strlen(name));
	}
	for (size_t k = 0; k < n_words; k++) {
		KT_TRY_END(locate_word(out, trace, check, numbers, k));
	}
	/* Sort only if necessary: if words are processes, the letters are in order already.
	 */
	while (i < out->n && compare(&out->letters[i - 1], &out->letters[i]) < 0) {
		i++;
	}
	if (i < out->n) {
		qsort(out->letters, out->n, sizeof(*out->letters), compare);
	}
	code = KT_OK;
end:
	free(numbers);
	return code;
}

int kt_placement_make(struct kt_placement **out, const struct kt_fsm *fsm,
		      const char *machine, const char *path,
		      const struct kt_letter_filter *filter, enum kt_source source,
		      const struct kt_trace_filter *part)
{
	struct kt_placement *placement = calloc(1, sizeof(*placement));
	struct kt_trace_options options = {
		.source = source, .filter = part, .events = &kt_annotate_events};
	kt_alphabet *alphabet = NULL;
	kt_check *check = NULL;
	int code;

	*out = NULL;
	if (!placement) {
		return kt_no_memory("place letters");
	}
	KT_TRY_END(kt_check_new(&check, fsm));
	if (fsm->alphabet_json) {
		KT_TRY_END(kt_alphabet_from_json(&alphabet, fsm->alphabet_json, machine));
	}
	if (!alphabet) {
		code = kt_error(KT_E_USAGE,
				"read %s: the machine has no alphabet, so it was not "
				"inferred from traces",
				machine);
		goto end;
	}
	if (alphabet->both) {
		code = kt_error(KT_E_USAGE,
				"read %s: it was made with --source both, but words to "
				"annotate must be of one source: infer it without",
				machine);
		goto end;
	}
	code = kt_word_unit_of(fsm->word, &options.word);
	if (code) {
		kt_error_prepend(code, "read %s", machine);
		goto end;
	}
	/* Without `filter`, the alphabet keeps the filter of the machine. */
	if (filter) {
		KT_TRY_END(kt_letter_filter_copy(&alphabet->filter, filter));
	}
	options.alphabet = alphabet;
	KT_TRY_END(kt_trace_open(&placement->opened, path, &options));
	placement->trace = placement->opened;
	if (kt_trace_report(placement->trace)->totals.events == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: no gpu_stack events", path);
		goto end;
	}
	KT_TRY_END(locate_trace(placement, placement->trace, check));
	*out = placement;
	placement = NULL;
end:
	kt_alphabet_free(alphabet);
	kt_check_free(check);
	kt_placement_free(placement);
	return code;
}

int kt_placement_of(struct kt_placement **out, const struct kt_fsm *fsm,
		    const kt_trace *trace)
{
	struct kt_placement *placement = calloc(1, sizeof(*placement));
	kt_check *check = NULL;
	int code;

	*out = NULL;
	if (!placement) {
		return kt_no_memory("place letters");
	}
	placement->trace = trace;
	KT_TRY_END(kt_check_new(&check, fsm));
	KT_TRY_END(locate_trace(placement, trace, check));
	*out = placement;
	placement = NULL;
end:
	kt_check_free(check);
	kt_placement_free(placement);
	return code;
}

void kt_placement_free(struct kt_placement *placement)
{
	if (!placement) {
		return;
	}
	kt_trace_free(placement->opened);
	kt_texts_free(&placement->names);
	free(placement->words);
	free(placement->letters);
	free(placement);
}

/* --- results --- */

const struct kt_placed *kt_placement_find(const struct kt_placement *p, uint64_t instance,
					  uint64_t seq, size_t *n)
{
	size_t first = 0;
	size_t high = p->n;
	size_t end;

	while (first < high) {
		size_t middle = first + (high - first) / 2;
		const struct kt_placed *l = &p->letters[middle];

		if (l->instance < instance || (l->instance == instance && l->seq < seq)) {
			first = middle + 1;
		} else {
			high = middle;
		}
	}
	end = first;
	while (end < p->n && p->letters[end].instance == instance &&
	       p->letters[end].seq == seq) {
		end++;
	}
	*n = end - first;
	return *n > 0 ? &p->letters[first] : NULL;
}

const struct kt_placed *kt_placement_letters(const struct kt_placement *placement,
					     size_t *n)
{
	*n = placement->n;
	return placement->letters;
}

uint64_t kt_placement_unplaced(const struct kt_placement *placement)
{
	return placement->unplaced;
}

size_t kt_placement_words(const struct kt_placement *placement)
{
	return placement->n_words;
}

const struct kt_placed_word *kt_placement_word(const struct kt_placement *placement,
					       size_t i)
{
	return i < placement->n_words ? &placement->words[i] : NULL;
}

const kt_trace *kt_placement_trace(const struct kt_placement *placement)
{
	return placement->trace;
}

const struct kt_trace_report *kt_placement_report(const struct kt_placement *placement)
{
	return kt_trace_report(placement->trace);
}
