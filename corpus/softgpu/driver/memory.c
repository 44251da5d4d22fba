/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/mman.h>

#include "base/try.h"
#include "corpus/softgpu/driver/addresses.h"
#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/rm.h"

#define ALL (PROT_READ | PROT_WRITE)

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + KT_ABI_PAGE - 1) & ~(uint64_t)(KT_ABI_PAGE - 1);
}

static bool is_mapped(enum kt_memory_kind kind)
{
	return kind == KT_MEMORY_DEVICE_MAPPED || kind == KT_MEMORY_SYSTEM;
}

static struct kt_rm_mapping mapping_of(const struct kt_memory *memory)
{
	return (struct kt_rm_mapping){
		.memory = memory->handle,
		.aperture = memory->kind == KT_MEMORY_DEVICE_MAPPED,
		.update = memory->kind == KT_MEMORY_DEVICE_MAPPED,
		.fixed = true,
		.protection = ALL,
		.bytes = memory->bytes,
		.cpu = (volatile uint8_t *)(uintptr_t)memory->address,
	};
}

/* --- GPU addresses: a range of the unified memory driver, the object in it --- */

static void free_range(struct kt_driver *driver, const struct kt_memory *memory)
{
	KT_LABEL(TAKE_MEMORY);
	struct kt_abi_uvm_free request = {
		.base = memory->address,
		.length = memory->bytes,
	};

	(void)kt_uvm_request(driver->uvm, KT_ABI_UVM_FREE, &request, &request.status);
}

static int map_on_gpu(struct kt_driver *driver, const struct kt_memory *memory)
{
	struct kt_abi_uvm_range range = {
		.base = memory->address,
		.length = memory->bytes,
	};
	struct kt_abi_uvm_map_external request = {
		.base = memory->address,
		.length = memory->bytes,
		.n_gpus = 1,
		.control_fd = driver->control,
		.client = driver->client,
		.memory = memory->handle,
	};
	int result;

	{
		KT_LABEL(GIVE_MEMORY);

		KT_TRY(kt_uvm_request(driver->uvm, KT_ABI_UVM_CREATE_EXTERNAL, &range,
				      &range.status));
	}
	{
		KT_LABEL(GIVE_MEMORY);

		memcpy(request.gpus[0].uuid, driver->uuid, KT_ABI_UUID_SIZE);
		result = kt_uvm_request(driver->uvm, KT_ABI_UVM_MAP_EXTERNAL, &request,
					&request.status);
	}
	if (result != KT_CU_OK) {
		free_range(driver, memory);
	}
	return result;
}

/* --- objects --- */

static void unmap_on_cpu(struct kt_driver *driver, struct kt_memory *memory)
{
	KT_LABEL(UNMAP_MEMORY);
	struct kt_rm_mapping mapping = mapping_of(memory);

	kt_rm_unmap(driver, &mapping);
	memory->cpu = NULL;
}

static void free_object(struct kt_driver *driver, const struct kt_memory *memory)
{
	KT_LABEL(FREE_MEMORY);

	kt_rm_free(driver, driver->device, memory->handle);
}

static void unregister_object(struct kt_driver *driver, const struct kt_memory *memory)
{
	KT_LABEL(UNREGISTER_MEMORY);

	kt_rm_free(driver, driver->device, memory->handle);
}

/* create_device_memory, create_mapped_device_memory, create_system_memory */
int kt_memory_create(struct kt_memory *out, enum kt_memory_kind kind, uint64_t bytes)
{
	struct kt_driver *driver = kt_driver_get();
	struct kt_memory memory = {.kind = kind, .bytes = whole_pages(bytes)};
	struct kt_abi_memory_params params = {
		.size = memory.bytes,
		.alignment =
			memory.bytes >= KT_ABI_BIG_PAGE ? KT_ABI_BIG_PAGE : KT_ABI_PAGE,
	};
	bool low = is_mapped(kind) || kind == KT_MEMORY_DEVICE_LOW;
	int result;

	memset(out, 0, sizeof(*out));
	if (!driver) {
		return KT_CU_NOT_INITIALIZED;
	}
	if (kind == KT_MEMORY_USER || bytes == 0) {
		return KT_CU_INVALID_VALUE;
	}
	if (memory.bytes < bytes || memory.bytes > driver->memory_bytes) {
		return KT_CU_OUT_OF_MEMORY;
	}
	memory.address =
		low ? kt_addresses_take_low(memory.bytes) : kt_addresses_take(memory.bytes);
	if (!memory.address) {
		return KT_CU_OUT_OF_MEMORY;
	}
	{
		KT_LABEL(ALLOCATE_MEMORY);

		params.owner = driver->client;
		result = kt_rm_alloc(driver, driver->device,
				     kind == KT_MEMORY_SYSTEM ? KT_ABI_CLASS_MEMORY_SYSTEM
							      : KT_ABI_CLASS_MEMORY_LOCAL,
				     &params, sizeof(params), &memory.handle);
	}
	if (result != KT_CU_OK) {
		goto no_object;
	}
	if (is_mapped(kind)) {
		KT_LABEL(MAP_MEMORY);
		struct kt_rm_mapping mapping = mapping_of(&memory);

		result = kt_rm_addr_space_type(driver, memory.handle);
		if (result == KT_CU_OK) {
			result = kt_rm_map(driver, &mapping);
		}
		if (result != KT_CU_OK) {
			goto no_mapping;
		}
		memory.cpu = mapping.cpu;
	}
	result = map_on_gpu(driver, &memory);
	if (result == KT_CU_OK) {
		*out = memory;
		return KT_CU_OK;
	}
	if (memory.cpu) {
		unmap_on_cpu(driver, &memory);
	}
no_mapping:
	free_object(driver, &memory);
no_object:
	kt_addresses_give(memory.address, memory.bytes);
	return result;
}

/* register_memory */
int kt_memory_register(struct kt_memory *out, void *user, uint64_t bytes)
{
	KT_LABEL(REGISTER_MEMORY);
	struct kt_driver *driver = kt_driver_get();
	uint64_t begin = (uintptr_t)user & ~(uint64_t)(KT_ABI_PAGE - 1);
	uint64_t end = whole_pages((uintptr_t)user + bytes);
	struct kt_memory memory = {
		.kind = KT_MEMORY_USER,
		.address = begin,
		.bytes = end - begin,
		.cpu = (volatile uint8_t *)(uintptr_t)begin,
	};
	int result;

	memset(out, 0, sizeof(*out));
	if (!driver) {
		return KT_CU_NOT_INITIALIZED;
	}
	if (!user || bytes == 0 || end <= begin) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_rm_alloc_user(driver, begin, memory.bytes, &memory.handle));
	result = map_on_gpu(driver, &memory);
	if (result != KT_CU_OK) {
		unregister_object(driver, &memory);
		return result;
	}
	*out = memory;
	return KT_CU_OK;
}

/* destroy_device_memory, destroy_..., unregister_memory */
void kt_memory_destroy(struct kt_memory *memory)
{
	struct kt_driver *driver = kt_driver_get();

	if (driver && memory->bytes) {
		free_range(driver, memory);
		if (is_mapped(memory->kind)) {
			unmap_on_cpu(driver, memory);
		}
		if (memory->kind == KT_MEMORY_USER) {
			unregister_object(driver, memory);
		} else {
			free_object(driver, memory);
		}
		if (memory->kind == KT_MEMORY_DEVICE ||
		    memory->kind == KT_MEMORY_DEVICE_LOW) {
			kt_addresses_give(memory->address, memory->bytes);
		}
	}
	memset(memory, 0, sizeof(*memory));
}
