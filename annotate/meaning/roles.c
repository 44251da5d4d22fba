/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/roles.h"

#include <ktail/status.h>

static int on_map(void *context, const struct kt_moment *moment,
		  const struct kt_map_fields *fields)
{
	const struct kt_role_mapping mapping = {fields->space, fields->class_number,
						fields->address, fields->length};

	return kt_roles_map(context, moment->instance, fields->mapping, &mapping);
}

static int on_unmap(void *context, const struct kt_moment *moment,
		    const struct kt_unmap_fields *fields)
{
	kt_roles_unmap(context, moment->instance, fields->mapping, fields->length);
	return KT_OK;
}

static int on_access(void *context, const struct kt_moment *moment,
		     const struct kt_access_fields *fields)
{
	return kt_roles_access(context, moment->instance, moment->tid, fields->write,
			       fields->mapping, fields->offset);
}

static int on_ioctl(void *context, const struct kt_moment *moment,
		    const struct kt_call *call)
{
	(void)call;
	return kt_roles_ioctl(context, moment->instance, moment->tid);
}

static int on_doorbell(void *context, const struct kt_moment *moment,
		       const struct kt_doorbell_fields *fields)
{
	(void)fields;
	return kt_roles_doorbell(context, moment->instance, moment->tid);
}

static int on_entry(void *context, const struct kt_moment *moment,
		    const struct kt_submission *submission,
		    const struct kt_submitted_entry *entry)
{
	(void)submission;
	return kt_roles_entry(context, moment->instance, entry->address, entry->words);
}

static int on_method(void *context, const struct kt_moment *moment,
		     const struct kt_submission *submission,
		     const struct kt_submitted_entry *entry,
		     const struct kt_decoded *decoded)
{
	(void)submission;
	(void)entry;
	return kt_roles_command(context, moment->instance, &decoded->command);
}

static int on_gap(void *context, const struct kt_moment *moment, uint64_t n)
{
	(void)n;
	kt_roles_gap(context, moment->instance);
	return KT_OK;
}

const struct kt_activity_visitor kt_roles_visitor = {
	.gap = on_gap,
	.map = on_map,
	.unmap = on_unmap,
	.access = on_access,
	.ioctl = on_ioctl,
	.doorbell = on_doorbell,
	.entry = on_entry,
	.method = on_method,
};
