/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/kmd/objects.h"

#include <errno.h>
#include <string.h>

#define FIRST_CLIENT 0xc1d00000u /* resembles the client handles of NVIDIA's driver */
#define FIRST_CHOSEN 0xcaf00000u

uint32_t kt_kmd_status(int error)
{
	switch (error) {
	case 0: return KT_ABI_OK;
	case -ENOMEM: return KT_ABI_NO_MEMORY;
	case -ENOSPC:
	case -EAGAIN: return KT_ABI_INSUFFICIENT_RESOURCES;
	case -EFAULT: return KT_ABI_INVALID_ADDRESS;
	case -EEXIST: return KT_ABI_UVM_ADDRESS_IN_USE;
	case -ENOTSUP: return KT_ABI_NOT_SUPPORTED;
	default: return KT_ABI_INVALID_ARGUMENT;
	}
}

/* --- classes --- */

/* Answers of KT_ABI_GET_ADDR_SPACE_TYPE. */
enum { SPACE_SYSTEM = 2, SPACE_DEVICE = 3, SPACE_REGISTERS = 4 };

/* Until the policy says otherwise, nvidia-uvm may duplicate nothing of a client. */
static uint32_t client_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params)
{
	(void)kmd;
	(void)params;
	object->u.closed = true;
	return KT_ABI_OK;
}

static uint32_t device_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params)
{
	const struct kt_abi_device_params *p = params;

	(void)kmd;
	(void)object;
	return p->device_id == 0 ? KT_ABI_OK : KT_ABI_INVALID_ARGUMENT;
}

static uint32_t subdevice_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				   void *params)
{
	const struct kt_abi_subdevice_params *p = params;

	(void)kmd;
	(void)object;
	return p->subdevice_id == 0 ? KT_ABI_OK : KT_ABI_INVALID_ARGUMENT;
}

static uint32_t space_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
			       void *params)
{
	(void)params;
	return kt_kmd_status(kt_gpu_space_create(kmd->gpu, &object->u.space));
}

static void space_release(struct kt_kmd *kmd, struct kt_kmd_object *object)
{
	if (kmd->space == object) {
		kt_kmd_forget_space(kmd);
	}
	kt_gpu_space_release(object->u.space);
}

#define DEVICE    KT_ABI_CLASS_DEVICE
#define SUBDEVICE KT_ABI_CLASS_SUBDEVICE

static const struct kt_kmd_class classes[] = {
	{.number = KT_ABI_CLASS_CLIENT, .allocate = client_allocate},
	{.number = DEVICE,
	 .parents = {KT_ABI_CLASS_CLIENT},
	 .params_size = sizeof(struct kt_abi_device_params),
	 .allocate = device_allocate},
	{.number = SUBDEVICE,
	 .parents = {DEVICE},
	 .params_size = sizeof(struct kt_abi_subdevice_params),
	 .allocate = subdevice_allocate},
	{.number = KT_ABI_CLASS_ADDRESS_SPACE,
	 .parents = {DEVICE},
	 .params_size = sizeof(struct kt_abi_address_space_params),
	 .allocate = space_allocate,
	 .release = space_release},
	{.number = KT_ABI_CLASS_USERMODE,
	 .parents = {SUBDEVICE},
	 .params_size = sizeof(struct kt_abi_usermode_params),
	 .space_type = SPACE_REGISTERS},
	{.number = KT_ABI_CLASS_MEMORY_LOCAL,
	 .parents = {DEVICE, SUBDEVICE},
	 .params_size = sizeof(struct kt_abi_memory_params),
	 .params_needed = true,
	 .space_type = SPACE_DEVICE,
	 .allocate = kt_kmd_memory_allocate,
	 .release = kt_kmd_memory_release},
	{.number = KT_ABI_CLASS_MEMORY_SYSTEM,
	 .parents = {DEVICE},
	 .params_size = sizeof(struct kt_abi_memory_params),
	 .params_needed = true,
	 .space_type = SPACE_SYSTEM,
	 .allocate = kt_kmd_memory_allocate,
	 .release = kt_kmd_memory_release},
	{.number = KT_ABI_CLASS_OS_DESCRIPTOR,
	 .parents = {DEVICE, SUBDEVICE},
	 .space_type = SPACE_SYSTEM,
	 .release = kt_kmd_memory_release},
	{.number = KT_ABI_CLASS_CHANNEL_GROUP,
	 .parents = {DEVICE},
	 .params_size = sizeof(struct kt_abi_channel_group_params),
	 .params_needed = true,
	 .allocate = kt_kmd_group_allocate},
	{.number = KT_ABI_CLASS_CONTEXT_SHARE,
	 .parents = {KT_ABI_CLASS_CHANNEL_GROUP},
	 .params_size = sizeof(struct kt_abi_context_share_params),
	 .params_needed = true,
	 .allocate = kt_kmd_share_allocate},
	{.number = KT_ABI_CLASS_CHANNEL,
	 .parents = {KT_ABI_CLASS_CHANNEL_GROUP},
	 .params_size = sizeof(struct kt_abi_channel_params),
	 .params_needed = true,
	 .allocate = kt_kmd_channel_allocate,
	 .release = kt_kmd_channel_release},
	{.number = KT_ABI_CLASS_COPY,
	 .parents = {KT_ABI_CLASS_CHANNEL},
	 .params_size = sizeof(struct kt_abi_copy_params),
	 .allocate = kt_kmd_engine_allocate},
	{.number = KT_ABI_CLASS_COMPUTE,
	 .parents = {KT_ABI_CLASS_CHANNEL},
	 .params_size = sizeof(struct kt_abi_compute_params),
	 .allocate = kt_kmd_engine_allocate},
};

