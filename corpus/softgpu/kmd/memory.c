/* SPDX-License-Identifier: MIT */
/* Memory objects, and mappings of objects into the process. */
#include <errno.h>
#include <string.h>

#include "corpus/softgpu/kmd/objects.h"

#define PAGE ((uint64_t)KT_ABI_PAGE)

static bool whole_pages(uint64_t value)
{
	return value % PAGE == 0;
}

/* --- physical memory --- */

struct kt_kmd_block *kt_kmd_block_hold(struct kt_kmd_block *block)
{
	block->references++;
	return block;
}

void kt_kmd_block_drop(struct kt_kmd *kmd, struct kt_kmd_block *block)
{
	if (block && --block->references == 0) {
		kt_gpu_memory_free(kmd->gpu, block->physical);
		kt_store_give(kt_gpu_store(kmd->gpu), block);
	}
}

uint32_t kt_kmd_memory_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params)
{
	struct kt_abi_memory_params *p = params;
	struct kt_kmd_memory *memory = &object->u.memory;
	enum kt_gpu_aperture aperture = object->class->number == KT_ABI_CLASS_MEMORY_LOCAL
						? KT_GPU_DEVICE_MEMORY
						: KT_GPU_SYSTEM_MEMORY;
	int error;

	if (p->size == 0 ||
	    (p->attr & KT_ABI_ATTR_LOCATION) !=
		    (aperture == KT_GPU_SYSTEM_MEMORY ? KT_ABI_ATTR_PCI : 0u) ||
	    (aperture == KT_GPU_DEVICE_MEMORY && (p->alignment & (p->alignment - 1)))) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (aperture == KT_GPU_SYSTEM_MEMORY && !p->owner) {
		return KT_ABI_INVALID_OWNER;
	}
	if (p->size > KT_GPU_DEVICE_BYTES) {
		return KT_ABI_NO_MEMORY;
	}
	memory->bytes = (p->size + PAGE - 1) / PAGE * PAGE;
	memory->block = kt_store_take(kt_gpu_store(kmd->gpu), sizeof(*memory->block));
	if (!memory->block) {
		return KT_ABI_NO_MEMORY;
	}
	error = kt_gpu_memory_allocate(kmd->gpu, aperture, memory->bytes,
				       aperture == KT_GPU_SYSTEM_MEMORY ? 0 : p->alignment,
				       &memory->block->physical);
	if (error) {
		kt_store_give(kt_gpu_store(kmd->gpu), memory->block);
		return kt_kmd_status(error);
	}
	memory->block->references = 1;
	p->size = memory->bytes;
	p->offset = memory->block->physical;
	p->limit = memory->bytes - 1;
	return KT_ABI_OK;
}

void kt_kmd_memory_release(struct kt_kmd *kmd, struct kt_kmd_object *object)
{
	struct kt_kmd_memory *memory = &object->u.memory;

	kt_kmd_unmap_memory(kmd, memory);
	if (memory->block) {
		kt_kmd_block_drop(kmd, memory->block);
	} else {
		kt_gpu_user_forget(kmd->gpu, memory->user);
	}
}

/* --- registered user memory --- */

int kt_kmd_register_memory(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_alloc_memory *request = data;
	uint64_t bytes = request->limit + 1;
	uint32_t handle = request->object;
	struct kt_kmd_object *object;
	uint64_t name;
	int error;

	if (request->class_number != KT_ABI_CLASS_OS_DESCRIPTOR) {
		request->status = KT_ABI_INVALID_CLASS;
		return 0;
	}
	if (bytes == 0 || !whole_pages(bytes) ||
	    request->address + request->limit < request->address) {
		request->status = KT_ABI_INVALID_LIMIT;
		return 0;
	}
	if (!whole_pages(request->address)) {
		request->status = KT_ABI_INVALID_ADDRESS;
		return 0;
	}
	error = kt_gpu_user_register(call->kmd->gpu, request->address, bytes, &name);
	if (error) {
		request->status = kt_kmd_status(error);
		return 0;
	}
	request->status =
		kt_kmd_object_add(call->kmd, kt_kmd_class_find(request->class_number),
				  request->client, request->parent, &handle, &object);
	if (request->status != KT_ABI_OK) {
		kt_gpu_user_forget(call->kmd->gpu, name);
		return 0;
	}
	request->object = handle;
	object->u.memory.user = name;
	object->u.memory.bytes = bytes;
	return 0;
}

