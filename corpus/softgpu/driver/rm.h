/* SPDX-License-Identifier: MIT */
/*
 * Requests to the kernel's driver (corpus/softgpu/abi.h), one function each. A function
 * makes the one request that it is named after, so that callers can keep to the order in
 * corpus/softgpu/truth/driver.points. Results are CUDA's (enum kt_cu_error).
 */
#ifndef KTAIL_SOFTGPU_DRIVER_RM_H
#define KTAIL_SOFTGPU_DRIVER_RM_H

#include <stdbool.h>
#include <stdint.h>

#include "corpus/softgpu/driver/driver.h"

/* A descriptor of a device file, or -1. */
int kt_rm_open(const char *path);

/* A request of nvidiactl or nvidia0 that has no status of its own. */
int kt_rm_request_sized(int fd, unsigned nr, void *params, uint32_t bytes);
#define kt_rm_request(fd, nr, params) kt_rm_request_sized(fd, nr, params, sizeof(*(params)))

/* A CUDA result for a status of abi.h. */
int kt_rm_result(uint32_t status);

/* *handle: the new object. Of a client `parent` is 0. */
int kt_rm_alloc_sized(struct kt_driver *driver, uint32_t parent, uint32_t class_number,
		      void *params, uint32_t bytes, uint32_t *handle);
#define kt_rm_alloc(driver, parent, class_number, params, handle)                          \
	kt_rm_alloc_sized(driver, parent, class_number, params, sizeof(*(params)), handle)
/* User memory as an object of the device; whole pages. */
int kt_rm_alloc_user(struct kt_driver *driver, uint64_t address, uint64_t bytes,
		     uint32_t *handle);
void kt_rm_free(struct kt_driver *driver, uint32_t parent, uint32_t handle);
int kt_rm_control_sized(struct kt_driver *driver, uint32_t object, uint32_t command,
			void *params, uint32_t bytes);
#define kt_rm_control(driver, object, command, params)                                     \
	kt_rm_control_sized(driver, object, command, params, sizeof(*(params)))
/* The control GET_ADDR_SPACE_TYPE, which comes before a mapping. */
int kt_rm_addr_space_type(struct kt_driver *driver, uint32_t object);

/* What of an object is mapped, and how. */
struct kt_rm_mapping {
	uint32_t memory; /* the object; the subdevice itself for a page of registers */
	bool aperture;   /* registers and device memory: by nvidia0, of the subdevice */
	bool fixed;      /* `cpu` says where: a range that was reserved */
	bool update;     /* UPDATE_MAPPING follows */
	int protection;  /* PROT_... */
	uint64_t offset; /* into the object */
	uint64_t bytes;  /* whole pages */
	volatile uint8_t *cpu;
};

/*
 * A fresh descriptor, MAP_MEMORY with it, mmap, UPDATE_MAPPING if asked for, close. If it
 * fails, a fixed range may be reserved still or free: the code that reserved it unmaps it.
 */
int kt_rm_map(struct kt_driver *driver, struct kt_rm_mapping *mapping);
/* UNMAP_MEMORY, munmap: a fixed range is free then. */
void kt_rm_unmap(struct kt_driver *driver, const struct kt_rm_mapping *mapping);

/* A request of nvidia-uvm; *params has a member `status` for its answer. */
int kt_uvm_request_at(int fd, unsigned long request, void *params, const uint32_t *status);
#define kt_uvm_request(fd, request, params)                                                \
	kt_uvm_request_at(fd, request, params, &(params)->status)

#endif
