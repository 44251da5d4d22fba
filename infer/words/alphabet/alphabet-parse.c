/* SPDX-License-Identifier: MIT */
/* Parser of the language of ktail-alphabet(5): one rule per line. */
#include "infer/words/alphabet/alphabet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

/* A part of the text, not NUL-terminated. */
struct span {
	const char *at;
	size_t length;
};

struct parser {
	kt_alphabet *alphabet; /* Weak */
	size_t line;
	/* Weak: rules of the event named by the current line */
	struct kt_event_rules *event;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct parser *p,
						      const char *format, ...)
{
	char reason[512];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return kt_alphabet_error(p->alphabet, p->line, "%s", reason);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip(struct span *s, size_t n)
{
	s->at += n;
	s->length -= n;
}

static struct span trim(struct span s)
{
	while (s.length > 0 && is_blank(s.at[0])) {
		skip(&s, 1);
	}
	while (s.length > 0 && is_blank(s.at[s.length - 1])) {
		s.length--;
	}
	return s;
}

/*
 * Removes the leading name from *rest and returns it; returns an empty span if there is no
 * name.
 */
static struct span take_name(struct span *rest)
{
	struct span name = {rest->at, 0};

	while (name.length < rest->length) {
		char c = rest->at[name.length];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || c == '_')) {
			break;
		}
		name.length++;
	}
	skip(rest, name.length);
	return name;
}

static int find_slot(struct parser *p, struct span name, uint32_t *slot)
{
	struct kt_event_rules *event = p->event;

	for (size_t i = 0; i < event->n_fields; i++) {
		if (strlen(event->fields[i]) == name.length &&
		    memcmp(event->fields[i], name.at, name.length) == 0) {
			*slot = (uint32_t)i;
			return KT_OK;
		}
	}
	if (event->n_fields == KT_ALPHABET_MAX_FIELDS) {
		return fail(p, "the rules of event %s use more than %d fields",
			    event->event, KT_ALPHABET_MAX_FIELDS);
	}
	event->fields[event->n_fields] = strndup(name.at, name.length);
	if (!event->fields[event->n_fields]) {
		return kt_no_memory("read alphabet");
	}
	*slot = (uint32_t)event->n_fields++;
	return KT_OK;
}

/*
 * Reads c->text as a number into c->number and c->negative: decimal digits, or 0x and
 * hexadecimal digits, with an optional minus sign before them. Returns false if c->text is
 * anything else or does not fit 64 bits.
 */
static bool read_number(struct kt_condition *c)
{
	bool minus = c->text[0] == '-';
	const char *digits = c->text + minus;
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	uint64_t value;
	size_t n;

	digits += hex ? 2 : 0;
	n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
	if (n == 0 || digits[n]) {
		return false;
	}
	errno = 0;
	value = strtoull(digits, NULL, hex ? 16 : 10);
	c->negative = minus && value != 0;
	if (errno || (c->negative && value > (uint64_t)INT64_MAX + 1)) {
		return false;
	}
	c->number = c->negative ? 0 - value : value;
	return true;
}

/* Removes a value, bare or in double quotes, from *rest and stores it in the condition. */
static int take_value(struct parser *p, struct span *rest, struct kt_condition *c)
{
	size_t quotes = 0;
	size_t n = 0;

	if (rest->length > 0 && rest->at[0] == '"') {
		quotes = 1;
		while (1 + n < rest->length && rest->at[1 + n] != '"') {
			n++;
		}
		if (1 + n == rest->length) {
			return fail(p, "unterminated quote");
		}
	} else {
		while (n < rest->length && !is_blank(rest->at[n])) {
			n++;
		}
		if (n == 0) {
			return fail(p, "a condition without a value");
		}
	}
	c->text = strndup(rest->at + quotes, n);
	if (!c->text) {
		return kt_no_memory("read alphabet");
	}
	skip(rest, n + 2 * quotes);
	if (rest->length > 0 && !is_blank(rest->at[0])) {
		return fail(p, "expected a blank after '%s'", c->text);
	}
	c->is_number = !quotes && read_number(c);
	return KT_OK;
}

static int take_condition(struct parser *p, struct kt_rule *rule, struct span *rest)
{
	struct kt_condition *grown;
	struct kt_condition c = {0};
	struct span name = take_name(rest);
	int code;

	if (name.length == 0) {
		return fail(p, "expected a condition or '->' at '%.*s'",
			    (int)(rest->length < 40 ? rest->length : 40), rest->at);
	}
	if (rest->length > 1 && rest->at[0] == '!' && rest->at[1] == '=') {
		c.unequal = true;
	} else if (rest->length == 0 || rest->at[0] != '=') {
		return fail(p, "expected '=' or '!=' after '%.*s'", (int)name.length,
			    name.at);
	}
	skip(rest, 1 + (size_t)c.unequal);
	KT_TRY(find_slot(p, name, &c.slot));
	code = take_value(p, rest, &c);
	grown = code ? NULL
		     : realloc(rule->conditions, (rule->n_conditions + 1) * sizeof(*grown));
	if (!grown) {
		free(c.text);
		return code ? code : kt_no_memory("read alphabet");
	}
	rule->conditions = grown;
	grown[rule->n_conditions++] = c;
	return KT_OK;
}

