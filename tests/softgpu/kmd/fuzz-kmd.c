/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a sequence of ioctls and mmaps of the device files, with handles that often
 * name existing objects. No input may cause a crash, and at the end freeing the client must
 * free all its objects.
 *
 * Input: steps, each of one byte that selects the action and then the bytes of its struct.
 * Fields that must be right for a call to have an effect are usually corrected.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus/softgpu/kmd/kmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE UINT64_C(0x300000000)

struct input {
	const uint8_t *data;
	size_t left;
};

static uint8_t byte(struct input *in)
{
	return in->left ? (in->left--, *in->data++) : 0;
}

static void fill(struct input *in, void *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memset(to, 0, n);
	memcpy(to, in->data, have);
	in->data += have;
	in->left -= have;
}

/* Returns one of a few handles, so that later steps use the objects of earlier steps. */
static uint32_t handle(struct input *in)
{
	return byte(in) % 24 + 1;
}

static struct {
	int control;
	int gpu;
	int uvm;
	uint32_t client;
	uint8_t uuid[KT_ABI_UUID_SIZE];
} files;

static int rm(unsigned nr, void *data, size_t size)
{
	return kt_kmd_ioctl(files.control, _IOC(_IOC_READ | _IOC_WRITE, 'F', nr, size),
			    (uintptr_t)data);
}

static void allocate(struct input *in)
{
	static const uint16_t classes[] = {0x3e,   0x40,   0x80,   0x2080, 0x9067, 0x90f1,
					   0xa06c, 0xc661, 0xc86f, 0xc8b5, 0xcbc0, 0x41};
	union {
		uint8_t bytes[512];
		struct kt_abi_memory_params memory;
		struct kt_abi_channel_params channel;
		struct kt_abi_channel_group_params group;
	} params;
	struct kt_abi_alloc a = {.client = files.client, .params = (uintptr_t)&params};

	a.class_number = classes[byte(in) % (sizeof(classes) / sizeof(classes[0]))];
	a.parent = byte(in) % 4 ? handle(in) : files.client;
	a.object = handle(in);
	memset(&params, 0, sizeof(params));
	if (a.class_number == KT_ABI_CLASS_CHANNEL) {
		params.channel.gpfifo_address = BASE + byte(in) * 8u;
		params.channel.gpfifo_entries = 1u << byte(in) % 8;
		params.channel.userd_memory[0] = handle(in);
		params.channel.userd_offset[0] = byte(in) * 256u;
		params.channel.error_memory = byte(in) % 2 ? handle(in) : 0;
		params.channel.context_share = byte(in) % 2 ? handle(in) : 0;
		params.channel.address_space = byte(in) % 2 ? handle(in) : 0;
	} else if (a.class_number == KT_ABI_CLASS_MEMORY_LOCAL ||
		   a.class_number == KT_ABI_CLASS_MEMORY_SYSTEM) {
		params.memory.size = byte(in) * 2048u;
		params.memory.alignment = byte(in) % 8 ? 0 : byte(in);
	} else if (byte(in) % 2) {
		params.group.address_space = handle(in);
	}
	rm(KT_ABI_NR_ALLOC, &a, sizeof(a));
}

