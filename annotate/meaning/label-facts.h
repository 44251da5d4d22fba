/* SPDX-License-Identifier: MIT */
/*
 * The facts of an event that label rules look at, and what stands under "detail" of it.
 * Numbers are written in hexadecimal, with 0x, where there is no name.
 */
#ifndef KTAIL_ANNOTATE_LABEL_FACTS_H
#define KTAIL_ANNOTATE_LABEL_FACTS_H

#include "annotate/events/activity.h"
#include "annotate/meaning/label-rules.h"
#include "annotate/meaning/label-work.h"
#include "annotate/meaning/roles.h"

/* Facts with the texts that are made for them. Not to be copied: they point into it. */
struct kt_event_facts {
	struct kt_facts facts;
	char numbers[5][24];
	char work[KT_LABEL_WORK_NAME];
	char detail[192]; /* "" if there is none */
};

/* All begin with these: which event, in which call. */
void kt_facts_begin(struct kt_event_facts *out, const char *event,
		    const struct kt_activity_call *call);
void kt_facts_of_ioctl(struct kt_event_facts *out, const struct kt_call *call);
void kt_facts_of_device(struct kt_event_facts *out, const struct kt_device_fields *fields);
void kt_facts_of_object(struct kt_event_facts *out, const struct kt_object_fields *fields);
void kt_facts_of_map(struct kt_event_facts *out, const struct kt_map_fields *fields);
/* roles: for the class of the mapping; may be NULL. */
void kt_facts_of_unmap(struct kt_event_facts *out, const struct kt_unmap_fields *fields,
		       const kt_roles *roles, uint64_t instance);
void kt_facts_of_access(struct kt_event_facts *out, const struct kt_access_fields *fields,
			const kt_roles *roles, uint64_t instance);
void kt_facts_of_wait(struct kt_event_facts *out, const struct kt_wait_fields *fields);
void kt_facts_of_work(struct kt_event_facts *out, const struct kt_label_work *work);

#endif
