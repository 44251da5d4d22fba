/* SPDX-License-Identifier: MIT */
/* Marks the functions that stand in front of libc's. */
#ifndef KTAIL_COLLECT_INTERPOSE_H
#define KTAIL_COLLECT_INTERPOSE_H

#define KT_INTERPOSE __attribute__((visibility("default")))

#endif
