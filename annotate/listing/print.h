/* SPDX-License-Identifier: MIT */
/* Printers of ktail decode. Each is a kt_printer with its own context. */
#ifndef KTAIL_ANNOTATE_PRINT_H
#define KTAIL_ANNOTATE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/listing/select.h"
#include "base/json-writer.h"
#include "base/wrap.h"

/* Listing as text. */
struct kt_text_printer {
	FILE *out;           /* Weak */
	bool brief;          /* only commands, and entries with missing parts */
	bool qmd;            /* print all QMD fields */
	struct kt_wrap line; /* kt_wrap_line(); for the lines of submissions and commands */
	/* The last method printed, which further values may continue. */
	bool repeating;
	uint8_t subchannel;
	uint16_t offset;
	unsigned column;
	/* In the short form: launches in a row whose QMDs are not in the commands. */
	uint64_t launches;
	uint64_t first_qmd;
	uint64_t last_qmd;
};
extern const struct kt_printer kt_print_text;

/* Listing as JSON lines. */
struct kt_json_printer {
	struct kt_json_writer json; /* in compact form */
	bool brief;                 /* as in kt_text_printer */
	bool qmd;
};
extern const struct kt_printer kt_print_json;

/* Prints what was and was not decoded, as the last lines of text and statistics. */
void kt_print_totals(FILE *out, const struct kt_submission_totals *totals);
/* Prints the totals as one JSON object on a line. */
void kt_print_totals_json(FILE *out, const struct kt_submission_totals *totals);
/* Prints the last members of such an object, the losses of the trace, and its end. */
void kt_print_report_json(struct kt_json_writer *w, const struct kt_trace_report *report,
			  bool whole);

/* Prints the JSON object of a trace on a line. */
void kt_print_trace_json(FILE *out, const char *path);

/*
 * Prints the scheduling fields of a cubin's instructions. KT_E_IO or KT_E_MALFORMED, with a
 * message, after the instructions before the error.
 */
int kt_print_sass(FILE *out, const char *path, bool json);

#endif
