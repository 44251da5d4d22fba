/* SPDX-License-Identifier: MIT */
/* An alphabet as a machine has it. */
#include "infer/words/alphabet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <ktail/status.h>

#define WHERE "the machine's alphabet"

static int malformed(void)
{
	return kt_error(KT_E_MALFORMED, "read " WHERE ": it is no {\"name\", \"rules\"}");
}

/* All rules as text, a line each; the caller frees *out. */
static int join(char **out, size_t *length, const json_t *rules)
{
	FILE *stream = open_memstream(out, length);
	int code = KT_OK;

	if (!stream) {
		return kt_error_errno(KT_E_MEMORY, "read " WHERE);
	}
	for (size_t i = 0; i < json_array_size(rules) && !code; i++) {
		const char *rule = json_string_value(json_array_get(rules, i));

		code = rule && !strchr(rule, '\n') ? KT_OK : malformed();
		fprintf(stream, "%s\n", rule ? rule : "");
	}
	if (fclose(stream) != 0 && !code) {
		code = kt_error_errno(KT_E_MEMORY, "read " WHERE);
	}
	return code;
}

static int parse(kt_alphabet **out, const json_t *root)
{
	const char *name = json_string_value(json_object_get(root, "name"));
	const json_t *rules = json_object_get(root, "rules");
	char *text = NULL;
	size_t length = 0;
	int code;

	if (!name || !json_is_array(rules)) {
		return malformed();
	}
	/* An alphabet that is code has no rules. */
	if (json_array_size(rules) == 0 && kt_alphabet_commands(name) != KT_COMMANDS_NONE) {
		return kt_alphabet_open(out, name);
	}
	code = join(&text, &length, rules);
	code = code ? code : kt_alphabet_parse(out, name, WHERE, text, length);
	free(text);
	return code;
}

int kt_alphabet_from_json(kt_alphabet **out, const char *json)
{
	json_error_t error;
	json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &error);
	int code = root ? parse(out, root) : malformed();

	*out = code ? NULL : *out;
	json_decref(root);
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
