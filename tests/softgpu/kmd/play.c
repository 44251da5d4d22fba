/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/softgpu/kmd/play.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/bits.h"
#include "decode/gpfifo.h"
#include "decode/method-names.h"
#include "decode/method-stream.h"

#define PUSH_BYTES  65536u /* of each channel, in `push` */
#define USERD_START 32768u /* offset in `ring`, after the rings */

#define NEED(condition)                                                                    \
	do {                                                                               \
		if (!(condition)) {                                                        \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,         \
				#condition);                                               \
			return false;                                                      \
		}                                                                          \
	} while (0)

/* --- single requests --- */

int play_rm(int fd, unsigned nr, void *data, size_t size)
{
	return ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'F', nr, size), data);
}

uint32_t play_alloc(const struct play *p, uint32_t parent, uint32_t object,
		    uint32_t class_number, void *params, uint32_t size)
{
	struct kt_abi_alloc a = {.client = p->client,
				 .parent = parent,
				 .object = object,
				 .class_number = class_number,
				 .params = (uintptr_t)params,
				 .params_size = size};

	return play_rm(p->control, KT_ABI_NR_ALLOC, &a, sizeof(a)) ? PLAY_FAILED : a.status;
}

uint32_t play_free(const struct play *p, uint32_t object)
{
	struct kt_abi_free f = {.client = p->client, .parent = p->client, .object = object};

	return play_rm(p->control, KT_ABI_NR_FREE, &f, sizeof(f)) ? PLAY_FAILED : f.status;
}

uint32_t play_control(const struct play *p, uint32_t object, uint32_t command, void *params,
		      uint32_t size)
{
	struct kt_abi_control c = {.client = p->client,
				   .object = object,
				   .command = command,
				   .params = (uintptr_t)params,
				   .params_size = size};

	return play_rm(p->control, KT_ABI_NR_CONTROL, &c, sizeof(c)) ? PLAY_FAILED
								     : c.status;
}

bool play_is_absent(const struct play *p, uint32_t object)
{
	uint32_t token;

	return play_control(p, object, KT_ABI_GET_TOKEN, &token, sizeof(token)) ==
	       KT_ABI_OBJECT_NOT_FOUND;
}

uint32_t play_map(const struct play *p, const char *file, uint32_t device, uint32_t memory,
		  uint64_t offset, uint64_t length, int *fd)
{
	struct kt_abi_map m = {.client = p->client,
			       .device = device,
			       .memory = memory,
			       .offset = offset,
			       .length = length};

	*fd = open(file, O_RDWR | O_CLOEXEC);
	m.fd = *fd;
	if (play_rm(p->control, KT_ABI_NR_MAP_MEMORY, &m, sizeof(m)) != 0) {
		return PLAY_FAILED;
	}
	return m.status;
}

uint32_t play_unmap(const struct play *p, uint32_t memory, volatile void *cpu)
{
	struct kt_abi_unmap u = {.client = p->client,
				 .device = p->device,
				 .memory = memory,
				 .address = (uintptr_t)cpu};

	return play_rm(p->control, KT_ABI_NR_UNMAP_MEMORY, &u, sizeof(u)) ? PLAY_FAILED
									  : u.status;
}

uint32_t play_register(const struct play *p, uint32_t object, void *user, uint64_t bytes)
{
	struct kt_abi_alloc_memory a = {.client = p->client,
					.parent = p->device,
					.object = object,
					.class_number = KT_ABI_CLASS_OS_DESCRIPTOR,
					.address = (uintptr_t)user,
					.limit = bytes - 1,
					.fd = -1};

	return play_rm(p->control, KT_ABI_NR_ALLOC_MEMORY, &a, sizeof(a)) ? PLAY_FAILED
									  : a.status;
}

uint32_t play_create_external(const struct play *p, uint64_t base, uint64_t length)
{
	struct kt_abi_uvm_range r = {.base = base, .length = length};

	return ioctl(p->uvm, KT_ABI_UVM_CREATE_EXTERNAL, &r) ? PLAY_FAILED : r.status;
}

uint32_t play_map_external(const struct play *p, uint64_t base, uint64_t length,
			   uint32_t memory, uint64_t offset)
{
	static __thread struct kt_abi_uvm_map_external m;

	memset(&m, 0, sizeof(m));
	m.base = base;
	m.length = length;
	m.offset = offset;
	memcpy(m.gpus[0].uuid, p->uuid, sizeof(p->uuid));
	m.n_gpus = 1;
	m.control_fd = p->control;
	m.client = p->client;
	m.memory = memory;
	return ioctl(p->uvm, KT_ABI_UVM_MAP_EXTERNAL, &m) ? PLAY_FAILED : m.status;
}

