/* SPDX-License-Identifier: MIT */
/*
 * Machines of random words are written in every format and read again. The formats of ktail
 * preserve all of a machine, those of AALpy and LearnLib only the part that is reachable
 * from the start. In the original, the reachable states have the lowest numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/ktail.h>

#include "tests/engine/oracle/random-sets.h"
#include "tests/exchange/rig.h"

static struct kt_fsm *infer(const kt_words *words, uint64_t k)
{
	struct kt_infer_options options = KT_INFER_OPTIONS_INIT;
	struct kt_fsm *fsm = NULL;

	options.k = k;
	if (kt_infer(&fsm, words, &options)) {
		fprintf(stderr, "%s\n", kt_error_message());
		abort();
	}
	return fsm;
}

static bool comes_back(const struct kt_fsm *fsm, rig_write_fn write, rig_read_fn read)
{
	char *before = rig_write(kt_fsm_write_json, fsm);
	char *text = rig_write(write, fsm);
	struct kt_fsm *again = NULL;
	char *after = NULL;
	bool same;

	if (text && rig_read(read, &again, text, strlen(text)) == KT_OK) {
		after = rig_write(kt_fsm_write_json, again);
	}
	same = after && strcmp(before, after) == 0;
	if (!same) {
		fprintf(stderr, "%s\n%s\n%s\n%s\n", kt_error_message(), before,
			text ? text : "", after ? after : "");
	}
	kt_fsm_free(again);
	free(before);
	free(text);
	free(after);
	return same;
}

static size_t count_reached(const struct kt_fsm *fsm)
{
	size_t reached = 1;

	/*
	 * States are numbered breadth first: each reachable state but the start has a
	 * transition from an earlier state.
	 */
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (fsm->transitions[i].from < reached &&
		    fsm->transitions[i].to == reached) {
			reached++;
		}
	}
	return reached;
}

static bool same_transition(const struct kt_fsm *a, const struct kt_fsm *b, size_t i)
{
	const struct kt_fsm_transition *x = &a->transitions[i];
	const struct kt_fsm_transition *y = &b->transitions[i];

	return x->from == y->from && x->to == y->to && y->count == 0 &&
	       strcmp(a->letters[x->letter], b->letters[y->letter]) == 0;
}

static bool language_comes_back(const struct kt_fsm *fsm, rig_write_fn write)
{
	char *text = rig_write(write, fsm);
	struct kt_fsm *again = NULL;
	size_t reached = count_reached(fsm);
	size_t n = 0;
	bool same = text && rig_read(kt_fsm_read_dot, &again, text, strlen(text)) == KT_OK;

	while (n < fsm->n_transitions && fsm->transitions[n].from < reached) {
		n++;
	}
	same = same && again->no_k && again->n_states == reached &&
	       again->n_transitions == n && again->start == 0;
	for (size_t i = 0; i < n && same; i++) {
		same = same_transition(fsm, again, i);
	}
	if (!same) {
		fprintf(stderr, "%s\n%s\n", kt_error_message(), text ? text : "");
	}
	kt_fsm_free(again);
	free(text);
	return same;
}

static bool same_words(const kt_words *a, const kt_words *b)
{
	bool same = kt_words_count(a) == kt_words_count(b) &&
		    kt_words_total(a) == kt_words_total(b);

	for (size_t i = 0; i < kt_words_count(a) && same; i++) {
		struct kt_word_info info;
		uint64_t n = 0;
		uint64_t m = 0;

		kt_words_get(a, i, &info, &n);
		kt_words_get(b, i, &info, &m);
		same = n == m;
		for (uint64_t j = 0; j < n && same; j++) {
			uint32_t x = 0;
			uint32_t y = 0;

			kt_words_read(a, i, j, 1, &x);
			kt_words_read(b, i, j, 1, &y);
			same = strcmp(kt_words_letter_name(a, x),
				      kt_words_letter_name(b, y)) == 0;
		}
	}
	return same;
}

static bool words_come_back(const kt_words *words)
{
	struct kt_abbadingo_report report;
	kt_words *again = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool same;

	if (!out || kt_words_write_abbadingo(words, out) || fclose(out) != 0 ||
	    kt_words_new(&again)) {
		abort();
	}
	same = rig_read_words(again, text, size, &report) == KT_OK &&
	       report.words == kt_words_count(words) && report.negative == 0 &&
	       same_words(words, again);
	if (!same) {
		fprintf(stderr, "%s\n%s\n", kt_error_message(), text);
	}
	kt_words_free(again);
	free(text);
	return same;
}

/* Returns the same words with letters that need escapes. */
static kt_words *encode_otherwise(const kt_words *words)
{
	static const char *const odd[] = {
		"a:b/c|d", "_",    "_5f",  "x y", "{",    "é\"q\"",  "\\n", "\\\\",  "<&>",
		"a / b",   "\\\"", "-> x", "%41", "];//", "/* x */", "#",   "\\N\\G"};
	static const size_t n_odd = sizeof(odd) / sizeof(odd[0]);
	kt_words *out = NULL;

	if (kt_words_new(&out)) {
		abort();
	}
	for (size_t i = 0; i < kt_words_count(words); i++) {
		struct kt_word_info info;
		uint64_t n = 0;

		kt_words_get(words, i, &info, &n);
		if (kt_words_begin(out, &info)) {
			abort();
		}
		for (uint64_t j = 0; j < n; j++) {
			char name[64];
			uint32_t letter = 0;

			kt_words_read(words, i, j, 1, &letter);
			if (letter < n_odd) {
				snprintf(name, sizeof(name), "%s", odd[letter]);
			} else {
				snprintf(name, sizeof(name), "%s%u", odd[letter % n_odd],
					 letter);
			}
			if (kt_words_letter(&letter, out, name, strlen(name)) ||
			    kt_words_append(out, &letter, 1)) {
				abort();
			}
		}
	}
	return out;
}

static bool check(const kt_words *words, uint64_t k, bool odd)
{
	struct kt_fsm *fsm = infer(words, k);
	bool good = comes_back(fsm, rig_write_ktail, kt_fsm_read_dot) &&
		    comes_back(fsm, kt_fsm_write_graphml, kt_fsm_read_graphml) &&
		    language_comes_back(fsm, rig_write_learnlib) &&
		    (odd || language_comes_back(fsm, rig_write_aalpy)) &&
		    words_come_back(words);

	kt_fsm_free(fsm);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;

	for (uint64_t seed = 1; seed <= n; seed++) {
		kt_words *words = random_set(seed, seed % 4 ? 8 : 200);
		kt_words *odd = encode_otherwise(words);
		bool good = check(words, seed % 7, false) && check(odd, seed % 5, true);

		kt_words_free(words);
		kt_words_free(odd);
		if (!good) {
			fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
			return 1;
		}
	}
	return 0;
}
