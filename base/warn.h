/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_WARN_H
#define KTAIL_BASE_WARN_H

/*
 * Prints "ktail: warning: " and a message, formatted like printf(), to standard error. On a
 * terminal, lines are broken between words.
 */
void kt_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
