/* SPDX-License-Identifier: MIT */
/* Memory objects, and what maps an object into the process. */
#include <errno.h>
#include <string.h>

#include "corpus/softgpu/face/objects.h"

#define PAGE ((uint64_t)KT_ABI_PAGE)

static bool whole_pages(uint64_t value)
{
	return value % PAGE == 0;
}

/* --- physical memory --- */

struct kt_face_block *kt_face_block_hold(struct kt_face_block *block)
{
	block->references++;
	return block;
}

void kt_face_block_drop(struct kt_face *face, struct kt_face_block *block)
{
	if (block && --block->references == 0) {
		kt_gpu_memory_free(face->gpu, block->physical);
		kt_store_give(kt_gpu_store(face->gpu), block);
	}
}

uint32_t kt_face_memory_allocate(struct kt_face *face, struct kt_face_object *object,
				 void *params)
{
	struct kt_abi_memory_params *p = params;
	struct kt_face_memory *memory = &object->u.memory;
	enum kt_gpu_place place = object->class->number == KT_ABI_CLASS_MEMORY_LOCAL
					  ? KT_GPU_DEVICE_MEMORY
					  : KT_GPU_SYSTEM_MEMORY;
	int error;

	if (p->size == 0 || (p->alignment & (p->alignment - 1))) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (p->size > KT_GPU_DEVICE_BYTES) {
		return KT_ABI_NO_MEMORY;
	}
	memory->bytes = (p->size + PAGE - 1) / PAGE * PAGE;
	memory->block = kt_store_take(kt_gpu_store(face->gpu), sizeof(*memory->block));
	if (!memory->block) {
		return KT_ABI_NO_MEMORY;
	}
	error = kt_gpu_memory_allocate(face->gpu, place, memory->bytes, p->alignment,
				       &memory->block->physical);
	if (error) {
		kt_store_give(kt_gpu_store(face->gpu), memory->block);
		return kt_face_status(error);
	}
	memory->block->references = 1;
	p->size = memory->bytes;
	p->offset = memory->block->physical;
	p->limit = memory->bytes - 1;
	return KT_ABI_OK;
}

void kt_face_memory_release(struct kt_face *face, struct kt_face_object *object)
{
	struct kt_face_memory *memory = &object->u.memory;

	kt_face_unmap_memory(face, memory);
	if (memory->block) {
		kt_face_block_drop(face, memory->block);
	} else {
		kt_gpu_user_forget(face->gpu, memory->user);
	}
}

/* --- memory of the user's --- */

int kt_face_register_memory(struct kt_face_call *call, void *data)
{
	struct kt_abi_alloc_memory *request = data;
	uint64_t bytes = request->limit + 1;
	uint32_t handle = request->object;
	struct kt_face_object *object;
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
	error = kt_gpu_user_register(call->face->gpu, request->address, bytes, &name);
	if (error) {
		request->status = kt_face_status(error);
		return 0;
	}
	request->status =
		kt_face_object_add(call->face, kt_face_class_find(request->class_number),
				   request->client, request->parent, &handle, &object);
	if (request->status != KT_ABI_OK) {
		kt_gpu_user_forget(call->face->gpu, name);
		return 0;
	}
	request->object = handle;
	object->u.memory.user = name;
	object->u.memory.bytes = bytes;
	return 0;
}

/* --- into the process --- */

static unsigned *mappings_of(struct kt_face_object *object)
{
	return object->class->release == kt_face_memory_release
		       ? &object->u.memory.cpu_mappings
		       : &object->u.cpu_mappings;
}

