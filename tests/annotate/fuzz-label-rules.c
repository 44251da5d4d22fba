/* SPDX-License-Identifier: MIT */
/*
 * Feeds any bytes as label rules: nothing crashes, and accepted rules can be matched and
 * formatted.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/label-rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const kt_label_rules *rules)
{
	struct kt_facts facts = {{NULL}};
	size_t n = kt_label_rules_count(rules);

	facts.values[KT_FACT_EVENT] = "access";
	facts.values[KT_FACT_OP] = "R";
	facts.values[KT_FACT_COMMAND] = "NV0000_CTRL_CMD_SYSTEM_GET_FEATURES";
	facts.values[KT_FACT_WORK] = "launch + inline copy";
	for (size_t i = 0; i < n;) {
		char *label = NULL;

		i = kt_label_rules_match(rules, &facts, i, n);
		if (i < n) {
			if (kt_label_format(&label, kt_label_rules_at(rules, i), &facts)) {
				abort();
			}
			free(label);
			i++;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	kt_label_rules *rules = NULL;
	char *copy = malloc(size + 1);
	FILE *in;

	if (!copy || size == 0) {
		free(copy);
		return 0;
	}
	memcpy(copy, data, size);
	in = fmemopen(copy, size, "r");
	if (in && kt_label_rules_read(&rules, in, "fuzz") == KT_OK) {
		use(rules);
		use(kt_label_rules_column(rules, KT_COLUMN_USER));
		use(kt_label_rules_column(rules, KT_COLUMN_SYSTEM));
		use(kt_label_rules_merges(rules));
	}
	kt_label_rules_free(rules);
	if (in) {
		fclose(in);
	}
	free(copy);
	return 0;
}