uint32_t play_free_external(const struct play *p, uint64_t base, uint64_t length)
{
	struct kt_abi_uvm_free f = {.base = base, .length = length};

	return ioctl(p->uvm, KT_ABI_UVM_FREE, &f) ? PLAY_FAILED : f.status;
}

/* --- start of a process --- */

static bool open_files(struct play *p)
{
	struct kt_abi_sys_params sys = {.memblock_size = PLAY_MEMORY_BLOCK};
	static struct kt_abi_card_info cards[KT_ABI_MAX_GPUS];

	p->control = open(KT_ABI_FILE_CONTROL, O_RDWR | O_CLOEXEC);
	p->gpu = -1;
	p->uvm = -1;
	p->uvm_mm = -1;
	NEED(p->control >= 0);
	NEED(play_rm(p->control, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)) == 0);
	NEED(play_rm(p->control, KT_ABI_NR_CARD_INFO, cards, sizeof(cards)) == 0);
	NEED(cards[0].valid && cards[0].gpu_id == KT_ABI_GPU_ID && !cards[1].valid);
	return true;
}

static bool open_client(struct play *p)
{
	struct kt_abi_alloc a = {.class_number = KT_ABI_CLASS_CLIENT};
	struct kt_abi_share_policy policy = {
		.access = KT_ABI_ACCESS_DUPLICATE,
		.type = KT_ABI_SHARE_PID,
	};

	NEED(play_rm(p->control, KT_ABI_NR_ALLOC, &a, sizeof(a)) == 0 && a.status == 0);
	NEED(a.object != 0);
	p->client = a.object;
	p->next_handle = 0x5c000001;
	p->next_address = UINT64_C(0x200000000);
	NEED(play_control(p, p->client, KT_ABI_SET_SHARE_POLICY, &policy, sizeof(policy)) ==
	     0);
	return true;
}

static bool open_uvm(struct play *p)
{
	struct kt_abi_uvm_initialize init = {0};
	struct kt_abi_uvm_mm mm = {0};
	struct kt_abi_uvm_pageable pageable = {.can = 1};

	p->uvm = open(KT_ABI_FILE_UVM, O_RDWR | O_CLOEXEC);
	NEED(p->uvm >= 0);
	NEED(ioctl(p->uvm, KT_ABI_UVM_INITIALIZE, &init) == 0 && init.status == 0);
	p->uvm_mm = open(KT_ABI_FILE_UVM, O_RDWR | O_CLOEXEC);
	mm.fd = p->uvm;
	NEED(ioctl(p->uvm_mm, KT_ABI_UVM_MM_INITIALIZE, &mm) == 0 && mm.status == 0);
	NEED(ioctl(p->uvm, KT_ABI_UVM_PAGEABLE_ACCESS, &pageable) == 0);
	NEED(pageable.status == 0 && pageable.can == 0);
	return true;
}

static bool open_device(struct play *p)
{
	struct kt_abi_probed_ids probed;
	struct kt_abi_attach_ids attach;
	struct kt_abi_id_info info = {0};
	struct kt_abi_register_fd registered = {.control_fd = p->control};
	struct kt_abi_device_params device = {0};
	struct kt_abi_class_list classes;
	uint32_t subdevices = 0;

	NEED(play_control(p, p->client, KT_ABI_GET_PROBED_IDS, &probed, sizeof(probed)) ==
	     0);
	memset(&attach, 0xff, sizeof(attach));
	attach.ids[0] = probed.ids[0];
	NEED(play_control(p, p->client, KT_ABI_ATTACH_IDS, &attach, sizeof(attach)) == 0);
	info.gpu_id = probed.ids[0];
	NEED(play_control(p, p->client, KT_ABI_GET_ID_INFO, &info, sizeof(info)) == 0);
	p->gpu = open(KT_ABI_FILE_GPU, O_RDWR | O_CLOEXEC);
	NEED(p->gpu >= 0);
	NEED(play_rm(p->gpu, KT_ABI_NR_REGISTER_FD, &registered, sizeof(registered)) == 0);
	p->device = p->next_handle++;
	NEED(play_alloc(p, p->client, p->device, KT_ABI_CLASS_DEVICE, &device,
			sizeof(device)) == 0);
	NEED(play_control(p, p->device, KT_ABI_GET_CLASSES, &classes, sizeof(classes)) ==
	     0);
	NEED(classes.n >= 5);
	NEED(play_control(p, p->device, KT_ABI_GET_NUM_SUBDEVICES, &subdevices, 4) == 0);
	NEED(subdevices == 1);
	return true;
}

