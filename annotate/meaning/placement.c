/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/placement.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/check.h>
#include <ktail/status.h>

#include "base/array.h"

struct kt_placement {
	struct kt_placed *letters; /* Owned by this: by life, seq, word, position */
	size_t n;
	uint64_t unplaced;
	struct kt_placed_word *words; /* Owned by this, their names as well */
	size_t n_words;
	struct kt_trace_report report;
};

/* A trace on its way into a machine. */
struct placing {
	struct kt_placement *placement; /* Weak */
	const kt_trace *trace;          /* Weak */
	const kt_check *check;          /* Weak */
	uint32_t *numbers; /* Owned by this: the machine's, of the trace's letters */
};

static int out_of_memory(void)
{
	return kt_no_memory("place letters");
}

/* --- one word --- */

static uint64_t since(int64_t begin, int64_t time)
{
	return time > begin ? (uint64_t)(time - begin) : 0;
}

static void fill(struct kt_placed *out, const struct placing *p,
		 const struct kt_trace_letter *letter, const struct kt_placed *before)
{
	uint32_t number = p->numbers[letter->letter];

	out->seq = letter->seq;
	out->letter = number == KT_CHECK_UNKNOWN ? KT_UNPLACED : number;
	out->transition = KT_UNPLACED;
	out->time = since(p->placement->report.first_time, letter->time);
	out->gap = UINT64_MAX;
	if (before) {
		out->gap = out->time > before->time ? out->time - before->time : 0;
	}
}

/* Reads a letter, as long as all before it did fit, and places it if it is known where. */
static int step(struct kt_placed *placed, const kt_check *check, kt_check_word *word,
		bool *fits)
{
	uint32_t letter = placed->letter == KT_UNPLACED ? KT_CHECK_UNKNOWN : placed->letter;
	uint32_t from;
	bool known = kt_check_state(&from, word);
	int code = kt_check_feed(fits, word, letter);

	if (!code && *fits && known) {
		placed->transition = kt_check_transition(check, from, letter);
	}
	return code;
}

static int place_letters(struct placing *p, size_t i, struct kt_placed_word *word,
			 kt_check_word *reading)
{
	struct kt_placement *out = p->placement;
	bool fits = true;
	int code = KT_OK;

	for (uint64_t j = 0; j < word->letters && !code; j++) {
		struct kt_placed *placed = &out->letters[out->n];
		struct kt_trace_letter letter;

		code = kt_trace_letter(p->trace, i, j, &letter);
		if (code) {
			break;
		}
		*placed = (struct kt_placed){.life = word->life, .word = i, .position = j};
		fill(placed, p, &letter, j > 0 ? placed - 1 : NULL);
		if (fits) {
			code = step(placed, p->check, reading, &fits);
			word->fitting += fits;
		}
		word->placed += placed->transition != KT_UNPLACED;
		out->unplaced += placed->transition == KT_UNPLACED;
		out->n++;
	}
	return code;
}

static int place_word(struct placing *p, size_t i)
{
	struct kt_placed_word *word = &p->placement->words[i];
	kt_check_word *reading = NULL;
	struct kt_word_info info;
	int code = kt_trace_word(p->trace, i, &info, &word->letters);
	char *name;

	if (code) {
		return code;
	}
	name = strdup(info.name);
	p->placement->n_words++;
	word->name = name;
	word->life = kt_trace_word_life(p->trace, i);
	word->lost = info.lost;
	word->cut_begin = info.cut_begin;
	word->cut_end = info.cut_end;
	code = name ? kt_check_begin(&reading, p->check, info.cut_begin) : out_of_memory();
	code = code ? code : place_letters(p, i, word, reading);
	kt_check_end(reading);
	return code;
}

/* --- all words --- */

static int count_letters(const kt_trace *trace, size_t *out)
{
	struct kt_word_info info;
	int code = KT_OK;

	*out = 0;
	for (size_t i = 0; i < kt_trace_words(trace) && !code; i++) {
		uint64_t n = 0;

		code = kt_trace_word(trace, i, &info, &n);
		*out += (size_t)n;
	}
	return code;
}

static int make_room(struct placing *p)
{
	struct kt_placement *out = p->placement;
	size_t n_letters = kt_trace_letter_count(p->trace);
	size_t n;
	int code = count_letters(p->trace, &n);

	if (code) {
		return code;
	}
	out->letters = malloc((n + 1) * sizeof(*out->letters));
	out->words = calloc(kt_trace_words(p->trace) + 1, sizeof(*out->words));
	p->numbers = malloc((n_letters + 1) * sizeof(*p->numbers));
	if (!out->letters || !out->words || !p->numbers) {
		return out_of_memory();
	}
	for (size_t i = 0; i < n_letters; i++) {
		const char *name = kt_trace_letter_name(p->trace, (uint32_t)i);

		p->numbers[i] = kt_check_letter(p->check, name, strlen(name));
	}
	return KT_OK;
}

