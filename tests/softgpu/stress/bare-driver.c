/* SPDX-License-Identifier: MIT */
#include "tests/softgpu/stress/bare-driver.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Address of the first mapping; the others follow it. Ring entries hold only 40 bits of an
 * address, and the address sanitizer reserves addresses above 2 GiB.
 */
#define FIRST_ADDRESS UINT64_C(0x10000000)

/*
 * Makes a request. Ends the program if the call fails, or if `status`, a field of the
 * request's struct, is not OK; NULL: the struct has no status.
 */
static void request(int fd, unsigned nr, void *params, size_t size, const uint32_t *status)
{
	unsigned long number = _IOC(_IOC_READ | _IOC_WRITE, KT_ABI_TYPE, nr, size);

	if (ioctl(fd, number, params) != 0) {
		err(1, "request 0x%x", nr);
	}
	if (status && *status != KT_ABI_OK) {
		errx(1, "request 0x%x: status 0x%x", nr, *status);
	}
}

static void uvm_request(struct kt_bare_driver *driver, unsigned nr, void *params,
			const uint32_t *status)
{
	if (ioctl(driver->uvm, nr, params) != 0) {
		err(1, "nvidia-uvm: request 0x%x", nr);
	}
	if (*status != KT_ABI_OK) {
		errx(1, "nvidia-uvm: request 0x%x: status 0x%x", nr, *status);
	}
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		err(1, "%s", path);
	}
	return fd;
}

static uint32_t allocate(struct kt_bare_driver *driver, uint32_t parent, uint32_t class,
			 void *params, size_t size)
{
	struct kt_abi_alloc alloc = {
		.client = driver->client,
		.parent = parent,
		.object = driver->client ? driver->next_handle++ : 0,
		.class_number = class,
		.params = (uintptr_t)params,
		.params_size = (uint32_t)size,
	};

	request(driver->control, KT_ABI_NR_ALLOC, &alloc, sizeof(alloc), &alloc.status);
	return alloc.object;
}

static void control(struct kt_bare_driver *driver, uint32_t object, uint32_t command,
		    void *params, size_t size)
{
	struct kt_abi_control call = {
		.client = driver->client,
		.object = object,
		.command = command,
		.params = (uintptr_t)params,
		.params_size = (uint32_t)size,
	};

	request(driver->control, KT_ABI_NR_CONTROL, &call, sizeof(call), &call.status);
}

/* Maps an object at `where`; 0: at any address. */
static void *map(struct kt_bare_driver *driver, const char *file, uint32_t parent,
		 uint32_t object, uint64_t bytes, uint64_t where)
{
	int fd = open_file(file);
	struct kt_abi_map call = {
		.client = driver->client,
		.device = parent,
		.memory = object,
		.length = bytes,
		.fd = fd,
	};
	void *hint = (void *)(uintptr_t)where; /* NOLINT: a free address */
	void *at;

	request(driver->control, KT_ABI_NR_MAP_MEMORY, &call, sizeof(call), &call.status);
	at = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		err(1, "%s: map", file);
	}
	if (hint && at != hint) {
		errx(1, "%s: mapped at %p, not at %p", file, at, hint);
	}
	close(fd);
	return at;
}

/* The request's struct is on the heap, because it holds attributes for 256 GPUs. */
static void map_in_space(struct kt_bare_driver *driver, uint32_t handle, uint64_t address,
			 uint64_t bytes)
{
	struct kt_abi_uvm_range range = {.base = address, .length = bytes};
	struct kt_abi_uvm_map_external *external = calloc(1, sizeof(*external));

	if (!external) {
		err(1, "map");
	}
	uvm_request(driver, KT_ABI_UVM_CREATE_EXTERNAL, &range, &range.status);
	external->base = address;
	external->length = bytes;
	external->n_gpus = 1;
	memcpy(external->gpus[0].uuid, driver->uuid, sizeof(driver->uuid));
	external->control_fd = driver->control;
	external->client = driver->client;
	external->memory = handle;
	uvm_request(driver, KT_ABI_UVM_MAP_EXTERNAL, external, &external->status);
	free(external);
}

