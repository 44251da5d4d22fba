/* SPDX-License-Identifier: MIT */
#include "infer/check/print.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "infer/words/read/time-text.h"

#define EXPECTED_MAX 12 /* told to people; JSON has them all */

int kt_print_misfit(FILE *out, const kt_checker *checker, const char *name,
		    const struct kt_misfit *misfit)
{
	const struct kt_place *place = &misfit->place;
	char when[KT_TIME_TEXT];

	fprintf(out, "%s: letter %" PRIu64 " does not fit: %s", name, misfit->index,
		kt_checker_letter_name(checker, misfit->letter));
	if (place->known) {
		kt_time_text(when, place->time);
		fprintf(out, ", %s, pid %" PRIu32 ", tid %" PRIu32 ", event %" PRIu64,
			place->time ? when : "at no known time", place->pid, place->tid,
			place->seq);
	}
	if (misfit->n_states == 1) {
		fprintf(out, "\n    state %" PRIu32 " expects", misfit->states[0]);
	} else {
		fprintf(out, "\n    one of %zu states expects", misfit->n_states);
	}
	for (size_t i = 0; i < misfit->n_expected && i < EXPECTED_MAX; i++) {
		fprintf(out, " %s", kt_checker_expected_name(checker, misfit->expected[i]));
	}
	if (misfit->n_expected > EXPECTED_MAX) {
		fprintf(out, " and %zu more", misfit->n_expected - EXPECTED_MAX);
	} else if (misfit->n_expected == 0) {
		fputs(" the end of the word", out);
	}
	putc('\n', out);
	if (misfit->n_before > 0) {
		fputs("    behind", out);
	}
	for (size_t i = 0; i < misfit->n_before; i++) {
		fprintf(out, " %s", kt_checker_letter_name(checker, misfit->before[i]));
	}
	fputs(misfit->n_before > 0 ? "\n" : "", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write misfits") : KT_OK;
}

int kt_print_checked(FILE *out, const kt_checker *checker)
{
	bool all = kt_checker_options(checker)->all;
	size_t n = kt_checker_count(checker);
	size_t wrong;
	uint64_t misfits = kt_checker_misfits(checker, &wrong);

	for (size_t i = 0; i < n; i++) {
		const struct kt_checked_word *word = kt_checker_word(checker, i);

		fprintf(out, "%s: %" PRIu64 " letter%s, ",
			word->name ? word->name : "unknown", word->letters,
			word->letters == 1 ? "" : "s");
		if (word->n_misfits == 0) {
			fputs("fits", out);
		} else if (all) {
			fprintf(out, "%" PRIu64 " of them do%s not fit", word->n_misfits,
				word->n_misfits == 1 ? "es" : "");
		} else {
			fputs("does not fit", out);
		}
		fprintf(out, "%s\n",
			word->cut_begin && word->cut_end ? " (cut at both ends)"
			: word->cut_begin                ? " (its beginning is cut)"
			: word->cut_end                  ? " (its end is cut)"
							 : "");
	}
	if (wrong == 0) {
		fprintf(out, "%s\n", n == 1 ? "the word fits" : "all words fit");
	} else if (all) {
		fprintf(out, "%zu of %zu words do%s not fit, in %" PRIu64 " letter%s\n",
			wrong, n, wrong == 1 ? "es" : "", misfits, misfits == 1 ? "" : "s");
	} else {
		fprintf(out, "%zu of %zu words do%s not fit\n", wrong, n,
			wrong == 1 ? "es" : "");
	}
	return ferror(out) ? kt_error_errno(KT_E_IO, "write summary") : KT_OK;
}
