/* SPDX-License-Identifier: MIT */
/*
 * Requests to the KMD (corpus/softgpu/abi.h), one function each. A function makes only
 * the request that it is named after, so that callers can follow the order in
 * corpus/softgpu/truth/driver.points. Results are CUDA's (enum kt_cu_error).
 */
#ifndef KTAIL_SOFTGPU_DRIVER_RM_H
#define KTAIL_SOFTGPU_DRIVER_RM_H

#include <stdbool.h>
#include <stdint.h>

#include "corpus/softgpu/driver/driver.h"

/* Returns a descriptor of a device file, or -1. */
int kt_rm_open(const char *path);

/* Makes a request of nvidiactl or nvidia0. The caller checks *params for a status. */
int kt_rm_request_sized(int fd, unsigned nr, void *params, uint32_t bytes);
#define kt_rm_request(fd, nr, params) kt_rm_request_sized(fd, nr, params, sizeof(*(params)))

/* Returns the CUDA result for a status of abi.h. */
int kt_rm_result(uint32_t status);

/* Allocates an object and sets *handle to its handle. `parent` is 0 for a client. */
int kt_rm_alloc_sized(struct kt_driver *driver, uint32_t parent, uint32_t class_number,
		      void *params, uint32_t bytes, uint32_t *handle);
#define kt_rm_alloc(driver, parent, class_number, params, handle)                          \
	kt_rm_alloc_sized(driver, parent, class_number, params, sizeof(*(params)), handle)
/* Creates an object for whole pages of user memory. */
int kt_rm_alloc_user(struct kt_driver *driver, uint64_t address, uint64_t bytes,
		     uint32_t *handle);
void kt_rm_free(struct kt_driver *driver, uint32_t parent, uint32_t handle);
int kt_rm_control_sized(struct kt_driver *driver, uint32_t object, uint32_t command,
			void *params, uint32_t bytes);
#define kt_rm_control(driver, object, command, params)                                     \
	kt_rm_control_sized(driver, object, command, params, sizeof(*(params)))
/* Makes the control GET_ADDR_SPACE_TYPE, which precedes a mapping. */
int kt_rm_addr_space_type(struct kt_driver *driver, uint32_t object);

/* The part of an object to map, and how to map it. */
struct kt_rm_mapping {
	uint32_t memory; /* the object; the subdevice for a register page */
	/* registers and device memory: mapped by nvidia0, through the subdevice */
	bool aperture;
	bool fixed;      /* map at `cpu`, in a reserved range */
	bool update;     /* make the request UPDATE_MAPPING after mmap */
	int protection;  /* PROT_... */
	uint64_t offset; /* in the object */
	uint64_t bytes;  /* whole pages */
	volatile uint8_t *cpu;
	uint32_t flags; /* KT_ABI_MAP_..., besides those that follow from `fixed` */
	uint64_t name;  /* set by kt_rm_map: by it the KMD knows the mapping */
};

/*
 * Opens a new descriptor, makes the request MAP_MEMORY with it, calls mmap, makes the
 * request UPDATE_MAPPING if `update` is set, and closes the descriptor. After a failure,
 * the caller must unmap the range if it is `fixed`, whether or not it is still reserved.
 */
int kt_rm_map(struct kt_driver *driver, struct kt_rm_mapping *mapping);
/* Makes the request UNMAP_MEMORY and calls munmap, which frees a fixed range. */
void kt_rm_unmap(struct kt_driver *driver, const struct kt_rm_mapping *mapping);

/* Makes a request of nvidia-uvm. `status` is the member of *params for the KMD's result. */
int kt_uvm_request_at(int fd, unsigned long request, void *params, const uint32_t *status);
#define kt_uvm_request(fd, request, params)                                                \
	kt_uvm_request_at(fd, request, params, &(params)->status)

#endif
