/* SPDX-License-Identifier: MIT */
#include "infer/ktail/diff/diff-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/letter-presence.h"
#include "base/try.h"

#define SEQUENCES_SHOWN 6
#define LETTERS_SHOWN   12 /* maximum number of letters shown that only one machine has */

/* --- inputs and result --- */

static void write_source(FILE *out, const struct kt_diff_report *r, int s)
{
	const struct kt_diff_version *version = &r->versions->version[s];

	fprintf(out, "%s%s%s: ", kt_diff_version_color(out, s), kt_diff_version_names[s],
		kt_colors_of(out)->plain);
	for (size_t i = 0; i < version->paths.n && i < 3; i++) {
		fprintf(out, "%s%s", i ? ", " : "", version->paths.items[i]);
	}
	if (version->paths.n > 3) {
		fprintf(out, ", and %zu more", version->paths.n - 3);
	}
	if (version->input.fsm->no_k) {
		fprintf(out, " (%s)\n", version->input.fsm->machine);
	} else {
		fputs(" (", out);
		if (strcmp(version->input.fsm->machine, "chains") != 0) {
			fprintf(out, "%s, ", version->input.fsm->machine);
		}
		fprintf(out, "k %" PRIu64 ", %zu %s)\n", version->input.fsm->k,
			version->input.fsm->n_words,
			version->input.fsm->n_words == 1 ? "word" : "words");
	}
}

const char *kt_diff_letter_name(const kt_diff *diff, uint32_t letter)
{
	/* `letter` is valid here: the machine numbers letters as the comparison does. */
	return kt_fsm_letter_name(kt_diff_machine(diff), letter);
}

void kt_diff_put_letters(struct kt_wrap *line, const kt_diff *diff, const uint32_t *letters,
			 size_t n)
{
	char **names = kt_diff_machine(diff)->names;
	bool named = false;

	for (size_t i = 0; names && i < n; i++) {
		named = named || names[letters[i]];
	}
	for (size_t i = 0; i < n; i++) {
		kt_wrap_put(line, " %s%s", kt_diff_letter_name(diff, letters[i]),
			    named && i + 1 < n ? ";" : "");
	}
}

const char *kt_diff_name_of(const struct kt_diff_report *r, const char *letter)
{
	const struct kt_fsm *fsm = kt_diff_machine(r->diff);
	size_t i = kt_fsm_find_letter(fsm, letter);

	return i != SIZE_MAX ? kt_fsm_letter_name(fsm, i) : letter;
}

static void write_letters(struct kt_wrap *line, const struct kt_diff_report *r,
			  const char *const *letters, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		kt_wrap_put(line, "%s", i > 0 && i + 1 < n ? "," : "");
		kt_wrap_put(line, "%s", i > 0 && i + 1 == n ? " and" : "");
		kt_wrap_put(line, " %s", kt_diff_name_of(r, letters[i]));
	}
}

static void write_list(FILE *out, const struct kt_diff_report *r, const char *before,
		       const struct kt_diff_list *list, const char *after)
{
	struct kt_wrap line = {.out = out, .indent = 2};

	if (list->n == 0) {
		return;
	}
	kt_wrap_put(&line, "%s", before);
	write_letters(&line, r, (const char *const *)list->items, list->n);
	kt_wrap_put(&line, "%s", after);
	kt_wrap_end(&line);
}

static void write_inclusion(FILE *out, enum kt_answer answer, const char *one,
			    const char *other)
{
	switch (answer) {
	case KT_ANSWER_YES:
		fprintf(out, "The %s machine accepts nothing that the %s one does not.\n",
			one, other);
		break;
	case KT_ANSWER_UNKNOWN:
		fprintf(out,
			"It is unknown whether the %s machine accepts all that the %s one "
			"does.\n",
			other, one);
		break;
	case KT_ANSWER_NO: break;
	}
}

/*
 * --without is applied before --runs. Therefore a merged run cannot be left out as such:
 * write --without for each of its letters.
 */
static void write_without(FILE *out, const char *letter, const struct kt_diff_list *runs)
{
	/* "(a|b)+" is the merged run of letters of --runs. */
	size_t size = strlen("()+") + runs->n - 1;
	bool is_run = runs->n > 0 && letter[0] == '(';

	for (size_t i = 0; i < runs->n; i++) {
		is_run = is_run && strstr(letter, runs->items[i]);
		size += strlen(runs->items[i]);
	}
	if (!is_run || strlen(letter) != size) {
		fprintf(out, "--without '%s'", letter);
		return;
	}
	for (size_t i = 0; i < runs->n; i++) {
		fprintf(out, "%s--without '%s'", i ? " " : "", runs->items[i]);
	}
}

