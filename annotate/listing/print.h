/* SPDX-License-Identifier: MIT */
/* Printers of ktail decode. The context of a kt_printer is the struct declared before it. */
#ifndef KTAIL_ANNOTATE_PRINT_H
#define KTAIL_ANNOTATE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/events/device-times.h"
#include "annotate/listing/in-calls.h"
#include "annotate/listing/select.h"
#include "base/json-writer.h"
#include "base/wrap.h"

/* Prints a listing as text. */
struct kt_text_printer {
	FILE *out;           /* Weak */
	bool brief;          /* print only commands, and entries with missing dwords */
	bool qmd;            /* print all QMD fields */
	bool raw;            /* print every dword, headers too */
	/*
	 * Maximum number of dwords that are printed of consecutive inline data, and of the
	 * arguments of a launch
	 */
	uint64_t most_data;
	const struct kt_device_times *times; /* Weak: of the trace; NULL: not printed */
	const struct kt_in_calls *calls;     /* Weak: of the trace; NULL: not printed */
	struct kt_wrap line; /* from kt_wrap_line(); for lines of submissions and commands */
	/* The last method. If `repeating`, its next values are printed as a block. */
	bool repeating;
	uint8_t subchannel;
	uint16_t offset;
	unsigned column; /* number of values on the current line of the block */
	uint64_t data;     /* number of dwords of inline data in a row so far */
	uint64_t left_out; /* number of dwords of inline data, or of arguments, that are not
			    * printed */
	/*
	 * If `brief`: number of consecutive launches that are not printed yet. Their QMDs
	 * are not in the commands.
	 */
	uint64_t launches;
	uint64_t first_qmd; /* GPU address of the QMD of the first of the `launches` */
	uint64_t last_qmd;  /* GPU address of the QMD of the last */
};
extern const struct kt_printer kt_print_text;

/* Prints a listing as JSON lines. */
struct kt_json_printer {
	struct kt_json_writer json; /* in compact form */
	bool brief;                 /* this and the rest are as in kt_text_printer */
	bool qmd;
	bool raw;
	uint64_t most_data;
	uint64_t data; /* dwords of inline data in a row */
	const struct kt_device_times *times;
	const struct kt_in_calls *calls;
};
extern const struct kt_printer kt_print_json;

/* Prints the totals as text: what was decoded, and what is missing. */
void kt_print_totals(FILE *out, const struct kt_submission_totals *totals);
/* Prints the counts of kt_print_totals() as one JSON object on a line. */
void kt_print_totals_json(FILE *out, const struct kt_submission_totals *totals);
/*
 * Prints the last members of an object of totals: the losses of the trace, and `whole`. Ends
 * the object.
 */
void kt_print_report_json(struct kt_json_writer *w, const struct kt_trace_report *report,
			  bool whole);

/* Prints one line: a JSON object with the path of the trace. */
void kt_print_trace_json(FILE *out, const char *path);

/*
 * Prints the instructions of a cubin, or of all cubins in fatbins: the scheduling fields,
 * and what nvdisasm prints for them. `nvdisasm` is a path, a name on PATH, or "none"; NULL:
 * the nvdisasm on PATH, if there is one. Without nvdisasm, or if it fails (with a warning),
 * only the scheduling fields are printed. KT_E_IO, KT_E_MALFORMED, KT_E_USAGE (no such
 * program) or KT_E_MEMORY with a message; the instructions before a malformed section are
 * printed.
 */
int kt_print_sass(FILE *out, const char *path, bool json, const char *nvdisasm);

#endif
