/* SPDX-License-Identifier: MIT */
/* The commands that a doorbell submitted, which an export has with --with-data. */
#ifndef KTAIL_ANNOTATE_DWORDS_H
#define KTAIL_ANNOTATE_DWORDS_H

#include "annotate/export/export.h"

/*
 * Sets *out to the commands that the doorbell with this event index submitted, eight
 * hexadecimal digits for each dword, or to NULL if there are none or they were not asked
 * for. The caller frees *out. KT_E_MEMORY. O(log ring entries + dwords).
 */
int kt_export_dwords(char **out, const struct kt_export *export, uint32_t event);

#endif
