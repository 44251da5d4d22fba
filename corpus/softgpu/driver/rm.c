/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/rm.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/try.h"

/* Flags of user memory: non-contiguous pages, cached, not mapped by the KMD. */
#define USER_MEMORY_FLAGS 0x40001010u

int kt_rm_open(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC);
}

int kt_rm_request_sized(int fd, unsigned nr, void *params, uint32_t bytes)
{
	int result =
		ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, KT_ABI_TYPE, nr, bytes), params);

	return result == 0 ? KT_CU_OK : KT_CU_OPERATING_SYSTEM;
}

int kt_rm_result(uint32_t status)
{
	switch (status) {
	case KT_ABI_OK: return KT_CU_OK;
	case KT_ABI_NO_MEMORY:
	case KT_ABI_INSUFFICIENT_RESOURCES: return KT_CU_OUT_OF_MEMORY;
	case KT_ABI_INVALID_ADDRESS:
	case KT_ABI_INVALID_ARGUMENT:
	case KT_ABI_INVALID_LIMIT: return KT_CU_INVALID_VALUE;
	case KT_ABI_UVM_ADDRESS_IN_USE: return KT_CU_HOST_ALREADY_REGISTERED;
	case KT_ABI_NOT_SUPPORTED: return KT_CU_NOT_SUPPORTED;
	default: return KT_CU_UNKNOWN;
	}
}

/* Returns a new handle: the user-mode driver chooses all handles, except the client's. */
static uint32_t new_handle(struct kt_driver *driver)
{
	return __atomic_fetch_add(&driver->next_handle, 1, __ATOMIC_RELAXED);
}

int kt_rm_alloc_sized(struct kt_driver *driver, uint32_t parent, uint32_t class_number,
		      void *params, uint32_t bytes, uint32_t *handle)
{
	bool client = class_number == KT_ABI_CLASS_CLIENT;
	struct kt_abi_alloc request = {
		.client = driver->client,
		.parent = parent,
		.object = client ? 0 : new_handle(driver),
		.class_number = class_number,
		.params = (uintptr_t)params,
		.params_size = bytes,
	};

	KT_TRY(kt_rm_request(driver->control, KT_ABI_NR_ALLOC, &request));
	KT_TRY(kt_rm_result(request.status));
	*handle = request.object;
	return KT_CU_OK;
}

int kt_rm_alloc_user(struct kt_driver *driver, uint64_t address, uint64_t bytes,
		     uint32_t *handle)
{
	struct kt_abi_alloc_memory request = {
		.client = driver->client,
		.parent = driver->device,
		.object = new_handle(driver),
		.class_number = KT_ABI_CLASS_OS_DESCRIPTOR,
		.flags = USER_MEMORY_FLAGS,
		.address = address,
		.limit = bytes - 1,
		.fd = -1,
	};

	KT_TRY(kt_rm_request(driver->gpu, KT_ABI_NR_ALLOC_MEMORY, &request));
	KT_TRY(kt_rm_result(request.status));
	*handle = request.object;
	return KT_CU_OK;
}

void kt_rm_free(struct kt_driver *driver, uint32_t parent, uint32_t handle)
{
	struct kt_abi_free request = {
		.client = driver->client,
		.parent = parent,
		.object = handle,
	};

	/* A failure to free cannot be handled. */
	(void)kt_rm_request(driver->control, KT_ABI_NR_FREE, &request);
}

int kt_rm_control_sized(struct kt_driver *driver, uint32_t object, uint32_t command,
			void *params, uint32_t bytes)
{
	struct kt_abi_control request = {
		.client = driver->client,
		.object = object,
		.command = command,
		.params = (uintptr_t)params,
		.params_size = bytes,
	};
	int result = kt_rm_request(driver->control, KT_ABI_NR_CONTROL, &request);

	return result == KT_CU_OK ? kt_rm_result(request.status) : result;
}

int kt_rm_addr_space_type(struct kt_driver *driver, uint32_t object)
{
	struct kt_abi_addr_space_type params = {.object = object};

	return kt_rm_control(driver, driver->client, KT_ABI_GET_ADDR_SPACE_TYPE, &params);
}

/* --- mappings --- */

static uint32_t mapping_parent(const struct kt_driver *driver,
			       const struct kt_rm_mapping *mapping)
{
	return mapping->aperture ? driver->subdevice : driver->device;
}

int kt_rm_map(struct kt_driver *driver, struct kt_rm_mapping *mapping)
{
	struct kt_abi_map request = {
		.client = driver->client,
		.device = mapping_parent(driver, mapping),
		.memory = mapping->memory,
		.offset = mapping->offset,
		.length = mapping->bytes,
		.flags = mapping->flags | KT_ABI_MAP_RESERVE_ON_UNMAP |
			 (mapping->fixed ? KT_ABI_MAP_FIXED : 0),
		.fd = kt_rm_open(mapping->aperture ? driver->gpu_file
						   : KT_ABI_FILE_CONTROL),
	};
	void *at = mapping->fixed ? (void *)(uintptr_t)mapping->cpu : NULL;
	void *cpu;
	int code;

	if (request.fd < 0) {
		return KT_CU_OPERATING_SYSTEM;
	}
	KT_TRY_END(kt_rm_request(driver->control, KT_ABI_NR_MAP_MEMORY, &request));
	KT_TRY_END(kt_rm_result(request.status));
	cpu = mmap(at, mapping->bytes, mapping->protection,
		   MAP_SHARED | (mapping->fixed ? MAP_FIXED : 0), request.fd, 0);
	if (cpu == MAP_FAILED) {
		code = KT_CU_OPERATING_SYSTEM;
		goto end;
	}
	mapping->cpu = cpu;
	mapping->name = request.address;
	if (mapping->update) {
		struct kt_abi_update_mapping update = {
			.client = driver->client,
			.device = mapping_parent(driver, mapping),
			.memory = mapping->memory,
			.old_address = request.address,
			.new_address = (uintptr_t)cpu,
		};

		code = kt_rm_request(driver->control, KT_ABI_NR_UPDATE_MAPPING, &update);
		if (code == KT_CU_OK) {
			code = kt_rm_result(update.status);
		}
		if (code == KT_CU_OK) {
			mapping->name = update.new_address;
		}
		if (code != KT_CU_OK) {
			kt_rm_unmap(driver, mapping);
		}
	}
end:
	close(request.fd);
	return code;
}

void kt_rm_unmap(struct kt_driver *driver, const struct kt_rm_mapping *mapping)
{
	struct kt_abi_unmap request = {
		.client = driver->client,
		.device = mapping_parent(driver, mapping),
		.memory = mapping->memory,
		.address = mapping->name,
	};

	(void)kt_rm_request(driver->control, KT_ABI_NR_UNMAP_MEMORY, &request);
	munmap((void *)(uintptr_t)mapping->cpu, mapping->bytes);
}

int kt_uvm_request_at(int fd, unsigned long request, void *params, const uint32_t *status)
{
	return ioctl(fd, request, params) == 0 ? kt_rm_result(*status)
					       : KT_CU_OPERATING_SYSTEM;
}