static int compare(const void *a, const void *b)
{
	const struct kt_placed *x = a;
	const struct kt_placed *y = b;

	if (x->life != y->life) {
		return x->life < y->life ? -1 : 1;
	}
	if (x->seq != y->seq) {
		return x->seq < y->seq ? -1 : 1;
	}
	if (x->word != y->word) {
		return x->word < y->word ? -1 : 1;
	}
	return (x->position > y->position) - (x->position < y->position);
}

/* Words that are processes are in order already. */
static void sort(struct kt_placement *placement)
{
	size_t i = 1;

	while (i < placement->n &&
	       compare(&placement->letters[i - 1], &placement->letters[i]) < 0) {
		i++;
	}
	if (i < placement->n) {
		qsort(placement->letters, placement->n, sizeof(*placement->letters),
		      compare);
	}
}

static int place_trace(struct kt_placement *out, const kt_trace *trace,
		       const kt_check *check)
{
	struct placing p = {.placement = out, .trace = trace, .check = check};
	int code;

	out->report = *kt_trace_report(trace);
	code = make_room(&p);
	for (size_t i = 0; i < kt_trace_words(trace) && !code; i++) {
		code = place_word(&p, i);
	}
	free(p.numbers);
	if (!code) {
		sort(out);
	}
	return code;
}

/* --- the trace, as the machine reads it --- */

static int open_trace(kt_trace **out, const struct kt_fsm *fsm, const char *machine,
		      const char *path, enum kt_source source, kt_alphabet **alphabet)
{
	struct kt_trace_options options = {.source = source};
	int code;

	if (!fsm->alphabet_json) {
		return kt_error(KT_E_USAGE,
				"read %s: the machine has no alphabet, so it was not "
				"inferred from traces",
				machine);
	}
	code = kt_word_unit_of(fsm->word, &options.word);
	if (code) {
		return kt_error_prepend(code, "read %s", machine);
	}
	code = kt_alphabet_from_json(alphabet, fsm->alphabet_json, machine);
	if (code) {
		return code;
	}
	options.alphabet = *alphabet;
	code = kt_trace_open(out, path, &options);
	if (!code && kt_trace_report(*out)->totals.events == 0) {
		code = kt_error(KT_E_EMPTY, "read %s: no events of gpu_stack in it", path);
	}
	return code;
}

int kt_placement_make(struct kt_placement **out, const struct kt_fsm *fsm,
		      const char *machine, const char *path, enum kt_source source)
{
	struct kt_placement *placement = calloc(1, sizeof(*placement));
	kt_alphabet *alphabet = NULL;
	kt_trace *trace = NULL;
	kt_check *check = NULL;
	int code = placement ? kt_check_new(&check, fsm) : out_of_memory();

	code = code ? code : open_trace(&trace, fsm, machine, path, source, &alphabet);
	code = code ? code : place_trace(placement, trace, check);
	kt_trace_free(trace);
	kt_alphabet_free(alphabet);
	kt_check_free(check);
	if (code) {
		kt_placement_free(placement);
		placement = NULL;
	}
	*out = placement;
	return code;
}

void kt_placement_free(struct kt_placement *placement)
{
	if (!placement) {
		return;
	}
	for (size_t i = 0; i < placement->n_words; i++) {
		free((void *)(uintptr_t)placement->words[i].name);
	}
	free(placement->words);
	free(placement->letters);
	free(placement);
}

/* --- what there is --- */

/* The first letter that is not before that event's. */
static size_t find_first(const struct kt_placement *p, uint64_t life, uint64_t seq)
{
	size_t lo = 0;
	size_t hi = p->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		const struct kt_placed *l = &p->letters[middle];

		if (l->life < life || (l->life == life && l->seq < seq)) {
			lo = middle + 1;
		} else {
			hi = middle;
		}
	}
	return lo;
}

const struct kt_placed *kt_placement_find(const struct kt_placement *p, uint64_t life,
					  uint64_t seq, size_t *n)
{
	size_t first = find_first(p, life, seq);
	size_t end = first;

	while (end < p->n && p->letters[end].life == life && p->letters[end].seq == seq) {
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

const struct kt_trace_report *kt_placement_report(const struct kt_placement *placement)
{
	return &placement->report;
}
