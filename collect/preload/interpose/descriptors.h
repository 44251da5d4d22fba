/* SPDX-License-Identifier: MIT */
/*
 * Tracks descriptors of devices, also of devices that this process has not opened, which
 * are recognised by their links in /proc/self/fd. These functions take the lock.
 */
#ifndef KTAIL_COLLECT_DESCRIPTORS_H
#define KTAIL_COLLECT_DESCRIPTORS_H

#include <stdbool.h>
#include <sys/socket.h>

/* Call after the device of that name was opened as fd, or could not be. Keeps errno. */
void kt_descriptor_opened(int fd, const char *name);

/*
 * Call before a descriptor is closed. Does nothing if it is not a device, or in a vfork
 * child.
 */
void kt_descriptor_closing(int fd);

/* A descriptor has arrived from elsewhere: follows it if it is a device. */
void kt_descriptor_arrived(int fd);

/* Likewise for all descriptors in a message to the program. */
void kt_descriptors_received(const struct msghdr *message);

/* Likewise for all open descriptors; at start, these have been kept across exec. */
void kt_devices_scan(void);

/* A device was opened or used: from now on, this process counts as using the GPU. */
void kt_device_used(void);

/* Returns whether libktail-record-last.so is loaded, which ends the word of the process. */
bool kt_device_use_ends_last(void);

#endif