static bool open_subdevice(struct play *p)
{
	struct kt_abi_subdevice_params params = {0};
	struct kt_abi_arch arch;
	struct kt_abi_fb_info fb = {.n = 1, .list = {{KT_ABI_FB_INFO_TOTAL_KIB, 0}}};
	struct kt_abi_gid gid = {0};
	struct kt_abi_engines engines;
	uint8_t caps[136];
	struct kt_abi_name name = {0};

	p->subdevice = p->next_handle++;
	NEED(play_alloc(p, p->device, p->subdevice, KT_ABI_CLASS_SUBDEVICE, &params,
			sizeof(params)) == 0);
	NEED(play_control(p, p->subdevice, KT_ABI_GET_ARCH, &arch, sizeof(arch)) == 0);
	NEED(arch.architecture == KT_ABI_ARCH_HOPPER);
	NEED(play_control(p, p->subdevice, KT_ABI_GET_FB_INFO, &fb, sizeof(fb)) == 0);
	NEED(fb.list[0].data == 4u << 20);
	NEED(play_control(p, p->subdevice, KT_ABI_GET_GID, &gid, sizeof(gid)) == 0);
	NEED(gid.length == sizeof(p->uuid));
	memcpy(p->uuid, gid.data, sizeof(p->uuid));
	NEED(play_control(p, p->subdevice, KT_ABI_GET_ENGINES, &engines, sizeof(engines)) ==
	     0);
	NEED(play_control(p, p->subdevice, KT_ABI_GET_COPY_CAPS, caps, sizeof(caps)) == 0);
	NEED(play_control(p, p->subdevice, KT_ABI_GET_NAME, &name, sizeof(name)) == 0);
	NEED(strcmp(name.text, "ktail software GPU") == 0);
	return true;
}

/*
 * Requests a mapping of the object, maps it, and reports its address to the KMD. Returns
 * NULL if a step failed.
 */
static volatile uint8_t *map_object(struct play *p, uint32_t class_number, uint32_t memory,
				    uint64_t length, uint64_t address)
{
	bool system = class_number == KT_ABI_CLASS_MEMORY_SYSTEM;
	struct kt_abi_addr_space_type type = {.object = memory};
	struct kt_abi_update_mapping update = {
		.client = p->client, .device = p->device, .memory = memory};
	void *cpu = MAP_FAILED;
	int fd = -1;

	if (play_control(p, p->client, KT_ABI_GET_ADDR_SPACE_TYPE, &type, sizeof(type)) ==
		    0 &&
	    play_map(p, system ? KT_ABI_FILE_CONTROL : KT_ABI_FILE_GPU,
		     system ? p->device : p->subdevice, memory, 0, length, &fd) == 0) {
		cpu = mmap((void *)(uintptr_t)address, length, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0); /* the address is only a hint */
	}
	close(fd);
	update.new_address = (uintptr_t)cpu;
	if (!system &&
	    play_rm(p->control, KT_ABI_NR_UPDATE_MAPPING, &update, sizeof(update)) != 0) {
		return NULL;
	}
	return cpu == MAP_FAILED ? NULL : cpu;
}

static volatile uint8_t *create_usermode(struct play *p, uint8_t bar1)
{
	struct kt_abi_usermode_params params = {.bar1 = bar1};
	uint32_t handle = p->next_handle++;

	if (play_alloc(p, p->subdevice, handle, KT_ABI_CLASS_USERMODE, &params,
		       sizeof(params)) != 0) {
		return NULL;
	}
	return map_object(p, KT_ABI_CLASS_USERMODE, handle, KT_ABI_USERMODE_BYTES, 0);
}

static bool open_space(struct play *p)
{
	struct kt_abi_uvm_register_gpu gpu = {.numa_node = -1, .control_fd = p->control};
	struct kt_abi_address_space_params params = {0};
	struct kt_abi_uvm_register_space space = {.control_fd = p->control};

	memcpy(gpu.uuid, p->uuid, sizeof(gpu.uuid));
	gpu.client = p->client;
	NEED(ioctl(p->uvm, KT_ABI_UVM_REGISTER_GPU, &gpu) == 0 && gpu.status == 0);
	p->space = p->next_handle++;
	NEED(play_alloc(p, p->device, p->space, KT_ABI_CLASS_ADDRESS_SPACE, &params,
			sizeof(params)) == 0);
	memcpy(space.uuid, p->uuid, sizeof(space.uuid));
	space.client = p->client;
	space.address_space = p->space;
	NEED(ioctl(p->uvm, KT_ABI_UVM_REGISTER_SPACE, &space) == 0 && space.status == 0);
	return true;
}

