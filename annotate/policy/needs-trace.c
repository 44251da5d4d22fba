/* SPDX-License-Identifier: MIT */
/* Needs of a trace, from its events. */
#include <ctype.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"
#include "base/try.h"
#include "decode/ioctls.h"

/* Writes the name of a device file with "#" in place of a GPU's number: "nvidia#". */
static const char *general_name(char out[static 64], const char *device)
{
	size_t n = strlen(device);

	while (n > 0 && isdigit((unsigned char)device[n - 1])) {
		n--;
	}
	if (n >= 62 || !device[n]) {
		return device;
	}
	memcpy(out, device, n);
	memcpy(out + n, "#", 2);
	return out;
}

static int count(struct kt_needs *needs, const struct kt_moment *moment,
		 const struct kt_need *need)
{
	struct kt_need counted = *need;
	char device[64];

	counted.device = general_name(device, need->device);
	counted.space = need->space ? need->space : "";
	counted.calls = 1;
	counted.call = moment->call ? moment->call->name : "";
	counted.time = moment->time;
	counted.timed = true;
	counted.path = needs->path;
	return kt_needs_count(needs, &counted);
}

static int take_version(void *context, const struct kt_moment *moment,
			const struct kt_version_fields *fields)
{
	(void)moment;
	return strcmp(fields->what, "libcuda") == 0 && fields->version[0]
		       ? kt_needs_driver(context, fields->version)
		       : KT_OK;
}

static int take_open(void *context, const struct kt_moment *moment,
		     const struct kt_device_fields *fields)
{
	return count(context, moment,
		     &(struct kt_need){.kind = KT_NEED_FILE,
				       .device = fields->device,
				       .failed = fields->error != 0});
}

static int take_map(void *context, const struct kt_moment *moment,
		    const struct kt_map_fields *fields)
{
	return count(context, moment,
		     &(struct kt_need){.kind = KT_NEED_MAP,
				       .device = fields->device,
				       .space = fields->space,
				       .failed = fields->error != 0});
}

static int take_ioctl(void *context, const struct kt_moment *moment,
		      const struct kt_call *call)
{
	const struct kt_call_what *what = &call->what;
	const bool uvm = what->family == KT_IOCTL_UVM;
	struct kt_need need = {.kind = uvm ? KT_NEED_UVM : KT_NEED_REQUEST,
			       .device = call->device,
			       .number = what->nr,
			       .request = call->request,
			       .failed = kt_call_failed(call)};

	if (what->family < 0) {
		return KT_OK;
	}
	if (call->wrapped) {
		need.number = KT_NR_XFER_CMD;
		KT_TRY(count(context, moment, &need));
		need.number = what->nr;
		need.request = 0;
	}
	KT_TRY(count(context, moment, &need));
	if (what->subject == KT_CALL_OF_COMMAND && what->number) {
		need.kind = KT_NEED_CONTROL;
	} else if (what->subject == KT_CALL_OF_CLASS && kt_need_allocates(what->nr)) {
		need.kind = KT_NEED_CLASS;
	} else {
		return KT_OK;
	}
	need.number = what->number;
	need.device = "";
	need.request = 0;
	return count(context, moment, &need);
}

const struct kt_activity_visitor kt_needs_visitor = {
	.of_part = true,
	.version = take_version,
	.ioctl = take_ioctl,
	.device_open = take_open,
	.map = take_map,
};
