/* SPDX-License-Identifier: MIT */
/*
 * File descriptors of device files, and what the next mmap of each will map. The lock is
 * held for all of these but kt_device_is_open() and kt_device_any(), which may be asked at
 * any time.
 */
#ifndef KTAIL_COLLECT_DEVICES_H
#define KTAIL_COLLECT_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/ioctls.h"

#define KT_DEVICE_MAX 65536 /* descriptors above are not followed */

/* The object that an RM call has tied to a descriptor: NV_ESC_RM_MAP_MEMORY and similar. */
struct kt_pending_map {
	uint32_t client;
	uint32_t object;
	uint32_t class_;
	uint64_t offset; /* of the mapping within the object */
};

struct kt_device {
	char name[24]; /* base name of the path; "" if the descriptor is no device */
	enum kt_ioctl_family family;
	struct kt_pending_map pending;
};

/* Base name of a device path of ours ("/dev/nvidia..."), or NULL. */
const char *kt_device_name(const char *path);

/* Cheap and lock-free: may be outdated by the time it returns. */
bool kt_device_is_open(int fd);

/* Whether any is; as cheap. */
bool kt_device_any(void);

/* The device behind a descriptor, or NULL. Valid until the lock is given up. */
struct kt_device *kt_device_get(int fd);

void kt_device_opened(int fd, const char *name);
void kt_device_closed(int fd);
void kt_device_duplicated(int from, int to);

/* None is a device's, from now on. */
void kt_device_forget_all(void);

#endif
