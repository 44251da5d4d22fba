/* SPDX-License-Identifier: MIT */
#include "infer/words/alphabet/alphabet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/json-writer.h"
#include "infer/words/alphabet/command-fields.h"
#include "infer/words/file/file.h"

int kt_alphabet_open(kt_alphabet **out, const char *name_or_file)
{
	enum kt_command_alphabet commands = kt_alphabet_commands(name_or_file);
	const char *text = kt_alphabet_builtin(name_or_file);
	const char *slash = strrchr(name_or_file, '/');
	const char *base = slash ? slash + 1 : name_or_file;
	const char *dot = strrchr(base, '.');
	kt_alphabet *alphabet;
	struct kt_file file;
	char *name;
	int code;

	*out = NULL;
	if (commands != KT_COMMANDS_NONE) {
		alphabet = calloc(1, sizeof(*alphabet));
		if (alphabet) {
			alphabet->commands = commands;
			alphabet->name = strdup(name_or_file);
			alphabet->file = strdup(name_or_file);
		}
		if (!alphabet || !alphabet->name || !alphabet->file) {
			kt_alphabet_free(alphabet);
			return kt_error(KT_E_MEMORY, "open alphabet %s: out of memory",
					name_or_file);
		}
		*out = alphabet;
		return KT_OK;
	}
	if (text) {
		return kt_alphabet_parse(out, name_or_file, name_or_file, text,
					 strlen(text));
	}
	code = kt_file_open(&file, name_or_file, KT_FILE_WHOLE);
	if (code) {
		return kt_error_prepend(code, "open alphabet");
	}
	/* "dir/mine.alphabet" -> "mine" */
	name = dot && dot != base ? strndup(base, (size_t)(dot - base)) : strdup(base);
	code = name ? kt_alphabet_parse(out, name, name_or_file, file.data, file.length)
		    : kt_error(KT_E_MEMORY, "open alphabet %s: out of memory",
			       name_or_file);
	free(name);
	kt_file_close(&file);
	return code;
}

int kt_alphabet_error(const kt_alphabet *alphabet, size_t line, const char *format, ...)
{
	char reason[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (alphabet->in_machine && line) {
		return kt_error(KT_E_MALFORMED, "read %s: alphabet.rules[%zu]: %s",
				alphabet->file, line - 1, reason);
	}
	if (alphabet->in_machine) {
		return kt_error(KT_E_MALFORMED, "read %s: alphabet: %s", alphabet->file,
				reason);
	}
	if (line) {
		return kt_error(KT_E_MALFORMED, "read alphabet %s:%zu: %s", alphabet->file,
				line, reason);
	}
	return kt_error(KT_E_MALFORMED, "read alphabet %s: %s", alphabet->file, reason);
}

void kt_alphabet_free(kt_alphabet *alphabet)
{
	if (!alphabet) {
		return;
	}
	for (size_t i = 0; i < alphabet->n_events; i++) {
		struct kt_event_rules *event = &alphabet->events[i];

		for (size_t j = 0; j < event->n_fields; j++) {
			free((void *)(uintptr_t)event->fields[j]);
		}
		for (size_t j = 0; j < event->n_rules; j++) {
			struct kt_rule *rule = &event->rules[j];

			for (size_t k = 0; k < rule->n_conditions; k++) {
				free(rule->conditions[k].text);
			}
			for (size_t k = 0; k < rule->n_parts; k++) {
				free(rule->parts[k].literal);
			}
			free(rule->conditions);
			free(rule->parts);
		}
		free(event->rules);
		free((void *)(uintptr_t)event->event);
	}
	for (size_t i = 0; i < alphabet->n_lines; i++) {
		free(alphabet->lines[i]);
	}
	free(alphabet->events);
	free(alphabet->lines);
	free(alphabet->name);
	free(alphabet->file);
	free(alphabet);
}

const struct kt_event_rules *kt_alphabet_find(const kt_alphabet *alphabet,
					      const char *event)
{
	if (alphabet->commands != KT_COMMANDS_NONE) {
		return kt_command_fields(event);
	}
	for (size_t i = 0; i < alphabet->n_events; i++) {
		if (strcmp(alphabet->events[i].event, event) == 0) {
			return &alphabet->events[i];
		}
	}
	return NULL;
}

int kt_alphabet_json(char **out, const kt_alphabet *alphabet)
{
	size_t size = 0;
	FILE *stream = open_memstream(out, &size);
	struct kt_json_writer w = {.out = stream};
	int failed;

	if (!stream) {
		return kt_error_errno(KT_E_MEMORY, "write alphabet as JSON");
	}
	kt_json_object(&w, NULL);
	KT_JSON(&w, KT_STR("name", alphabet->name));
	kt_json_texts(&w, "rules", alphabet->lines, alphabet->n_lines);
	kt_json_end(&w);
	failed = ferror(stream);
	if (fclose(stream) != 0 || failed) {
		free(*out);
		*out = NULL;
		return kt_error(KT_E_MEMORY, "write alphabet as JSON: out of memory");
	}
	return KT_OK;
}
