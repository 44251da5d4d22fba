/* SPDX-License-Identifier: MIT */
/*
 * Writes a distilled machine, which was read from a file or merged, as JSON
 * ("ktail-distilled/1").
 */
#ifndef KTAIL_BASE_WRITE_DISTILLED_H
#define KTAIL_BASE_WRITE_DISTILLED_H

#include <stdio.h>

#include "base/distilled/read-distilled.h"

/*
 * Writes the machine. The states' lists `merged` are empty, since a view contains only
 * their lengths. KT_E_IO, KT_E_MEMORY.
 */
int kt_distilled_view_write_json(FILE *out, const struct kt_distilled_view *view);

#endif
