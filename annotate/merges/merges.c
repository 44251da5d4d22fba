/* SPDX-License-Identifier: MIT */
#include "annotate/merges/merges.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/merge-states.h>
#include <ktail/status.h>

#include "annotate/merges/state-names.h"
#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

#define SHOWN 5 /* numbers of states in a message */

int kt_merges_begin(struct kt_merges *merges, const struct kt_fsm *fsm)
{
	merges->choices = calloc(fsm->n_states + 1, sizeof(*merges->choices));
	merges->after = calloc(fsm->n_states + 1, sizeof(*merges->after));
	if (!merges->choices || !merges->after) {
		return kt_no_memory("merge states");
	}
	merges->n_before = fsm->n_states;
	merges->n_after = fsm->n_states;
	for (uint32_t i = 0; i < fsm->n_states; i++) {
		merges->choices[i].name = KT_NOT_MERGED;
		merges->after[i] = i;
	}
	return KT_OK;
}

bool kt_merges_any(const struct kt_merges *merges)
{
	return merges->n_names > 0;
}

void kt_merges_free(struct kt_merges *merges)
{
	for (size_t i = 0; i < merges->n_names; i++) {
		free(merges->names[i]);
	}
	free(merges->names);
	free(merges->choices);
	free(merges->after);
	free(merges->lines);
	*merges = (struct kt_merges){0};
}

static int find_name(uint32_t *out, struct kt_merges *merges, const char *name)
{
	size_t i = 0;

	while (i < merges->n_names && strcmp(merges->names[i], name) != 0) {
		i++;
	}
	*out = (uint32_t)i;
	if (i < merges->n_names) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&merges->names, &merges->names_capacity, i + 1));
	merges->names[i] = strdup(name);
	if (!merges->names[i]) {
		return kt_no_memory("merge states");
	}
	merges->n_names++;
	return KT_OK;
}

#define CHOOSER (PATH_MAX + 32)

/* Writes who chose a state: "line 3 of FILE" or "--merge". */
static const char *chooser(char out[CHOOSER], const struct kt_merges *merges, size_t line)
{
	if (line == 0) {
		return "--merge";
	}
	snprintf(out, CHOOSER, "line %zu of %s", line,
		 merges->rules_name ? merges->rules_name : "the built-in label rules");
	return out;
}

/* Gives the states in chosen[] this name. */
static int give_name(struct kt_merges *merges, const bool *chosen, const char *name,
		     size_t line)
{
	uint32_t number;
	char by[CHOOSER];

	KT_TRY(find_name(&number, merges, name));
	for (uint32_t i = 0; i < merges->n_before; i++) {
		struct kt_merge_choice *choice = &merges->choices[i];

		if (!chosen[i]) {
			continue;
		}
		if (choice->name != KT_NOT_MERGED && choice->name != number) {
			return kt_error(line ? KT_E_MALFORMED : KT_E_USAGE,
					"state %" PRIu32
					" of %s is \"%s\" by %s, so it cannot "
					"be \"%s\"",
					i, merges->fsm_name, merges->names[choice->name],
					chooser(by, merges, choice->line), name);
		}
		if (choice->name == KT_NOT_MERGED) {
			*choice = (struct kt_merge_choice){.name = number, .line = line};
		}
	}
	return KT_OK;
}

/* --- by rules --- */

bool kt_merges_need_labels(const kt_label_rules *rules)
{
	const kt_label_rules *list = kt_label_rules_merges(rules);

	for (size_t i = 0; i < kt_label_rules_count(list); i++) {
		size_t n;
		const struct kt_rule_condition *conditions =
			kt_label_rules_conditions(list, i, &n);

		for (size_t j = 0; j < n; j++) {
			if (conditions[j].fact == KT_FACT_LABEL ||
			    conditions[j].fact == KT_FACT_ROLE ||
			    conditions[j].fact == KT_FACT_PHASE) {
				return true;
			}
		}
	}
	return false;
}

/* Sets found[s] for each state s for which the condition, without its "!", holds. */
static int find_states(bool *found, const struct kt_fsm *fsm,
		       const enum kt_label_role *roles,
		       const struct kt_rule_condition *condition)
{
	const size_t length = strlen(condition->patterns);

	if (condition->fact == KT_FACT_AFTER) {
		return kt_states_after(found, fsm, condition->patterns);
	}
	memset(found, 0, fsm->n_states * sizeof(*found));
	if (condition->fact == KT_FACT_IN || condition->fact == KT_FACT_OUT) {
		for (size_t i = 0; i < fsm->n_transitions; i++) {
			const struct kt_fsm_transition *t = &fsm->transitions[i];

			if (kt_patterns_fit(condition->patterns, length,
					    fsm->letters[t->letter])) {
				found[condition->fact == KT_FACT_IN ? t->to : t->from] =
					true;
			}
		}
		return KT_OK;
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		const char *value = condition->fact == KT_FACT_LABEL ? fsm->states[i].label
				    : condition->fact == KT_FACT_PHASE
					    ? fsm->states[i].phase
				    : roles ? kt_label_role_name(roles[i])
					    : NULL;

		found[i] = value && kt_patterns_fit(condition->patterns, length, value);
	}
	return KT_OK;
}

