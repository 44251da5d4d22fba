/* SPDX-License-Identifier: MIT */
/*
 * RM controls: a table of the commands, each with the object class to which it applies,
 * and the functions that answer them.
 */
#include <errno.h>
#include <string.h>

#include "corpus/softgpu/kmd/objects.h"

#define NAME       "ktail software GPU"
#define NO_GPU     0xffffffffu
#define GPU_NUMBER 0 /* instance of the device and of its subdevice */

/*
 * A control in progress. `params` is the KMD's copy of the control's struct and is copied
 * back to the caller.
 */
struct control {
	struct kt_kmd_call *call;
	struct kt_kmd *kmd;
	struct kt_kmd_object *object;
	uint32_t client;
	void *params;
};

static uint32_t set_share_policy(struct control *control)
{
	const struct kt_abi_share_policy *p = control->params;

	control->object->u.closed =
		p->type != KT_ABI_SHARE_PID || !(p->access & KT_ABI_ACCESS_DUPLICATE);
	return KT_ABI_OK;
}

static uint32_t all_zero(struct control *control)
{
	struct kt_abi_control *request = (struct kt_abi_control *)control->kmd->call;

	memset(control->params, 0, request->params_size);
	return KT_ABI_OK;
}

/* --- controls of the client --- */

static void set_ids(uint32_t *ids)
{
	ids[0] = KT_ABI_GPU_ID;
	for (unsigned i = 1; i < KT_ABI_MAX_GPUS; i++) {
		ids[i] = NO_GPU;
	}
}

static uint32_t get_attached_ids(struct control *control)
{
	struct kt_abi_gpu_ids *p = control->params;

	set_ids(p->ids);
	return KT_ABI_OK;
}

static uint32_t get_probed_ids(struct control *control)
{
	struct kt_abi_probed_ids *p = control->params;

	memset(p, 0, sizeof(*p));
	set_ids(p->ids);
	memset(p->excluded, 0xff, sizeof(p->excluded));
	return KT_ABI_OK;
}

static uint32_t attach_ids(struct control *control)
{
	struct kt_abi_attach_ids *p = control->params;

	for (unsigned i = 0; i < KT_ABI_MAX_GPUS && p->ids[i] != NO_GPU; i++) {
		if (p->ids[i] != KT_ABI_GPU_ID) {
			p->failed = p->ids[i];
			return KT_ABI_INVALID_ARGUMENT;
		}
	}
	p->failed = NO_GPU;
	return KT_ABI_OK;
}

static uint32_t get_id_info(struct control *control)
{
	struct kt_abi_id_info *p = control->params;

	if (p->gpu_id != KT_ABI_GPU_ID) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	p->flags = 0;
	p->device_instance = GPU_NUMBER;
	p->subdevice_instance = GPU_NUMBER;
	p->sli_status = 0;
	p->board = 0;
	p->gpu_instance = GPU_NUMBER;
	p->numa_node = -1;
	return KT_ABI_OK;
}

static uint32_t get_addr_space_type(struct control *control)
{
	struct kt_abi_addr_space_type *p = control->params;
	const struct kt_kmd_object *o =
		kt_kmd_object_find(control->kmd, control->client, p->object);

	if (!o) {
		return KT_ABI_OBJECT_NOT_FOUND;
	}
	if (!o->class->space_type) {
		return KT_ABI_INVALID_OBJECT;
	}
	p->type = o->class->space_type;
	return KT_ABI_OK;
}

/* --- controls of the device --- */

static uint32_t get_num_subdevices(struct control *control)
{
	*(uint32_t *)control->params = 1;
	return KT_ABI_OK;
}

static uint32_t get_classes(struct control *control)
{
	static const uint32_t classes[] = {KT_ABI_CLASS_CHANNEL_GROUP,
					   KT_ABI_CLASS_USERMODE, KT_ABI_CLASS_CHANNEL,
					   KT_ABI_CLASS_COPY, KT_ABI_CLASS_COMPUTE};
	struct kt_abi_class_list *p = control->params;

	memset(p, 0, sizeof(*p));
	p->n = sizeof(classes) / sizeof(classes[0]);
	memcpy(p->classes, classes, sizeof(classes));
	return KT_ABI_OK;
}

/*
 * This is the only control with pointers in its struct. For a bad pointer, the status in
 * the ioctl's struct is an error, but the ioctl itself returns 0.
 */