static int add_part(struct kt_rule *rule, struct kt_part part)
{
	struct kt_part *grown = realloc(rule->parts, (rule->n_parts + 1) * sizeof(*grown));

	if (!grown) {
		free(part.literal);
		return kt_no_memory("read alphabet");
	}
	rule->parts = grown;
	grown[rule->n_parts++] = part;
	return KT_OK;
}

/*
 * Removes literal text up to the next field from *rest and adds it to the rule. A doubled
 * brace stands for one brace.
 */
static int take_literal(struct parser *p, struct kt_rule *rule, struct span *rest)
{
	struct kt_part part = {.literal = malloc(rest->length + 1)};
	size_t n = 0;

	if (!part.literal) {
		return kt_no_memory("read alphabet");
	}
	while (rest->length > 0) {
		size_t step = 1;

		if (rest->at[0] == '{' || rest->at[0] == '}') {
			if (rest->length < 2 || rest->at[1] != rest->at[0]) {
				break;
			}
			step = 2;
		}
		part.literal[n++] = rest->at[0];
		skip(rest, step);
	}
	part.literal[n] = '\0';
	if (rest->length > 0 && rest->at[0] == '}') {
		free(part.literal);
		return fail(p, "a '}' without '{'; write }} for a brace");
	}
	return add_part(rule, part);
}

/*
 * Parses a letter template: fields "{field}" and "{field:x}" with literal text between
 * them.
 */
static int take_template(struct parser *p, struct kt_rule *rule, struct span rest)
{
	if (rest.length == 0) {
		return fail(p, "no letter after '->'; write - for none");
	}
	if (rest.length == 1 && rest.at[0] == '-') {
		return KT_OK;
	}
	if (rest.at[0] == '#') {
		return fail(p, "a letter cannot begin with '#'");
	}
	while (rest.length > 0) {
		struct kt_part part = {0};
		struct span name;

		if (rest.at[0] != '{' || (rest.length > 1 && rest.at[1] == '{')) {
			KT_TRY(take_literal(p, rule, &rest));
			continue;
		}
		skip(&rest, 1);
		name = take_name(&rest);
		if (rest.length > 1 && rest.at[0] == ':' && rest.at[1] == 'x') {
			part.hex = true;
			skip(&rest, 2);
		}
		if (name.length == 0 || rest.length == 0 || rest.at[0] != '}') {
			return fail(
				p,
				"expected {field} or {field:x}, or {{ or }} for a brace");
		}
		skip(&rest, 1);
		KT_TRY(find_slot(p, name, &part.slot));
		KT_TRY(add_part(rule, part));
	}
	return KT_OK;
}

static int take_rule(struct parser *p, struct kt_rule *rule, struct span rest)
{
	const struct span mapping = {"mapping", 7};

	for (rest = trim(rest); rest.length < 2 || rest.at[0] != '-' || rest.at[1] != '>';
	     rest = trim(rest)) {
		if (rest.length == 0) {
			return fail(p, "a rule without '->'");
		}
		if (rest.length < 4 || memcmp(rest.at, "run:", 4) != 0) {
			KT_TRY(take_condition(p, rule, &rest));
			continue;
		}
		rule->run = rest.length < 8 || (rest.length > 8 && !is_blank(rest.at[8]))
				    ? KT_RUN_NONE
			    : memcmp(rest.at, "run:open", 8) == 0 ? KT_RUN_OPEN
			    : memcmp(rest.at, "run:once", 8) == 0 ? KT_RUN_ONCE
								  : KT_RUN_NONE;
		if (rule->run == KT_RUN_NONE) {
			return fail(p, "expected 'open' or 'once' after 'run:'");
		}
		skip(&rest, 8);
		p->event->has_runs = true;
		KT_TRY(find_slot(p, mapping, &p->event->mapping));
	}
	skip(&rest, 2);
	return take_template(p, rule, trim(rest));
}

