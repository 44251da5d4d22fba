/* SPDX-License-Identifier: MIT */
/*
 * check-labels: checks that the driver's label at each letter of a trace agrees with the
 * driver's program points. The machine gives the possible points before a letter; one of
 * them that yields the letter must have the label after `=` in its line of driver.points.
 * Each process must have only one thread; its word requires this, too. Usage: check-labels
 * TRUTH.json DRIVER.points TRACE LABELS.tsv
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "corpus/softgpu/truth/said-labels.h"
#include "infer/words/read/trace.h"
#include "tests/softgpu/truth/walk.h"

enum { LINES = 2000, LENGTH = 80 };

static char expected[LINES][LENGTH]; /* label of each line of driver.points; "": none */

static int read_expected(const char *path)
{
	FILE *in = fopen(path, "re");
	char line[512];
	size_t number = 1;

	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	for (; number < LINES && fgets(line, sizeof(line), in); number++) {
		char *comment = line[0] == '\t' ? strchr(line, '#') : NULL;
		char *label = comment ? strstr(comment, "= ") : NULL;

		if (label) {
			label[strcspn(label, "\n")] = '\0';
			snprintf(expected[number], LENGTH, "%s", label + strlen("= "));
		}
	}
	fclose(in);
	return KT_OK;
}

/*
 * Returns whether the point's line allows the label. A point has the form "procedure:line:
 * statement"; an expected label that ends with "..." allows any continuation.
 */
static bool allows(const char *point, const char *label)
{
	const char *at = strchr(point, ':');
	size_t number = at ? strtoul(at + 1, NULL, 10) : 0;
	const char *text = number < LINES ? expected[number] : "";
	size_t n = strlen(text);

	if (n > 3 && strcmp(text + n - 3, "...") == 0) {
		return strncmp(text, label, n - 3) == 0;
	}
	return strcmp(text, label) == 0;
}

/*
 * Returns whether the point yields the letter: "ioctl 0x2b" yields ioctl:0x2b, "read ring
 * (fb)" R:fb, "doorbell" W:reg.
 */
static bool gives(const char *point, const char *letter)
{
	const char *statement = strstr(point, ": ");
	const char *space = statement ? strchr(statement, '(') : NULL;
	char text[LENGTH] = "";

	if (!statement) {
		return false;
	}
	statement += strlen(": ");
	if (space) {
		snprintf(text, sizeof(text), "%c:%.*s", *statement == 'r' ? 'R' : 'W',
			 (int)strcspn(space + 1, ")"), space + 1);
	} else if (strcmp(statement, "doorbell") == 0) {
		snprintf(text, sizeof(text), "W:reg");
	} else {
		snprintf(text, sizeof(text), "%s", statement);
		text[strcspn(text, " ")] = ':';
	}
	return strcmp(text, letter) == 0;
}

static bool fits(const struct kt_fsm_state *state, const char *letter, const char *label)
{
	for (uint32_t i = 0; i < state->n_points; i++) {
		if (gives(state->points[i], letter) && allows(state->points[i], label)) {
			return true;
		}
	}
	return false;
}

static void complain(const struct kt_trace_letter *letter, uint64_t j,
		     const struct kt_fsm_state *state, const char *label)
{
	printf("letter %" PRIu64 ", %s: the driver says '%s' at", j, letter->name, label);
	for (uint32_t i = 0; i < state->n_points; i++) {
		printf(" [%s]", state->points[i]);
	}
	printf("\n");
}

struct check {
	struct walk walk;
	struct kt_said_labels *said;
	kt_trace *trace;
	int64_t offset;
	uint64_t letters;
	uint64_t wrong;
};

static int check_word(struct check *c, size_t word, uint64_t n)
{
	const struct kt_fsm *fsm = c->walk.fsm;
	uint32_t state = fsm->start;

	for (uint64_t j = 0; j < n; j++) {
		struct kt_trace_letter letter;
		struct kt_said said;
		size_t taken;
		int code = kt_trace_letter(c->trace, word, j, &letter);

		if (code) {
			return code;
		}
		taken = walk_find(&c->walk, state, walk_letter(&c->walk, letter.name));
		if (taken == SIZE_MAX) {
			return kt_error(KT_E_MALFORMED, "letter %" PRIu64 " does not fit",
					j);
		}
		said = kt_said_labels_at(c->said, letter.tid, letter.tid,
					 letter.time - c->offset);
		c->letters++;
		if (!fits(&fsm->states[state], letter.name, said.label)) {
			c->wrong++;
			complain(&letter, j, &fsm->states[state], said.label);
		}
		state = fsm->transitions[taken].to;
	}
	return KT_OK;
}

static int check_words(struct check *c)
{
	int code = KT_OK;

	for (size_t i = 0; i < kt_trace_words(c->trace) && !code; i++) {
		struct kt_word_info info;
		uint64_t n;

		code = kt_trace_word(c->trace, i, &info, &n);
		code = code ? code : check_word(c, i, n);
	}
	return code;
}

static int read_machine(struct kt_fsm **out, const char *path)
{
	FILE *in = fopen(path, "re");
	int code;

	*out = NULL;
	if (!in) {
		return kt_error_errno(KT_E_IO, "read %s", path);
	}
	code = kt_fsm_read_json(out, in, path);
	fclose(in);
	return code;
}

static int open_trace(kt_trace **out, const char *path)
{
	kt_alphabet *alphabet = NULL;
	int code = kt_alphabet_open(&alphabet, "table1");
	struct kt_trace_options options = {.alphabet = alphabet};

	code = code ? code : kt_trace_open(out, path, &options);
	kt_alphabet_free(alphabet);
	return code;
}

int main(int argc, char **argv)
{
	struct check c = {.letters = 0};
	struct kt_fsm *fsm = NULL;
	int code = argc == 5 ? KT_OK : kt_error(KT_E_USAGE, "expected 4 operands");

	code = code ? code : read_machine(&fsm, argv[1]);
	code = code ? code : walk_new(&c.walk, fsm);
	code = code ? code : read_expected(argv[2]);
	code = code ? code : kt_said_labels_read(&c.said, argv[4]);
	code = code ? code : kt_trace_clock_offset(&c.offset, argv[3]);
	code = code ? code : open_trace(&c.trace, argv[3]);
	code = code ? code : check_words(&c);
	if (code) {
		fprintf(stderr, "check-labels: %s\n", kt_error_message());
	} else {
		printf("letters: %" PRIu64 ", wrong: %" PRIu64 "\n", c.letters, c.wrong);
	}
	walk_free(&c.walk);
	kt_trace_free(c.trace);
	kt_said_labels_free(c.said);
	kt_fsm_free(fsm);
	return code ? kt_exit_status(code) : c.wrong > 0 || c.letters == 0;
}
