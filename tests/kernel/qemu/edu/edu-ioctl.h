/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * /dev/edu: QEMU's educational device (docs/specs/edu). mmap at offset 0 maps one
 * page of its memory, by default the first, which has the registers. EDU_FACTORIAL serves as the doorbell: a store there starts a
 * computation.
 */
#ifndef EDU_IOCTL_H
#define EDU_IOCTL_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#include <linux/types.h>
#else
#include <stdint.h>
#include <sys/ioctl.h>
typedef uint32_t __u32;
#endif

#define EDU_LIVENESS  0x04 /* reads as the inverse of the stored value */
#define EDU_FACTORIAL 0x08 /* write n, then read n! */
#define EDU_STATUS    0x20 /* bit 0: a computation is in progress */
#define EDU_RAISE     0x60 /* a store raises the interrupt with that status */
#define EDU_ACK       0x64

struct edu_state {
	__u32 factorial; /* value of the register EDU_FACTORIAL; likewise the next two */
	__u32 status;
	__u32 liveness;
	__u32 interrupts; /* number since the driver was loaded */
	__u32 line;       /* number of the interrupt line */
	__u32 pad;
};

#define EDU_STATE     _IOR('E', 1, struct edu_state)
#define EDU_INTERRUPT _IO('E', 2) /* makes the device raise its interrupt */

#endif
