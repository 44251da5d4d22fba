/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_RAW_INTERPOSE_H
#define KTAIL_RAW_INTERPOSE_H

/* Begins to observe what libraries ask of the kernel driver. To be called before cuInit. */
void kt_raw_interpose(void);

#endif
