/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/label-facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/api-functions.h"
#include "decode/classes.h"

/* Indexes in kt_event_facts.numbers. */
enum { NR, REQUEST, CLASS, COMMAND, OFFSET };

static const char *const kind_names[] = {
	[KT_CLASS_CLIENT] = "client",
	[KT_CLASS_DEVICE] = "device",
	[KT_CLASS_SUBDEVICE] = "subdevice",
	[KT_CLASS_MEMORY] = "memory",
	[KT_CLASS_USERMODE] = "usermode",
	[KT_CLASS_CHANNEL] = "channel",
	[KT_CLASS_CHANNEL_GROUP] = "channel-group",
	[KT_CLASS_COMPUTE] = "compute",
	[KT_CLASS_GRAPHICS3D] = "graphics3d",
	[KT_CLASS_DMA_COPY] = "dma-copy",
	[KT_CLASS_INLINE_TO_MEMORY] = "inline-to-memory",
	[KT_CLASS_M2MF] = "m2mf",
	[KT_CLASS_TWOD] = "twod",
	[KT_CLASS_DISPLAY] = "display",
	[KT_CLASS_VIDEO_SEC] = "video",
};

static const char *number(struct kt_event_facts *out, int which, uint64_t value)
{
	snprintf(out->numbers[which], sizeof(out->numbers[which]), "0x%" PRIx64, value);
	return out->numbers[which];
}

void kt_facts_begin(struct kt_event_facts *out, const char *event,
		    const struct kt_activity_call *call)
{
	const struct kt_api_function *function = call ? call->function : NULL;

	memset(&out->facts, 0, sizeof(out->facts));
	out->detail[0] = '\0';
	out->facts.values[KT_FACT_EVENT] = event;
	out->facts.values[KT_FACT_CALL] = call ? call->name : NULL;
	if (function) {
		out->facts.values[KT_FACT_CALL_KIND] = kt_api_kind_name(function->kind);
		out->facts.values[KT_FACT_PHASE] =
			function->phase != KT_API_PHASE_NONE
				? kt_api_phase_name(function->phase)
				: NULL;
	}
}

static void set_class(struct kt_event_facts *out, uint32_t class_number)
{
	const struct kt_class *class_ = kt_class_find(class_number);

	if (class_number == 0) {
		return;
	}
	out->facts.values[KT_FACT_CLASS] =
		class_ ? class_->name : number(out, CLASS, class_number);
	out->facts.values[KT_FACT_KIND] = class_ ? kind_names[class_->kind] : NULL;
}

void kt_facts_of_ioctl(struct kt_event_facts *out, const struct kt_call *call)
{
	const struct kt_call_what *what = &call->what;
	char buffer[24];
	const char *subject;
	struct kt_facts *facts = &out->facts;

	facts->values[KT_FACT_DEVICE] = call->device;
	facts->values[KT_FACT_NR] = number(out, NR, what->nr);
	facts->values[KT_FACT_REQUEST] = kt_call_request_label(what, out->numbers[REQUEST]);
	facts->values[KT_FACT_STATUS] = kt_call_failed(call) ? "failed" : "ok";
	set_class(out, call->class_number);
	if (what->subject == KT_CALL_OF_COMMAND) {
		facts->values[KT_FACT_COMMAND] =
			kt_call_subject_label(what, out->numbers[COMMAND]);
	}
	subject = kt_call_subject_label(what, buffer);
	snprintf(out->detail, sizeof(out->detail), "%s%s%s%s",
		 facts->values[KT_FACT_REQUEST], subject[0] ? " " : "", subject,
		 kt_call_failed(call) ? ", failed" : "");
}

void kt_facts_of_device(struct kt_event_facts *out, const struct kt_device_fields *fields)
{
	out->facts.values[KT_FACT_DEVICE] = fields->device;
	out->facts.values[KT_FACT_STATUS] = fields->error ? "failed" : "ok";
	snprintf(out->detail, sizeof(out->detail), "%s %s",
		 out->facts.values[KT_FACT_EVENT], fields->device);
}

