/* SPDX-License-Identifier: MIT */
#include "infer/files/letter-names.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"
#include "decode/letter-names.h"

/*
 * Names a letter that stands for runs of other letters, "(a|b)+" (compare/reduce.h), by the
 * names of a and b. The caller frees *out, which is NULL if neither has a name.
 */
static int name_run(char **out, const char *letter)
{
	size_t length = strlen(letter);
	char *copy = strndup(letter + 1, length - strlen("()+"));
	FILE *stream = open_memstream(out, &length);
	char buffer[KT_LETTER_NAME];
	char *rest = NULL;
	bool named = false;

	if (!copy || !stream) {
		free(copy);
		if (stream) {
			fclose(stream);
			free(*out);
		}
		*out = NULL;
		return kt_no_memory("name letters");
	}
	for (char *part = strtok_r(copy, "|", &rest); part;
	     part = strtok_r(NULL, "|", &rest)) {
		const char *name = kt_letter_name(part, buffer);

		fprintf(stream, "%s%s", part == copy ? "(" : "|", name ? name : part);
		named = named || name;
	}
	fputs(")+", stream);
	free(copy);
	if (fclose(stream) != 0) {
		free(*out);
		*out = NULL;
		return kt_no_memory("name letters");
	}
	if (!named) {
		free(*out);
		*out = NULL;
	}
	return KT_OK;
}

static bool is_run(const char *letter)
{
	size_t length = strlen(letter);

	return length > strlen("()+") && letter[0] == '(' &&
	       strcmp(letter + length - 2, ")+") == 0;
}

int kt_machine_name_letters(struct kt_fsm *fsm, enum kt_names names)
{
	char buffer[KT_LETTER_NAME];

	if (names == KT_NAMES_OFF) {
		kt_fsm_clear_names(fsm);
		return KT_OK;
	}
	for (size_t i = 0; i < fsm->n_letters; i++) {
		const char *name = kt_letter_name(fsm->letters[i], buffer);
		char *run = NULL;
		int code = KT_OK;

		if (fsm->names && fsm->names[i]) {
			continue;
		}
		if (is_run(fsm->letters[i])) {
			KT_TRY(name_run(&run, fsm->letters[i]));
			name = run;
		}
		if (name) {
			code = kt_fsm_set_name(fsm, i, name);
		}
		free(run);
		KT_TRY(code);
	}
	return KT_OK;
}