/* Reads the rest of a line "require MODE=VALUE". */
static int take_requirement(struct parser *p, struct span rest)
{
	kt_alphabet *a = p->alphabet;
	struct kt_requirement required;
	struct span mode;
	struct span value;

	rest = trim(rest);
	mode = take_name(&rest);
	if (mode.length == 0 || rest.length == 0 || rest.at[0] != '=') {
		return fail(p, "expected MODE=VALUE after 'require'");
	}
	skip(&rest, 1);
	value = take_name(&rest);
	if (value.length == 0 || rest.length > 0) {
		return fail(p, "expected one value after '%.*s='", (int)mode.length,
			    mode.at);
	}
	KT_TRY(kt_array_reserve(&a->required, &a->required_capacity, a->n_required + 1));
	required.mode = strndup(mode.at, mode.length);
	required.value = strndup(value.at, value.length);
	a->required[a->n_required++] = required;
	return required.mode && required.value ? KT_OK : kt_no_memory("read alphabet");
}

static int read_line(struct parser *p, struct span line)
{
	kt_alphabet *a = p->alphabet;
	struct kt_rule *rule;
	struct span name;
	bool quoted = false;

	/* Outside quotes, a "#" at the start or after a blank begins a comment. */
	for (size_t i = 0; i < line.length; i++) {
		if (line.at[i] == '"') {
			quoted = !quoted;
		} else if (line.at[i] == '#' && !quoted &&
			   (i == 0 || is_blank(line.at[i - 1]))) {
			line.length = i;
		}
	}
	line = trim(line);
	if (line.length == 0) {
		return KT_OK;
	}
	if (memchr(line.at, '\t', line.length)) {
		return fail(p, "a tab inside a rule; write a blank");
	}
	if (!kt_utf8_is_printable(line.at, line.length)) {
		return fail(p, "control characters or invalid UTF-8");
	}
	KT_TRY(kt_array_reserve(&a->lines, &a->lines_capacity, a->n_lines + 1));
	a->lines[a->n_lines] = strndup(line.at, line.length);
	if (!a->lines[a->n_lines]) {
		return kt_no_memory("read alphabet");
	}
	a->n_lines++;
	name = take_name(&line);
	if (name.length == 0 || (line.length > 0 && !is_blank(line.at[0]))) {
		return fail(p, "expected the name of an event, without its provider");
	}
	if (name.length == strlen("require") && memcmp(name.at, "require", 7) == 0) {
		return take_requirement(p, line);
	}
	p->event = NULL;
	for (size_t i = 0; i < a->n_events && !p->event; i++) {
		if (strlen(a->events[i].event) == name.length &&
		    memcmp(a->events[i].event, name.at, name.length) == 0) {
			p->event = &a->events[i];
		}
	}
	if (!p->event) {
		KT_TRY(kt_array_reserve(&a->events, &a->events_capacity, a->n_events + 1));
		p->event = &a->events[a->n_events];
		memset(p->event, 0, sizeof(*p->event));
		p->event->event = strndup(name.at, name.length);
		if (!p->event->event) {
			return kt_no_memory("read alphabet");
		}
		a->n_events++;
	}
	KT_TRY(kt_array_reserve(&p->event->rules, &p->event->capacity,
				p->event->n_rules + 1));
	rule = &p->event->rules[p->event->n_rules++];
	memset(rule, 0, sizeof(*rule));
	rule->id = a->n_rules++;
	rule->line = p->line;
	return take_rule(p, rule, line);
}

static int parse(kt_alphabet **out, const char *name, const char *file, bool in_machine,
		 const char *text, size_t length)
{
	struct parser p = {.alphabet = calloc(1, sizeof(kt_alphabet))};
	int code = KT_OK;

	*out = NULL;
	if (!p.alphabet) {
		return kt_no_memory("read alphabet");
	}
	p.alphabet->in_machine = in_machine;
	p.alphabet->name = strdup(name);
	p.alphabet->file = strdup(file);
	if (!p.alphabet->name || !p.alphabet->file) {
		code = kt_no_memory("read alphabet");
		goto end;
	}
	while (length > 0) {
		const char *newline = memchr(text, '\n', length);
		size_t n = newline ? (size_t)(newline - text) : length;

		p.line++;
		KT_TRY_END(read_line(&p, (struct span){text, n}));
		n += newline != NULL;
		text += n;
		length -= n;
	}
	if (!kt_utf8_is_printable(name, strlen(name))) {
		code = kt_alphabet_error(p.alphabet, 0, "its name is not printable");
	} else if (p.alphabet->n_rules == 0) {
		code = kt_alphabet_error(p.alphabet, 0, "no rules");
	}
end:
	if (code) {
		kt_alphabet_free(p.alphabet);
		return code;
	}
	*out = p.alphabet;
	return KT_OK;
}

int kt_alphabet_parse(kt_alphabet **out, const char *name, const char *file,
		      const char *text, size_t length)
{
	return parse(out, name, file, false, text, length);
}

int kt_alphabet_parse_rules(kt_alphabet **out, const char *name, const char *file,
			    const char *text, size_t length)
{
	return parse(out, name, file, true, text, length);
}
