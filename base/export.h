/* SPDX-License-Identifier: MIT */
/*
 * Symbol visibility. Everything is compiled with hidden visibility, except KT_EXPORT
 * functions, which are public in every program and library that contains them. A program
 * that contains a KT_EXPORT function and links libktail therefore uses one copy of the
 * function, and shares the error message of each thread with libktail.
 */
#ifndef KTAIL_EXPORT_H
#define KTAIL_EXPORT_H

#define KT_EXPORT __attribute__((visibility("default")))

#endif
