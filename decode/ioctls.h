/* SPDX-License-Identifier: MIT */
/* Requests of NVIDIA's device files. Source of the facts: decode/tables/ioctls.tsv. */
#ifndef KTAIL_DECODE_IOCTLS_H
#define KTAIL_DECODE_IOCTLS_H

#include <stdint.h>

enum kt_ioctl_family {
	KT_IOCTL_RM = 0, /* /dev/nvidiactl, /dev/nvidia<n>; nr: _IOC_NR() of the request */
	KT_IOCTL_UVM,    /* /dev/nvidia-uvm, /dev/nvidia-uvm-tools; nr: the whole request */
};

/* Numbers of the RM requests that the recorder decodes. */
enum {
	KT_NR_ALLOC_MEMORY = 0x27,
	KT_NR_ALLOC_OBJECT = 0x28,
	KT_NR_FREE = 0x29,
	KT_NR_CONTROL = 0x2a,
	KT_NR_ALLOC = 0x2b,
	KT_NR_DUP_OBJECT = 0x34,
	KT_NR_VID_HEAP_CONTROL = 0x4a,
	KT_NR_MAP_MEMORY = 0x4e,
	KT_NR_UNMAP_MEMORY = 0x4f,
	KT_NR_MAP_MEMORY_DMA = 0x57,
	KT_NR_UNMAP_MEMORY_DMA = 0x58,
	KT_NR_CHECK_VERSION = 0xd2,
	KT_NR_XFER_CMD = 0xd3,
};

/*
 * Functions of NV_ESC_RM_VID_HEAP_CONTROL that allocate or free memory (NVOS32_FUNCTION_* in
 * nvos.h of NVIDIA's open-gpu-kernel-modules).
 */
enum {
	KT_HEAP_ALLOC_SIZE = 2,
	KT_HEAP_FREE = 3,
	KT_HEAP_ALLOC_TILED_PITCH_HEIGHT = 6,
	KT_HEAP_ALLOC_SIZE_RANGE = 14,
	KT_HEAP_ALLOC_OS_DESCRIPTOR = 27,
};

/* Requests of the unified-memory driver that the recorder decodes. */
enum {
	KT_UVM_MAP_EXTERNAL = 0x21,
	KT_UVM_FREE = 0x22,
	KT_UVM_UNMAP_EXTERNAL = 0x42,
};

/* The RM control that returns the work-submit token of a channel. */
#define KT_CONTROL_GET_WORK_SUBMIT_TOKEN 0xc36f0108u

/*
 * Returns the family of a device file, given the base name of its path; -1 if the file is
 * not one of NVIDIA's.
 */
int kt_ioctl_family(const char *device);

/* Returns NVIDIA's name of a request, or NULL. Static; O(n); safe in a signal handler. */
const char *kt_ioctl_name(enum kt_ioctl_family family, uint32_t nr);

#endif
