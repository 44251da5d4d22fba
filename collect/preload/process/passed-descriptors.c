/* SPDX-License-Identifier: MIT */
#include "collect/preload/process/passed-descriptors.h"

#include <stdint.h>
#include <string.h>

void kt_descriptors_each(const struct msghdr *message, void (*visit)(int *fd))
{
	struct msghdr *m = (struct msghdr *)(uintptr_t)message;

	for (struct cmsghdr *c = m->msg_controllen ? CMSG_FIRSTHDR(m) : NULL; c;
	     c = CMSG_NXTHDR(m, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		for (size_t i = 0;
		     i < n && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS;
		     i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			visit(&fd);
			memcpy(CMSG_DATA(c) + i * sizeof(fd), &fd, sizeof(fd));
		}
	}
}
