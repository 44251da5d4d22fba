/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_WORDS_TIME_TEXT_H
#define KTAIL_WORDS_TIME_TEXT_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define KT_TIME_TEXT 64

/* Formats ns since the epoch as "2026-01-31 23:59:59.123456789 UTC". */
static inline void kt_time_text(char out[KT_TIME_TEXT], int64_t ns)
{
	int64_t rest = (ns % 1000000000 + 1000000000) % 1000000000;
	time_t seconds = (time_t)((ns - rest) / 1000000000);
	char day[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm)) {
		strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm);
	}
	snprintf(out, KT_TIME_TEXT, "%s.%09" PRId64 " UTC", day, rest);
}

#endif
