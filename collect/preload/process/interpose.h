/* SPDX-License-Identifier: MIT */
/* Marks the functions that stand in front of libc's. */
#ifndef KTAIL_COLLECT_INTERPOSE_H
#define KTAIL_COLLECT_INTERPOSE_H

#define KT_INTERPOSE __attribute__((visibility("default")))

/* libc exports some functions under two names: a program may use either. */
#define KT_SECOND_NAME(second, first)                                                      \
	__asm__(".globl " #second "\n.type " #second ", @function\n.set " #second          \
		", " #first)

#endif
