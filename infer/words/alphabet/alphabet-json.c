/* SPDX-License-Identifier: MIT */
/* An alphabet as a machine has it. */
#include "infer/words/alphabet/alphabet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <ktail/status.h>

#include "base/json.h"

int kt_alphabet_from_json(kt_alphabet **out, const char *json, const char *file)
{
	json_error_t error;
	json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &error);
	const json_t *rules = NULL;
	FILE *stream = NULL;
	char *name = NULL;
	char *text = NULL; /* all rules, a line each; NULL: the alphabet is code */
	size_t length = 0;
	int code;

	*out = NULL;
	if (!root) {
		code = kt_error(KT_E_MALFORMED, "alphabet: %s", error.text);
		goto end;
	}
	code = kt_json_get_string(&name, root, "name");
	if (!code) {
		code = kt_json_get_array(&rules, root, "rules");
	}
	/* An alphabet that is code has no rules. */
	if (!code && (json_array_size(rules) > 0 ||
		      kt_alphabet_commands(name) == KT_COMMANDS_NONE)) {
		stream = open_memstream(&text, &length);
		code = stream ? KT_OK : kt_error_errno(KT_E_MEMORY, "read alphabet");
	}
	for (size_t i = 0; stream && i < json_array_size(rules) && !code; i++) {
		const json_t *value = json_array_get(rules, i);
		const char *rule = json_string_value(value);

		if (!rule || strchr(rule, '\n')) {
			code = kt_json_mismatch("", value, "a string of one line");
			code = kt_json_within(code, "rules", i);
		} else {
			fprintf(stream, "%s\n", rule);
		}
	}
	if (stream && fclose(stream) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "read alphabet");
	}
	code = kt_json_in_member(code, "alphabet");
end:
	json_decref(root);
	if (code) {
		kt_error_prepend(code, "read %s", file);
	} else if (text) {
		code = kt_alphabet_parse_rules(out, name, file, text, length);
	} else {
		code = kt_alphabet_open(out, name);
	}
	free(name);
	free(text);
	return code;
}

bool kt_alphabet_same(const kt_alphabet *a, const kt_alphabet *b)
{
	bool same = a->commands == b->commands && a->n_lines == b->n_lines;

	for (size_t i = 0; i < a->n_lines && same; i++) {
		same = strcmp(a->lines[i], b->lines[i]) == 0;
	}
	return same;
}
