/* SPDX-License-Identifier: MIT */
/* Writes diverging transitions, and the words that lead to them. */
#include "infer/ktail/diff/diff-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "base/wrap.h"

#define LAST_LETTERS 12 /* maximum number of letters shown of a word */
#define ENDINGS_MAX  5
#define WAYS_SHOWN   12 /* maximum number of outgoing letters shown of a state */

/*
 * The last two letters of a word up to a diverging transition, and the number of diverging
 * transitions with words that end in these letters.
 */
struct ending {
	uint32_t letters[2]; /* the first is UINT32_MAX if the word has only one letter */
	uint64_t n;
	size_t first; /* index of the first such transition, in order of add_ending() */
};

struct words {
	const kt_compare *compare;      /* Weak */
	const kt_diff *diff;            /* Weak */
	uint32_t letters[LAST_LETTERS]; /* the last letters of the current word */
	uint64_t skipped;               /* number of letters of the word before `letters` */
	struct ending *endings;         /* Owned by this */
	size_t n_endings;
	const struct kt_fsm *fsm[2]; /* Weak */
};

/* Orders by letters, then by index. */
static int compare_letters(const void *left, const void *right)
{
	const struct ending *a = left;
	const struct ending *b = right;

	for (int i = 0; i < 2; i++) {
		if (a->letters[i] != b->letters[i]) {
			return a->letters[i] < b->letters[i] ? -1 : 1;
		}
	}
	return (a->first > b->first) - (a->first < b->first);
}

static int compare_endings(const void *left, const void *right)
{
	const struct ending *a = left;
	const struct ending *b = right;

	if (a->n != b->n) {
		return a->n > b->n ? -1 : 1;
	}
	return (a->first > b->first) - (a->first < b->first);
}

/* Appends an ending: the last two letters of letters[0..n), or the only letter. */
static void add_ending(struct words *w, const uint32_t *letters, uint64_t n)
{
	struct ending *ending = &w->endings[w->n_endings];
	uint64_t kept = n < 2 ? n : 2;

	*ending = (struct ending){.letters = {UINT32_MAX}, .n = 1, .first = w->n_endings};
	memcpy(ending->letters + 2 - kept, letters + n - kept, kept * sizeof(*letters));
	w->n_endings++;
}

/* Merges equal endings, and writes them, the most frequent first. */
static void write_endings(FILE *out, struct words *w)
{
	struct kt_wrap line = {.out = out, .indent = 2};
	uint64_t rest = 0; /* transitions whose endings are not shown */
	size_t kept = 0;

	qsort(w->endings, w->n_endings, sizeof(*w->endings), compare_letters);
	for (size_t i = 0; i < w->n_endings; i++) {
		const struct ending *last = kept ? &w->endings[kept - 1] : NULL;

		if (last && last->letters[0] == w->endings[i].letters[0] &&
		    last->letters[1] == w->endings[i].letters[1]) {
			w->endings[kept - 1].n++;
		} else {
			w->endings[kept++] = w->endings[i];
		}
	}
	w->n_endings = kept;
	qsort(w->endings, w->n_endings, sizeof(*w->endings), compare_endings);
	kt_wrap_put(&line, "They end in");
	for (size_t e = 0; e < w->n_endings; e++) {
		const struct ending *ending = &w->endings[e];
		size_t one;

		if (e >= ENDINGS_MAX) {
			rest += ending->n;
			continue;
		}
		kt_wrap_put(&line, "%s", e ? "," : "");
		one = ending->letters[0] == UINT32_MAX;
		kt_diff_put_letters(&line, w->diff, ending->letters + one, 2 - one);
		if (w->n_endings > 1) {
			kt_wrap_put(&line, " (%" PRIu64 ")", ending->n);
		}
	}
	if (rest > 0) {
		kt_wrap_put(&line, ", otherwise (%" PRIu64 ")", rest);
	}
	kt_wrap_put(&line, ".");
	kt_wrap_end(&line);
}

/* Writes the label of a transition, if it has one. */
static void write_label(struct kt_wrap *line, const char *label)
{
	if (label) {
		kt_wrap_put(line, " ('%s')", label);
	}
}

/*
 * Reads n letters of a word, from index `first` on, into w->letters, and replaces them by
 * the letter numbers of the comparison. n is at most LAST_LETTERS.
 */
static int read_letters(struct words *w, const kt_words *words, size_t word, uint64_t first,
			size_t n)
{
	KT_TRY(kt_words_read(words, word, first, n, w->letters));
	for (size_t i = 0; i < n; i++) {
		w->letters[i] = kt_compare_find_letter(
			w->compare, kt_words_letter_name(words, w->letters[i]));
	}
	return KT_OK;
}

