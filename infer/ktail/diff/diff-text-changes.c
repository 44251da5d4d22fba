/* SPDX-License-Identifier: MIT */
/*
 * Writes what changed between repeated recordings of both versions, as a list like a
 * changelog.
 */
#include "infer/ktail/diff/diff-text.h"

#include <string.h>

#define CHANGES_SHOWN 20
#define LETTERS_SHOWN 4
#define NOISE_SHOWN   8

static void put_list(struct kt_wrap *line, const struct kt_diff_report *r,
		     const char *const *letters, size_t n)
{
	for (size_t i = 0; i < n && i < LETTERS_SHOWN; i++) {
		kt_wrap_put(line, " %s%s", kt_diff_name_of(r, letters[i]),
			    i + 1 < n ? "," : "");
	}
	if (n > LETTERS_SHOWN) {
		kt_wrap_put(line, " and %zu more", n - LETTERS_SHOWN);
	}
}

static void put_position(struct kt_wrap *line, const struct kt_diff_report *r,
			 const struct kt_change_position *position)
{
	if (position->before) {
		kt_wrap_put(line, " after");
		kt_wrap_put(line, " %s", kt_diff_name_of(r, position->before));
	} else {
		kt_wrap_put(line, " at the beginning");
	}
	kt_wrap_put(line, "%s", position->after ? "," : ", at the end");
	if (position->after) {
		kt_wrap_put(line, " before");
		kt_wrap_put(line, " %s", kt_diff_name_of(r, position->after));
	}
}

/*
 * Returns whether the changes are in several words, so that each change must be written
 * with the name of its word.
 */
static bool have_words(const struct kt_changes *changes)
{
	for (size_t i = 1; i < changes->n; i++) {
		if (strcmp(changes->items[i].word, changes->items[0].word) != 0) {
			return true;
		}
	}
	return false;
}

static bool have_same_letters(const char *const *a, size_t n_a, const char *const *b,
			      size_t n_b)
{
	return n_a == n_b && memcmp(a, b, n_a * sizeof(*a)) == 0;
}

/*
 * Returns whether two changes differ only in their position in the word. Such changes, for
 * example one at each launch, are written as one line.
 */
static bool read_the_same(const struct kt_change *a, const struct kt_change *b)
{
	return a->kind == b->kind && a->found == b->found && a->word == b->word &&
	       a->call == b->call && a->shown[0] == b->shown[0] &&
	       a->shown[1] == b->shown[1] && a->position.before == b->position.before &&
	       a->position.after == b->position.after &&
	       a->elsewhere.before == b->elsewhere.before &&
	       a->elsewhere.after == b->elsewhere.after &&
	       have_same_letters(a->removed, a->n_removed, b->removed, b->n_removed) &&
	       have_same_letters(a->added, a->n_added, b->added, b->n_added);
}

static void write_change(FILE *out, const struct kt_diff_report *r,
			 const struct kt_change *change, size_t times)
{
	static const char *const kinds[] = {
		[KT_CHANGE_ADDED] = "added:",
		[KT_CHANGE_REMOVED] = "removed:",
		[KT_CHANGE_REPLACED] = "replaced:",
		[KT_CHANGE_MOVED] = "moved:",
	};
	const bool adds = change->kind == KT_CHANGE_ADDED;
	struct kt_wrap line = {.out = out, .indent = 6};

	kt_wrap_put(&line, " ");
	if (have_words(r->changes)) {
		kt_wrap_put(&line, " %s:", change->word);
	}
	if (change->call) {
		kt_wrap_put(&line, " %s:", change->call);
	}
	kt_wrap_put(&line, " %s", kinds[change->kind]);
	fputs(change->kind == KT_CHANGE_REMOVED || change->kind == KT_CHANGE_REPLACED
		      ? kt_diff_version_color(out, 0)
	      : adds ? kt_diff_version_color(out, 1)
		     : "",
	      out);
	put_list(&line, r, adds ? change->added : change->removed,
		 adds ? change->n_added : change->n_removed);
	fputs(kt_colors_of(out)->plain, out);
	if (change->kind == KT_CHANGE_REPLACED) {
		kt_wrap_put(&line, " by");
		put_list(&line, r, change->added, change->n_added);
	}
	kt_wrap_put(&line, "%s", ",");
	kt_wrap_put(&line, "%s", change->kind == KT_CHANGE_MOVED ? " from" : "");
	put_position(&line, r, &change->position);
	if (change->kind == KT_CHANGE_MOVED) {
		kt_wrap_put(&line, ", to");
		put_position(&line, r, &change->elsewhere);
	}
	if (times > 1) {
		kt_wrap_put(&line, ", at %zu positions", times);
	}
	kt_wrap_put(&line, "%s", ":");
	/*
	 * Write "missing in": "removed: ... in 16 of 16 new" would read as if the new
	 * recordings still had the letters.
	 */
	kt_wrap_put(&line, change->kind == KT_CHANGE_REMOVED ? " missing in" : " in");
	kt_wrap_put(&line, " %zu of %zu new and", change->shown[1], change->of[1]);
	kt_wrap_put(&line, " %zu of %zu old recordings", change->shown[0], change->of[0]);
	kt_wrap_put(&line, " (p = %.2g)", change->p);
	kt_wrap_end(&line);
}

