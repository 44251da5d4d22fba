/* SPDX-License-Identifier: MIT */
#include "decode/ioctls.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum kt_ioctl_family family;
	uint32_t nr;
	const char *name;
} requests[] = {
#include "decode/ioctls.inc"
};

int kt_ioctl_family(const char *device)
{
	if (strncmp(device, "nvidia-uvm", 10) == 0) {
		return KT_IOCTL_UVM;
	}
	return strncmp(device, "nvidia", 6) == 0 ? KT_IOCTL_RM : -1;
}

const char *kt_ioctl_name(enum kt_ioctl_family family, uint32_t nr)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].family == family && requests[i].nr == nr) {
			return requests[i].name;
		}
	}
	return NULL;
}
