/* SPDX-License-Identifier: MIT */
#include "infer/check/print.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "base/terminal.h"
#include "base/wrap.h"
#include "infer/words/read/time-text.h"

#define EXPECTED_MAX 12  /* limit of expected letters in the text; JSON has all */
#define COUNTS_MAX   6   /* limit of letters printed as "other numbers", per word */
#define EARLIER_MAX  256 /* limit of earlier misfits compared with a new one */

/*
 * Finds a letter's readable name in the machine or, if the machine has none, in the tables.
 * The result is in `buffer` or owned by the machine or a table; NULL if no name is found or
 * names are off, so that the caller prints the letter itself.
 */
static const char *find_name(const kt_checker *checker, const char *letter,
			     char buffer[static KT_LETTER_NAME])
{
	const struct kt_fsm *fsm = kt_checker_fsm(checker);
	size_t i = fsm->names ? kt_fsm_find_letter(fsm, letter) : SIZE_MAX;

	if (kt_checker_options(checker)->names == KT_NAMES_OFF) {
		return NULL;
	}
	return i != SIZE_MAX && fsm->names[i] ? fsm->names[i]
					      : kt_letter_name(letter, buffer);
}

const char *kt_check_letter_text(const kt_checker *checker, const char *letter,
				 char buffer[static KT_LETTER_NAME])
{
	const char *name = find_name(checker, letter, buffer);

	return name ? name : letter;
}

typedef const char *kt_letter_fn(const kt_checker *checker, uint32_t letter);

/*
 * Prints letters in a row. If any has a readable name, `end` separates the letters, because
 * names may contain blanks.
 */
static void put_letters(struct kt_wrap *line, const kt_checker *checker,
			const uint32_t *letters, size_t n, kt_letter_fn *letter_of,
			const char *end)
{
	char buffer[KT_LETTER_NAME];
	bool named = false;

	for (size_t i = 0; i < n && !named; i++) {
		named = find_name(checker, letter_of(checker, letters[i]), buffer);
	}
	for (size_t i = 0; i < n; i++) {
		const char *letter = letter_of(checker, letters[i]);
		const char *name = find_name(checker, letter, buffer);

		kt_wrap_put(line, " %s%s", name ? name : letter,
			    named && i + 1 < n ? end : "");
	}
}

static bool prints_alike(const struct kt_misfit *a, const struct kt_misfit *b)
{
	const size_t n_states =
		a->n_states < KT_MISFIT_STATES ? a->n_states : KT_MISFIT_STATES;

	/* A misfit stores only its first states, so only those can be compared. */
	return a->letter == b->letter && a->n_states == b->n_states &&
	       a->n_before == b->n_before && a->n_expected == b->n_expected &&
	       memcmp(a->expected, b->expected, a->n_expected * sizeof(a->expected[0])) ==
		       0 &&
	       memcmp(a->states, b->states, n_states * sizeof(a->states[0])) == 0 &&
	       memcmp(a->before, b->before, a->n_before * sizeof(a->before[0])) == 0;
}

const struct kt_misfit *kt_misfit_find_earlier(const struct kt_checked_word *word,
					       const struct kt_misfit *misfit)
{
	for (size_t i = 0; i < word->n_listed && i < EARLIER_MAX &&
			   word->misfits[i].index < misfit->index;
	     i++) {
		if (prints_alike(&word->misfits[i], misfit)) {
			return &word->misfits[i];
		}
	}
	return NULL;
}

