/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/label-rules.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/label-table.h"
#include "base/utf8.h"

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

bool kt_fact_find(enum kt_fact *out, const char *name, size_t length)
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

/* Whether text is what pattern[0..length) says, in which * stands for anything. */
static bool fits(const char *pattern, size_t length, const char *text)
{
	const char *end = pattern + length;
	const char *star = NULL; /* the last one, and where its part of text ends */
	const char *mark = NULL;

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

static bool holds(const struct kt_condition *condition, const char *value)
{
	const char *pattern = condition->patterns;

	if (!value) {
		return condition->negated;
	}
	for (;;) {
		size_t length = strcspn(pattern, "|");

		if (fits(pattern, length, value)) {
			return !condition->negated;
		}
		if (!pattern[length]) {
			return condition->negated;
		}
		pattern += length + 1;
	}
}

static bool all_hold(const kt_label_rules *rules, const struct kt_kept_rule *rule,
		     const struct kt_facts *facts)
{
	/* By index: there may be no conditions at all, nor an array of them. */
	for (size_t i = 0; i < rule->n; i++) {
		const struct kt_condition *condition = &rules->conditions[rule->first + i];

		if (!holds(condition, facts->values[condition->fact])) {
			return false;
		}
	}
	return true;
}

size_t kt_label_rules_match(const kt_label_rules *rules, const struct kt_facts *facts,
			    size_t i, size_t end)
{
	while (i < end && !all_hold(rules, &rules->rules[i], facts)) {
		i++;
	}
	return i;
}

/* The fact in braces at text, and where it ends; false: it is no such thing. */
static bool find_brace(enum kt_fact *fact, const char **end, const char *text)
{
	size_t length = *text == '{' ? strcspn(text, "}") : 0;

	if (length == 0 || !text[length] || !kt_fact_find(fact, text + 1, length - 1)) {
		return false;
	}
	*end = text + length + 1;
	return true;
}

static void spell(FILE *out, const char *text, const struct kt_facts *facts)
{
	enum kt_fact fact;

	while (*text) {
		if (find_brace(&fact, &text, text)) {
			fputs(facts->values[fact] ? facts->values[fact] : "?", out);
		} else {
			putc(*text++, out);
		}
	}
}

int kt_label_spell(char **out, const struct kt_label_rule *rule,
		   const struct kt_facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool failed = !stream;

	if (stream) {
		spell(stream, rule->label, facts);
		failed = fclose(stream) != 0;
	}
	*out = failed ? NULL : kt_utf8_printable_copy(text);
	free(text);
	return *out ? KT_OK : kt_no_memory("spell label");
}
