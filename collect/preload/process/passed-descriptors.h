/* SPDX-License-Identifier: MIT */
/* Descriptors that another process has sent (unix(7), SCM_RIGHTS). */
#ifndef KTAIL_COLLECT_PASSED_DESCRIPTORS_H
#define KTAIL_COLLECT_PASSED_DESCRIPTORS_H

#include <sys/socket.h>

/* Visits those that a message has brought; the visitor may put others in their place. */
void kt_descriptors_each(const struct msghdr *message, void (*visit)(int *fd));

#endif
