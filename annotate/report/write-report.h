/* SPDX-License-Identifier: MIT */
/* Writers of a report. */
#ifndef KTAIL_ANNOTATE_WRITE_REPORT_H
#define KTAIL_ANNOTATE_WRITE_REPORT_H

#include <stdio.h>

#include "annotate/report/report.h"
#include "base/json-writer.h"

/*
 * Write a report (struct kt_report) as JSON, or as the page that holds this JSON.
 * Characters that mean something in HTML are escaped in the JSON, so it can stand in a
 * script as it is. KT_E_IO, KT_E_MEMORY.
 */
int kt_report_write_json(FILE *out, const void *report);
int kt_report_write_html(FILE *out, const void *report);

/* What a report is written with. */
struct kt_report_writer {
	struct kt_json_writer w;
	const struct kt_report *report; /* Weak */
	/* Weak: the names of the report, to which the writers add; written last */
	struct kt_texts *names;
};

/* Write an index in `names`, as an element; a text that is NULL or "" is -1. KT_E_MEMORY.
 */
int kt_report_put_name(struct kt_report_writer *to, const char *text);

/* Writes a number, or -1 for KT_TIMELINE_NONE. */
void kt_report_put_index(struct kt_report_writer *to, uint32_t index);

/* Write members of the report. */
int kt_report_write_machines(struct kt_report_writer *to);
int kt_report_write_tables(struct kt_report_writer *to);

#endif
