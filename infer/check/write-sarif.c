/* SPDX-License-Identifier: MIT */
/*
 * SARIF, the Static Analysis Results Interchange Format, version 2.1.0 (OASIS Standard,
 * 27 March 2020).
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "base/try.h"
#include "infer/check/print.h"
#include "infer/words/read/time-text.h"

#define SCHEMA       "https://json.schemastore.org/sarif-2.1.0.json"
#define EXPECTED_MAX 12 /* limit of expected letters in a message; JSON has all */

enum rule { RULE_UNEXPECTED, RULE_UNKNOWN, RULE_EARLY, RULE_UNLISTED, RULES };

static const struct {
	const char *id;
	const char *text;
} rules[RULES] = {
	[RULE_UNEXPECTED] = {"unexpected-letter",
			     "The machine has the letter, but not at this place."},
	[RULE_UNKNOWN] = {"unknown-letter", "The machine does not have the letter."},
	[RULE_EARLY] = {"early-end",
			"The word ends where no complete word of the machine ends."},
	[RULE_UNLISTED] = {"unlisted-misfits",
			   "Letters beyond the option --limit do not fit."},
};

/* --- messages --- */

/* Returns the phase of all states that the word may have been in; NULL: none, or several.
 */
static const char *find_phase(const kt_checker *checker, const struct kt_misfit *misfit)
{
	const struct kt_fsm_state *states = kt_checker_fsm(checker)->states;
	const char *phase = states[misfit->states[0]].phase;

	for (size_t i = 1; i < misfit->n_states && phase; i++) {
		const char *other =
			i < KT_MISFIT_STATES ? states[misfit->states[i]].phase : NULL;

		phase = other && strcmp(other, phase) == 0 ? phase : NULL;
	}
	return phase;
}

static void put_expected(FILE *out, const kt_checker *checker,
			 const struct kt_misfit *misfit)
{
	const size_t n =
		misfit->n_expected < EXPECTED_MAX ? misfit->n_expected : EXPECTED_MAX;
	char buffer[KT_LETTER_NAME];

	fputs(n ? "expected: " : "expected: the end of the word", out);
	for (size_t i = 0; i < n; i++) {
		const char *letter = kt_checker_expected_name(checker, misfit->expected[i]);

		fprintf(out, "%s%s", i ? ", " : "",
			kt_check_letter_text(checker, letter, buffer));
	}
	if (misfit->n_expected > n) {
		fprintf(out, " and %zu more", misfit->n_expected - n);
	}
}

static void put_message(FILE *out, const kt_checker *checker,
			const struct kt_checked_word *word, const struct kt_misfit *misfit)
{
	const struct kt_event_position *position = &misfit->position;
	const char *phase = find_phase(checker, misfit);
	char buffer[KT_LETTER_NAME];
	char when[KT_TIME_TEXT];

	fprintf(out, "%s does not fit",
		kt_check_letter_text(
			checker, kt_checker_letter_name(checker, misfit->letter), buffer));
	if (misfit->call != KT_CHECK_UNKNOWN) {
		fprintf(out, " in %s", kt_checker_letter_name(checker, misfit->call));
	}
	if (phase) {
		fprintf(out, " in the phase %s", phase);
	}
	fputs("; ", out);
	put_expected(out, checker, misfit);
	fprintf(out, ". It is letter %" PRIu64 " of %s", misfit->index,
		word->name ? word->name : "unknown");
	if (position->known) {
		kt_time_text(when, position->time);
		fprintf(out, ", %s, pid %" PRIu32 ", tid %" PRIu32 ", event %" PRIu64,
			position->time ? when : "at an unknown time", position->pid,
			position->tid, position->seq);
	}
	for (size_t i = 0; i < misfit->n_before; i++) {
		const char *letter = kt_checker_letter_name(checker, misfit->before[i]);

		fprintf(out, "%s%s", i ? "; " : ", after ",
			kt_check_letter_text(checker, letter, buffer));
	}
	fputs(".", out);
}

/* --- results --- */

/*
 * Writes a path as a URI reference (RFC 3986). An absolute path becomes a file: URI; a URL,
 * such as that of a live session, stays as it is.
 */
static void write_uri(struct kt_json_writer *w, const char *path)
{
	char *uri = malloc(sizeof("file://") + 3 * strlen(path));
	size_t n = 0;

	if (!uri || strstr(path, "://")) {
		KT_JSON(w, KT_STR("uri", path));
		free(uri);
		return;
	}
	if (path[0] == '/') {
		n = strlen(strcpy(uri, "file://"));
	}
	for (; *path; path++) {
		const unsigned char c = (unsigned char)*path;

		if (c < 0x80 && (isalnum(c) || strchr("-._~/", c))) {
			uri[n++] = (char)c;
		} else {
			n += (size_t)sprintf(uri + n, "%%%02X", c);
		}
	}
	uri[n] = '\0';
	KT_JSON(w, KT_STR("uri", uri));
	free(uri);
}