static void map_and_touch(struct input *in)
{
	struct kt_abi_map m = {.client = files.client};
	bool gpu = byte(in) % 2;
	long at;

	m.device = handle(in);
	m.memory = handle(in);
	m.offset = byte(in) * 2048u;
	m.length = byte(in) * 2048u;
	m.fd = kt_kmd_open(gpu ? KT_KMD_GPU : KT_KMD_CONTROL, 0);
	rm(KT_ABI_NR_MAP_MEMORY, &m, sizeof(m));
	at = kt_kmd_mmap(m.fd, 0, m.length, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	if (at > 0) {
		if (m.status != KT_ABI_OK) {
			__builtin_trap();
		}
		((volatile uint8_t *)at)[0] = byte(in);
		((volatile uint8_t *)at)[m.length - 1] = byte(in);
		munmap((void *)at, m.length);
	}
	close(m.fd);
}

static void control(struct input *in)
{
	static const uint32_t commands[] = {
		KT_ABI_GET_ID_INFO,      KT_ABI_GET_ADDR_SPACE_TYPE,
		KT_ABI_GET_CHANNEL_LIST, KT_ABI_GET_FB_INFO,
		KT_ABI_GET_CLASS_ENGINE, KT_ABI_GET_TOKEN,
		KT_ABI_SCHEDULE,         KT_ABI_GET_NAME,
		KT_ABI_ATTACH_IDS,
	};
	static const uint32_t sizes[] = {
		sizeof(struct kt_abi_id_info),      sizeof(struct kt_abi_addr_space_type),
		sizeof(struct kt_abi_channel_list), sizeof(struct kt_abi_fb_info),
		sizeof(struct kt_abi_class_engine), 4,
		sizeof(struct kt_abi_schedule),     sizeof(struct kt_abi_name),
		sizeof(struct kt_abi_attach_ids),
	};
	uint8_t params[2048];
	size_t i = byte(in) % (sizeof(sizes) / sizeof(sizes[0]));
	struct kt_abi_control c = {.client = files.client,
				   .object = byte(in) % 3 ? handle(in) : files.client,
				   .command = commands[i],
				   .params = (uintptr_t)params,
				   .params_size = byte(in) % 8 ? sizes[i] : byte(in)};

	fill(in, params, byte(in));
	rm(KT_ABI_NR_CONTROL, &c, sizeof(c));
}

static void unified(struct input *in)
{
	static struct kt_abi_uvm_map_external m;
	struct kt_abi_uvm_register_space s = {.control_fd = files.control};
	struct kt_abi_uvm_range r;

	r.base = BASE + byte(in) * 4096u;
	r.length = byte(in) % 32 * 4096u;
	switch (byte(in) % 5) {
	case 0: kt_kmd_ioctl(files.uvm, KT_ABI_UVM_CREATE_EXTERNAL, (uintptr_t)&r); break;
	case 1: kt_kmd_ioctl(files.uvm, KT_ABI_UVM_FREE, (uintptr_t)&r); break;
	case 2:
		memcpy(s.uuid, files.uuid, sizeof(s.uuid));
		s.client = files.client;
		s.address_space = handle(in);
		kt_kmd_ioctl(files.uvm, KT_ABI_UVM_REGISTER_SPACE, (uintptr_t)&s);
		break;
	case 3:
		kt_kmd_ioctl(files.uvm, KT_ABI_UVM_UNREGISTER_SPACE,
			     (uintptr_t)files.uuid); /* the status follows it */
		break;
	default:
		memset(&m, 0, sizeof(m));
		memcpy(m.gpus[0].uuid, files.uuid, sizeof(files.uuid));
		m.base = r.base;
		m.length = r.length;
		m.offset = byte(in) % 8 * 4096u;
		m.n_gpus = 1;
		m.control_fd = files.control;
		m.client = files.client;
		m.memory = handle(in);
		kt_kmd_ioctl(files.uvm, KT_ABI_UVM_MAP_EXTERNAL, (uintptr_t)&m);
	}
}

static void anything(struct input *in)
{
	uint8_t data[512];
	unsigned nr = byte(in);
	size_t size = byte(in);

	fill(in, data, size);
	if (byte(in) % 4) {
		memcpy(data, &files.client, sizeof(files.client));
	}
	if (byte(in) % 2) {
		rm(nr, data, size);
	} else {
		kt_kmd_ioctl(files.gpu, _IOC(_IOC_READ, 'F', nr, size), (uintptr_t)data);
	}
}

static void open_client(void)
{
	struct kt_abi_alloc a = {.class_number = KT_ABI_CLASS_CLIENT};
	struct kt_abi_alloc device = {.object = 1, .class_number = KT_ABI_CLASS_DEVICE};
	struct kt_abi_share_policy policy = {
		.access = KT_ABI_ACCESS_DUPLICATE,
		.type = KT_ABI_SHARE_PID,
	};
	struct kt_abi_control share = {
		.command = KT_ABI_SET_SHARE_POLICY,
		.params = (uintptr_t)&policy,
		.params_size = sizeof(policy),
	};

	rm(KT_ABI_NR_ALLOC, &a, sizeof(a));
	files.client = a.object;
	share.client = a.object;
	share.object = a.object;
	rm(KT_ABI_NR_CONTROL, &share, sizeof(share));
	device.client = a.object;
	device.parent = a.object;
	rm(KT_ABI_NR_ALLOC, &device, sizeof(device));
}

static void open_once(void)
{
	struct kt_abi_uvm_initialize init = {0};
	struct kt_abi_uvm_register_gpu gpu = {.numa_node = -1};

	if (files.control) {
		return;
	}
	files.control = kt_kmd_open(KT_KMD_CONTROL, 0);
	files.gpu = kt_kmd_open(KT_KMD_GPU, 0);
	files.uvm = kt_kmd_open(KT_KMD_UVM, 0);
	memcpy(files.uuid, kt_kmd_get()->uuid, sizeof(files.uuid));
	memcpy(gpu.uuid, files.uuid, sizeof(gpu.uuid));
	kt_kmd_ioctl(files.uvm, KT_ABI_UVM_INITIALIZE, (uintptr_t)&init);
	kt_kmd_ioctl(files.uvm, KT_ABI_UVM_REGISTER_GPU, (uintptr_t)&gpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.data = data, .left = size};
	struct kt_abi_free f = {0};

	open_once();
	open_client();
	while (in.left) {
		switch (byte(&in) % 6) {
		case 0: allocate(&in); break;
		case 1: map_and_touch(&in); break;
		case 2: control(&in); break;
		case 3: unified(&in); break;
		case 4: anything(&in); break;
		default:
			f.client = files.client;
			f.object = handle(&in);
			rm(KT_ABI_NR_FREE, &f, sizeof(f));
		}
	}
	f.client = files.client;
	f.object = files.client;
	rm(KT_ABI_NR_FREE, &f, sizeof(f));
	while (kt_kmd_get()->n_ranges) {
		struct kt_abi_uvm_free r = {.base = *(uint64_t *)kt_kmd_get()->ranges[0]};

		kt_kmd_ioctl(files.uvm, KT_ABI_UVM_FREE, (uintptr_t)&r);
	}
	/* All memory must have been returned. */
	if (kt_gpu_memory_left(kt_kmd_get()->gpu, KT_GPU_DEVICE_MEMORY) !=
	    KT_GPU_DEVICE_BYTES) {
		__builtin_trap();
	}
	return 0;
}
