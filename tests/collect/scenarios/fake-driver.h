/* SPDX-License-Identifier: MIT */
/* Structs of driver release 580 that the scenarios and the stand-in for the driver use. */
#ifndef KTAIL_TESTS_FAKE_DRIVER_H
#define KTAIL_TESTS_FAKE_DRIVER_H

#include <stdint.h>

#define FAKE_TOKEN 0x10007u
/* Opened as an eventfd, so that a program can wait for data that it writes there. */
#define FAKE_EVENT_DEVICE "/dev/nvidia7"

#define FAKE_BAD_COMMAND 0xdeadu

struct fake_alloc { /* NVOS64_PARAMETERS */
	uint32_t root, parent, object, class_;
	uint64_t params, rights;
	uint32_t params_size, flags, status, pad;
};

struct fake_free { /* NVOS00_PARAMETERS */
	uint32_t root, parent, object, status;
};

struct fake_control { /* NVOS54_PARAMETERS */
	uint32_t client, object, cmd, flags;
	uint64_t params;
	uint32_t params_size, status;
};

struct fake_map { /* nv_ioctl_nvos33_parameters_with_fd */
	uint32_t client, device, memory, pad;
	uint64_t offset, length, address;
	uint32_t status, flags;
	int32_t fd;
	uint32_t pad2;
};

struct fake_register { /* nv_ioctl_nvos02_parameters_with_fd */
	uint32_t root, parent, object, class_, flags, pad;
	uint64_t address, limit;
	uint32_t status, pad2;
	int32_t fd;
	uint32_t pad3;
};

struct fake_xfer { /* nv_ioctl_xfer_t */
	uint32_t command, size;
	uint64_t pointer;
};

struct fake_call {
	union {
		struct fake_alloc alloc;
		struct fake_free free;
		struct fake_control control;
		struct fake_map map;
		struct fake_register registration;
	} u;
};

#endif
