/* SPDX-License-Identifier: MIT */
/* Reads label rules from lines of four fields separated by tabs, and matches them. */
#include "annotate/meaning/label-rules.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

/* The lines of annotate/rules/labels.tsv, as strings. */
static const char *const default_lines[] = {
#include "annotate/labels.inc"
};
#define DEFAULT_LINES (sizeof(default_lines) / sizeof(default_lines[0]))

enum { CONDITIONS, LABEL, ROLE, SOURCE, FIELDS };

struct condition {
	enum kt_fact fact;
	bool negated;
	const char *patterns; /* Weak: patterns such as "a|b*", in kt_label_rules.text */
};

struct kept_rule {
	struct kt_label_rule rule;
	size_t first; /* index of the first condition */
	size_t n;     /* number of conditions */
};

struct kt_label_rules {
	char *text;              /* Owned by this: the file; each field ends with a NUL */
	struct kept_rule *rules; /* Owned by this */
	size_t n_rules;
	size_t rules_capacity;
	struct condition *conditions; /* Owned by this */
	size_t n_conditions;
	size_t conditions_capacity;
};

static const char *const fact_names[KT_FACTS] = {
	[KT_FACT_EVENT] = "event",
	[KT_FACT_LETTER] = "letter",
	[KT_FACT_DEVICE] = "device",
	[KT_FACT_NR] = "nr",
	[KT_FACT_REQUEST] = "request",
	[KT_FACT_CLASS] = "class",
	[KT_FACT_BEFORE] = "before",
	[KT_FACT_KIND] = "kind",
	[KT_FACT_COMMAND] = "command",
	[KT_FACT_STATUS] = "status",
	[KT_FACT_ACTION] = "action",
	[KT_FACT_SPACE] = "space",
	[KT_FACT_OP] = "op",
	[KT_FACT_OFFSET] = "offset",
	[KT_FACT_ROLE] = "role",
	[KT_FACT_AT] = "at",
	[KT_FACT_READS] = "reads",
	[KT_FACT_NEXT] = "next",
	[KT_FACT_WORK] = "work",
	[KT_FACT_CALL] = "call",
	[KT_FACT_CALL_KIND] = "call-kind",
	[KT_FACT_PHASE] = "phase",
};

const char *kt_fact_name(enum kt_fact fact)
{
	return fact_names[fact];
}

/* Finds the fact whose name is name[0..length). */
static bool find_fact(enum kt_fact *out, const char *name, size_t length)
{
	for (int i = 0; i < KT_FACTS; i++) {
		if (strlen(fact_names[i]) == length &&
		    memcmp(fact_names[i], name, length) == 0) {
			*out = (enum kt_fact)i;
			return true;
		}
	}
	return false;
}

/* --- reading --- */

static int malformed(const char *what, const char *text)
{
	return kt_error(KT_E_MALFORMED, "%s: %s", what, text);
}

/* Parses conditions, which are separated by spaces; "-" alone means no condition. */
static int add_conditions(kt_label_rules *rules, struct kept_rule *rule, char *text)
{
	char *rest = NULL;

	rule->first = rules->n_conditions;
	if (strcmp(text, "-") == 0) {
		return KT_OK;
	}
	for (char *one = strtok_r(text, " ", &rest); one;
	     one = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(one, '=');
		bool negated = equals && equals > one && equals[-1] == '!';
		enum kt_fact fact;

		if (!equals || !find_fact(&fact, one, (size_t)(equals - one) - negated)) {
			return malformed("a condition names an unknown fact", one);
		}
		if (!equals[1] || equals[1] == '|' || strstr(equals, "||") ||
		    equals[strlen(equals) - 1] == '|') {
			return malformed("a condition has no value to compare with", one);
		}
		KT_TRY(kt_array_reserve(&rules->conditions, &rules->conditions_capacity,
					rules->n_conditions + 1));
		rules->conditions[rules->n_conditions++] =
			(struct condition){fact, negated, equals + 1};
	}
	rule->n = rules->n_conditions - rule->first;
	return rule->n > 0 ? KT_OK
			   : kt_error(KT_E_MALFORMED, "neither a condition nor \"-\"");
}

/*
 * Parses a line without its newline. Empty lines and lines that begin with # are ignored.
 */
static int read_line(kt_label_rules *rules, char *line, size_t number)
{
	struct kept_rule rule = {.rule = {.line = number}};
	char *fields[FIELDS];
	enum kt_fact fact;

	if (!*line || *line == '#') {
		return KT_OK;
	}
	for (const char *at = line; *at; at++) {
		if ((unsigned char)*at < ' ' && *at != '\t') {
			return kt_error(KT_E_MALFORMED, "a control character");
		}
	}
	for (size_t i = 0; i < FIELDS; i++) {
		char *tab = strchr(line, '\t');

		if (!*line || *line == '\t' || (i + 1 < FIELDS) != (tab != NULL)) {
			return kt_error(KT_E_MALFORMED,
					"not four fields separated by tabs");
		}
		fields[i] = line;
		if (tab) {
			*tab = '\0';
			line = tab + 1;
		}
	}
	KT_TRY(add_conditions(rules, &rule, fields[CONDITIONS]));
	/* Check that each pair of braces in the label encloses the name of a fact. */
	for (const char *at = fields[LABEL]; (at = strpbrk(at, "{}")); at++) {
		size_t length = strcspn(at, "}");

		if (*at == '}' || !at[length] || !find_fact(&fact, at + 1, length - 1)) {
			return malformed("a brace in the label names an unknown fact",
					 fields[LABEL]);
		}
		at += length;
	}
	if (!kt_label_role_find(&rule.rule.role, fields[ROLE])) {
		return malformed("unknown role", fields[ROLE]);
	}
	KT_TRY(kt_array_reserve(&rules->rules, &rules->rules_capacity, rules->n_rules + 1));
	rule.rule.label = fields[LABEL];
	rule.rule.source = fields[SOURCE];
	rules->rules[rules->n_rules++] = rule;
	return KT_OK;
}