bool play_open(struct play *p)
{
	memset(p, 0, sizeof(*p));
	if (!open_files(p) || !open_client(p) || !open_uvm(p) || !open_device(p) ||
	    !open_subdevice(p)) {
		return false;
	}
	p->registers = create_usermode(p, 0);
	p->doorbell = create_usermode(p, 1);
	NEED(p->registers && p->doorbell);
	return open_space(p);
}

void play_close(struct play *p)
{
	if (p->registers) {
		munmap((void *)(uintptr_t)p->registers, KT_ABI_USERMODE_BYTES);
		munmap((void *)(uintptr_t)p->doorbell, KT_ABI_USERMODE_BYTES);
	}
	if (p->client) {
		play_free(p, p->client);
	}
	close(p->uvm_mm);
	close(p->uvm);
	close(p->gpu);
	close(p->control);
}

/* --- memory --- */

bool play_memory_create(struct play *p, struct play_memory *m, uint32_t class_number,
			uint64_t bytes, bool mapped)
{
	struct kt_abi_memory_params params = {
		.owner = p->client,
		.attr = class_number == KT_ABI_CLASS_MEMORY_SYSTEM ? KT_ABI_ATTR_PCI : 0,
		.size = bytes,
		.alignment = KT_ABI_BIG_PAGE,
	};

	memset(m, 0, sizeof(*m));
	m->handle = p->next_handle++;
	m->class_number = class_number;
	NEED(play_alloc(p, p->device, m->handle, class_number, &params, sizeof(params)) ==
	     0);
	m->bytes = params.size;
	m->address = p->next_address;
	p->next_address +=
		(m->bytes + KT_ABI_BIG_PAGE - 1) / KT_ABI_BIG_PAGE * KT_ABI_BIG_PAGE;
	if (mapped) {
		m->cpu = map_object(p, class_number, m->handle, m->bytes, m->address);
		NEED(m->cpu);
	}
	NEED(play_create_external(p, m->address, m->bytes) == 0);
	NEED(play_map_external(p, m->address, m->bytes, m->handle, 0) == 0);
	return true;
}

bool play_memory_destroy(struct play *p, struct play_memory *m)
{
	NEED(play_free_external(p, m->address, m->bytes) == 0);
	if (m->cpu) {
		NEED(play_unmap(p, m->handle, m->cpu) == 0);
		NEED(munmap((void *)(uintptr_t)m->cpu, m->bytes) == 0);
	}
	NEED(play_free(p, m->handle) == 0);
	return true;
}

/* --- channels --- */

bool play_group_create(struct play *p, uint32_t *group, uint32_t *share)
{
	struct kt_abi_channel_group_params g = {.address_space = p->space,
						.engine = KT_ABI_ENGINE_GRAPHICS};
	struct kt_abi_context_share_params s = {.address_space = p->space};

	*group = p->next_handle++;
	*share = p->next_handle++;
	NEED(play_alloc(p, p->device, *group, KT_ABI_CLASS_CHANNEL_GROUP, &g, sizeof(g)) ==
	     0);
	NEED(play_alloc(p, *group, *share, KT_ABI_CLASS_CONTEXT_SHARE, &s, sizeof(s)) == 0);
	return true;
}

static bool create_engine(struct play *p, struct play_channel *c, uint32_t class_number,
			  uint32_t *handle)
{
	struct kt_abi_class_engine engine = {0};

	*handle = p->next_handle++;
	NEED(play_alloc(p, c->handle, *handle, class_number, NULL, 0) == 0);
	engine.object = *handle;
	NEED(play_control(p, c->handle, KT_ABI_GET_CLASS_ENGINE, &engine, sizeof(engine)) ==
	     0);
	NEED(engine.class_number == class_number);
	return true;
}

static bool create_error_memory(struct play *p, struct play_channel *c)
{
	struct kt_abi_memory_params params = {
		.owner = p->client, .attr = KT_ABI_ATTR_PCI, .size = KT_ABI_PAGE};

	c->error.handle = p->next_handle++;
	c->error.bytes = KT_ABI_PAGE;
	NEED(play_alloc(p, p->device, c->error.handle, KT_ABI_CLASS_MEMORY_SYSTEM, &params,
			sizeof(params)) == 0);
	c->error.cpu =
		map_object(p, KT_ABI_CLASS_MEMORY_SYSTEM, c->error.handle, KT_ABI_PAGE, 0);
	NEED(c->error.cpu);
	return true;
}