/* Finds the states for which all conditions hold, and checks their number. */
static int choose_by_rule(struct kt_merges *merges, const struct kt_fsm *fsm,
			  const enum kt_label_role *roles, size_t rule, bool *chosen,
			  bool *found)
{
	const kt_label_rules *list = kt_label_rules_merges(merges->rules);
	const char *name = kt_label_rules_at(list, rule)->label;
	char numbers[SHOWN * 12 + 8] = "";
	bool one = false;
	size_t used = 0;
	size_t n = 0;
	size_t n_conditions;
	const struct kt_rule_condition *conditions =
		kt_label_rules_conditions(list, rule, &n_conditions);

	memset(chosen, true, fsm->n_states * sizeof(*chosen));
	for (size_t i = 0; i < n_conditions; i++) {
		KT_TRY(find_states(found, fsm, roles, &conditions[i]));
		one = one || conditions[i].fact == KT_FACT_AFTER;
		for (size_t s = 0; s < fsm->n_states; s++) {
			chosen[s] = chosen[s] && found[s] != conditions[i].negated;
		}
	}
	for (size_t s = 0; s < fsm->n_states; s++) {
		if (chosen[s] && n++ < SHOWN) {
			used += (size_t)snprintf(numbers + used, sizeof(numbers) - used,
						 "%s%zu", n > 1 ? " " : "", s);
		}
	}
	if (n == 0) {
		return kt_error(KT_E_MALFORMED, "%s has no state that fits, for \"%s\"",
				merges->fsm_name, name);
	}
	if (one && n > 1) {
		return kt_error(KT_E_MALFORMED,
				"%zu states of %s fit (%s%s), but \"after\" names one, for "
				"\"%s\"; give more letters before it",
				n, merges->fsm_name, numbers, n > SHOWN ? " ..." : "",
				name);
	}
	return KT_OK;
}

int kt_merges_choose(struct kt_merges *merges, const struct kt_fsm *fsm,
		     const enum kt_label_role *roles)
{
	const kt_label_rules *list = kt_label_rules_merges(merges->rules);
	bool *chosen = calloc(fsm->n_states + 1, sizeof(*chosen));
	bool *found = calloc(fsm->n_states + 1, sizeof(*found));
	int code = chosen && found ? KT_OK : kt_no_memory("merge states");

	for (size_t i = 0; i < kt_label_rules_count(list) && !code; i++) {
		const struct kt_label_rule *rule = kt_label_rules_at(list, i);

		code = choose_by_rule(merges, fsm, roles, i, chosen, found);
		if (!code) {
			code = give_name(merges, chosen, rule->label, rule->line);
		}
		if (code) {
			kt_error_prepend(code, "read %s: line %zu",
					 merges->rules_name ? merges->rules_name
							    : "the built-in label rules",
					 rule->line);
		}
	}
	free(chosen);
	free(found);
	return code;
}

/* --- by numbers --- */

/* Parses "3" or "3-5" up to `end`. */
static bool take_range(uint64_t *from, uint64_t *to, const char *text, const char *end)
{
	char *stop;

	errno = 0;
	if (*text < '0' || *text > '9') {
		return false;
	}
	*from = strtoull(text, &stop, 10);
	*to = *from;
	if (*stop == '-' && stop[1] >= '0' && stop[1] <= '9') {
		*to = strtoull(stop + 1, &stop, 10);
	}
	return stop == end && errno == 0 && *from <= *to;
}

/* Sets chosen[] for the numbers in text[0..end), which are separated by commas. */
static int take_numbers(bool *chosen, const struct kt_merges *merges, const char *text,
			const char *end)
{
	for (const char *at = text, *stop; at <= end; at = stop + 1) {
		uint64_t from;
		uint64_t to;

		stop = memchr(at, ',', (size_t)(end - at));
		stop = stop ? stop : end;
		if (!take_range(&from, &to, at, stop)) {
			return kt_error(KT_E_USAGE, "not numbers of states and a name, as "
						    "3,7-9=NAME");
		}
		if (to >= merges->n_before) {
			return kt_error(KT_E_USAGE,
					"%s has no state %" PRIu64 ", only 0 to %zu",
					merges->fsm_name, to, merges->n_before - 1);
		}
		for (uint64_t i = from; i <= to; i++) {
			chosen[i] = true;
		}
	}
	return KT_OK;
}

