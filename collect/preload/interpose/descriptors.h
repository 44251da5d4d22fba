/* SPDX-License-Identifier: MIT */
/*
 * Tracks descriptors of devices. Descriptors that this process has not opened itself are
 * recognised by their links in /proc/self/fd. These functions take the lock.
 */
#ifndef KTAIL_COLLECT_DESCRIPTORS_H
#define KTAIL_COLLECT_DESCRIPTORS_H

#include <stdbool.h>
#include <sys/socket.h>

/* Call after an open of the device; fd is -1 if the open failed. Reads and keeps errno. */
void kt_descriptor_opened(int fd, const char *name);

/*
 * Call before a descriptor is closed. Does nothing in a vfork child, or if the descriptor
 * is not a device's.
 */
void kt_descriptor_closing(int fd);

/* Call when a descriptor has come from elsewhere: follows it if it is a device's. */
void kt_descriptor_arrived(int fd);

/* Calls kt_descriptor_arrived() for all descriptors in a received message. */
void kt_descriptors_received(const struct msghdr *message);

/* Calls kt_descriptor_arrived() for all descriptors that were kept open across exec. */
void kt_devices_scan(void);

/* Call when a device is opened or used: the process then counts as using the GPU. */
void kt_device_used(void);

/*
 * Returns whether libktail-record-last.so is loaded, whose destructor ends the word of the
 * process.
 */
bool kt_device_use_ends_last(void);

#endif
