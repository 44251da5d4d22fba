/* SPDX-License-Identifier: MIT */
/* The classes of objects: a table. */
#include "corpus/softgpu/face/objects.h"

/* Answers of KT_ABI_GET_ADDR_SPACE_TYPE. */
enum { SPACE_SYSTEM = 2, SPACE_DEVICE = 3, SPACE_REGISTERS = 4 };

static uint32_t device_allocate(struct kt_face *face, struct kt_face_object *object,
				void *params)
{
	const struct kt_abi_device_params *p = params;

	(void)face;
	(void)object;
	return p->device_id == 0 ? KT_ABI_OK : KT_ABI_INVALID_ARGUMENT;
}

static uint32_t subdevice_allocate(struct kt_face *face, struct kt_face_object *object,
				   void *params)
{
	const struct kt_abi_subdevice_params *p = params;

	(void)face;
	(void)object;
	return p->subdevice_id == 0 ? KT_ABI_OK : KT_ABI_INVALID_ARGUMENT;
}

static uint32_t space_allocate(struct kt_face *face, struct kt_face_object *object,
			       void *params)
{
	(void)params;
	return kt_face_status(kt_gpu_space_create(face->gpu, &object->u.space));
}

static void space_release(struct kt_face *face, struct kt_face_object *object)
{
	if (face->space == object) {
		kt_face_forget_space(face);
	}
	kt_gpu_space_release(object->u.space);
}

#define DEVICE    KT_ABI_CLASS_DEVICE
#define SUBDEVICE KT_ABI_CLASS_SUBDEVICE

static const struct kt_face_class classes[] = {
	{.number = KT_ABI_CLASS_CLIENT},
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
	 .allocate = kt_face_memory_allocate,
	 .release = kt_face_memory_release},
	{.number = KT_ABI_CLASS_MEMORY_SYSTEM,
	 .parents = {DEVICE, SUBDEVICE},
	 .params_size = sizeof(struct kt_abi_memory_params),
	 .params_needed = true,
	 .space_type = SPACE_SYSTEM,
	 .allocate = kt_face_memory_allocate,
	 .release = kt_face_memory_release},
	{.number = KT_ABI_CLASS_OS_DESCRIPTOR,
	 .parents = {DEVICE, SUBDEVICE},
	 .space_type = SPACE_SYSTEM,
	 .release = kt_face_memory_release},
	{.number = KT_ABI_CLASS_CHANNEL_GROUP,
	 .parents = {DEVICE},
	 .params_size = sizeof(struct kt_abi_channel_group_params),
	 .params_needed = true,
	 .allocate = kt_face_group_allocate},
	{.number = KT_ABI_CLASS_CONTEXT_SHARE,
	 .parents = {KT_ABI_CLASS_CHANNEL_GROUP},
	 .params_size = sizeof(struct kt_abi_context_share_params),
	 .params_needed = true,
	 .allocate = kt_face_share_allocate},
	{.number = KT_ABI_CLASS_CHANNEL,
	 .parents = {KT_ABI_CLASS_CHANNEL_GROUP},
	 .params_size = sizeof(struct kt_abi_channel_params),
	 .params_needed = true,
	 .allocate = kt_face_channel_allocate,
	 .release = kt_face_channel_release},
	{.number = KT_ABI_CLASS_COPY,
	 .parents = {KT_ABI_CLASS_CHANNEL},
	 .params_size = sizeof(struct kt_abi_copy_params),
	 .allocate = kt_face_engine_allocate},
	{.number = KT_ABI_CLASS_COMPUTE,
	 .parents = {KT_ABI_CLASS_CHANNEL},
	 .params_size = sizeof(struct kt_abi_compute_params),
	 .allocate = kt_face_engine_allocate},
};

const struct kt_face_class *kt_face_class_find(uint32_t number)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].number == number) {
			return &classes[i];
		}
	}
	return NULL;
}
