/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil-rules.h"

#include <stddef.h>
#include <string.h>

bool kt_distilled_in_paper(const struct kt_column_state *state)
{
	return strstr(state->source, "menychtas2013 figure 4") != NULL;
}

struct kt_distil_ties kt_distil_ties_of(const struct kt_distil_facts *facts)
{
	/*
	 * A driver makes reads with these labels both before it writes the doorbell and
	 * while it waits. The steps around the read show which of the two applies.
	 */
	static const char *const polls[] = {"check error notifier", "check progress",
					    "read timer"};
	struct kt_distil_ties ties = {0};

	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]) && facts->label; i++) {
		ties.polls = ties.polls || strcmp(facts->label, polls[i]) == 0;
	}
	ties.prepares = ties.polls || (facts->role == KT_LABEL_SUBMIT && !facts->doorbell);
	return ties;
}

const struct kt_label_rule *kt_distil_rule(const kt_label_rules *column,
					   const struct kt_distil_facts *facts)
{
	const struct kt_facts values = {
		.values = {
			[KT_FACT_LETTER] = facts->letter,
			[KT_FACT_LABEL] = facts->label,
			[KT_FACT_ROLE] = kt_label_role_name(facts->role),
			[KT_FACT_PHASE] = kt_api_phase_name(facts->phase),
		}};
	const size_t n = kt_label_rules_count(column);

	return kt_label_rules_at(column, kt_label_rules_match(column, &values, 0, n));
}
