/* SPDX-License-Identifier: MIT */
/* The printers of ktail decode. Each is a kt_printer with a context of its own. */
#ifndef KTAIL_ANNOTATE_PRINT_H
#define KTAIL_ANNOTATE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "annotate/listing/select.h"
#include "base/json-writer.h"

/* The listing, as text. */
struct kt_text_printer {
	FILE *out;  /* Weak */
	bool brief; /* commands alone, and entries of which something is missing */
	bool qmd;   /* all fields of a QMD */
	/* The method printed last, where more values of it may follow. */
	bool repeating;
	uint8_t subchannel;
	uint16_t offset;
	unsigned column;
};
extern const struct kt_printer kt_print_text;

/* The listing, as JSON lines. */
struct kt_json_printer {
	struct kt_json_writer json; /* compact */
	bool brief;                 /* likewise */
	bool qmd;
};
extern const struct kt_printer kt_print_json;

/* What was decoded, what was not, in words: the last lines of text and statistics. */
void kt_print_totals(FILE *out, const struct kt_submission_totals *totals);
/* The same as one JSON object on a line. */
void kt_print_totals_json(FILE *out, const struct kt_submission_totals *totals);
/* Its last members, and its end: what of the trace itself is missing. */
void kt_print_report_json(struct kt_json_writer *w, const struct kt_trace_report *report,
			  bool whole);

/* The JSON object of a trace, on a line of its own. */
void kt_print_trace_json(FILE *out, const char *path);

/* The scheduling fields of a cubin's instructions. KT_E_IO or KT_E_MALFORMED, with a
 * message; what was found before stays written. */
int kt_print_sass(FILE *out, const char *path, bool json);

#endif
