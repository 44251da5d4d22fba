/* SPDX-License-Identifier: MIT */
#include "infer/words/read/given-up.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "infer/words/read/event-class.h"

void kt_given_up_add(struct kt_given_up_list *list, const struct kt_event_head *head,
		     const struct kt_instance *instance)
{
	struct kt_given_up *item = &list->items[list->n];
	struct kt_value what = {.text = ""};

	list->all++;
	if (list->n == KT_GIVEN_UP_MAX) {
		return;
	}
	list->n++;
	kt_payload_get(&head->class_->detail, &head->payload, &what);
	*item = (struct kt_given_up){.time = head->time,
				     .pid = head->origin.pid,
				     .commands = strcmp(what.text, "submissions") == 0,
				     .mapping = (uint32_t)kt_payload_number(
					     &head->class_->mapping, &head->payload)};
	snprintf(item->process, sizeof(item->process), "%s",
		 instance->name ? instance->name : "unknown");
	snprintf(item->space, sizeof(item->space), "%s",
		 kt_instance_space(instance, item->mapping));
}

void kt_given_up_text(char text[KT_GIVEN_UP_TEXT], const struct kt_given_up *g,
		      int64_t begin)
{
	const uint64_t after = kt_time_between(begin, g->time);
	char memory[64] = "";

	if (g->mapping) {
		snprintf(memory, sizeof(memory), " to mapping %" PRIu32 "%s%s%s",
			 g->mapping, g->space[0] ? " (" : "", g->space,
			 g->space[0] ? ")" : "");
	}
	snprintf(text, KT_GIVEN_UP_TEXT,
		 "%s%s of %s (pid %" PRIu32 ") after %" PRIu64 ".%09" PRIu64 " s",
		 g->commands ? "commands" : "accesses", memory, g->process, g->pid,
		 after / 1000000000, after % 1000000000);
}
