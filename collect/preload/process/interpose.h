/* SPDX-License-Identifier: MIT */
/* Macros for functions that interpose libc's. */
#ifndef KTAIL_COLLECT_INTERPOSE_H
#define KTAIL_COLLECT_INTERPOSE_H

#define KT_INTERPOSE __attribute__((visibility("default")))

/*
 * Defines `second` as an alias of `first`: libc exports some functions under two names, and
 * a program may use either.
 */
#define KT_SECOND_NAME(second, first)                                                      \
	__asm__(".globl " #second "\n.type " #second ", @function\n.set " #second          \
		", " #first)

#endif
