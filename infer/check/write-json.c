/* SPDX-License-Identifier: MIT */
#include "base/json-string.h"
#include "infer/check/print.h"

#include <inttypes.h>

#include <ktail/status.h>

static const char *truth(bool value)
{
	return value ? "true" : "false";
}

/* Names of letters, of the machine or of the checker. */
static void write_letters(FILE *out, const kt_checker *checker, const uint32_t *letters,
			  size_t n,
			  const char *(*name)(const kt_checker *, uint32_t letter))
{
	fputs("[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", out);
		kt_json_string(out, name(checker, letters[i]));
	}
	fputs("]", out);
}

static void write_misfit(FILE *out, const kt_checker *checker,
			 const struct kt_misfit *misfit)
{
	const struct kt_place *place = &misfit->place;

	fprintf(out, "      {\"index\": %" PRIu64 ", \"letter\": ", misfit->index);
	kt_json_string(out, kt_checker_letter_name(checker, misfit->letter));
	fputs(", \"time\": ", out);
	if (place->known && place->time) {
		fprintf(out, "%" PRId64, place->time);
	} else {
		fputs("null", out);
	}
	if (place->known) {
		fprintf(out, ", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"seq\": ",
			place->pid, place->tid);
	} else {
		fputs(", \"pid\": null, \"tid\": null, \"seq\": ", out);
	}
	/* Only a damaged event has a larger one, and readers of JSON hold none. */
	if (place->known && place->seq <= INT64_MAX) {
		fprintf(out, "%" PRIu64, place->seq);
	} else {
		fputs("null", out);
	}
	fprintf(out, ",\n       \"n_states\": %zu, \"states\": [", misfit->n_states);
	for (size_t i = 0; i < misfit->n_states && i < KT_MISFIT_STATES; i++) {
		fprintf(out, "%s%" PRIu32, i ? ", " : "", misfit->states[i]);
	}
	fputs("],\n       \"expected\": ", out);
	write_letters(out, checker, misfit->expected, misfit->n_expected,
		      kt_checker_expected_name);
	fputs(",\n       \"before\": ", out);
	write_letters(out, checker, misfit->before, misfit->n_before,
		      kt_checker_letter_name);
	fputs("}", out);
}

int kt_check_write_json(FILE *out, const kt_checker *checker)
{
	const struct kt_fsm *fsm = kt_checker_fsm(checker);
	size_t n = kt_checker_count(checker);
	size_t wrong;
	uint64_t misfits = kt_checker_misfits(checker, &wrong);

	fprintf(out,
		"{\n  \"format\": \"" KT_CHECK_FORMAT "\",\n"
		"  \"states\": %zu,\n  \"transitions\": %zu,\n"
		"  \"word\": \"%s\",\n  \"all\": %s,\n"
		"  \"fits\": %s,\n  \"misfits\": %" PRIu64 ",\n  \"words\": [",
		fsm->n_states, fsm->n_transitions, fsm->word,
		truth(kt_checker_options(checker)->all), truth(wrong == 0), misfits);
	for (size_t i = 0; i < n; i++) {
		const struct kt_checked_word *word = kt_checker_word(checker, i);

		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
		kt_json_string(out, word->name ? word->name : "unknown");
		fprintf(out,
			", \"letters\": %" PRIu64 ", \"lost\": %" PRIu64
			", \"cut_begin\": %s, \"cut_end\": %s, \"fits\": %s, "
			"\"misfits\": %" PRIu64 ", \"listed\": [",
			word->letters, word->lost, truth(word->cut_begin),
			truth(word->cut_end), truth(word->n_misfits == 0), word->n_misfits);
		for (size_t j = 0; j < word->n_listed; j++) {
			fputs(j ? ",\n" : "\n", out);
			write_misfit(out, checker, &word->misfits[j]);
		}
		fputs("]}", out);
	}
	fputs("\n  ]\n}\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write misfits as JSON") : KT_OK;
}
