/* SPDX-License-Identifier: MIT */
/*
 * JUnit XML, in the form that GitLab, Jenkins and others read (elements testsuite,
 * testcase, failure of the Ant task junitreport).
 */
#include <inttypes.h>
#include <stdlib.h>

#include <ktail/status.h>

#include "base/try.h"
#include "infer/check/print.h"

/* Writes text for an attribute or an element; control characters become '?'. */
static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		switch (c) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default: putc(c < ' ' && c != '\n' && c != '\t' ? '?' : c, out);
		}
	}
}

/*
 * Writes the failure of a word. Its message names the first letter that does not fit; its
 * text is what ktail check prints of all misfits of the word.
 */
static int write_failure(FILE *out, const kt_checker *checker, size_t number)
{
	const struct kt_checked_word *word = kt_checker_word(checker, number);
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int code = KT_OK;

	if (!stream) {
		return kt_no_memory("write JUnit XML");
	}
	for (size_t i = 0; i < word->n_listed && !code; i++) {
		code = kt_print_misfit(stream, checker, number,
				       word->name ? word->name : "unknown",
				       &word->misfits[i]);
	}
	if (fclose(stream) != 0 && !code) {
		code = kt_no_memory("write JUnit XML");
	}
	if (!code && word->n_misfits == 0) {
		fputs("      <failure message=\"ends too early\"></failure>\n", out);
	} else if (!code && word->n_listed == 0) { /* --limit 0 */
		fprintf(out, "      <failure message=\"%" PRIu64 " misfit%s\"></failure>\n",
			word->n_misfits, word->n_misfits == 1 ? "" : "s");
	} else if (!code) {
		fprintf(out, "      <failure message=\"letter %" PRIu64 " does not fit",
			word->misfits[0].index);
		if (word->n_misfits > 1) {
			fprintf(out, ", nor do %" PRIu64 " others", word->n_misfits - 1);
		}
		fputs("\">", out);
		write_escaped(out, text);
		fputs("</failure>\n", out);
	}
	free(text);
	return code;
}

int kt_check_write_junit(FILE *out, const kt_checker *checker, const char *machine)
{
	const size_t n = kt_checker_count(checker);
	size_t wrong;

	kt_checker_misfits(checker, &wrong);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	fputs("  <testsuite name=\"ktail check ", out);
	write_escaped(out, machine);
	fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n", n,
		wrong);
	for (size_t i = 0; i < n; i++) {
		const struct kt_checked_word *word = kt_checker_word(checker, i);
		const bool fits =
			word->n_misfits == 0 && !kt_checker_is_early(checker, word);

		fputs("    <testcase classname=\"", out);
		write_escaped(out, machine);
		fputs("\" name=\"", out);
		write_escaped(out, word->name ? word->name : "unknown");
		fputs(fits ? "\"/>\n" : "\">\n", out);
		if (!fits) {
			KT_TRY(write_failure(out, checker, i));
			fputs("    </testcase>\n", out);
		}
	}
	fputs("  </testsuite>\n</testsuites>\n", out);
	return ferror(out) ? kt_error_errno(KT_E_IO, "write JUnit XML") : KT_OK;
}