/* A name becomes a field of a rule, where braces are not allowed, and a text in JSON. */
static int check_name(const char *name)
{
	if (!*name) {
		return kt_error(KT_E_USAGE, "the name is empty");
	}
	if (!kt_utf8_is_printable(name, strlen(name))) {
		return kt_error(KT_E_USAGE, "the name is not printable UTF-8");
	}
	return strpbrk(name, "{}") ? kt_error(KT_E_USAGE, "a brace in the name") : KT_OK;
}

/* Adds to merges->lines a rule for each state in chosen[] that has none. */
static int add_lines(struct kt_merges *merges, const struct kt_fsm *fsm, const bool *chosen,
		     const char *name)
{
	char **names = calloc(fsm->n_states + 1, sizeof(*names));
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code = KT_OK;

	if (!names || !out) {
		code = kt_no_memory("merge states");
		goto end;
	}
	KT_TRY_END(kt_state_names(names, fsm, chosen));
	fputs(merges->lines ? merges->lines : "", out);
	for (size_t i = 0; i < fsm->n_states; i++) {
		if (!chosen[i] || merges->choices[i].kept) {
			continue;
		}
		if (!names[i]) {
			code = kt_error(
				KT_E_USAGE,
				"no sequence of at most %d letters leads to state %zu "
				"alone, so no rule can name it",
				KT_STATE_NAME_LETTERS, i);
			goto end;
		}
		merges->choices[i].kept = true;
		fprintf(out, "after=%s\t%s\tmerge\tstate %zu of %zu\n", names[i], name, i,
			fsm->n_states);
	}
end:
	for (size_t i = 0; names && i < fsm->n_states; i++) {
		free(names[i]);
	}
	free(names);
	if (out && fclose(out) != 0 && !code) {
		code = kt_no_memory("merge states");
	}
	if (code) {
		free(text);
		return code;
	}
	free(merges->lines);
	merges->lines = text;
	return KT_OK;
}

int kt_merges_add(struct kt_merges *merges, const struct kt_fsm *fsm, const char *option)
{
	const char *equals = strchr(option, '=');
	bool *chosen = calloc(fsm->n_states + 1, sizeof(*chosen));
	int code;

	if (!chosen) {
		return kt_no_memory("merge states");
	}
	KT_TRY_END(take_numbers(chosen, merges, option,
				equals ? equals : option + strlen(option)));
	KT_TRY_END(check_name(equals ? equals + 1 : ""));
	KT_TRY_END(give_name(merges, chosen, equals + 1, 0));
	if (merges->keep_lines) {
		KT_TRY_END(add_lines(merges, fsm, chosen, equals + 1));
	}
end:
	free(chosen);
	if (code) {
		kt_error_prepend(code, "--merge %s", option);
	}
	return code;
}

/* --- merging --- */

/* Fails if two states with different names became one. */
static int check_names(const struct kt_merges *merges)
{
	uint32_t *first = malloc((merges->n_after + 1) * sizeof(*first));
	int code = KT_OK;

	if (!first) {
		return kt_no_memory("merge states");
	}
	memset(first, 0xff, (merges->n_after + 1) * sizeof(*first));
	for (uint32_t i = 0; i < merges->n_before && !code; i++) {
		const struct kt_merge_choice *choice = &merges->choices[i];
		uint32_t *other = &first[merges->after[i]];
		char by[CHOOSER];
		char other_by[CHOOSER];

		if (choice->name == KT_NOT_MERGED) {
			continue;
		}
		if (*other == UINT32_MAX) {
			*other = i;
		} else if (merges->choices[*other].name != choice->name) {
			code = kt_error(
				KT_E_USAGE,
				"merge states of %s: states %" PRIu32 " (\"%s\", %s) and "
				"%" PRIu32
				" (\"%s\", %s) would become one, because the same "
				"letters lead to both; give them one name, or leave one "
				"out",
				merges->fsm_name, *other,
				merges->names[merges->choices[*other].name],
				chooser(other_by, merges, merges->choices[*other].line), i,
				merges->names[choice->name],
				chooser(by, merges, choice->line));
		}
	}
	free(first);
	return code;
}

int kt_merges_apply(struct kt_merges *merges, struct kt_fsm *fsm)
{
	uint32_t *first;

	if (!kt_merges_any(merges)) {
		return KT_OK;
	}
	first = malloc(merges->n_names * sizeof(*first));
	if (!first) {
		return kt_no_memory("merge states");
	}
	memset(first, 0xff, merges->n_names * sizeof(*first));
	for (uint32_t i = 0; i < merges->n_before; i++) {
		uint32_t name = merges->choices[i].name;

		if (name != KT_NOT_MERGED) {
			first[name] = first[name] == UINT32_MAX ? i : first[name];
			merges->after[i] = first[name];
		}
	}
	free(first);
	KT_TRY(kt_merge_states(fsm, merges->after));
	merges->n_after = fsm->n_states;
	return check_names(merges);
}