/* Writes the letters of the transitions that leave a state. */
static void write_ways_on(struct kt_wrap *line, const struct kt_fsm *fsm, uint32_t state)
{
	size_t first = 0;
	size_t end = fsm->n_transitions;
	size_t i;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (fsm->transitions[middle].from < state) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	for (i = first; i < fsm->n_transitions && fsm->transitions[i].from == state &&
			i - first < WAYS_SHOWN;
	     i++) {
		kt_wrap_put(line, "%s", i > first ? "," : "");
		kt_wrap_put(line, " %s",
			    kt_fsm_letter_name(fsm, fsm->transitions[i].letter));
		write_label(line, fsm->transitions[i].label);
	}
	if (i == first) {
		kt_wrap_put(line, " nothing");
	} else if (i < fsm->n_transitions && fsm->transitions[i].from == state) {
		kt_wrap_put(line, ", and more");
	}
}

/*
 * Writes the state of one machine before a diverging transition, and the letters with which
 * the other machine can continue there.
 */
static int write_state(FILE *out, struct words *w, int version, uint32_t own,
		       uint32_t other)
{
	struct kt_wrap line = {.out = out, .indent = 6};
	const char *label = w->fsm[version]->states[own].label;
	uint32_t at = 0;

	KT_TRY(kt_diff_state(&at, w->diff, version ? KT_COMPARE_NEW : KT_COMPARE_OLD, own));
	if (label) {
		kt_wrap_put(&line, "    in '%s' (state %" PRIu32 ")", label, at);
	} else {
		kt_wrap_put(&line, "    from state %" PRIu32, at);
	}
	kt_wrap_put(&line,
		    "; there the %s machine has:", kt_diff_version_names[1 - version]);
	write_ways_on(&line, w->fsm[1 - version], other);
	kt_wrap_end(&line);
	return KT_OK;
}

/*
 * Writes the *i-th diverging word. The following words that diverge at the same states
 * differ from it only in the last letter, so only this letter is added to the line. *i
 * becomes the index of the first word that is not written.
 */
static int write_word(FILE *out, struct words *w, uint64_t *i, uint64_t n_all,
		      uint64_t *reported)
{
	struct kt_compare_way way;
	struct kt_compare_way next;
	struct kt_wrap line = {.out = out, .indent = 4};
	bool more = true;

	KT_TRY(kt_compare_way(&way, w->compare, *i));
	next = way;
	for (uint64_t n = 0; more; n++) {
		w->skipped = next.length > LAST_LETTERS ? next.length - LAST_LETTERS : 0;
		KT_TRY(kt_compare_ending(w->letters, w->compare, *i,
					 next.length - w->skipped));
		if (n == 0) {
			kt_wrap_put(&line, "  %" PRIu64 " %s:%s", next.length,
				    next.length == 1 ? "letter" : "letters",
				    w->skipped ? " ..." : "");
			kt_diff_put_letters(&line, w->diff, w->letters,
					    next.length - w->skipped - 1);
			kt_wrap_put(&line, " |");
		}
		kt_wrap_put(&line, "%s", n ? "," : "");
		fputs(kt_diff_version_color(out, way.version), out);
		kt_wrap_put(&line, " %s",
			    kt_diff_letter_name(w->diff,
						w->letters[next.length - 1 - w->skipped]));
		fputs(kt_colors_of(out)->plain, out);
		write_label(&line,
			    w->fsm[next.version]->transitions[next.transition].label);
		++*reported;
		more = ++*i < n_all;
		if (more) {
			KT_TRY(kt_compare_way(&next, w->compare, *i));
			more = way.version == next.version &&
			       way.state[0] == next.state[0] &&
			       way.state[1] == next.state[1];
		}
	}
	kt_wrap_end(&line);
	return write_state(out, w, way.version, way.state[way.version],
			   way.state[1 - way.version]);
}

/*
 * Without words, it is unknown which diverging transitions a program takes, so each is
 * shown with the shortest word that leads to it.
 */
static int write_shortest(FILE *out, struct words *w, const struct kt_diff_report *r,
			  int version)
{
	const struct kt_compare_summary *summary = kt_compare_summary(w->compare);
	uint64_t n_all = summary->n_ways[0] + summary->n_ways[1];
	uint64_t shown = 0;
	uint64_t reported = 0;

	for (uint64_t i = 0; i < n_all; i++) {
		struct kt_compare_way way;
		uint32_t letters[2];
		uint64_t n;

		KT_TRY(kt_compare_way(&way, w->compare, i));
		if ((int)way.version == version) {
			n = way.length < 2 ? way.length : 2;
			KT_TRY(kt_compare_ending(letters, w->compare, i, n));
			add_ending(w, letters, n);
		}
	}
	write_endings(out, w);
	fputs("The shortest words that take them, before | what only this machine reads:\n",
	      out);
	for (uint64_t i = 0; i < n_all && shown < r->most_words;) {
		struct kt_compare_way way;

		KT_TRY(kt_compare_way(&way, w->compare, i));
		if ((int)way.version != version) {
			i++;
			continue;
		}
		KT_TRY(write_word(out, w, &i, n_all, &reported));
		shown++;
	}
	if (reported < summary->n_ways[version]) {
		fprintf(out, "  and %" PRIu64 " more (--words N, or all: -o FILE.json)\n",
			summary->n_ways[version] - reported);
	}
	return KT_OK;
}

/*
 * Writes the first word that takes a diverging transition, up to that transition, and the
 * number of other words that take it.
 */