static bool has_letter_of(const struct kt_diff_report *r,
			  const struct kt_diff_sequence *sequence)
{
	const struct kt_diff_reason *reason = r->reason;

	for (size_t i = 0; i < sequence->n; i++) {
		const char *letter =
			kt_compare_letter(kt_diff_compare(r->diff), sequence->letters[i]);

		for (size_t j = 0; j < reason->n; j++) {
			if (strcmp(letter, reason->letters[j]) == 0) {
				return true;
			}
		}
	}
	return false;
}

/*
 * Writes the most frequent sequence that only one machine has and that contains none of
 * reason->letters. It shows a change that leaving out the letters may hide, such as an
 * additional doorbell next to a poll. Returns false if there is no such sequence.
 */
static bool write_example(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_sequence *best = NULL;
	struct kt_wrap line = {.out = out, .indent = 2};
	uint64_t most = 0;

	for (size_t i = 0; i < r->seen->n; i++) {
		const uint64_t times = r->seen->times ? r->seen->times[i] : 1;

		if (times > most && !has_letter_of(r, &r->seen->list[i])) {
			best = &r->seen->list[i];
			most = times;
		}
	}
	if (!best) {
		return false;
	}
	kt_wrap_put(&line, "Only");
	kt_wrap_words(&line, "the");
	kt_wrap_put(&line, " %s", kt_diff_version_names[best->version]);
	kt_wrap_words(&line, r->seen->times ? "machine does" : "machine allows");
	kt_diff_put_letters(&line, r->diff, best->letters, best->n);
	if (r->seen->times) {
		kt_wrap_put(&line, " (seen %" PRIu64 " time%s)", most,
			    most == 1 ? "" : "s");
	}
	kt_wrap_put(&line, ".");
	kt_wrap_end(&line);
	return true;
}

/*
 * Writes which letters make both sides equal if they are left out, or if their runs count
 * as one. If `example` is true, the preceding text shows a difference that is hidden if the
 * letters are left out.
 */
static void write_equal_without(struct kt_wrap *line, const struct kt_diff_report *r,
				bool example)
{
	const struct kt_diff_reason *reason = r->reason;
	const char *what = reason->of == KT_DIFF_OF_WORDS ? "words" : "languages";
	const bool one = reason->n == 1;

	if (reason->of == KT_DIFF_OF_MACHINES) {
		kt_wrap_put(line,
			    "No single letter makes the words the same, but the "
			    "machines are the same %s",
			    reason->omit ? "without" : "if runs of");
		write_letters(line, r, reason->letters, reason->n);
		kt_wrap_put(line, "%s", reason->omit ? "" : " count as one");
	} else if (example && reason->omit) {
		kt_wrap_put(line, "Leaving out");
		write_letters(line, r, reason->letters, reason->n);
		kt_wrap_words(line, "makes the");
		kt_wrap_words(line, what);
		kt_wrap_words(line, "the same, but hides this difference");
	} else if (reason->omit) {
		kt_wrap_put(line, "They differ only in where and how often");
		write_letters(line, r, reason->letters, reason->n);
		kt_wrap_words(line, one ? "comes: without it the" : "come: without them the");
		kt_wrap_words(line, what);
		kt_wrap_words(line, "are the same");
	} else {
		kt_wrap_put(line, "They differ only in how often");
		write_letters(line, r, reason->letters, reason->n);
		kt_wrap_words(line, one ? "comes in a row: if runs count as one, the"
					: "come in a row: if runs count as one, the");
		kt_wrap_words(line, what);
		kt_wrap_words(line, "are the same");
	}
}

static void write_reason(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_reason *reason = r->reason;
	struct kt_wrap line = {.out = out, .indent = 2};

	if (reason->words_differ) { /* set only if the machines are equal */
		fputs("The words differ, though", out);
		if (reason->telling_k) {
			fprintf(out, ": with --k %" PRIu64 " the machines differ",
				reason->telling_k);
		}
		fputs(".\n", out);
	}
	if (reason->n == 0) {
		return;
	}
	write_equal_without(&line, r, write_example(out, r));
	kt_wrap_end(&line);
	putc('(', out);
	/*
	 * Show the options that reproduce the result. They include k, since ktail may
	 * choose another k with these options.
	 */
	if (reason->of == KT_DIFF_OF_MACHINES) {
		fprintf(out, "--k %lu ", r->versions->operand.k);
	}
	for (size_t i = 0; i < reason->n; i++) {
		fputs(i ? " " : "", out);
		if (reason->omit) {
			write_without(out, reason->letters[i], &r->versions->runs);
		} else {
			fprintf(out, "--runs '%s'", reason->letters[i]);
		}
	}
	fputs(").\n", out);
}