/* Addresses at which no test maps anything. */
#define ENGINE_STATE UINT64_C(0x300000000)

static bool register_channel(struct play *p, struct play_channel *c, uint64_t state_bytes)
{
	struct kt_abi_uvm_register_channel r = {
		.control_fd = p->control,
		.base = ENGINE_STATE,
		.length = state_bytes,
	};

	memcpy(r.uuid, p->uuid, sizeof(r.uuid));
	r.client = p->client;
	r.channel = c->handle;
	NEED(ioctl(p->uvm, KT_ABI_UVM_REGISTER_CHANNEL, &r) == 0 && r.status == 0);
	return true;
}

bool play_channel_create(struct play *p, struct play_channel *c, uint32_t group,
			 uint32_t share, struct play_memory *ring, struct play_memory *push,
			 unsigned i)
{
	struct kt_abi_channel_params params = {.context_share = share};
	struct kt_abi_channel_list list = {.n = 1};
	uint32_t number = UINT32_MAX;
	struct kt_abi_ctx_buffer_size state = {0};

	memset(c, 0, sizeof(*c));
	c->ring = ring;
	c->ring_at = (uint64_t)i * PLAY_ENTRIES * KT_GPFIFO_ENTRY_BYTES;
	c->userd_at = USERD_START + (uint64_t)i * KT_USERD_BYTES;
	c->push = push;
	c->push_at = (uint64_t)i * PUSH_BYTES;
	NEED(create_error_memory(p, c));
	c->handle = p->next_handle++;
	params.error_memory = c->error.handle;
	params.gpfifo_address = ring->address + c->ring_at;
	params.gpfifo_entries = PLAY_ENTRIES;
	params.userd_memory[0] = ring->handle;
	params.userd_offset[0] = c->userd_at;
	params.engine = KT_ABI_ENGINE_GRAPHICS;
	NEED(play_alloc(p, group, c->handle, KT_ABI_CLASS_CHANNEL, &params, 0) == 0);
	list.handles = (uintptr_t)&c->handle;
	list.channels = (uintptr_t)&number;
	NEED(play_control(p, p->device, KT_ABI_GET_CHANNEL_LIST, &list, sizeof(list)) == 0);
	((volatile struct kt_abi_notification *)c->error.cpu)->status = 0;
	NEED(create_engine(p, c, KT_ABI_CLASS_COMPUTE, &c->compute));
	NEED(create_engine(p, c, KT_ABI_CLASS_COPY, &c->copy));
	NEED(play_control(p, c->handle, KT_ABI_GET_TOKEN, &c->token, 4) == 0);
	NEED((c->token & 0xffff) == number);
	state.channel = c->handle;
	NEED(play_control(p, p->subdevice, KT_ABI_GET_CTX_BUFFER_SIZE, &state,
			  sizeof(state)) == 0);
	return register_channel(p, c, state.bytes);
}

bool play_channel_destroy(struct play *p, struct play_channel *c)
{
	struct kt_abi_uvm_unregister_channel u = {.client = p->client,
						  .channel = c->handle};

	memcpy(u.uuid, p->uuid, sizeof(u.uuid));
	NEED(ioctl(p->uvm, KT_ABI_UVM_UNREGISTER_CHANNEL, &u) == 0 && u.status == 0);
	NEED(play_free(p, c->copy) == 0);
	NEED(play_free(p, c->compute) == 0);
	NEED(play_free(p, c->handle) == 0);
	NEED(play_unmap(p, c->error.handle, c->error.cpu) == 0);
	NEED(munmap((void *)(uintptr_t)c->error.cpu, c->error.bytes) == 0);
	NEED(play_free(p, c->error.handle) == 0);
	return true;
}

bool play_schedule(struct play *p, uint32_t group)
{
	struct kt_abi_schedule s = {.enable = 1};

	NEED(play_control(p, group, KT_ABI_SCHEDULE, &s, sizeof(s)) == 0);
	return true;
}

/* --- submissions --- */