const struct kt_kmd_class *kt_kmd_class_find(uint32_t number)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].number == number) {
			return &classes[i];
		}
	}
	return NULL;
}

/* --- the object tree and its hash table --- */

static struct kt_kmd_object **bucket_of(struct kt_kmd *kmd, uint32_t client,
					uint32_t handle)
{
	uint32_t mixed = (client ^ handle * 0x9e3779b1u) * 0x85ebca6bu;

	return &kmd->buckets[(mixed >> 16) % KT_KMD_BUCKETS];
}

struct kt_kmd_object *kt_kmd_object_find(const struct kt_kmd *kmd, uint32_t client,
					 uint32_t handle)
{
	struct kt_kmd_object *o =
		*bucket_of((struct kt_kmd *)(uintptr_t)kmd, client, handle);

	while (o && (o->handle != handle || o->client != client)) {
		o = o->next_in_bucket;
	}
	return o;
}

struct kt_kmd_object *kt_kmd_object_of_class(const struct kt_kmd *kmd, uint32_t client,
					     uint32_t handle, uint32_t class_number)
{
	struct kt_kmd_object *o = kt_kmd_object_find(kmd, client, handle);

	return o && o->class->number == class_number ? o : NULL;
}

struct kt_kmd_object *kt_kmd_object_memory(const struct kt_kmd *kmd, uint32_t client,
					   uint32_t handle)
{
	struct kt_kmd_object *o = kt_kmd_object_find(kmd, client, handle);

	return o && o->class->release == kt_kmd_memory_release ? o : NULL;
}

uint32_t kt_kmd_object_add(struct kt_kmd *kmd, const struct kt_kmd_class *class,
			   uint32_t client, uint32_t parent_handle, uint32_t *handle,
			   struct kt_kmd_object **out)
{
	struct kt_kmd_object *parent = NULL;
	struct kt_kmd_object *object;
	struct kt_kmd_object **bucket;

	if (class->number == KT_ABI_CLASS_CLIENT) {
		if (*handle != 0) {
			return KT_ABI_INVALID_ARGUMENT;
		}
		*handle = FIRST_CLIENT + kmd->clients++ % 0x10000;
		client = *handle;
	} else if (!kt_kmd_object_find(kmd, client, client)) {
		return KT_ABI_INVALID_CLIENT;
	} else {
		parent = kt_kmd_object_find(kmd, client, parent_handle);
		if (!parent) {
			return KT_ABI_OBJECT_NOT_FOUND;
		}
		if (parent->class->number != class->parents[0] &&
		    (!class->parents[1] || parent->class->number != class->parents[1])) {
			return KT_ABI_INVALID_OBJECT_PARENT;
		}
		while (!*handle) {
			if (!kt_kmd_object_find(kmd, client, FIRST_CHOSEN + kmd->chosen)) {
				*handle = FIRST_CHOSEN + kmd->chosen;
			}
			kmd->chosen++;
		}
	}
	if (kt_kmd_object_find(kmd, client, *handle)) {
		return KT_ABI_INSERT_DUPLICATE_NAME;
	}
	object = kt_store_take(kt_gpu_store(kmd->gpu), sizeof(*object));
	if (!object) {
		return KT_ABI_NO_MEMORY;
	}
	object->class = class;
	object->client = client;
	object->handle = *handle;
	object->parent = parent;
	bucket = bucket_of(kmd, client, *handle);
	object->next_in_bucket = *bucket;
	*bucket = object;
	if (parent) {
		object->older = parent->children;
		if (object->older) {
			object->older->younger = object;
		}
		parent->children = object;
	}
	*out = object;
	return KT_ABI_OK;
}

static void drop_object(struct kt_kmd *kmd, struct kt_kmd_object *object)
{
	struct kt_kmd_object **at = bucket_of(kmd, object->client, object->handle);

	while (*at != object) {
		at = &(*at)->next_in_bucket;
	}
	*at = object->next_in_bucket;
	if (object->older) {
		object->older->younger = object->younger;
	}
	if (object->younger) {
		object->younger->older = object->older;
	} else if (object->parent) {
		object->parent->children = object->older;
	}
	kt_store_give(kt_gpu_store(kmd->gpu), object);
}

