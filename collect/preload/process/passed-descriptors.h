/* SPDX-License-Identifier: MIT */
/* Descriptors received from another process (unix(7), SCM_RIGHTS). */
#ifndef KTAIL_COLLECT_PASSED_DESCRIPTORS_H
#define KTAIL_COLLECT_PASSED_DESCRIPTORS_H

#include <sys/socket.h>

/* Visits the descriptors in a received message; the visitor may replace them. */
void kt_descriptors_each(const struct msghdr *message, void (*visit)(int *fd));

#endif
