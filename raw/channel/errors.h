/* SPDX-License-Identifier: MIT */
/* The errors that a channel's notifier reports. */
#ifndef KTAIL_RAW_ERRORS_H
#define KTAIL_RAW_ERRORS_H

#include <stdint.h>

/* Returns what the number in a notifier, which is that of the Xid, means; static. */
const char *kt_raw_error_text(uint32_t number);

#endif
