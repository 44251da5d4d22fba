/* SPDX-License-Identifier: MIT */
/*
 * Symbol visibility. Everything is compiled with hidden visibility; a KT_EXPORT function is
 * public wherever its object is linked. A program that contains its own copy besides
 * libktail's thus shares one of them, including the error message of each thread.
 */
#ifndef KTAIL_EXPORT_H
#define KTAIL_EXPORT_H

#define KT_EXPORT __attribute__((visibility("default")))

#endif