/* What 0x4e, 0x4f and 0x5e check alike. */
static uint32_t find_mappable(const struct kt_face *face, uint32_t client, uint32_t device,
			      uint32_t memory, struct kt_face_object **out)
{
	if (!kt_face_object_find(face, client, client)) {
		return KT_ABI_INVALID_CLIENT;
	}
	if (!kt_face_object_of_class(face, client, device, KT_ABI_CLASS_DEVICE) &&
	    !kt_face_object_of_class(face, client, device, KT_ABI_CLASS_SUBDEVICE)) {
		return KT_ABI_INVALID_OBJECT_PARENT;
	}
	*out = kt_face_object_find(face, client, memory);
	return *out ? KT_ABI_OK : KT_ABI_INVALID_OBJECT_HANDLE;
}

static uint32_t map(struct kt_face_call *call, const struct kt_abi_map *request)
{
	struct kt_face_file file = kt_face_file_look(request->fd);
	uint64_t offset = request->offset;
	uint64_t length = (request->length + PAGE - 1) / PAGE * PAGE;
	/* All of the object that can be mapped, and the file through which it is. */
	enum kt_face_device device = KT_FACE_GPU;
	uint64_t physical;
	uint64_t bytes;
	struct kt_face_object *object;
	uint32_t status = find_mappable(call->face, request->client, request->device,
					request->memory, &object);

	if (status != KT_ABI_OK) {
		return status;
	}
	switch (object->class->number) {
	case KT_ABI_CLASS_USERMODE:
		physical = kt_gpu_usermode_page(call->face->gpu);
		bytes = KT_ABI_USERMODE_BYTES;
		break;
	case KT_ABI_CLASS_SUBDEVICE: /* the model's transfer page */
		if (offset < KT_ABI_TRANSFER_OFFSET) {
			return KT_ABI_INVALID_OBJECT;
		}
		offset -= KT_ABI_TRANSFER_OFFSET;
		physical = kt_gpu_transfer_page(call->face->gpu);
		bytes = KT_ABI_TRANSFER_BYTES;
		break;
	case KT_ABI_CLASS_MEMORY_LOCAL:
	case KT_ABI_CLASS_MEMORY_SYSTEM:
		physical = object->u.memory.block->physical;
		bytes = object->u.memory.bytes;
		device = object->class->number == KT_ABI_CLASS_MEMORY_LOCAL
				 ? KT_FACE_GPU
				 : KT_FACE_CONTROL;
		break;
	default: return KT_ABI_INVALID_OBJECT;
	}
	if (!whole_pages(offset) || offset >= bytes) {
		return KT_ABI_INVALID_OFFSET;
	}
	if (length == 0 || length > bytes - offset) {
		return KT_ABI_INVALID_LIMIT;
	}
	if (file.owner != call->face->id || file.device != device) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (file.pending) {
		return KT_ABI_STATE_IN_USE;
	}
	file.pending = 1;
	file.physical = physical + offset;
	file.bytes = length;
	if (kt_face_file_store(request->fd, &file) != 0) {
		return KT_ABI_INSUFFICIENT_RESOURCES;
	}
	++*mappings_of(object);
	return KT_ABI_OK;
}

int kt_face_map(struct kt_face_call *call, void *data)
{
	struct kt_abi_map *request = data;

	request->status = map(call, request);
	return 0;
}

int kt_face_unmap(struct kt_face_call *call, void *data)
{
	struct kt_abi_unmap *request = data;
	struct kt_face_object *object;

	request->status = find_mappable(call->face, request->client, request->device,
					request->memory, &object);
	if (request->status == KT_ABI_OK && *mappings_of(object) == 0) {
		request->status = KT_ABI_INVALID_ADDRESS;
	}
	if (request->status == KT_ABI_OK) {
		--*mappings_of(object);
	}
	return 0;
}

int kt_face_update_mapping(struct kt_face_call *call, void *data)
{
	struct kt_abi_update_mapping *request = data;
	struct kt_face_object *object;

	request->status = find_mappable(call->face, request->client, request->device,
					request->memory, &object);
	if (request->status == KT_ABI_OK && *mappings_of(object) == 0) {
		request->status = KT_ABI_INVALID_ADDRESS;
	}
	return 0;
}