/* --- mappings into the process --- */

static unsigned *mappings_of(struct kt_kmd_object *object)
{
	return object->class->release == kt_kmd_memory_release
		       ? &object->u.memory.cpu_mappings
		       : &object->u.cpu_mappings;
}

/* Checks common to the requests 0x4e, 0x4f and 0x5e. */
static uint32_t find_mappable(const struct kt_kmd *kmd, uint32_t client, uint32_t device,
			      uint32_t memory, struct kt_kmd_object **out)
{
	if (!kt_kmd_object_find(kmd, client, client)) {
		return KT_ABI_INVALID_CLIENT;
	}
	if (!kt_kmd_object_of_class(kmd, client, device, KT_ABI_CLASS_DEVICE) &&
	    !kt_kmd_object_of_class(kmd, client, device, KT_ABI_CLASS_SUBDEVICE)) {
		return KT_ABI_INVALID_OBJECT_PARENT;
	}
	*out = kt_kmd_object_find(kmd, client, memory);
	return *out ? KT_ABI_OK : KT_ABI_INVALID_OBJECT_HANDLE;
}

static uint32_t map(struct kt_kmd_call *call, const struct kt_abi_map *request)
{
	struct kt_kmd_file file = kt_kmd_file_read(request->fd);
	uint64_t offset = request->offset;
	uint64_t length = (request->length + PAGE - 1) / PAGE * PAGE;
	/* Device file, physical address and size of the object's mapping. */
	enum kt_kmd_device device = KT_KMD_GPU;
	uint64_t physical;
	uint64_t bytes;
	struct kt_kmd_object *object;
	uint32_t status = find_mappable(call->kmd, request->client, request->device,
					request->memory, &object);

	if (status != KT_ABI_OK) {
		return status;
	}
	switch (object->class->number) {
	case KT_ABI_CLASS_USERMODE:
		physical = kt_gpu_usermode_page(call->kmd->gpu);
		bytes = KT_ABI_USERMODE_BYTES;
		break;
	case KT_ABI_CLASS_SUBDEVICE: /* the model's transfer page */
		if (offset < KT_ABI_TRANSFER_OFFSET) {
			return KT_ABI_INVALID_OBJECT;
		}
		offset -= KT_ABI_TRANSFER_OFFSET;
		physical = kt_gpu_transfer_page(call->kmd->gpu);
		bytes = KT_ABI_TRANSFER_BYTES;
		break;
	case KT_ABI_CLASS_MEMORY_LOCAL:
	case KT_ABI_CLASS_MEMORY_SYSTEM:
		physical = object->u.memory.block->physical;
		bytes = object->u.memory.bytes;
		device = object->class->number == KT_ABI_CLASS_MEMORY_LOCAL
				 ? KT_KMD_GPU
				 : KT_KMD_CONTROL;
		break;
	default: return KT_ABI_INVALID_OBJECT;
	}
	if (!whole_pages(offset) || offset >= bytes) {
		return KT_ABI_INVALID_OFFSET;
	}
	if (length == 0 || length > bytes - offset) {
		return KT_ABI_INVALID_LIMIT;
	}
	if (file.owner != call->kmd->id || file.device != device) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (file.pending) {
		return KT_ABI_STATE_IN_USE;
	}
	file.pending = 1;
	file.physical = physical + offset;
	file.bytes = length;
	if (kt_kmd_file_store(request->fd, &file) != 0) {
		return KT_ABI_INSUFFICIENT_RESOURCES;
	}
	++*mappings_of(object);
	return KT_ABI_OK;
}

int kt_kmd_map(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_map *request = data;

	request->status = map(call, request);
	return 0;
}

int kt_kmd_unmap(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_unmap *request = data;
	struct kt_kmd_object *object;

	request->status = find_mappable(call->kmd, request->client, request->device,
					request->memory, &object);
	if (request->status == KT_ABI_OK && *mappings_of(object) == 0) {
		request->status = KT_ABI_INVALID_ADDRESS;
	}
	if (request->status == KT_ABI_OK) {
		--*mappings_of(object);
	}
	return 0;
}

int kt_kmd_update_mapping(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_update_mapping *request = data;
	struct kt_kmd_object *object;

	request->status = find_mappable(call->kmd, request->client, request->device,
					request->memory, &object);
	if (request->status == KT_ABI_OK && *mappings_of(object) == 0) {
		request->status = KT_ABI_INVALID_ADDRESS;
	}
	return 0;
}