void play_submit(struct play *p, struct play_channel *c, const uint32_t *words, size_t n)
{
	volatile uint32_t *push = (volatile uint32_t *)(c->push->cpu + c->push_at);
	volatile uint32_t *ring = (volatile uint32_t *)(c->ring->cpu + c->ring_at);
	volatile uint32_t *gp_put =
		(volatile uint32_t *)(c->ring->cpu + c->userd_at + KT_USERD_GP_PUT);
	const struct kt_gpfifo_entry entry = {.address = c->push->address + c->push_at,
					      .words = (uint32_t)n};
	uint32_t encoded[2];

	for (size_t i = 0; i < n; i++) {
		push[i] = words[i];
	}
	c->push_at += n * sizeof(*words);
	kt_gpfifo_encode(encoded, &entry);
	ring[2 * c->put] = encoded[0];
	ring[2 * c->put + 1] = encoded[1];
	c->put = (c->put + 1) % PLAY_ENTRIES;
	__atomic_store_n(gp_put, c->put, __ATOMIC_RELEASE);
	*(volatile uint32_t *)(p->doorbell + KT_ABI_USERMODE_DOORBELL) = c->token;
}

static size_t methods(uint32_t *words, unsigned subchannel, unsigned offset, unsigned n)
{
	const struct kt_method_header header = {.op = KT_METHOD_INCREASING,
						.count = (uint16_t)n,
						.subchannel = (uint8_t)subchannel,
						.offset = (uint16_t)offset};

	*words = kt_method_header_encode(&header);
	return 1;
}

size_t play_words(uint32_t *words, uint64_t address, uint32_t value, uint64_t semaphore,
		  uint32_t payload)
{
	size_t n = 0;

	n += methods(words + n, 1, KT_CBC0_SET_OBJECT, 1);
	words[n++] = KT_ABI_CLASS_COMPUTE;
	n += methods(words + n, 1, KT_CBC0_LINE_LENGTH_IN, 4);
	words[n++] = 4;
	words[n++] = 1;
	words[n++] = (uint32_t)(address >> 32);
	words[n++] = (uint32_t)address;
	n += methods(words + n, 1, KT_CBC0_LAUNCH_DMA, 1);
	words[n++] = kt_bits(KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT,
			     KT_CBC0_LAUNCH_DMA__DST_MEMORY_LAYOUT__PITCH);
	n += methods(words + n, 1, KT_CBC0_LOAD_INLINE_DATA, 1);
	words[n++] = value;
	n += methods(words + n, 0, KT_C86F_SEM_ADDR_LO, 5);
	words[n++] = (uint32_t)semaphore;
	words[n++] = (uint32_t)(semaphore >> 32);
	words[n++] = payload;
	words[n++] = 0;
	words[n++] = kt_bits(KT_C86F_SEM_EXECUTE__OPERATION,
			     KT_C86F_SEM_EXECUTE__OPERATION__RELEASE) |
		     kt_bits(KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP,
			     KT_C86F_SEM_EXECUTE__RELEASE_TIMESTAMP__EN);
	return n;
}

bool play_wait(struct play_channel *c, const volatile uint32_t *word, uint32_t value)
{
	const volatile struct kt_abi_notification *error =
		(const volatile void *)c->error.cpu;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
		if (error->status != 0) {
			return false;
		}
		usleep(100);
	}
	return true;
}

bool play_whole_way(void)
{
	struct play p;
	struct play_memory ring;
	struct play_memory push;
	struct play_memory data;
	struct play_channel c;
	uint32_t group;
	uint32_t share;
	bool done =
		play_open(&p) && play_group_create(&p, &group, &share) &&
		play_memory_create(&p, &ring, KT_ABI_CLASS_MEMORY_LOCAL, 65536, true) &&
		play_memory_create(&p, &push, KT_ABI_CLASS_MEMORY_SYSTEM, 65536, true) &&
		play_memory_create(&p, &data, KT_ABI_CLASS_MEMORY_SYSTEM, 65536, true) &&
		play_channel_create(&p, &c, group, share, &ring, &push, 0) &&
		play_schedule(&p, group);

	for (uint32_t i = 1; done && i <= 50; i++) {
		uint32_t words[32];
		size_t n = play_words(words, data.address + 4096, i, data.address, i);

		play_submit(&p, &c, words, n);
		done = play_wait(&c, (volatile uint32_t *)data.cpu, i) &&
		       *(volatile uint32_t *)(data.cpu + 4096) == i;
	}
	done = done && play_channel_destroy(&p, &c) && play_memory_destroy(&p, &data) &&
	       play_memory_destroy(&p, &push) && play_memory_destroy(&p, &ring);
	play_close(&p);
	return done;
}