/* Parses rules. Takes ownership of `text`, also on failure. `text` NULL: KT_E_MEMORY. */
static int parse(kt_label_rules **out, char *text, const char *name)
{
	kt_label_rules *rules = calloc(1, sizeof(*rules));
	char *line = text;
	int code = KT_OK;

	*out = NULL;
	if (!rules || !text) {
		free(text);
		free(rules);
		return kt_error(KT_E_MEMORY, "read %s: out of memory", name);
	}
	rules->text = text;
	for (size_t number = 1; *line; number++) {
		char *end = line + strcspn(line, "\n");
		bool last = !*end;

		*end = '\0';
		code = read_line(rules, line, number);
		if (code == KT_E_MALFORMED) {
			kt_error_prepend(code, "read %s: line %zu", name, number);
		}
		KT_TRY_END(code);
		line = last ? end : end + 1;
	}
	if (rules->n_rules == 0) {
		code = kt_error(KT_E_MALFORMED, "read %s: no rule in it", name);
		goto end;
	}
	*out = rules;
	return KT_OK;
end:
	kt_label_rules_free(rules);
	return code;
}

int kt_label_rules_read(kt_label_rules **out, FILE *in, const char *name)
{
	char *text = NULL;
	size_t capacity = 0;
	size_t n = 0;
	size_t got;
	int code;

	*out = NULL;
	do {
		if (kt_array_reserve(&text, &capacity, n + 4097)) {
			code = kt_error(KT_E_MEMORY, "read %s: out of memory", name);
			goto end;
		}
		got = fread(text + n, 1, 4096, in);
		n += got;
	} while (got > 0);
	text[n] = '\0';
	if (ferror(in)) {
		code = kt_error_errno(KT_E_IO, "read %s", name);
		goto end;
	}
	if (strlen(text) != n) {
		code = kt_error(KT_E_MALFORMED, "read %s: it contains a NUL character",
				name);
		goto end;
	}
	return parse(out, text, name);
end:
	free(text);
	return code;
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

void kt_label_rules_free(kt_label_rules *rules)
{
	if (!rules) {
		return;
	}
	free(rules->rules);
	free(rules->conditions);
	free(rules->text);
	free(rules);
}

size_t kt_label_rules_count(const kt_label_rules *rules)
{
	return rules->n_rules;
}

const struct kt_label_rule *kt_label_rules_at(const kt_label_rules *rules, size_t i)
{
	return &rules->rules[i].rule;
}

/* --- matching --- */

/* Returns whether `text` matches pattern[0..length), in which * matches any characters. */
static bool fits(const char *pattern, size_t length, const char *text)
{
	const char *end = pattern + length;
	const char *star = NULL; /* the last * reached in the pattern */
	const char *mark = NULL; /* end of the text that this * matches so far */

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = pattern++;
			mark = text;
		} else if (pattern < end && *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++mark;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*') {
		pattern++;
	}
	return pattern == end;
}

size_t kt_label_rules_match(const kt_label_rules *rules, const struct kt_facts *facts,
			    size_t i, size_t end)
{
	for (; i < end; i++) {
		const struct kept_rule *rule = &rules->rules[i];
		size_t held = 0;

		/*
		 * Do not compute a pointer before the loop: the array `conditions` is NULL if
		 * no rule has a condition.
		 */
		while (held < rule->n) {
			const struct condition *condition =
				&rules->conditions[rule->first + held];
			const char *pattern = condition->patterns;
			const char *value = facts->values[condition->fact];
			bool found = false;

			while (value && *pattern && !found) {
				size_t length = strcspn(pattern, "|");

				found = fits(pattern, length, value);
				pattern += length + (pattern[length] == '|');
			}
			if (found == condition->negated) {
				break;
			}
			held++;
		}
		if (held == rule->n) {
			break;
		}
	}
	return i;
}

int kt_label_format(char **out, const struct kt_label_rule *rule,
		    const struct kt_facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool failed = !stream;
	enum kt_fact fact;

	for (const char *at = rule->label; stream && *at;) {
		size_t length = *at == '{' ? strcspn(at, "}") : 0;

		if (length > 0 && at[length] && find_fact(&fact, at + 1, length - 1)) {
			fputs(facts->values[fact] ? facts->values[fact] : "?", stream);
			at += length + 1;
		} else {
			putc(*at++, stream);
		}
	}
	if (stream) {
		failed = fclose(stream) != 0;
	}
	*out = failed ? NULL : kt_utf8_printable_copy(text);
	free(text);
	return *out ? KT_OK : kt_no_memory("format label");
}