/* Creates memory whose CPU and GPU addresses are equal. */
static void create_memory(struct kt_bare_driver *driver, struct kt_bare_memory *out,
			  uint32_t class, uint64_t bytes)
{
	int local = class == KT_ABI_CLASS_MEMORY_LOCAL;
	struct kt_abi_memory_params params = {
		.owner = driver->client,
		.attr = local ? 0 : KT_ABI_ATTR_PCI,
		.size = bytes,
	};

	out->address = driver->next_address;
	driver->next_address +=
		(bytes + KT_ABI_BIG_PAGE - 1) / KT_ABI_BIG_PAGE * KT_ABI_BIG_PAGE;
	out->handle = allocate(driver, driver->device, class, &params, sizeof(params));
	out->words = map(driver, local ? KT_ABI_FILE_GPU : KT_ABI_FILE_CONTROL,
			 local ? driver->subdevice : driver->device, out->handle, bytes,
			 out->address);
	map_in_space(driver, out->handle, out->address, bytes);
}

static void open_uvm(struct kt_bare_driver *driver)
{
	struct kt_abi_gid gid = {.flags = 2};
	struct kt_abi_uvm_initialize initialize = {0};
	struct kt_abi_uvm_register_gpu gpu = {
		.control_fd = driver->control,
		.client = driver->client,
	};
	struct kt_abi_address_space_params params = {0};
	struct kt_abi_uvm_register_space space = {
		.control_fd = driver->control,
		.client = driver->client,
	};

	control(driver, driver->subdevice, KT_ABI_GET_GID, &gid, sizeof(gid));
	memcpy(driver->uuid, gid.data, sizeof(driver->uuid));
	driver->uvm = open_file(KT_ABI_FILE_UVM);
	uvm_request(driver, KT_ABI_UVM_INITIALIZE, &initialize, &initialize.status);
	memcpy(gpu.uuid, driver->uuid, sizeof(gpu.uuid));
	uvm_request(driver, KT_ABI_UVM_REGISTER_GPU, &gpu, &gpu.status);
	driver->space = allocate(driver, driver->device, KT_ABI_CLASS_ADDRESS_SPACE,
				 &params, sizeof(params));
	memcpy(space.uuid, driver->uuid, sizeof(space.uuid));
	space.address_space = driver->space;
	uvm_request(driver, KT_ABI_UVM_REGISTER_SPACE, &space, &space.status);
}

static void open_doorbell(struct kt_bare_driver *driver)
{
	struct kt_abi_usermode_params params = {.bar1 = 1};
	uint32_t usermode = allocate(driver, driver->subdevice, KT_ABI_CLASS_USERMODE,
				     &params, sizeof(params));
	uint8_t *page = map(driver, KT_ABI_FILE_GPU, driver->subdevice, usermode,
			    KT_ABI_USERMODE_BYTES, 0);

	driver->doorbell = (volatile uint32_t *)(page + KT_ABI_USERMODE_DOORBELL);
}

void kt_bare_open(struct kt_bare_driver *driver)
{
	struct kt_abi_register_fd fd;
	struct kt_abi_attach_ids ids = {.ids = {KT_ABI_GPU_ID, UINT32_MAX}};
	struct kt_abi_share_policy policy = {
		.access = KT_ABI_ACCESS_DUPLICATE,
		.type = KT_ABI_SHARE_PID,
	};
	struct kt_abi_device_params device = {0};
	struct kt_abi_subdevice_params subdevice = {0};

	memset(driver, 0, sizeof(*driver));
	driver->next_handle = 0x5c000001;
	driver->next_address = FIRST_ADDRESS;
	driver->control = open_file(KT_ABI_FILE_CONTROL);
	driver->client = allocate(driver, 0, KT_ABI_CLASS_CLIENT, NULL, 0);
	control(driver, driver->client, KT_ABI_SET_SHARE_POLICY, &policy, sizeof(policy));
	control(driver, driver->client, KT_ABI_ATTACH_IDS, &ids, sizeof(ids));
	driver->gpu = open_file(KT_ABI_FILE_GPU);
	fd.control_fd = driver->control;
	request(driver->gpu, KT_ABI_NR_REGISTER_FD, &fd, sizeof(fd), NULL);
	device.client_share = driver->client;
	driver->device = allocate(driver, driver->client, KT_ABI_CLASS_DEVICE, &device,
				  sizeof(device));
	driver->subdevice = allocate(driver, driver->device, KT_ABI_CLASS_SUBDEVICE,
				     &subdevice, sizeof(subdevice));
	open_uvm(driver);
	open_doorbell(driver);
}

