/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_ANNOTATE_SELECTION_H
#define KTAIL_ANNOTATE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

/* What to show; a member that is not set lets all through. */
struct kt_selection {
	bool has_channel;
	uint32_t channel; /* handle */
	bool has_class;
	uint32_t class_number; /* of the engine */
	const char *process;   /* Weak: name or pid */
	const char *method;    /* Weak: name, without an element's number */
	bool has_offset;
	uint32_t offset; /* of the method, bytes */
	bool has_from;
	uint64_t from; /* ns since the first event of the trace */
	bool has_to;
	uint64_t to;
};

/* Whether what that process did at that time is to be shown, as far as these say. */
bool kt_selection_lets(const struct kt_selection *wanted, const char *process, uint32_t pid,
		       uint64_t time);

#endif
