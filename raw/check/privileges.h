/* SPDX-License-Identifier: MIT */
/* Which methods a program may use for itself. */
#ifndef KTAIL_RAW_PRIVILEGES_H
#define KTAIL_RAW_PRIVILEGES_H

#include <stdbool.h>

#include "decode/commands.h"

/*
 * Returns why a method is refused, a static text; NULL if it is not. Host methods are
 * refused unless they are known to be harmless, methods of engines if they need a
 * privilege.
 */
const char *kt_raw_refused(const struct kt_decoded *decoded);

/* Returns the name of the value of a method's field; NULL if it has none. */
const char *kt_raw_value_of(const struct kt_decoded *decoded, const char *field);

#endif