/*
 * Names the letters that only one of the machines has. They come first, because they may
 * explain all other differences.
 */
static int write_own_letters(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_fsm *fsm = kt_diff_machine(r->diff);
	enum kt_presence *letters = kt_letter_presences(fsm);

	if (!letters) {
		return kt_no_memory("write difference");
	}
	for (int s = 0; s < 2; s++) {
		struct kt_wrap line = {.out = out, .indent = 2};
		size_t n = 0;

		for (size_t i = 0; i < fsm->n_letters; i++) {
			if (letters[i] != (s ? KT_PRESENCE_NEW : KT_PRESENCE_OLD)) {
				continue;
			}
			if (n == 0) {
				kt_wrap_put(&line, "Letters of the %s machine alone:",
					    kt_diff_version_names[s]);
			}
			if (n++ < LETTERS_SHOWN) {
				kt_wrap_put(&line, "%s", n > 1 ? "," : "");
				fputs(kt_diff_version_color(out, s), out);
				kt_wrap_put(&line, " %s", kt_fsm_letter_name(fsm, i));
				fputs(kt_colors_of(out)->plain, out);
			}
		}
		if (n > LETTERS_SHOWN) {
			kt_wrap_put(&line, ", and %zu more", n - LETTERS_SHOWN);
		}
		if (n > 0) {
			kt_wrap_put(&line, ".");
			kt_wrap_end(&line);
		}
	}
	free(letters);
	return KT_OK;
}

/* --- numbers --- */