static uint32_t get_channel_list(struct control *control)
{
	struct kt_abi_channel_list *p = control->params;
	uint32_t handles[64];

	if (p->n == 0 || p->n > sizeof(handles) / sizeof(handles[0])) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	if (kt_kmd_copy_in(control->call, handles, p->handles, p->n * sizeof(*handles))) {
		return KT_ABI_INVALID_ADDRESS;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const struct kt_kmd_object *o = kt_kmd_object_of_class(
			control->kmd, control->client, handles[i], KT_ABI_CLASS_CHANNEL);

		if (!o) {
			return KT_ABI_INVALID_CHANNEL;
		}
		handles[i] = o->u.channel.token & 0xffff;
	}
	return kt_kmd_copy_out(control->call, p->channels, handles, p->n * sizeof(*handles))
		       ? KT_ABI_INVALID_ADDRESS
		       : KT_ABI_OK;
}

/* --- controls of the subdevice --- */

static uint32_t get_name(struct control *control)
{
	struct kt_abi_name *p = control->params;

	if (p->flags != 0) {
		return KT_ABI_NOT_SUPPORTED;
	}
	memset(p->text, 0, sizeof(p->text));
	memcpy(p->text, NAME, sizeof(NAME));
	return KT_ABI_OK;
}

static uint32_t get_short_name(struct control *control)
{
	static const char name[64] = "softgpu";

	memcpy(control->params, name, sizeof(name));
	return KT_ABI_OK;
}

static uint32_t get_gid(struct control *control)
{
	struct kt_abi_gid *p = control->params;

	memset(p->data, 0, sizeof(p->data));
	memcpy(p->data, control->kmd->uuid, KT_ABI_UUID_SIZE);
	p->length = KT_ABI_UUID_SIZE;
	return KT_ABI_OK;
}

static uint32_t get_engines(struct control *control)
{
	struct kt_abi_engines *p = control->params;

	memset(p, 0, sizeof(*p));
	p->engines[p->n++] = KT_ABI_ENGINE_GRAPHICS;
	for (uint32_t i = 0; i < KT_KMD_COPY_ENGINES; i++) {
		p->engines[p->n++] = KT_ABI_ENGINE_COPY0 + i;
	}
	return KT_ABI_OK;
}

static uint32_t get_copy_caps(struct control *control)
{
	struct kt_abi_copy_caps *p = control->params;

	memset(p, 0, sizeof(*p));
	for (uint32_t i = 0; i < KT_KMD_COPY_ENGINES; i++) {
		p->present |= UINT64_C(1) << i;
		p->caps[i][0] = KT_ABI_COPY_GRCE;
	}
	return KT_ABI_OK;
}

static uint32_t get_ctx_buffer_size(struct control *control)
{
	struct kt_abi_ctx_buffer_size *p = control->params;

	if (!kt_kmd_object_of_class(control->kmd, control->client, p->channel,
				    KT_ABI_CLASS_CHANNEL)) {
		return KT_ABI_INVALID_CHANNEL;
	}
	p->bytes = KT_KMD_ENGINE_STATE_BYTES;
	return KT_ABI_OK;
}

static uint32_t get_fb_info(struct control *control)
{
	struct kt_abi_fb_info *p = control->params;

	if (p->n > sizeof(p->list) / sizeof(p->list[0])) {
		return KT_ABI_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		switch (p->list[i].index) {
		case KT_ABI_FB_INFO_TOTAL_KIB:
			p->list[i].data = (uint32_t)(KT_GPU_DEVICE_BYTES >> 10);
			break;
		case KT_ABI_FB_INFO_FREE_KIB:
			p->list[i].data =
				(uint32_t)(kt_gpu_memory_left(control->kmd->gpu,
							      KT_GPU_DEVICE_MEMORY) >>
					   10);
			break;
		default: p->list[i].data = 0;
		}
	}
	return KT_ABI_OK;
}

static uint32_t get_arch(struct control *control)
{
	struct kt_abi_arch *p = control->params;

	memset(p, 0, sizeof(*p));
	p->architecture = KT_ABI_ARCH_HOPPER;
	p->implementation = KT_ABI_IMPLEMENTATION_MODEL;
	return KT_ABI_OK;
}

/* --- controls of a channel or a channel group --- */

static uint32_t get_class_engine(struct control *control)
{
	struct kt_abi_class_engine *p = control->params;
	const struct kt_kmd_object *o =
		kt_kmd_object_find(control->kmd, control->client, p->object);

	if (!o || o->parent != control->object) {
		return KT_ABI_INVALID_OBJECT_HANDLE;
	}
	p->class_number = o->class->number;
	p->class_engine = o->class->number << 16 | o->class->number;
	p->engine = o->u.engine;
	return KT_ABI_OK;
}

static uint32_t get_token(struct control *control)
{
	*(uint32_t *)control->params = control->object->u.channel.token;
	return KT_ABI_OK;
}

