/* SPDX-License-Identifier: MIT */
#include "annotate/events/call-names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode/classes.h"
#include "decode/controls.h"
#include "decode/ioctls.h"

struct kt_call_what kt_call_what(const struct kt_call_numbers *numbers, uint32_t release)
{
	struct kt_call_what what = {.family = numbers->family,
				    .nr = numbers->nr,
				    .subject = numbers->class_number ? KT_CALL_OF_CLASS
								     : KT_CALL_PLAIN};

	/*
	 * Command and class are 0 if the struct could not be read, but 0 is also the number
	 * of a command (NULL) and of a class (NV01_ROOT). The handles tell these cases
	 * apart: both are 0 only if the struct was not read.
	 */
	if (what.family == KT_IOCTL_RM) {
		const bool was_read = numbers->client != 0 || numbers->object != 0;

		switch (what.nr) {
		case KT_NR_CONTROL:
			what.subject = was_read || numbers->command ? KT_CALL_OF_COMMAND
								    : KT_CALL_PLAIN;
			break;
		case KT_NR_ALLOC:
		case KT_NR_ALLOC_MEMORY:
		case KT_NR_ALLOC_OBJECT:
			if (was_read) {
				what.subject = KT_CALL_OF_CLASS;
			}
			break;
		default: break;
		}
	}
	if (what.family >= 0) {
		what.request =
			kt_ioctl_name((enum kt_ioctl_family)what.family, numbers->nr);
	}
	if (what.subject == KT_CALL_OF_COMMAND) {
		const struct kt_control *control =
			kt_control_find(numbers->command, release);

		what.number = numbers->command;
		what.name = control ? control->name : NULL;
	} else if (what.subject == KT_CALL_OF_CLASS) {
		const struct kt_class *class_ = kt_class_find(numbers->class_number);

		what.number = numbers->class_number;
		what.name = class_ ? class_->name : NULL;
	}
	return what;
}

const char *kt_call_request_label(const struct kt_call_what *what, char buffer[static 24])
{
	const char *family = what->family == KT_IOCTL_RM    ? "RM"
			     : what->family == KT_IOCTL_UVM ? "UVM"
							    : "ioctl";

	if (what->request) {
		return what->request;
	}
	snprintf(buffer, 24, "%s 0x%" PRIx32, family, what->nr);
	return buffer;
}

const char *kt_call_subject_label(const struct kt_call_what *what, char buffer[static 24])
{
	if (what->subject == KT_CALL_PLAIN) {
		return "";
	}
	if (what->name) {
		return what->name;
	}
	snprintf(buffer, 24, "0x%" PRIx32, what->number);
	return buffer;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

int kt_call_compare(const struct kt_call_what *a, const struct kt_call_what *b)
{
	int order = compare(a->family, b->family);

	order = order ? order : compare(a->nr, b->nr);
	order = order ? order : compare(a->subject, b->subject);
	order = order ? order : compare(a->number, b->number);
	/* A command may have two names, from different driver releases. */
	if (!order && a->name && b->name) {
		order = strcmp(a->name, b->name);
	}
	return order;
}