int kt_print_misfit(FILE *out, const kt_checker *checker, size_t number, const char *name,
		    const struct kt_misfit *misfit)
{
	const struct kt_misfit *earlier =
		kt_misfit_find_earlier(kt_checker_word(checker, number), misfit);
	const struct kt_colors *colors = kt_colors_of(out);
	const struct kt_event_position *position = &misfit->position;
	struct kt_wrap first = kt_wrap_line(out, 6);
	struct kt_wrap line = {.out = out, .indent = 6};
	char buffer[KT_LETTER_NAME];
	const char *letter = kt_checker_letter_name(checker, misfit->letter);
	char when[KT_TIME_TEXT];

	kt_wrap_put(&first, "%s: letter %" PRIu64 " %sdoes not fit: %s%s", name,
		    misfit->index, colors->red,
		    kt_check_letter_text(checker, letter, buffer), colors->plain);
	if (misfit->call != KT_CHECK_UNKNOWN) {
		kt_wrap_put(&first, " in %s",
			    kt_checker_letter_name(checker, misfit->call));
	}
	kt_wrap_put(&first, "%s", position->known ? "," : "");
	if (position->known) {
		kt_time_text(when, position->time);
		kt_wrap_put(&first, " %s,", position->time ? when : "at an unknown time");
		kt_wrap_put(&first, " pid %" PRIu32 ", tid %" PRIu32 ", event %" PRIu64,
			    position->pid, position->tid, position->seq);
	}
	if (earlier) {
		kt_wrap_put(&first, ",");
		kt_wrap_put(&first, " as at letter %" PRIu64, earlier->index);
	}
	kt_wrap_end(&first);
	if (earlier) {
		return ferror(out) ? kt_error_errno(KT_E_IO, "write misfits") : KT_OK;
	}
	if (misfit->n_states == 1) {
		const char *label =
			kt_checker_fsm(checker)->states[misfit->states[0]].label;

		kt_wrap_put(&line, "    state %" PRIu32, misfit->states[0]);
		if (label) {
			kt_wrap_put(&line, " ('%s')", label);
		}
		kt_wrap_put(&line, " expects");
	} else {
		kt_wrap_put(&line, "    one of %zu states expects", misfit->n_states);
	}
	put_letters(&line, checker, misfit->expected,
		    misfit->n_expected < EXPECTED_MAX ? misfit->n_expected : EXPECTED_MAX,
		    kt_checker_expected_name, ",");
	if (misfit->n_expected > EXPECTED_MAX) {
		kt_wrap_put(&line, " and %zu more", misfit->n_expected - EXPECTED_MAX);
	} else if (misfit->n_expected == 0) {
		kt_wrap_put(&line, " the end of the word");
	}
	kt_wrap_end(&line);
	if (misfit->n_before > 0) {
		kt_wrap_put(&line, "    after");
		put_letters(&line, checker, misfit->before, misfit->n_before,
			    kt_checker_letter_name, ";");
		kt_wrap_end(&line);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write misfits") : KT_OK;
}

/*
 * Writes the letters that a word has more or less often than each word of the machine does.
 * Writes nothing if the words of the machine differ.
 */
static void write_counts(FILE *out, const kt_checker *checker,
			 const struct kt_checked_word *word)
{
	struct kt_wrap line = {.out = out, .indent = 6};
	size_t n = 0;

	for (uint32_t l = 0; l < kt_checker_letters(checker); l++) {
		const char *letter = kt_checker_letter_name(checker, l);
		const uint64_t times = l < word->n_counts ? word->counts[l] : 0;
		char buffer[KT_LETTER_NAME];
		const char *name = find_name(checker, letter, buffer);
		uint64_t usual;

		if (!kt_checker_usual(&usual, checker, l) || usual == times ||
		    ++n > COUNTS_MAX) {
			continue;
		}
		kt_wrap_put(&line, "%s", n == 1 ? "    other numbers:" : ",");
		kt_wrap_put(&line, " %s", name ? name : letter);
		kt_wrap_put(&line, " %" PRIu64 " times instead of %" PRIu64, times, usual);
		kt_wrap_put(&line, " (%" PRIu64 " %s)",
			    times > usual ? times - usual : usual - times,
			    times > usual ? "more" : "fewer");
	}
	if (n > COUNTS_MAX) {
		kt_wrap_put(&line, ", and %zu more", n - COUNTS_MAX);
	}
	if (n > 0) {
		kt_wrap_end(&line);
	}
}

/*
 * Writes how many transitions of the machine were taken by words, and for each letter, how
 * many transitions with it were not taken.
 */
static void write_coverage(FILE *out, const kt_checker *checker)
{
	const struct kt_fsm *fsm = kt_checker_fsm(checker);
	struct kt_wrap line = {.out = out, .indent = 2};
	size_t missed = 0;
	size_t before = 0;

	for (size_t i = 0; i < fsm->n_transitions; i++) {
		missed += !kt_checker_taken(checker, i);
	}
	kt_wrap_put(&line, "%zu of %zu transitions of the machine were taken",
		    fsm->n_transitions - missed, fsm->n_transitions);
	for (size_t l = 0; l < fsm->n_letters; l++) {
		size_t n = 0;

		for (size_t i = 0; i < fsm->n_transitions; i++) {
			n += fsm->transitions[i].letter == l &&
			     !kt_checker_taken(checker, i);
		}
		if (n > 0) {
			if (before++ == 0) {
				kt_wrap_put(&line, ";");
				kt_wrap_words(&line, "letters of the others:");
			} else {
				kt_wrap_put(&line, ",");
			}
			kt_wrap_put(&line, " %s", kt_fsm_letter_name(fsm, l));
			kt_wrap_put(&line, " (%zu)", n);
		}
	}
	kt_wrap_end(&line);
}

int kt_print_checked(FILE *out, const kt_checker *checker)
{
	bool all = kt_checker_options(checker)->all;
	const struct kt_colors *colors = kt_colors_of(out);
	size_t n = kt_checker_count(checker);
	size_t wrong;
	uint64_t misfits = kt_checker_misfits(checker, &wrong);

	for (size_t i = 0; i < n; i++) {
		const struct kt_checked_word *word = kt_checker_word(checker, i);
		bool early;

		fprintf(out, "%s: %" PRIu64 " letter%s, ",
			word->name ? word->name : "unknown", word->letters,
			word->letters == 1 ? "" : "s");
		early = kt_checker_is_early(checker, word);
		fputs(word->n_misfits || early ? colors->red : colors->green, out);
		if (early) {
			fputs("ends too early", out);
		} else if (word->n_misfits == 0) {
			fputs("fits", out);
		} else if (all) {
			fprintf(out, "%" PRIu64 " misfit%s", word->n_misfits,
				word->n_misfits == 1 ? "" : "s");
		} else {
			fputs("does not fit", out);
		}
		fprintf(out, "%s%s\n", colors->plain,
			word->cut_begin && word->cut_end ? " (truncated at both ends)"
			: word->cut_begin                ? " (its beginning is truncated)"
			: word->cut_end                  ? " (its end is truncated)"
							 : "");
		if (word->n_misfits > 0 || early) {
			write_counts(out, checker, word);
		}
	}
	if (kt_checker_options(checker)->coverage) {
		write_coverage(out, checker);
	}
	fputs(wrong ? colors->red : colors->green, out);
	if (wrong == 0) {
		fputs(n == 1 ? "the word fits" : "all words fit", out);
	} else if (n == 1) {
		fputs("the word does not fit", out);
	} else {
		fprintf(out, "%zu of %zu words do%s not fit", wrong, n,
			wrong == 1 ? "es" : "");
	}
	if (wrong > 0 && all) {
		fprintf(out, " (%" PRIu64 " misfit%s)", misfits, misfits == 1 ? "" : "s");
	}
	fprintf(out, "%s\n", colors->plain);
	if (misfits > wrong) {
		fputs("After a misfit, any state to which its letter leads is allowed, so "
		      "more letters\nthan these may be wrong.\n",
		      out);
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write summary") : KT_OK;
}

/* Writes an array of letters as they are, without readable names. */
static void write_letters(struct kt_json_writer *w, const char *key,
			  const kt_checker *checker, const uint32_t *letters, size_t n,
			  kt_letter_fn *letter_of)
{
	kt_json_array(kt_json_line(w), key);
	for (size_t i = 0; i < n; i++) {
		kt_json_text(w, letter_of(checker, letters[i]));
	}
	kt_json_end(w);
}

static void write_misfit(struct kt_json_writer *w, const kt_checker *checker,
			 const struct kt_misfit *misfit)
{
	const struct kt_event_position *position = &misfit->position;
	const char *letter = kt_checker_letter_name(checker, misfit->letter);
	char buffer[KT_LETTER_NAME];

	kt_json_object(kt_json_line(w), NULL);
	/* KT_STR() omits a member whose value is NULL: no readable name, or no call. */
	KT_JSON(w, KT_U64("index", misfit->index), KT_STR("letter", letter),
		KT_STR("name", find_name(checker, letter, buffer)),
		KT_STR("call", misfit->call == KT_CHECK_UNKNOWN
				       ? NULL
				       : kt_checker_letter_name(checker, misfit->call)));
	if (position->known && position->time) {
		KT_JSON(w, KT_I64("time", position->time));
	} else {
		KT_JSON(w, KT_RAW("time", "null"));
	}
	/*
	 * Omit a seq above INT64_MAX: JSON readers could not hold the number, and it can
	 * only come from a damaged event.
	 */
	KT_JSON(w, KT_KNOWN("pid", position->pid, position->known),
		KT_KNOWN("tid", position->tid, position->known),
		KT_KNOWN("seq", position->seq,
			 position->known && position->seq <= INT64_MAX));
	KT_JSON(kt_json_line(w), KT_U64("n_states", misfit->n_states));
	kt_json_numbers(w, "states", misfit->states,
			misfit->n_states < KT_MISFIT_STATES ? misfit->n_states
							    : KT_MISFIT_STATES);
	write_letters(w, "expected", checker, misfit->expected, misfit->n_expected,
		      kt_checker_expected_name);
	write_letters(w, "before", checker, misfit->before, misfit->n_before,
		      kt_checker_letter_name);
	kt_json_end(w);
}

static void write_word(struct kt_json_writer *w, const kt_checker *checker,
		       const struct kt_checked_word *word)
{
	const bool early = kt_checker_is_early(checker, word);

	kt_json_object(kt_json_line(w), NULL);
	KT_JSON(w, KT_STR("name", word->name ? word->name : "unknown"),
		KT_U64("letters", word->letters), KT_U64("lost", word->lost),
		KT_BOOL("cut_begin", word->cut_begin), KT_BOOL("cut_end", word->cut_end),
		KT_BOOL("fits", word->n_misfits == 0 && !early),
		KT_U64("misfits", word->n_misfits), KT_BOOL("ends_early", early));
	kt_json_array(w, "listed");
	for (size_t i = 0; i < word->n_listed; i++) {
		write_misfit(w, checker, &word->misfits[i]);
	}
	kt_json_end(w);
	kt_json_end(w);
}

/* Writes the transitions that no word took. */
static void write_missed(struct kt_json_writer *w, const kt_checker *checker)
{
	const struct kt_fsm *fsm = kt_checker_fsm(checker);

	kt_json_rows(kt_json_line(w), "not_taken");
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		if (!kt_checker_taken(checker, i)) {
			kt_json_object(w, NULL);
			KT_JSON(w, KT_U64("from", t->from),
				KT_STR("letter", fsm->letters[t->letter]),
				KT_U64("to", t->to), KT_STR("label", t->label));
			kt_json_end(w);
		}
	}
	kt_json_end(w);
}

int kt_check_write_json(FILE *out, const kt_checker *checker)
{
	const struct kt_fsm *fsm = kt_checker_fsm(checker);
	struct kt_json_writer w = {.out = out};
	size_t wrong;
	uint64_t misfits = kt_checker_misfits(checker, &wrong);
	const struct kt_json_member members[] = {
		KT_STR("format", KT_CHECK_FORMAT),
		KT_U64("states", fsm->n_states),
		KT_U64("transitions", fsm->n_transitions),
		KT_STR("word", fsm->word),
		KT_BOOL("all", kt_checker_options(checker)->all),
		KT_BOOL("fits", wrong == 0),
		KT_U64("misfits", misfits)};

	kt_json_object(&w, NULL);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		KT_JSON(kt_json_line(&w), members[i]);
	}
	kt_json_array(kt_json_line(&w), "words");
	for (size_t i = 0; i < kt_checker_count(checker); i++) {
		write_word(&w, checker, kt_checker_word(checker, i));
	}
	kt_json_end(kt_json_line(&w));
	if (kt_checker_options(checker)->coverage) {
		write_missed(&w, checker);
	}
	return kt_json_finish(&w, "write misfits as JSON");
}
