/* SPDX-License-Identifier: MIT */
/*
 * The facts of an event, which label rules test, and a description of the event for the JSON
 * member "detail". A number without a name is written in hexadecimal, with 0x.
 */
#ifndef KTAIL_ANNOTATE_LABEL_FACTS_H
#define KTAIL_ANNOTATE_LABEL_FACTS_H

#include "annotate/events/activity.h"
#include "annotate/meaning/label-rules.h"
#include "annotate/meaning/label-work.h"
#include "annotate/meaning/roles.h"

/*
 * Facts, with the texts that were formatted for them. This struct must not be copied, because
 * `facts` points to its other members.
 */
struct kt_event_facts {
	struct kt_facts facts;
	char numbers[5][24];
	char work[KT_LABEL_WORK_NAME];
	char detail[192]; /* description of the event; "": none */
};

/*
 * Initialises the facts with the event's name and the API call around the event (NULL: none).
 * Then one of the functions below adds the facts of the event. All texts are borrowed.
 */
void kt_facts_begin(struct kt_event_facts *out, const char *event,
		    const struct kt_activity_call *call);
void kt_facts_of_ioctl(struct kt_event_facts *out, const struct kt_call *call);
void kt_facts_of_device(struct kt_event_facts *out, const struct kt_device_fields *fields);
void kt_facts_of_object(struct kt_event_facts *out, const struct kt_object_fields *fields);
void kt_facts_of_map(struct kt_event_facts *out, const struct kt_map_fields *fields);
/*
 * For the next two functions, `roles` supplies the class of the mapped memory and, for an
 * access, its role. If `roles` is NULL, class and role are not set.
 */
void kt_facts_of_unmap(struct kt_event_facts *out, const struct kt_unmap_fields *fields,
		       const kt_roles *roles, uint64_t instance);
void kt_facts_of_access(struct kt_event_facts *out, const struct kt_access_fields *fields,
			const kt_roles *roles, uint64_t instance);
void kt_facts_of_wait(struct kt_event_facts *out, const struct kt_wait_fields *fields);
void kt_facts_of_work(struct kt_event_facts *out, const struct kt_label_work *work);

#endif
