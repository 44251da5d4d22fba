/* SPDX-License-Identifier: MIT */
/* Which methods a program may use for itself. */
#ifndef KTAIL_RAW_PRIVILEGES_H
#define KTAIL_RAW_PRIVILEGES_H

#include <stdbool.h>

#include "decode/commands.h"

/*
 * Returns why a method is refused, a static text; NULL if it is not. Methods are refused
 * unless they are known to be harmless or are followed by the other checks.
 */
const char *kt_raw_refused(const struct kt_decoded *decoded);

#endif