/* Returns whether all recordings of one version, and none of the other, show the change. */
static bool divides(const struct kt_change *change)
{
	return (change->shown[0] == 0 && change->shown[1] == change->of[1]) ||
	       (change->shown[1] == 0 && change->shown[0] == change->of[0]);
}

/*
 * Writes the changes in items[from..to): all of them, or if `all` is false, only those that
 * divide the versions. Changes that read the same are written once.
 */
static void write_some(FILE *out, const struct kt_diff_report *r, size_t from, size_t to,
		       bool all)
{
	const struct kt_change *items = r->changes->items;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		size_t times = 0;

		for (size_t j = from; j < to; j++) {
			const bool same = read_the_same(&items[i], &items[j]);

			if (same && j < i) {
				times = 0;
				break;
			}
			times += same;
		}
		if (times == 0 || (!all && !divides(&items[i]))) {
			continue;
		}
		if (n++ < CHANGES_SHOWN) {
			write_change(out, r, &items[i], times);
		}
	}
	if (n > CHANGES_SHOWN) {
		fprintf(out, "  and %zu more (-o FILE.json)\n", n - CHANGES_SHOWN);
	}
}

static void write_noise(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_changes *changes = r->changes;
	struct kt_wrap line = {.out = out, .indent = 2};

	if (changes->n_noise == 0) {
		return;
	}
	kt_wrap_put(
		&line,
		"Not compared in this list, since their number varies within a version:");
	for (size_t i = 0; i < changes->n_noise && i < NOISE_SHOWN; i++) {
		kt_wrap_put(&line, " %s%s", kt_diff_name_of(r, changes->noise[i]),
			    i + 1 < changes->n_noise ? "," : "");
	}
	if (changes->n_noise > NOISE_SHOWN) {
		kt_wrap_put(&line, " and %zu more", changes->n_noise - NOISE_SHOWN);
	}
	kt_wrap_end(&line);
}

void kt_diff_write_changes(FILE *out, const struct kt_diff_report *r)
{
	const struct kt_changes *changes = r->changes;
	const struct kt_colors *colors = kt_colors_of(out);
	struct kt_wrap line = {.out = out, .indent = 2};
	size_t possible = 0;
	size_t others;

	if (!changes || (changes->recordings[0] < 2 && changes->recordings[1] < 2)) {
		return;
	}
	kt_wrap_put(&line, "\n%sWhat changed,%s", colors->bold, colors->plain);
	kt_wrap_put(&line, " by %zu old and", changes->recordings[0]);
	kt_wrap_put(&line, " %zu new recordings:", changes->recordings[1]);
	kt_wrap_put(&line, "%s",
		    changes->n_found ? "" : " nothing that chance would not give");
	kt_wrap_end(&line);
	write_some(out, r, 0, changes->n_found, true);
	for (size_t i = changes->n_found; i < changes->n; i++) {
		possible += divides(&changes->items[i]);
	}
	if (possible > 0) {
		kt_wrap_put(&line, "In all recordings of one side and none of the other,");
		kt_wrap_put(&line, " but so few may differ by chance:");
		kt_wrap_end(&line);
		write_some(out, r, changes->n_found, changes->n, false);
	}
	others = changes->n - changes->n_found - possible;
	if (others > 0) {
		kt_wrap_put(&line, "%zu other difference%s may be noise:", others,
			    others == 1 ? "" : "s");
		kt_wrap_put(&line, " in some recordings of a side and not in others");
		kt_wrap_end(&line);
	}
	write_noise(out, r);
	if (changes->unaligned > 0) {
		fprintf(out, "%zu word%s too different to be aligned\n", changes->unaligned,
			changes->unaligned == 1 ? " is" : "s are");
	}
	fputs("Below, the machines of all recordings are compared, noise included.\n", out);
}