static void create_group(struct kt_bare_driver *driver)
{
	struct kt_abi_channel_group_params group = {
		.address_space = driver->space,
		.engine = KT_ABI_ENGINE_GRAPHICS,
	};
	struct kt_abi_context_share_params share = {.address_space = driver->space};

	driver->group = allocate(driver, driver->device, KT_ABI_CLASS_CHANNEL_GROUP, &group,
				 sizeof(group));
	driver->share = allocate(driver, driver->group, KT_ABI_CLASS_CONTEXT_SHARE, &share,
				 sizeof(share));
}

/*
 * Memory that all channels share: rings and USERDs are device memory, the rest is system
 * memory.
 */
struct layout {
	struct kt_bare_memory rings;
	struct kt_bare_memory userds;
	struct kt_bare_memory pushbuffers;
	struct kt_bare_memory semaphores;
};

enum {
	RING_BYTES = KT_BARE_ENTRIES * 8,
	USERD_BYTES = 512,
	PUSHBUFFER_BYTES = KT_BARE_ENTRIES * KT_BARE_SLOT_WORDS * 4,
	SEMAPHORE_BYTES = 16,
};

static void create_channel(struct kt_bare_driver *driver, const struct layout *layout,
			   struct kt_bare_channel *out, unsigned i)
{
	struct kt_bare_memory errors;
	struct kt_abi_channel_params params = {
		.gpfifo_address = layout->rings.address + (uint64_t)i * RING_BYTES,
		.gpfifo_entries = KT_BARE_ENTRIES,
		.context_share = driver->share,
		.userd_memory = {layout->userds.handle},
		.userd_offset = {(uint64_t)i * USERD_BYTES},
		.engine = KT_ABI_ENGINE_GRAPHICS,
	};

	memset(out, 0, sizeof(*out));
	create_memory(driver, &errors, KT_ABI_CLASS_MEMORY_SYSTEM, KT_ABI_PAGE);
	params.error_memory = errors.handle;
	out->handle = allocate(driver, driver->group, KT_ABI_CLASS_CHANNEL, &params,
			       sizeof(params));
	control(driver, out->handle, KT_ABI_GET_TOKEN, &out->token, sizeof(out->token));
	out->notifier = (volatile struct kt_abi_notification *)errors.words;
	out->ring = layout->rings.words + i * RING_BYTES / 4;
	out->userd = layout->userds.words + i * USERD_BYTES / 4;
	out->pushbuffer = layout->pushbuffers.words + i * PUSHBUFFER_BYTES / 4;
	out->semaphore = layout->semaphores.words + i * SEMAPHORE_BYTES / 4;
}

void kt_bare_channels(struct kt_bare_driver *driver, struct kt_bare_channel *channels,
		      unsigned n)
{
	struct layout layout;
	struct kt_abi_schedule schedule = {.enable = 1};
	uint64_t all = n;

	create_group(driver);
	create_memory(driver, &layout.rings, KT_ABI_CLASS_MEMORY_LOCAL, all * RING_BYTES);
	create_memory(driver, &layout.userds, KT_ABI_CLASS_MEMORY_LOCAL, all * USERD_BYTES);
	create_memory(driver, &layout.pushbuffers, KT_ABI_CLASS_MEMORY_SYSTEM,
		      all * PUSHBUFFER_BYTES);
	create_memory(driver, &layout.semaphores, KT_ABI_CLASS_MEMORY_SYSTEM, KT_ABI_PAGE);
	for (unsigned i = 0; i < n; i++) {
		create_channel(driver, &layout, &channels[i], i);
	}
	control(driver, driver->group, KT_ABI_SCHEDULE, &schedule, sizeof(schedule));
}

void kt_bare_close(struct kt_bare_driver *driver)
{
	struct kt_abi_free call = {
		.client = driver->client, .parent = 0, .object = driver->client};

	request(driver->control, KT_ABI_NR_FREE, &call, sizeof(call), &call.status);
	close(driver->uvm);
	close(driver->gpu);
	close(driver->control);
}