void kt_facts_of_object(struct kt_event_facts *out, const struct kt_object_fields *fields)
{
	const char *action = fields->freed ? "free" : fields->duplicated ? "dup" : "alloc";

	set_class(out, fields->object.class_number);
	out->facts.values[KT_FACT_ACTION] = action;
	snprintf(out->detail, sizeof(out->detail), "object %s %s", action,
		 out->facts.values[KT_FACT_CLASS] ? out->facts.values[KT_FACT_CLASS]
						  : "of unknown class");
}

/*
 * Writes a text such as "map sys, NV01_MEMORY_SYSTEM, 4096 bytes" to out->detail. `role` is
 * inserted after the class unless it is NULL; the size is omitted if it is 0.
 */
static void describe_memory(struct kt_event_facts *out, const char *verb, const char *space,
			    const char *role, uint64_t bytes)
{
	const char *class_ = out->facts.values[KT_FACT_CLASS];
	int used = snprintf(out->detail, sizeof(out->detail), "%s %s%s%s%s%s", verb, space,
			    class_ ? ", " : "", class_ ? class_ : "", role ? ", " : "",
			    role ? role : "");

	if (bytes > 0 && used > 0 && (size_t)used < sizeof(out->detail)) {
		snprintf(out->detail + used, sizeof(out->detail) - (size_t)used,
			 ", %" PRIu64 " bytes", bytes);
	}
}

void kt_facts_of_map(struct kt_event_facts *out, const struct kt_map_fields *fields)
{
	set_class(out, fields->class_number);
	out->facts.values[KT_FACT_DEVICE] = fields->device;
	out->facts.values[KT_FACT_SPACE] = fields->space;
	out->facts.values[KT_FACT_STATUS] = fields->error ? "failed" : "ok";
	describe_memory(out, "map", fields->space, NULL, fields->length);
}

/* Sets the class of the memory of a mapping, if `roles` has the mapping. */
static void set_mapping(struct kt_event_facts *out, const kt_roles *roles,
			uint64_t instance, uint32_t mapping)
{
	struct kt_role_mapping found;

	if (roles && kt_roles_mapping(&found, roles, instance, mapping)) {
		set_class(out, found.class_number);
	}
}

void kt_facts_of_unmap(struct kt_event_facts *out, const struct kt_unmap_fields *fields,
		       const kt_roles *roles, uint64_t instance)
{
	set_mapping(out, roles, instance, fields->mapping);
	out->facts.values[KT_FACT_SPACE] = fields->space;
	describe_memory(out, "unmap", fields->space, NULL, fields->length);
}

void kt_facts_of_access(struct kt_event_facts *out, const struct kt_access_fields *fields,
			const kt_roles *roles, uint64_t instance)
{
	const char *role = kt_access_role_name(
		roles ? kt_roles_of(roles, instance, fields->mapping, fields->offset)
		      : KT_ACCESS_UNKNOWN);

	set_mapping(out, roles, instance, fields->mapping);
	out->facts.values[KT_FACT_SPACE] = fields->space;
	out->facts.values[KT_FACT_OP] = fields->write ? "W" : "R";
	out->facts.values[KT_FACT_OFFSET] = number(out, OFFSET, fields->offset);
	out->facts.values[KT_FACT_ROLE] = role;
	describe_memory(out, fields->write ? "write" : "read", fields->space, role, 0);
	if (strcmp(fields->space, "reg") == 0) {
		size_t used = strlen(out->detail);

		snprintf(out->detail + used, sizeof(out->detail) - used, " at %s",
			 out->numbers[OFFSET]);
	}
}

void kt_facts_of_wait(struct kt_event_facts *out, const struct kt_wait_fields *fields)
{
	out->facts.values[KT_FACT_DEVICE] = fields->device;
	out->facts.values[KT_FACT_STATUS] = fields->error ? "failed" : "ok";
	snprintf(out->detail, sizeof(out->detail), "%s of %s", fields->call,
		 fields->device);
}

void kt_facts_of_work(struct kt_event_facts *out, const struct kt_label_work *work)
{
	kt_label_work_name(out->work, work);
	out->facts.values[KT_FACT_WORK] = out->work;
}
