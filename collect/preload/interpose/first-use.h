/* SPDX-License-Identifier: MIT */
/* The first device file of a process. */
#ifndef KTAIL_COLLECT_FIRST_USE_H
#define KTAIL_COLLECT_FIRST_USE_H

#include <stdbool.h>

/* It was opened, or used: from now on, this is a process that uses the GPU. */
void kt_device_used(void);

/* Whether libktail-record-last.so is there, which ends the word of the process. */
bool kt_device_use_ends_last(void);

#endif