/*
 * Writes a result for a letter of the word. `line` is the number of the letter, from 1, as
 * if the word were a file with one letter per line, because GitHub's dashboards require a
 * line.
 */
static void write_result(struct kt_json_writer *w, const struct kt_checked_word *word,
			 enum rule rule, const char *message, uint64_t times, uint64_t line)
{
	kt_json_object(kt_json_line(w), NULL);
	KT_JSON(w, KT_STR("ruleId", rules[rule].id), KT_U64("ruleIndex", rule),
		KT_STR("level", "error"));
	KT_OBJECT(kt_json_line(w), "message", KT_STR("text", message));
	KT_JSON(kt_json_line(w), KT_U64("occurrenceCount", times));
	kt_json_array(kt_json_line(w), "locations");
	kt_json_object(w, NULL);
	if (word->trace) {
		kt_json_object(w, "physicalLocation");
		kt_json_object(w, "artifactLocation");
		write_uri(w, word->trace);
		kt_json_end(w);
		KT_OBJECT(w, "region", KT_U64("startLine", line));
		kt_json_end(w);
	}
	kt_json_array(w, "logicalLocations");
	KT_OBJECT(w, NULL,
		  KT_STR("fullyQualifiedName", word->name ? word->name : "unknown"));
	kt_json_end(w);
	kt_json_end(w);
	kt_json_end(w);
	kt_json_end(w);
}

static int write_misfit(struct kt_json_writer *w, const kt_checker *checker,
			const struct kt_checked_word *word, const struct kt_misfit *misfit,
			uint64_t times)
{
	const char *letter = kt_checker_letter_name(checker, misfit->letter);
	const bool known = kt_fsm_find_letter(kt_checker_fsm(checker), letter) != SIZE_MAX;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream) {
		return kt_no_memory("write SARIF");
	}
	put_message(stream, checker, word, misfit);
	if (fclose(stream) != 0) {
		free(text);
		return kt_no_memory("write SARIF");
	}
	write_result(w, word, known ? RULE_UNEXPECTED : RULE_UNKNOWN, text, times,
		     misfit->index + 1);
	free(text);
	return KT_OK;
}

static int write_word(struct kt_json_writer *w, const kt_checker *checker,
		      const struct kt_checked_word *word)
{
	/* by recorded misfit: how many misfits are in the group that it begins, or 0 */
	uint64_t *times = calloc(word->n_listed + 1, sizeof(*times));
	char text[128];
	int code = KT_OK;

	if (!times) {
		return kt_no_memory("write SARIF");
	}
	for (size_t i = 0; i < word->n_listed; i++) {
		const struct kt_misfit *first =
			kt_misfit_find_earlier(word, &word->misfits[i]);

		times[first ? (size_t)(first - word->misfits) : i]++;
	}
	for (size_t i = 0; i < word->n_listed; i++) {
		if (times[i] > 0) {
			KT_TRY_END(write_misfit(w, checker, word, &word->misfits[i],
						times[i]));
		}
	}
	if (word->n_misfits > word->n_listed) {
		const uint64_t rest = word->n_misfits - word->n_listed;

		snprintf(text, sizeof(text), "%" PRIu64 " %sletter%s not fit.", rest,
			 word->n_listed ? "more " : "", rest == 1 ? " does" : "s do");
		write_result(w, word, RULE_UNLISTED, text, rest, 1);
	}
	if (kt_checker_is_early(checker, word)) {
		snprintf(text, sizeof(text),
			 "The word ends too early, after %" PRIu64 " letter%s%s.",
			 word->letters, word->letters == 1 ? "" : "s",
			 word->cut_end ? " (its end is truncated)" : "");
		write_result(w, word, RULE_EARLY, text, 1,
			     word->letters ? word->letters : 1);
	}
end:
	free(times);
	return code;
}

int kt_check_write_sarif(FILE *out, const kt_checker *checker)
{
	struct kt_json_writer w = {.out = out};

	kt_json_object(&w, NULL);
	KT_JSON(&w, KT_STR("$schema", SCHEMA), KT_STR("version", "2.1.0"));
	kt_json_array(kt_json_line(&w), "runs");
	kt_json_object(&w, NULL);
	kt_json_object(&w, "tool");
	kt_json_object(&w, "driver");
	KT_JSON(&w, KT_STR("name", "ktail check"), KT_STR("version", KTAIL_VERSION));
	kt_json_rows(&w, "rules");
	for (size_t i = 0; i < RULES; i++) {
		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_STR("id", rules[i].id));
		KT_OBJECT(&w, "shortDescription", KT_STR("text", rules[i].text));
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_json_end(&w);
	kt_json_end(&w);
	kt_json_array(kt_json_line(&w), "results");
	for (size_t i = 0; i < kt_checker_count(checker); i++) {
		KT_TRY(write_word(&w, checker, kt_checker_word(checker, i)));
	}
	kt_json_end(kt_json_line(&w));
	kt_json_end(&w);
	kt_json_end(&w);
	return kt_json_finish(&w, "write SARIF");
}
