/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of devices that no open of this process has made: found by what they are
 * called under /proc/self/fd. They take the lock.
 */
#ifndef KTAIL_COLLECT_DESCRIPTORS_H
#define KTAIL_COLLECT_DESCRIPTORS_H

#include <stdbool.h>
#include <sys/socket.h>

/* A call that was given that name has returned; kept: errno. */
void kt_descriptor_opened(int fd, const char *name);

/* It is about to be closed. Nothing if it is no device or of another process. */
void kt_descriptor_closing(int fd);

/* It has come from elsewhere: from now on it is followed, if it is a device. */
void kt_descriptor_arrived(int fd);

/* Those that a message has brought to the program. */
void kt_descriptors_received(const struct msghdr *message);

/* All that are open: at start, those that were kept across exec. */
void kt_devices_scan(void);

/* It was opened, or used: from now on, this is a process that uses the GPU. */
void kt_device_used(void);

/* Whether libktail-record-last.so is there, which ends the word of the process. */
bool kt_device_use_ends_last(void);

#endif
