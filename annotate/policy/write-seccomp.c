/* SPDX-License-Identifier: MIT */
/*
 * Needs as rules of a seccomp profile, in the form that OCI runtimes read. A filter sees
 * the values in registers, but neither the memory that pointers refer to nor the file of
 * a descriptor. So it cannot check device files, controls or classes, and an allowed
 * request is allowed on every file descriptor.
 */
#include <inttypes.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"
#include "base/json-writer.h"
#include "base/try.h"

/* The kernel uses the low 32 bits of an ioctl's request. */
#define REQUEST_MASK 0xffffffffu

static uint64_t request_of(const struct kt_need *need)
{
	return need->kind == KT_NEED_UVM ? need->number : need->request & REQUEST_MASK;
}

static bool is_request(const struct kt_need *need)
{
	return (need->kind == KT_NEED_REQUEST && need->request) ||
	       need->kind == KT_NEED_UVM;
}

/*
 * Counts requests inside NV_ESC_IOCTL_XFER_CMD, too: a filter sees only the request of
 * the ioctl that contains them.
 */
size_t kt_needs_beyond_seccomp(const struct kt_needs *needs)
{
	size_t n = 0;

	for (size_t i = 0; i < needs->n; i++) {
		n += !is_request(&needs->items[i]);
	}
	return n;
}

int kt_needs_write_seccomp(FILE *out, const void *context)
{
	const struct kt_needs *needs = context;
	struct kt_json_writer w = {.out = out};
	size_t beyond = 0;
	uint64_t before = 0;

	kt_json_object(&w, NULL);
	kt_json_rows(&w, "syscalls");
	for (size_t i = 0; i < needs->n; i++) {
		const struct kt_need *need = &needs->items[i];
		const uint64_t request = request_of(need);
		const char *name = kt_need_name(need);

		if (!is_request(need) || request == before) {
			beyond += !is_request(need);
			continue;
		}
		before = request;
		kt_json_object(&w, NULL);
		kt_json_array(&w, "names");
		kt_json_text(&w, "ioctl");
		kt_json_end(&w);
		KT_JSON(&w, KT_STR("action", "SCMP_ACT_ALLOW"));
		kt_json_array(&w, "args");
		kt_json_object(&w, NULL);
		KT_JSON(&w, KT_U64("index", 1), KT_U64("value", REQUEST_MASK),
			KT_U64("valueTwo", request), KT_STR("op", "SCMP_CMP_MASKED_EQ"));
		kt_json_end(&w);
		kt_json_end(&w);
		KT_JSON(&w, KT_STR("comment", name[0] ? name : "no public name"));
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_json_rows(kt_json_line(&w), "comment");
	if (beyond) {
		kt_json_text(&w, "A filter cannot express these needs:");
	}
	for (size_t i = 0; i < needs->n; i++) {
		const struct kt_need *need = &needs->items[i];
		char text[256];

		if (!is_request(need)) {
			snprintf(text, sizeof(text), "%s %s%s 0x%" PRIx32 " %s",
				 kt_need_kind_names[need->kind], need->device, need->space,
				 need->number, kt_need_name(need));
			kt_json_text(&w, text);
		}
	}
	kt_json_end(&w);
	return kt_json_finish(&w, "write seccomp rules");
}