static int write_shown_word(FILE *out, struct words *w, const kt_words *words, int version,
			    const struct kt_diff_shown_way *way)
{
	const struct kt_fsm_transition *transition =
		&w->fsm[version]->transitions[way->transition];
	uint64_t first = way->at + 1 > LAST_LETTERS ? way->at + 1 - LAST_LETTERS : 0;
	size_t n = (size_t)(way->at + 1 - first);
	struct kt_wrap line = {.out = out, .indent = 4};
	struct kt_word_info info;
	uint64_t length;

	KT_TRY(kt_words_get(words, way->word, &info, &length));
	KT_TRY(read_letters(w, words, way->word, first, n));
	kt_wrap_put(&line, "  letter %" PRIu64 " of %s", way->at,
		    info.name ? info.name : "a word");
	if (way->n > 1) {
		kt_wrap_put(&line, " (and %" PRIu64 " other %s)", way->n - 1,
			    way->n == 2 ? "word" : "words");
	}
	kt_wrap_put(&line, ":%s", first ? " ..." : "");
	kt_diff_put_letters(&line, w->diff, w->letters, n - 1);
	kt_wrap_put(&line, " |");
	fputs(kt_diff_version_color(out, version), out);
	kt_wrap_put(&line, " %s", kt_diff_letter_name(w->diff, w->letters[n - 1]));
	fputs(kt_colors_of(out)->plain, out);
	write_label(&line, transition->label);
	kt_wrap_end(&line);
	return write_state(out, w, version, transition->from, way->other);
}

/*
 * Writes only the diverging transitions that words take, since transitions that no word
 * takes do not prove a difference between the programs.
 */
static int write_shown(FILE *out, struct words *w, const struct kt_diff_report *r,
		       int version)
{
	const struct kt_diff_shown_version *shown = &r->shown->version[version];
	const kt_words *words = r->versions->version[version].input.words;
	size_t n = shown->n_ways < r->most_words ? shown->n_ways : r->most_words;

	for (size_t i = 0; n < shown->n_ways && i < shown->n_ways; i++) {
		const struct kt_diff_shown_way *way = &shown->ways[i];
		size_t letters = way->at > 0 ? 2 : 1;

		KT_TRY(read_letters(w, words, way->word, way->at + 1 - letters, letters));
		add_ending(w, w->letters, letters);
	}
	if (w->n_endings > 0) {
		write_endings(out, w);
	}
	fputs("The words that take them, before | what only this machine reads:\n", out);
	for (size_t i = 0; i < n; i++) {
		KT_TRY(write_shown_word(out, w, words, version, &shown->ways[i]));
	}
	if (n < shown->n_ways) {
		fprintf(out, "  and %zu more (--words N)\n", shown->n_ways - n);
	}
	return KT_OK;
}

static int write_version(FILE *out, struct words *w, const struct kt_diff_report *r,
			 int version)
{
	uint64_t n = kt_compare_summary(w->compare)->n_ways[version];
	size_t n_shown = r->shown->version[version].n_ways;
	struct kt_wrap line = {.out = out, .indent = 2};

	if (n == 0) {
		return KT_OK;
	}
	kt_wrap_put(&line, "\n%sWhere only the %s machine goes on,",
		    kt_colors_of(out)->bold, kt_diff_version_names[version]);
	kt_wrap_words(&line, "after words that both read:");
	kt_wrap_put(&line, " %" PRIu64 " transition%s%s", n, n == 1 ? "" : "s",
		    kt_colors_of(out)->plain);
	if (r->shown->known && n_shown < n) {
		const bool one = n - n_shown == 1;

		kt_wrap_put(&line, ";%s", n_shown ? "" : " all");
		kt_wrap_put(&line, " %" PRIu64, n - n_shown);
		kt_wrap_words(&line,
			      one ? "is taken by no word: only merged states allow it"
				  : "are taken by no word: only merged states allow them");
		kt_wrap_words(&line, "(-o FILE.json)");
	}
	kt_wrap_end(&line);
	if (r->shown->known && n_shown == 0) {
		return KT_OK;
	}
	free(w->endings);
	w->endings = calloc(n + 1, sizeof(*w->endings));
	w->n_endings = 0;
	if (!w->endings) {
		return kt_no_memory("write difference");
	}
	return r->shown->known ? write_shown(out, w, r, version)
			       : write_shortest(out, w, r, version);
}

int kt_diff_write_words(FILE *out, const struct kt_diff_report *r)
{
	struct words w = {
		.compare = kt_diff_compare(r->diff),
		.diff = r->diff,
		.fsm = {r->versions->version[0].input.fsm,
			r->versions->version[1].input.fsm},
	};
	const struct kt_compare_summary *summary = kt_compare_summary(w.compare);
	int code;

	KT_TRY_END(write_version(out, &w, r, 0));
	KT_TRY_END(write_version(out, &w, r, 1));
	if (!summary->complete) {
		fprintf(out,
			"\nThe search was stopped: words of more than %" PRIu64
			" letters may be missing.\n",
			summary->sure_length);
	}
end:
	free(w.endings);
	return code;
}