static void write_row(FILE *out, const char *what, uint64_t old, uint64_t new,
		      const struct kt_diff_counts *counts)
{
	fprintf(out,
		"%-12s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
		what, old, new, counts->kept, counts->added, counts->removed);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Returns the sorted hashes of a machine's words. The caller frees the array; the machine
 * owns the strings.
 */
static const char **sort_hashes(const struct kt_fsm *fsm)
{
	const char **hashes = calloc(fsm->n_words + 1, sizeof(*hashes));

	for (size_t i = 0; hashes && i < fsm->n_words; i++) {
		hashes[i] = fsm->words[i].hash;
	}
	if (hashes) {
		qsort(hashes, fsm->n_words, sizeof(*hashes), compare_texts);
	}
	return hashes;
}

/*
 * Explains why transitions were added or removed, if one machine accepts all words of the
 * other.
 */
static void write_structure_note(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_compare_summary *languages =
		kt_compare_summary(kt_diff_compare(r->diff));
	const struct kt_diff_summary *summary = kt_diff_summary(r->diff);

	if ((languages->new_in_old == KT_ANSWER_YES && summary->transitions.added > 0) ||
	    (languages->old_in_new == KT_ANSWER_YES && summary->transitions.removed > 0)) {
		fputs("Added and removed transitions are those of the drawing: machines "
		      "with\n"
		      "other states and transitions can accept the same words.\n",
		      out);
	}
}

/*
 * For each version, writes how many of its words the machine of the other version accepts.
 */
static void write_accepted(FILE *out, const struct kt_diff_shown *shown)
{
	const struct kt_diff_shown_version *old = &shown->version[0];
	const struct kt_diff_shown_version *new = &shown->version[1];

	if (shown->known) {
		fprintf(out,
			"The new machine accepts %" PRIu64 " of %" PRIu64
			" old words, the old machine %" PRIu64 " of %" PRIu64
			" new words.\n",
			old->accepted, old->words, new->accepted, new->words);
	}
}

static int write_numbers(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_diff_summary *summary = kt_diff_summary(r->diff);
	const struct kt_fsm *old = r->versions->version[0].input.fsm;
	const struct kt_fsm *new = r->versions->version[1].input.fsm;
	const char **a = sort_hashes(old);
	const char **b = sort_hashes(new);
	struct kt_diff_counts words = {0};
	int code = KT_OK;

	if (!a || !b) {
		code = kt_no_memory("write difference");
		goto end;
	}
	/*
	 * Count the words that both machines have. A word that occurs m times in one
	 * machine and n times in the other counts min(m, n) times.
	 */
	for (size_t i = 0, j = 0; i < old->n_words && j < new->n_words;) {
		int order = strcmp(a[i], b[j]);

		words.kept += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	words.added = new->n_words - words.kept;
	words.removed = old->n_words - words.kept;
	fprintf(out, "\n%-12s %9s %9s %9s %9s %9s\n", "", "old", "new", "kept", "added",
		"removed");
	if (old->n_words && new->n_words) {
		write_row(out, "words", old->n_words, new->n_words, &words);
	}
	write_row(out, "states", old->n_states, new->n_states, &summary->states);
	write_row(out, "transitions", old->n_transitions, new->n_transitions,
		  &summary->transitions);
	write_structure_note(out, r);
	if (!summary->scored) {
		fputs("The machines are too large to score their states: only common words "
		      "matched them.\n",
		      out);
	}
end:
	free(a);
	free(b);
	return code;
}

/* --- sequences --- */

/* Writes the sequences that occur in words, and counts those that occur in none. */
static void write_sequences_of(FILE *out, const struct kt_diff_report *r, size_t first,
			       size_t end, int version)
{
	const char *plain = kt_colors_of(out)->plain;
	size_t shown = 0;
	size_t unseen = 0;
	size_t more = 0;

	if (first == end) {
		return;
	}
	fprintf(out, "\n%sWhat only the %s machine %s, at any position:%s\n",
		kt_colors_of(out)->bold, kt_diff_version_names[version],
		r->seen->times ? "does" : "allows", plain);
	if (!r->seen->times) {
		fputs("(merged states may allow what no trace has; compare traces to "
		      "know)\n",
		      out);
	}
	for (size_t i = first; i < end; i++) {
		if (r->seen->times && r->seen->times[i] == 0) {
			unseen++;
		} else if (shown < SEQUENCES_SHOWN) {
			const struct kt_diff_sequence *sequence = &r->seen->list[i];

			struct kt_wrap line = {.out = out, .indent = 4};
			char seen[48] = "";

			kt_wrap_put(&line, " ");
			fputs(kt_diff_version_color(out, version), out);
			kt_diff_put_letters(&line, r->diff, sequence->letters, sequence->n);
			fputs(plain, out);
			if (r->seen->times && r->seen->times[i] == 1) {
				snprintf(seen, sizeof(seen), ", seen once");
			} else if (r->seen->times) {
				snprintf(seen, sizeof(seen), ", seen %" PRIu64 " times",
					 r->seen->times[i]);
			}
			kt_wrap_put(&line, " (from %" PRIu32 " %s%s)", sequence->states,
				    sequence->states == 1 ? "state" : "states", seen);
			kt_diff_write_sequence_labels(&line, r, sequence);
			kt_wrap_end(&line);
			shown++;
		} else {
			more++;
		}
	}
	if (more > 0) {
		fprintf(out, "  and %zu more (-o FILE.json)\n", more);
	}
	if (unseen > 0) {
		fprintf(out,
			"  %s%zu sequence%s in no word: only merged states allow %s (-o "
			"FILE.json)\n",
			shown ? "and " : "", unseen, unseen == 1 ? "" : "s",
			unseen == 1 ? "it" : "them");
	}
}

int kt_diff_write_text(FILE *out, const void *report)
{
	const struct kt_diff_report *r = report;
	const struct kt_compare_summary *languages =
		kt_compare_summary(kt_diff_compare(r->diff));
	const struct kt_diff_summary *summary = kt_diff_summary(r->diff);
	bool same = summary->transitions.added == 0 && summary->transitions.removed == 0 &&
		    summary->states.added == 0 && summary->states.removed == 0;
	size_t n_old = 0; /* number of sequences of the old machine; they come first */

	write_source(out, r, 0);
	write_source(out, r, 1);
	kt_diff_write_recorded(out, r);
	write_list(out, r, "without", &r->versions->without, "");
	write_list(out, r, "runs of", &r->versions->runs, " count as one letter");
	kt_diff_write_changes(out, r);
	putc('\n', out);
	if (languages->equal) {
		fputs(same ? "The machines are equal.\n"
			   : "The machines are equal: they accept the same words, with "
			     "other states.\n",
		      out);
	} else {
		fputs("The machines differ.", out);
		putc(languages->old_in_new == KT_ANSWER_NO &&
				     languages->new_in_old == KT_ANSWER_NO
			     ? '\n'
			     : ' ',
		     out);
		write_inclusion(out, languages->old_in_new, "old", "new");
		write_inclusion(out, languages->new_in_old, "new", "old");
		write_accepted(out, r->shown);
	}
	KT_TRY(write_own_letters(out, r));
	write_reason(out, r);
	KT_TRY(write_numbers(out, r));
	kt_diff_write_meanings(out, r);
	while (n_old < r->seen->n && r->seen->list[n_old].version == KT_COMPARE_OLD) {
		n_old++;
	}
	write_sequences_of(out, r, 0, n_old, 0);
	write_sequences_of(out, r, n_old, r->seen->n, 1);
	KT_TRY(kt_diff_write_words(out, r));
	return ferror(out) ? kt_error_errno(KT_E_IO, "write difference") : KT_OK;
}
