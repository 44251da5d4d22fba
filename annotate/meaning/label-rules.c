/* SPDX-License-Identifier: MIT */
/*
 * Reads and matches the rules for labels, for the states of the distilled machine, and for
 * states to be merged. A rule is a line of four fields, separated by tabs.
 */
#include "annotate/meaning/label-rules.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

/* The lines of annotate/rules/labels.tsv and annotate/rules/states.tsv, as strings. */
static const char *const default_lines[] = {
#include "annotate/labels.inc"
#include "annotate/states.inc"
};
#define DEFAULT_LINES (sizeof(default_lines) / sizeof(default_lines[0]))

enum { CONDITIONS, LABEL, ROLE, SOURCE, FIELDS };

struct kept_rule {
	struct kt_label_rule rule;
	size_t first; /* index of the first condition */
	size_t n;     /* number of conditions */
};

struct kt_label_rules {
	/* Owned by this: the files; each field ends with a NUL. NULL in the lists of
	 * columns and merges.
	 */
	char *text;
	char *default_text; /* the built-in rules, if the file has only a part of them */
	char *original;     /* the file as it was read */
	struct kept_rule *rules; /* Owned by this */
	size_t n_rules;
	size_t rules_capacity;
	struct kt_rule_condition *conditions; /* Owned by this */
	size_t n_conditions;
	size_t conditions_capacity;
	struct kt_column_state *states; /* Owned by this; in the rules of a column */
	size_t n_states;
	size_t states_capacity;
	kt_label_rules *columns[KT_COLUMNS]; /* Owned by this; NULL in the lists of columns
					      * and merges */
	kt_label_rules *merges;              /* Owned by this; NULL in the lists of columns
					      * and merges */
};

static const char *const column_names[KT_COLUMNS] = {
	[KT_COLUMN_USER] = "user",
	[KT_COLUMN_SYSTEM] = "system",
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
	[KT_FACT_LABEL] = "label",
	[KT_FACT_AFTER] = "after",
	[KT_FACT_IN] = "in",
	[KT_FACT_OUT] = "out",
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
			(struct kt_rule_condition){fact, negated, equals + 1};
	}
	rule->n = rules->n_conditions - rule->first;
	return rule->n > 0 ? KT_OK
			   : kt_error(KT_E_MALFORMED, "neither a condition nor \"-\"");
}

