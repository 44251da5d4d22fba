/* SPDX-License-Identifier: MIT */
/*
 * What a library shows. Everything is compiled with hidden visibility; a function marked
 * KT_EXPORT is public wherever its object is linked, so a program that holds a copy of its
 * own next to libktail's shares one of them, and with it the thread's error message.
 */
#ifndef KTAIL_EXPORT_H
#define KTAIL_EXPORT_H

#define KT_EXPORT __attribute__((visibility("default")))

#endif