void kt_kmd_object_free(struct kt_kmd *kmd, struct kt_kmd_object *object)
{
	struct kt_kmd_object *above = object->parent;
	struct kt_kmd_object *o = object;

	while (o != above) {
		struct kt_kmd_object *parent = o->parent;

		if (o->children) {
			o = o->children;
			continue;
		}
		if (o->class->release) {
			o->class->release(kmd, o);
		}
		drop_object(kmd, o);
		o = parent;
	}
}

/* --- requests --- */

static int allocate(struct kt_kmd_call *call, struct kt_abi_alloc *alloc)
{
	const struct kt_kmd_class *class = kt_kmd_class_find(alloc->class_number);
	struct kt_kmd *kmd = call->kmd;
	struct kt_kmd_object *object;
	uint32_t status;
	uint32_t handle = alloc->object;
	int error;

	if (!class || class->number == KT_ABI_CLASS_OS_DESCRIPTOR) {
		alloc->status = KT_ABI_INVALID_CLASS;
		return 0;
	}
	/*
	 * Copies the caller's parameters. A size of 0 stands for the class's size, because
	 * libcuda passes no size.
	 */
	memset(kmd->params, 0, class->params_size);
	if (class->params_size &&
	    ((alloc->params_size && alloc->params_size != class->params_size) ||
	     (!alloc->params && class->params_needed))) {
		alloc->status = KT_ABI_INVALID_PARAM_STRUCT;
		return 0;
	}
	if (class->params_size && alloc->params) {
		error = kt_kmd_copy_in(call, kmd->params, alloc->params,
				       class->params_size);
		if (error) {
			alloc->status = KT_ABI_OK;
			return error;
		}
	}
	status = kt_kmd_object_add(kmd, class, alloc->client, alloc->parent, &handle,
				   &object);
	if (status != KT_ABI_OK) {
		alloc->status = status;
		return 0;
	}
	object->maker = call->file.number;
	status = class->allocate ? class->allocate(kmd, object, kmd->params) : KT_ABI_OK;
	if (status != KT_ABI_OK) {
		drop_object(kmd, object);
	} else if (class->params_size && alloc->params) {
		error = kt_kmd_copy_out(call, alloc->params, kmd->params,
					class->params_size);
		if (error) {
			kt_kmd_object_free(kmd, object);
			return error;
		}
	}
	alloc->object = handle;
	if (class->number == KT_ABI_CLASS_CLIENT) {
		alloc->client = handle;
		alloc->parent = handle;
	}
	alloc->status = status;
	return 0;
}

/*
 * The older form of struct kt_abi_alloc, without the member `rights`. NVIDIA's releases up
 * to 530 use the older form, and later releases accept it.
 */
struct short_alloc { /* NVOS21 */
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t class_number;
	uint64_t params;
	uint32_t params_size;
	uint32_t status;
};

int kt_kmd_allocate(struct kt_kmd_call *call, void *data)
{
	struct short_alloc *s = data;
	struct kt_abi_alloc alloc = {0};
	int error;

	if (call->size == sizeof(alloc)) {
		return allocate(call, data);
	}
	if (call->size != sizeof(*s)) {
		return -EINVAL;
	}
	alloc.client = s->client;
	alloc.parent = s->parent;
	alloc.object = s->object;
	alloc.class_number = s->class_number;
	alloc.params = s->params;
	alloc.params_size = s->params_size;
	error = allocate(call, &alloc);
	s->client = alloc.client;
	s->parent = alloc.parent;
	s->object = alloc.object;
	s->status = alloc.status;
	return error;
}

int kt_kmd_free(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_free *request = data;
	struct kt_kmd_object *object =
		kt_kmd_object_find(call->kmd, request->client, request->object);

	if (!kt_kmd_object_find(call->kmd, request->client, request->client)) {
		request->status = KT_ABI_INVALID_CLIENT;
	} else {
		if (object) {
			kt_kmd_object_free(call->kmd, object);
		}
		request->status = KT_ABI_OK; /* as NVIDIA's module, also if there is none */
	}
	return 0;
}

/* --- end of a file and of the process: called only in a kernel module --- */

static void free_clients(struct kt_kmd *kmd, bool any, uint64_t maker)
{
	for (size_t i = 0; i < KT_KMD_BUCKETS;) {
		struct kt_kmd_object *o = kmd->buckets[i];

		while (o && (o->parent || (!any && o->maker != maker))) {
			o = o->next_in_bucket;
		}
		if (o) {
			kt_kmd_object_free(kmd, o);
		} else {
			i++;
		}
	}
}

void kt_kmd_end_file(struct kt_kmd *kmd, uint64_t number)
{
	free_clients(kmd, false, number);
}

void kt_kmd_end(struct kt_kmd *kmd)
{
	kt_kmd_end_uvm(kmd);
	free_clients(kmd, true, 0);
}
