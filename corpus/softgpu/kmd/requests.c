/* SPDX-License-Identifier: MIT */
/* Requests of nvidiactl and nvidia0, by number. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "corpus/softgpu/kmd/objects.h"

#define NR_XFER 0xd3 /* wraps a request whose size does not fit into the ioctl's number */

struct xfer {
	uint32_t nr;
	uint32_t size;
	uint64_t argument;
};

static int card_info(struct kt_kmd_call *call, void *data)
{
	struct kt_abi_card_info *card = data;

	if (call->size < sizeof(*card) || call->size % sizeof(*card)) {
		return -EINVAL;
	}
	memset(data, 0, call->size);
	card->valid = 1;
	card->pci.bus = 1;
	card->pci.vendor = 0x10de;
	card->pci.device = 0x2335; /* an H200 */
	card->gpu_id = KT_ABI_GPU_ID;
	card->reg_size = 0x1000000;
	card->fb_size = KT_GPU_DEVICE_BYTES;
	return 0;
}

static int register_fd(struct kt_kmd_call *call, void *data)
{
	const struct kt_abi_register_fd *request = data;
	struct kt_kmd_file file = kt_kmd_file_read(request->control_fd);

	return file.owner == call->kmd->id && file.device == KT_KMD_CONTROL ? 0 : -EINVAL;
}

static int sys_params(struct kt_kmd_call *call, void *data)
{
	const struct kt_abi_sys_params *request = data;
	struct kt_kmd *kmd = call->kmd;

	if (!kmd->memblock_size) {
		kmd->memblock_size = request->memblock_size;
	}
	return request->memblock_size == kmd->memblock_size ? 0 : -EBUSY;
}

enum { ON_CONTROL = 1, ON_GPU = 2, ON_BOTH = 3 };

static const struct {
	uint32_t nr;
	uint32_t size; /* size of the request's struct; 0: `answer` checks the size */
	unsigned files;
	int (*answer)(struct kt_kmd_call *call, void *data);
} requests[] = {
	{KT_ABI_NR_ALLOC_MEMORY, sizeof(struct kt_abi_alloc_memory), ON_BOTH,
	 kt_kmd_register_memory},
	{KT_ABI_NR_FREE, sizeof(struct kt_abi_free), ON_CONTROL, kt_kmd_free},
	{KT_ABI_NR_CONTROL, sizeof(struct kt_abi_control), ON_BOTH, kt_kmd_control},
	{KT_ABI_NR_ALLOC, 0, ON_BOTH, kt_kmd_allocate},
	{KT_ABI_NR_MAP_MEMORY, sizeof(struct kt_abi_map), ON_BOTH, kt_kmd_map},
	{KT_ABI_NR_UNMAP_MEMORY, sizeof(struct kt_abi_unmap), ON_CONTROL, kt_kmd_unmap},
	{KT_ABI_NR_UPDATE_MAPPING, sizeof(struct kt_abi_update_mapping), ON_CONTROL,
	 kt_kmd_update_mapping},
	{KT_ABI_NR_CARD_INFO, 0, ON_CONTROL, card_info},
	{KT_ABI_NR_REGISTER_FD, sizeof(struct kt_abi_register_fd), ON_GPU, register_fd},
	{KT_ABI_NR_SYS_PARAMS, sizeof(struct kt_abi_sys_params), ON_CONTROL, sys_params},
};

int kt_kmd_rm_ioctl(struct kt_kmd_call *call, unsigned long request)
{
	unsigned file = call->file.device == KT_KMD_CONTROL ? ON_CONTROL : ON_GPU;
	void *data = call->kmd->call;
	struct xfer xfer;
	int error;

	if (_IOC_TYPE(request) != KT_ABI_TYPE ||
	    _IOC_DIR(request) != (_IOC_READ | _IOC_WRITE)) {
		return -EINVAL;
	}
	call->nr = _IOC_NR(request);
	call->size = _IOC_SIZE(request);
	if (call->nr == NR_XFER) {
		if (call->size != sizeof(xfer)) {
			return -EINVAL;
		}
		error = kt_kmd_copy_in(call, &xfer, call->argument, sizeof(xfer));
		if (error) {
			return error;
		}
		call->nr = xfer.nr;
		call->size = xfer.size;
		call->argument = xfer.argument;
	}
	if (call->size > KT_KMD_COPY_MAX) {
		return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].nr != call->nr || !(requests[i].files & file)) {
			continue;
		}
		if (requests[i].size && requests[i].size != call->size) {
			return -EINVAL;
		}
		error = kt_kmd_copy_in(call, data, call->argument, call->size);
		error = error ? error : requests[i].answer(call, data);
		return error ? error
			     : kt_kmd_copy_out(call, call->argument, data, call->size);
	}
	return -EINVAL;
}