static bool find_state(size_t *out, const kt_label_rules *column, const char *name)
{
	for (size_t i = 0; i < column->n_states; i++) {
		if (strcmp(column->states[i].name, name) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

static int add_state(kt_label_rules *column, const char *name, const char *source)
{
	size_t same;

	if (find_state(&same, column, name)) {
		return malformed("the column has this state already", name);
	}
	if (column->n_states == KT_COLUMN_STATES) {
		return kt_error(KT_E_MALFORMED, "more than %d states in a column",
				KT_COLUMN_STATES);
	}
	KT_TRY(kt_array_reserve(&column->states, &column->states_capacity,
				column->n_states + 1));
	column->states[column->n_states++] = (struct kt_column_state){name, source};
	return KT_OK;
}

/*
 * Returns the list of rules that a line belongs to. The third field of the line tells: it
 * is a role, a column or "merge".
 */
static kt_label_rules *list_of(kt_label_rules *rules, const char *field)
{
	for (int i = 0; i < KT_COLUMNS; i++) {
		if (strcmp(field, column_names[i]) == 0) {
			return rules->columns[i];
		}
	}
	return strcmp(field, "merge") == 0 ? rules->merges : rules;
}

/* What the rules of a list choose: labels, states of a column, states to be merged. */
enum choice { LABELS, STATES, MERGES };

static const char *const choice_names[] = {
	[LABELS] = "rules for labels do not know the fact",
	[STATES] = "rules for states do not know the fact",
	[MERGES] = "rules that merge states do not know the fact",
};

/* Returns whether rules for this choice can test the fact. */
static bool is_known(enum kt_fact fact, enum choice choice)
{
	switch (fact) {
	case KT_FACT_AFTER:
	case KT_FACT_IN:
	case KT_FACT_OUT: return choice == MERGES;
	case KT_FACT_LABEL: return choice != LABELS;
	case KT_FACT_LETTER: return choice != MERGES;
	case KT_FACT_ROLE:
	case KT_FACT_PHASE: return true;
	default: return choice == LABELS;
	}
}

/* Checks the requirements that apply only to rules that merge states. */
static int check_merge(const kt_label_rules *list, const struct kept_rule *rule,
		       const char *name)
{
	if (rule->n == 0) {
		return kt_error(KT_E_MALFORMED,
				"without a condition, it merges all states");
	}
	if (!kt_utf8_is_printable(name, strlen(name))) {
		return malformed("the name of merged states is not printable UTF-8", name);
	}
	if (strpbrk(name, "{}")) {
		return malformed("a brace in the name of merged states", name);
	}
	for (size_t i = 0; i < rule->n; i++) {
		const struct kt_rule_condition *condition =
			&list->conditions[rule->first + i];
		const char *patterns = condition->patterns;
		size_t length = strlen(patterns);

		if (condition->fact != KT_FACT_AFTER) {
			continue;
		}
		if (condition->negated) {
			return malformed("\"after\" names one state, so it takes no \"!=\"",
					 patterns);
		}
		if (patterns[0] == ',' || patterns[length - 1] == ',' ||
		    strstr(patterns, ",,") || strstr(patterns, ",|") ||
		    strstr(patterns, "|,")) {
			return malformed("an empty letter after a comma or before it",
					 patterns);
		}
	}
	return KT_OK;
}

/*
 * Parses a line without its newline. Empty lines and lines that begin with # are ignored.
 */
static int read_line(kt_label_rules *rules, char *line, size_t number)
{
	struct kept_rule rule = {.rule = {.line = number}};
	kt_label_rules *list;
	enum choice choice;
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
	list = list_of(rules, fields[ROLE]);
	choice = list == rules ? LABELS : list == rules->merges ? MERGES : STATES;
	if (choice == STATES && strcmp(fields[CONDITIONS], "state") == 0) {
		return add_state(list, fields[LABEL], fields[SOURCE]);
	}
	KT_TRY(add_conditions(list, &rule, fields[CONDITIONS]));
	for (size_t i = rule.first; i < rule.first + rule.n; i++) {
		if (!is_known(list->conditions[i].fact, choice)) {
			return malformed(choice_names[choice],
					 fact_names[list->conditions[i].fact]);
		}
	}
	if (choice == MERGES) {
		KT_TRY(check_merge(list, &rule, fields[LABEL]));
	}
	/* Check that each pair of braces in the label encloses the name of a fact. */
	for (const char *at = fields[LABEL]; (at = strpbrk(at, "{}")); at++) {
		size_t length = strcspn(at, "}");

		if (*at == '}' || !at[length] || !find_fact(&fact, at + 1, length - 1)) {
			return malformed("a brace in the label names an unknown fact",
					 fields[LABEL]);
		}
		at += length;
	}
	if (choice == STATES && !find_state(&rule.rule.state, list, fields[LABEL])) {
		return malformed("no line \"state\" before it names the state",
				 fields[LABEL]);
	}
	if (choice == LABELS && !kt_label_role_find(&rule.rule.role, fields[ROLE])) {
		return malformed("unknown role", fields[ROLE]);
	}
	KT_TRY(kt_array_reserve(&list->rules, &list->rules_capacity, list->n_rules + 1));
	rule.rule.label = fields[LABEL];
	rule.rule.source = fields[SOURCE];
	list->rules[list->n_rules++] = rule;
	return KT_OK;
}

/*
 * Checks a column, if the file has one: it needs at least three states, and a last rule
 * that fits every letter. No rule may choose the first or the last state, in which words
 * begin and end.
 */
static int check_column(const kt_label_rules *list, const char *column)
{
	if (list->n_states == 0 && list->n_rules == 0) {
		return KT_OK;
	}
	if (list->n_states < 3) {
		return kt_error(KT_E_MALFORMED,
				"the column \"%s\" has %zu states, must have 3 or more",
				column, list->n_states);
	}
	if (list->n_rules == 0 || list->rules[list->n_rules - 1].n > 0) {
		return kt_error(KT_E_MALFORMED,
				"the last rule of the column \"%s\" must have no "
				"condition (\"-\"), so that each letter has a state",
				column);
	}
	for (size_t i = 0; i < list->n_rules; i++) {
		size_t state = list->rules[i].rule.state;

		if (state == 0 || state == list->n_states - 1) {
			return kt_error(KT_E_MALFORMED,
					"line %zu: words begin or end in this state, so no "
					"letter leads to it: %s",
					list->rules[i].rule.line,
					list->rules[i].rule.label);
		}
	}
	return KT_OK;
}

static void free_lists(kt_label_rules *list)
{
	free(list->rules);
	free(list->conditions);
	free(list->states);
}

/*
 * Moves from `from` to `rules` the lists that are missing in `rules`, and the text that
 * holds their strings.
 */
static void complete(kt_label_rules *rules, kt_label_rules *from)
{
	if (rules->n_rules == 0) {
		free_lists(rules);
		rules->rules = from->rules;
		rules->n_rules = from->n_rules;
		rules->conditions = from->conditions;
		from->rules = NULL;
		from->conditions = NULL;
	}
	for (int i = 0; i < KT_COLUMNS; i++) {
		if (rules->columns[i]->n_states == 0) {
			kt_label_rules *empty = rules->columns[i];

			rules->columns[i] = from->columns[i];
			from->columns[i] = empty;
		}
	}
	rules->default_text = from->text;
	from->text = NULL;
}

/*
 * Parses rules. Takes ownership of `text`, also on failure. KT_E_MEMORY, also if `text` is
 * NULL.
 */
static int parse(kt_label_rules **out, char *text, const char *name)
{
	kt_label_rules *rules = calloc(1, sizeof(*rules));
	bool whole = rules && text;
	char *line = text;
	int code = KT_OK;
	bool none;

	*out = NULL;
	for (int i = 0; i < KT_COLUMNS && whole; i++) {
		rules->columns[i] = calloc(1, sizeof(*rules));
		whole = rules->columns[i] != NULL;
	}
	if (whole) {
		rules->merges = calloc(1, sizeof(*rules));
		whole = rules->merges != NULL;
	}
	if (!whole) {
		free(text);
		kt_label_rules_free(rules);
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
	none = rules->n_rules == 0 && rules->merges->n_rules == 0;
	for (int i = 0; i < KT_COLUMNS; i++) {
		code = check_column(rules->columns[i], column_names[i]);
		if (code) {
			kt_error_prepend(code, "read %s", name);
			goto end;
		}
		none = none && rules->columns[i]->n_states == 0;
	}
	if (none) {
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
	kt_label_rules *defaults = NULL;
	char *original;
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
	original = strdup(text);
	if (!original) {
		code = kt_error(KT_E_MEMORY, "read %s: out of memory", name);
		goto end;
	}
	code = parse(out, text, name);
	if (code) {
		free(original);
		return code;
	}
	(*out)->original = original;
	code = kt_label_rules_default(&defaults);
	if (code) {
		kt_label_rules_free(*out);
		*out = NULL;
		return code;
	}
	complete(*out, defaults);
	kt_label_rules_free(defaults);
	return KT_OK;
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
	for (int i = 0; i < KT_COLUMNS; i++) {
		kt_label_rules_free(rules->columns[i]);
	}
	kt_label_rules_free(rules->merges);
	free_lists(rules);
	free(rules->original);
	free(rules->text);
	free(rules->default_text);
	free(rules);
}

const kt_label_rules *kt_label_rules_column(const kt_label_rules *rules,
					    enum kt_state_column column)
{
	return rules->columns[column];
}

const kt_label_rules *kt_label_rules_merges(const kt_label_rules *rules)
{
	return rules->merges;
}

const struct kt_rule_condition *kt_label_rules_conditions(const kt_label_rules *rules,
							  size_t i, size_t *n)
{
	*n = rules->rules[i].n;
	return *n > 0 ? &rules->conditions[rules->rules[i].first] : NULL;
}

const char *kt_label_rules_text(const kt_label_rules *rules)
{
	return rules->original;
}

const struct kt_column_state *kt_column_states(const kt_label_rules *column, size_t *n)
{
	*n = column->n_states;
	return column->states;
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

bool kt_patterns_fit(const char *patterns, size_t length, const char *text)
{
	const char *end = patterns + length;

	for (const char *at = patterns; at < end;) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		const char *stop = bar ? bar : end;

		if (fits(at, (size_t)(stop - at), text)) {
			return true;
		}
		at = stop + (bar != NULL);
	}
	return false;
}

size_t kt_label_rules_match(const kt_label_rules *rules, const struct kt_facts *facts,
			    size_t i, size_t end)
{
	for (; i < end; i++) {
		const struct kept_rule *rule = &rules->rules[i];
		size_t held = 0;

		/*
		 * Do not compute a pointer before the loop: the array `conditions` is NULL
		 * if no rule has a condition.
		 */
		while (held < rule->n) {
			const struct kt_rule_condition *condition =
				&rules->conditions[rule->first + held];
			const char *value = facts->values[condition->fact];
			const char *patterns = condition->patterns;
			bool found =
				value && kt_patterns_fit(patterns, strlen(patterns), value);

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