static uint32_t schedule(struct control *control)
{
	const struct kt_abi_schedule *p = control->params;

	kt_kmd_group_schedule(control->object, p->enable != 0);
	return KT_ABI_OK;
}

/* --- the table --- */

static const struct {
	uint32_t command;
	uint32_t size;         /* size of the command's struct */
	uint32_t class_number; /* class of the target object */
	uint32_t (*answer)(struct control *control);
} controls[] = {
#define ROW(command, size, class, answer)                                                  \
	{                                                                                  \
		KT_ABI_##command, size, KT_ABI_CLASS_##class, answer                       \
	}
	ROW(GET_BUILD_VERSION, 40, CLIENT, all_zero),
	ROW(GET_FEATURES, 4, CLIENT, all_zero),
	ROW(GET_ATTACHED_IDS, sizeof(struct kt_abi_gpu_ids), CLIENT, get_attached_ids),
	ROW(GET_ID_INFO, sizeof(struct kt_abi_id_info), CLIENT, get_id_info),
	ROW(GET_PROBED_IDS, sizeof(struct kt_abi_probed_ids), CLIENT, get_probed_ids),
	ROW(ATTACH_IDS, sizeof(struct kt_abi_attach_ids), CLIENT, attach_ids),
	ROW(GET_ADDR_SPACE_TYPE, sizeof(struct kt_abi_addr_space_type), CLIENT,
	    get_addr_space_type),
	ROW(SET_SHARE_POLICY, sizeof(struct kt_abi_share_policy), CLIENT, set_share_policy),
	ROW(GET_NUM_SUBDEVICES, 4, DEVICE, get_num_subdevices),
	ROW(GET_CLASSES, sizeof(struct kt_abi_class_list), DEVICE, get_classes),
	ROW(GET_CHANNEL_LIST, sizeof(struct kt_abi_channel_list), DEVICE, get_channel_list),
	ROW(GET_NAME, sizeof(struct kt_abi_name), SUBDEVICE, get_name),
	ROW(GET_SHORT_NAME, 64, SUBDEVICE, get_short_name),
	ROW(GET_GID, sizeof(struct kt_abi_gid), SUBDEVICE, get_gid),
	ROW(GET_ENGINES, sizeof(struct kt_abi_engines), SUBDEVICE, get_engines),
	ROW(GET_CTX_BUFFER_SIZE, sizeof(struct kt_abi_ctx_buffer_size), SUBDEVICE,
	    get_ctx_buffer_size),
	ROW(GET_FB_INFO, sizeof(struct kt_abi_fb_info), SUBDEVICE, get_fb_info),
	ROW(GET_ARCH, sizeof(struct kt_abi_arch), SUBDEVICE, get_arch),
	ROW(GET_COPY_CAPS, sizeof(struct kt_abi_copy_caps), SUBDEVICE, get_copy_caps),
	ROW(GET_CLASS_ENGINE, sizeof(struct kt_abi_class_engine), CHANNEL,
	    get_class_engine),
	ROW(GET_TOKEN, 4, CHANNEL, get_token),
	ROW(SCHEDULE, sizeof(struct kt_abi_schedule), CHANNEL_GROUP, schedule),
#undef ROW
};

int kt_kmd_control(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_control *request = data;
	struct control control = {
		.call = call,
		.kmd = call->kmd,
		.object = kt_kmd_object_find(call->kmd, request->client, request->object),
		.client = request->client,
		.params = call->kmd->params,
	};
	size_t n = sizeof(controls) / sizeof(controls[0]);
	uint32_t status = KT_ABI_OK;
	size_t i = 0;
	int error;

	while (i < n && controls[i].command != request->command) {
		i++;
	}
	if (!kt_kmd_object_find(call->kmd, request->client, request->client)) {
		status = KT_ABI_INVALID_CLIENT;
	} else if (!control.object) {
		status = KT_ABI_OBJECT_NOT_FOUND;
	} else if (i == n) {
		status = KT_ABI_NOT_SUPPORTED;
	} else if (controls[i].class_number != control.object->class->number) {
		status = KT_ABI_NOT_SUPPORTED;
	} else if (controls[i].size != request->params_size) {
		status = KT_ABI_INVALID_ARGUMENT;
	}
	if (status != KT_ABI_OK) {
		request->status = status;
		return 0;
	}
	error = kt_kmd_copy_in(call, control.params, request->params, request->params_size);
	if (error) {
		return error;
	}
	request->status = controls[i].answer(&control);
	return kt_kmd_copy_out(call, request->params, control.params, request->params_size);
}
