/* SPDX-License-Identifier: MIT */
/* Reads label rules: lines of four fields with tabs between them. */
#include "annotate/meaning/label-rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/label-table.h"
#include "base/array.h"

/* Generated from annotate/rules/labels.tsv: its lines. */
static const char *const default_lines[] = {
#include "annotate/labels.inc"
};
#define DEFAULT_LINES (sizeof(default_lines) / sizeof(default_lines[0]))

enum { CONDITIONS, LABEL, ROLE, SOURCE, FIELDS };

static int malformed(const char *what, const char *text)
{
	return kt_error(KT_E_MALFORMED, "%s: %s", what, text);
}

static int add_condition(kt_label_rules *rules, char *text)
{
	char *equals = strchr(text, '=');
	bool negated = equals && equals > text && equals[-1] == '!';
	struct kt_condition *condition;
	enum kt_fact fact;
	int code;

	if (!equals || !kt_fact_find(&fact, text, (size_t)(equals - text) - negated)) {
		return malformed("a condition is of no known fact", text);
	}
	if (!equals[1] || equals[1] == '|' || strstr(equals, "||") ||
	    equals[strlen(equals) - 1] == '|') {
		return malformed("a condition compares with nothing", text);
	}
	code = kt_array_reserve(&rules->conditions, &rules->conditions_capacity,
				rules->n_conditions + 1);
	if (code) {
		return code;
	}
	condition = &rules->conditions[rules->n_conditions++];
	*condition = (struct kt_condition){fact, negated, equals + 1};
	return KT_OK;
}

/* Conditions have blanks between them; "-" alone: there is none. */
static int add_conditions(kt_label_rules *rules, struct kt_kept_rule *rule, char *text)
{
	char *rest = NULL;
	int code = KT_OK;

	rule->first = rules->n_conditions;
	if (strcmp(text, "-") == 0) {
		return KT_OK;
	}
	for (char *one = strtok_r(text, " ", &rest); one && !code;
	     one = strtok_r(NULL, " ", &rest)) {
		code = add_condition(rules, one);
	}
	rule->n = rules->n_conditions - rule->first;
	return code || rule->n > 0 ? code
				   : kt_error(KT_E_MALFORMED, "no condition and no \"-\"");
}

/* Every brace of a label opens or closes the name of a fact. */
static int check_label(const char *label)
{
	enum kt_fact fact;

	for (const char *at = label; (at = strpbrk(at, "{}")); at++) {
		size_t length = strcspn(at, "}");

		if (*at == '}' || !at[length] || !kt_fact_find(&fact, at + 1, length - 1)) {
			return malformed("a brace of the label holds no known fact", label);
		}
		at += length;
	}
	return KT_OK;
}

/* Cuts a line at its tabs. */
static int cut_fields(char *fields[FIELDS], char *line)
{
	for (size_t i = 0; i < FIELDS; i++) {
		char *tab = strchr(line, '\t');

		if (!*line || *line == '\t' || (i + 1 < FIELDS) != (tab != NULL)) {
			return kt_error(KT_E_MALFORMED,
					"no four fields with tabs between them");
		}
		fields[i] = line;
		if (tab) {
			*tab = '\0';
			line = tab + 1;
		}
	}
	return KT_OK;
}

static int add_rule(kt_label_rules *rules, char *line, size_t number)
{
	struct kt_kept_rule rule = {.rule = {.line = number}};
	char *fields[FIELDS];
	int code = cut_fields(fields, line);

	code = code ? code : add_conditions(rules, &rule, fields[CONDITIONS]);
	code = code ? code : check_label(fields[LABEL]);
	if (!code && !kt_label_role_find(&rule.rule.role, fields[ROLE])) {
		return malformed("there is no such role", fields[ROLE]);
	}
	code = code ? code
		    : kt_array_reserve(&rules->rules, &rules->rules_capacity,
				       rules->n_rules + 1);
	if (!code) {
		rule.rule.label = fields[LABEL];
		rule.rule.source = fields[SOURCE];
		rules->rules[rules->n_rules++] = rule;
	}
	return code;
}

/* One line without its end; blank ones and those that begin with # say nothing. */
static int read_line(kt_label_rules *rules, char *line, size_t number)
{
	if (!*line || *line == '#') {
		return KT_OK;
	}
	for (const char *at = line; *at; at++) {
		if ((unsigned char)*at < ' ' && *at != '\t') {
			return kt_error(KT_E_MALFORMED, "a control character");
		}
	}
	return add_rule(rules, line, number);
}

static int read_lines(kt_label_rules *rules, const char *name)
{
	char *line = rules->text;
	int code = KT_OK;

	for (size_t number = 1; *line && !code; number++) {
		char *end = line + strcspn(line, "\n");
		bool last = !*end;

		*end = '\0';
		code = read_line(rules, line, number);
		if (code == KT_E_MALFORMED) {
			return kt_error_prepend(code, "read %s: line %zu", name, number);
		}
		line = last ? end : end + 1;
	}
	if (!code && rules->n_rules == 0) {
		return kt_error(KT_E_MALFORMED, "read %s: no rule in it", name);
	}
	return code;
}

/* Takes text, also if it fails. */
static int parse(kt_label_rules **out, char *text, const char *name)
{
	kt_label_rules *rules = calloc(1, sizeof(*rules));
	int code;

	*out = NULL;
	if (!rules || !text) {
		free(text);
		free(rules);
		return kt_error(KT_E_MEMORY, "read %s: out of memory", name);
	}
	rules->text = text;
	code = read_lines(rules, name);
	if (code) {
		kt_label_rules_free(rules);
		return code;
	}
	*out = rules;
	return KT_OK;
}

/* A whole file, NUL-ended; the caller frees it. */
static int slurp(char **out, FILE *in, const char *name)
{
	char *text = NULL;
	size_t capacity = 0;
	size_t n = 0;
	size_t got;

	*out = NULL;
	do {
		if (kt_array_reserve(&text, &capacity, n + 4097)) {
			free(text);
			return kt_error(KT_E_MEMORY, "read %s: out of memory", name);
		}
		got = fread(text + n, 1, 4096, in);
		n += got;
	} while (got > 0);
	text[n] = '\0';
	if (ferror(in)) {
		kt_error_errno(KT_E_IO, "read %s", name);
		free(text);
		return KT_E_IO;
	}
	if (strlen(text) != n) {
		free(text);
		return kt_error(KT_E_MALFORMED, "read %s: a NUL in it", name);
	}
	*out = text;
	return KT_OK;
}

int kt_label_rules_read(kt_label_rules **out, FILE *in, const char *name)
{
	char *text;
	int code = slurp(&text, in, name);

	*out = NULL;
	return code ? code : parse(out, text, name);
}

int kt_label_rules_default(kt_label_rules **out)
{
	size_t size = 1;
	char *text;
	char *end;

	for (size_t i = 0; i < DEFAULT_LINES; i++) {
		size += strlen(default_lines[i]);
	}
	text = malloc(size);
	end = text;
	for (size_t i = 0; text && i < DEFAULT_LINES; i++) {
		end = stpcpy(end, default_lines[i]);
	}
	return parse(out, text, "the built-in label rules");
}
