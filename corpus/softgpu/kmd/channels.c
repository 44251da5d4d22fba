/* SPDX-License-Identifier: MIT */
/* Channel groups, context shares, channels, and the engine objects below a channel. */
#include "corpus/softgpu/kmd/objects.h"

#define USERD_BYTES 512u /* size of a channel's USERD */

static bool names_space(const struct kt_kmd *kmd, uint32_t client, uint32_t handle)
{
	return handle == 0 ||
	       kt_kmd_object_of_class(kmd, client, handle, KT_ABI_CLASS_ADDRESS_SPACE);
}

uint32_t kt_kmd_group_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
			       void *params)
{
	const struct kt_abi_channel_group_params *p = params;

	if (!names_space(kmd, object->client, p->address_space)) {
		return KT_ABI_OBJECT_NOT_FOUND;
	}
	object->u.space_handle = p->address_space;
	return KT_ABI_OK;
}

uint32_t kt_kmd_share_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
			       void *params)
{
	const struct kt_abi_context_share_params *p = params;

	if (!p->address_space) {
		return KT_ABI_INVALID_STATE;
	}
	if (!names_space(kmd, object->client, p->address_space)) {
		return KT_ABI_INVALID_OBJECT_HANDLE;
	}
	object->u.space_handle = p->address_space;
	return KT_ABI_OK;
}

/* Finds physical memory for a channel: `bytes` at `offset` in a memory object. */
static uint32_t find_block(const struct kt_kmd *kmd, uint32_t client, uint32_t handle,
			   uint64_t offset, uint64_t bytes, struct kt_kmd_block **block,
			   uint64_t *physical)
{
	const struct kt_kmd_object *memory = kt_kmd_object_memory(kmd, client, handle);

	if (!memory || !memory->u.memory.block) {
		return KT_ABI_INVALID_OBJECT_HANDLE;
	}
	if (offset % bytes || offset > memory->u.memory.bytes - bytes) {
		return KT_ABI_INVALID_OFFSET;
	}
	*block = memory->u.memory.block;
	*physical = memory->u.memory.block->physical + offset;
	return KT_ABI_OK;
}

uint32_t kt_kmd_channel_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				 void *params)
{
	const struct kt_abi_channel_params *p = params;
	struct kt_kmd_channel *channel = &object->u.channel;
	struct kt_gpu_channel_options options = {
		.gpfifo_address = p->gpfifo_address,
		.gpfifo_entries = p->gpfifo_entries,
		.notifier_physical = UINT64_MAX,
	};
	const struct kt_kmd_object *share;
	const struct kt_kmd_object *space;
	uint32_t handle = p->address_space;
	uint32_t status;

	/*
	 * Finds the address space: that of the channel, else that of the context share,
	 * else that of the channel group.
	 */
	if (p->context_share) {
		share = kt_kmd_object_of_class(kmd, object->client, p->context_share,
					       KT_ABI_CLASS_CONTEXT_SHARE);
		if (!share || share->parent != object->parent) {
			return KT_ABI_INVALID_OBJECT_HANDLE;
		}
		handle = handle ? handle : share->u.space_handle;
	}
	handle = handle ? handle : object->parent->u.space_handle;
	space = kt_kmd_object_of_class(kmd, object->client, handle,
				       KT_ABI_CLASS_ADDRESS_SPACE);
	if (!space) {
		return KT_ABI_INVALID_OBJECT_HANDLE;
	}
	options.space = space->u.space;
	status = find_block(kmd, object->client, p->userd_memory[0], p->userd_offset[0],
			    USERD_BYTES, &channel->userd, &options.userd_physical);
	if (status == KT_ABI_OK && p->error_memory) {
		status = find_block(kmd, object->client, p->error_memory, 0,
				    sizeof(struct kt_abi_notification), &channel->notifier,
				    &options.notifier_physical);
	}
	if (status == KT_ABI_OK &&
	    (p->gpfifo_entries == 0 || (p->gpfifo_entries & (p->gpfifo_entries - 1)))) {
		status = KT_ABI_INVALID_ARGUMENT;
	}
	if (status == KT_ABI_OK) {
		status = kt_kmd_status(kt_gpu_channel_create(
			kmd->gpu, &options, &channel->channel, &channel->token));
	}
	if (status != KT_ABI_OK) {
		return status;
	}
	kt_kmd_block_hold(channel->userd);
	if (channel->notifier) {
		kt_kmd_block_hold(channel->notifier);
	}
	kt_gpu_channel_enable(channel->channel, object->parent->scheduled);
	return KT_ABI_OK;
}

void kt_kmd_channel_release(struct kt_kmd *kmd, struct kt_kmd_object *object)
{
	kt_gpu_channel_free(object->u.channel.channel);
	kt_kmd_block_drop(kmd, object->u.channel.userd);
	kt_kmd_block_drop(kmd, object->u.channel.notifier);
}

uint32_t kt_kmd_engine_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params)
{
	const struct kt_abi_copy_params *copy = params;
	uint32_t first; /* engine that the parameters number from */

	(void)kmd;
	object->u.engine = KT_ABI_ENGINE_GRAPHICS;
	if (object->class->number == KT_ABI_CLASS_COPY) {
		first = copy->version == 0 ? 0 : KT_ABI_ENGINE_COPY0;
		if (copy->version > 1 || copy->engine < first ||
		    copy->engine - first >= KT_KMD_COPY_ENGINES) {
			return KT_ABI_INVALID_ARGUMENT;
		}
		object->u.engine = KT_ABI_ENGINE_COPY0 + copy->engine - first;
	}
	return kt_kmd_status(kt_gpu_channel_allow(object->parent->u.channel.channel,
						  object->class->number));
}

void kt_kmd_group_schedule(struct kt_kmd_object *group, bool enable)
{
	group->scheduled = enable;
	for (struct kt_kmd_object *o = group->children; o; o = o->older) {
		if (o->class->number == KT_ABI_CLASS_CHANNEL) {
			kt_gpu_channel_enable(o->u.channel.channel, enable);
		}
	}
}
