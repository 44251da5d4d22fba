/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_ANNOTATE_SELECTION_H
#define KTAIL_ANNOTATE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processes that were met while something was selected by process. */
struct kt_met_processes {
	bool matched; /* one of them was the one that was asked for */
	struct kt_met_process {
		char *name; /* Owned by this */
		uint32_t pid;
	} * items; /* Owned by this: each once */
	size_t n;
	size_t capacity;
};

void kt_met_processes_clear(struct kt_met_processes *met);

/* What to show; a member that is not set lets all through. */
struct kt_selection {
	bool has_channel;
	uint32_t channel; /* handle */
	bool has_class;
	uint32_t class_number;        /* of the engine */
	const char *process;          /* Weak: name or pid */
	struct kt_met_processes *met; /* Weak; NULL: nobody wants to know */
	const char *method;           /* Weak: name, without an element's number */
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

/* KT_E_USAGE naming the processes that were met, if none was the one asked for. */
int kt_selection_judge(const struct kt_selection *wanted);

#endif
