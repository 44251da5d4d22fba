/* SPDX-License-Identifier: MIT */
/* Requests as a table: one row each, for kt_table_print_*() and kt_table_to_json(). */
#ifndef KTAIL_ANNOTATE_REQUEST_TABLE_H
#define KTAIL_ANNOTATE_REQUEST_TABLE_H

#include "annotate/requests/requests.h"
#include "base/table.h"

/*
 * Of all traces, in order. paths: by trace. Texts are those of `requests` and `paths`.
 * Times of looks, notice and return are counted from the doorbell. The caller frees *out
 * with kt_table_free(), also on failure. KT_E_MEMORY.
 */
int kt_request_table_make(struct kt_table *out, const struct kt_requests *requests,
			  const char *const *paths);

#endif
