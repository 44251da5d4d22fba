/* SPDX-License-Identifier: MIT */
/*
 * Symbol visibility. Everything is compiled with hidden visibility; a KT_EXPORT function is
 * public wherever its object is linked. A program that contains such a function and also
 * links libktail therefore uses one copy of it, and with it one error message for each
 * thread.
 */
#ifndef KTAIL_EXPORT_H
#define KTAIL_EXPORT_H

#define KT_EXPORT __attribute__((visibility("default")))

#endif
