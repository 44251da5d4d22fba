/* SPDX-License-Identifier: MIT */
#include "base/json-writer.h"
#include "infer/check/print.h"

/* Names of letters, of the machine or of the checker. */
static void write_letters(struct kt_json_writer *w, const char *key,
			  const kt_checker *checker, const uint32_t *letters, size_t n,
			  const char *(*name)(const kt_checker *, uint32_t letter))
{
	kt_json_array(kt_json_line(w), key);
	for (size_t i = 0; i < n; i++) {
		kt_json_text(w, name(checker, letters[i]));
	}
	kt_json_end(w);
}

static void write_misfit(struct kt_json_writer *w, const kt_checker *checker,
			 const struct kt_misfit *misfit)
{
	const struct kt_place *place = &misfit->place;

	kt_json_object(kt_json_line(w), NULL);
	KT_JSON(w, KT_U64("index", misfit->index),
		KT_STR("letter", kt_checker_letter_name(checker, misfit->letter)));
	if (place->known && place->time) {
		KT_JSON(w, KT_I64("time", place->time));
	} else {
		KT_JSON(w, KT_RAW("time", "null"));
	}
	/* Only a damaged event has a larger seq, and readers of JSON hold none. */
	KT_JSON(w, KT_KNOWN("pid", place->pid, place->known),
		KT_KNOWN("tid", place->tid, place->known),
		KT_KNOWN("seq", place->seq, place->known && place->seq <= INT64_MAX));
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
	kt_json_object(kt_json_line(w), NULL);
	KT_JSON(w, KT_STR("name", word->name ? word->name : "unknown"),
		KT_U64("letters", word->letters), KT_U64("lost", word->lost),
		KT_BOOL("cut_begin", word->cut_begin), KT_BOOL("cut_end", word->cut_end),
		KT_BOOL("fits", word->n_misfits == 0), KT_U64("misfits", word->n_misfits));
	kt_json_array(w, "listed");
	for (size_t i = 0; i < word->n_listed; i++) {
		write_misfit(w, checker, &word->misfits[i]);
	}
	kt_json_end(w);
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
	return kt_json_finish(&w, "write misfits as JSON");
}
