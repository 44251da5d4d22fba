/* SPDX-License-Identifier: MIT */
#include "annotate/distil/distil-rules.h"

#include <stddef.h>
#include <string.h>

#define PHASE(name)  (1u << KT_API_PHASE_##name)
#define ROLE(name)   (1u << KT_LABEL_##name)
#define ANY          (~0u)
#define SUBMISSIONS  (ROLE(DMA) | ROLE(RUN) | ROLE(SUBMIT))
#define SETTING_UP   (PHASE(CREATE) | PHASE(INIT))
#define NOT_YET_USED (PHASE(CREATE) | PHASE(INIT) | PHASE(DESTROY))

struct rule {
	unsigned phases;
	unsigned roles;
	const char *label; /* substring of the label; NULL: any label, or none */
	enum kt_distilled_kind kind;
	const char *reason;
};

/* The first rule that fits applies; the last rule fits every letter. */
static const struct rule rules[] = {
	{ANY, ROLE(QUERY), NULL, KT_DISTILLED_QUERY, "queries the driver"},
	{ANY, ROLE(RELEASE), NULL, KT_DISTILLED_RELEASE, "releases resources"},
	{NOT_YET_USED, SUBMISSIONS, NULL, KT_DISTILLED_OWN,
	 "submitted while the program does not use the GPU"},
	{SETTING_UP, ROLE(WAIT), NULL, KT_DISTILLED_OWN,
	 "waits for the driver's own submissions"},
	{PHASE(DESTROY), ROLE(WAIT) | ROLE(OTHER), NULL, KT_DISTILLED_RELEASE,
	 "part of the teardown"},
	{ANY, ANY, "staging memory", KT_DISTILLED_STAGING,
	 "the CPU copies through the driver's memory"},
	{ANY, ANY, "graph launch", KT_DISTILLED_GRAPH, "launches a graph"},
	{ANY, ROLE(RUN), NULL, KT_DISTILLED_RUN, "launches kernels"},
	{ANY, ROLE(DMA), NULL, KT_DISTILLED_DMA, "the GPU copies or fills memory"},
	{ANY, ROLE(SUBMIT), NULL, KT_DISTILLED_SUBMIT,
	 "submits neither copies nor launches"},
	{ANY, ROLE(WAIT), NULL, KT_DISTILLED_WAIT, "waits for completion"},
	{PHASE(USE), ROLE(CREATE) | ROLE(INIT), NULL, KT_DISTILLED_GROW,
	 "created while the program works"},
	{PHASE(DESTROY), ROLE(CREATE) | ROLE(INIT), NULL, KT_DISTILLED_RELEASE,
	 "part of the teardown"},
	{PHASE(CREATE), ROLE(INIT), "open the driver", KT_DISTILLED_CREATE,
	 "opened before anything is created"},
	{ANY, ROLE(INIT), NULL, KT_DISTILLED_INIT, "initialises resources"},
	{PHASE(INIT), ROLE(CREATE) | ROLE(OTHER), NULL, KT_DISTILLED_INIT,
	 "part of the initialisation"},
	{ANY, ROLE(CREATE), NULL, KT_DISTILLED_CREATE, "creates resources"},
	{PHASE(CREATE), ROLE(OTHER), NULL, KT_DISTILLED_CREATE, "part of the creation"},
	{ANY, ANY, NULL, KT_DISTILLED_OTHER, "no more specific label"},
};

static const struct {
	const char *name;
	bool in_paper;
} kinds[KT_DISTILLED_KINDS] = {
	[KT_DISTILLED_BEGIN] = {"begin", true},
	[KT_DISTILLED_CREATE] = {"create", true},
	[KT_DISTILLED_QUERY] = {"query", false},
	[KT_DISTILLED_INIT] = {"init", true},
	[KT_DISTILLED_OWN] = {"own work", false},
	[KT_DISTILLED_GROW] = {"grow", false},
	[KT_DISTILLED_STAGING] = {"staging", false},
	[KT_DISTILLED_DMA] = {"DMA", true},
	[KT_DISTILLED_RUN] = {"run", true},
	[KT_DISTILLED_GRAPH] = {"graph launch", false},
	[KT_DISTILLED_SUBMIT] = {"submit", false},
	[KT_DISTILLED_WAIT] = {"wait", true},
	[KT_DISTILLED_OTHER] = {"other", false},
	[KT_DISTILLED_RELEASE] = {"release", true},
	[KT_DISTILLED_END] = {"end", true},
};

const char *kt_distilled_name(enum kt_distilled_kind kind)
{
	return kinds[kind].name;
}

bool kt_distilled_in_paper(enum kt_distilled_kind kind)
{
	return kinds[kind].in_paper;
}

enum kt_distilled_kind kt_distil_kind(const struct kt_distil_facts *facts,
				      const char **reason, struct kt_distil_ties *ties)
{
	/*
	 * A driver makes reads with these labels both before it writes the doorbell and
	 * while it waits. The steps around the read show which of the two applies.
	 */
	static const char *const polls[] = {"check error notifier", "check progress",
					    "read timer"};
	const char *label = facts->label;
	const struct rule *rule = rules;

	while (!(rule->phases & 1u << facts->phase) || !(rule->roles & 1u << facts->role) ||
	       (rule->label && !(label && strstr(label, rule->label)))) {
		rule++;
	}
	ties->polls = false;
	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]) && label; i++) {
		ties->polls = ties->polls || strcmp(label, polls[i]) == 0;
	}
	ties->prepares =
		ties->polls || (facts->role == KT_LABEL_SUBMIT && !facts->doorbell);
	*reason = rule->reason;
	return rule->kind;
}
