/* SPDX-License-Identifier: MIT */
/*
 * File descriptors of device files, and the object that the next mmap of each descriptor
 * will map. The caller holds the lock, except for kt_device_is_open() and kt_device_any().
 */
#ifndef KTAIL_COLLECT_DEVICES_H
#define KTAIL_COLLECT_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/ioctls.h"

#define KT_DEVICE_MAX 65536 /* higher descriptors are not followed */

/*
 * The object that an RM call (NV_ESC_RM_MAP_MEMORY and similar) has attributed to a
 * descriptor.
 */
struct kt_pending_map {
	uint32_t client;
	uint32_t object;
	uint32_t class_;
	uint64_t offset; /* of the mapping within the object */
};

struct kt_device {
	char name[24]; /* base name of the path; "" if not a device */
	enum kt_ioctl_family family;
	struct kt_pending_map pending;
};

/* Returns the base name of a path of the form "/dev/nvidia...", else NULL. */
const char *kt_device_name(const char *path);

/* Returns whether fd is a device's. Lock-free, so the result may be outdated on return. */
bool kt_device_is_open(int fd);

/* Returns whether any device is open. Lock-free. */
bool kt_device_any(void);

/* Returns the device of a descriptor, or NULL. Valid until the lock is released. */
struct kt_device *kt_device_get(int fd);

void kt_device_opened(int fd, const char *name);
void kt_device_closed(int fd);
void kt_device_duplicated(int from, int to);

/* Stops following descriptors for good: forgets all, and ignores those opened later. */
void kt_device_forget_all(void);

#endif
