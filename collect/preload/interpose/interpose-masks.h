/* SPDX-License-Identifier: MIT */
/* Sets of signals that a program gives to a function of libc. */
#ifndef KTAIL_COLLECT_INTERPOSE_MASKS_H
#define KTAIL_COLLECT_INTERPOSE_MASKS_H

#include <signal.h>

/* The set as the kernel is to have it, in *buffer. NULL stays NULL. */
const sigset_t *kt_mask_translated(const sigset_t *set, sigset_t *buffer);

#endif
