/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/rm.h"

/* First object handle, as in NVIDIA's driver. */
#define FIRST_HANDLE 0x5c000001u

static struct kt_driver opened;
static struct kt_driver *driver; /* NULL: not opened yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct kt_driver *kt_driver_get(void)
{
	struct kt_driver *d = __atomic_load_n(&driver, __ATOMIC_ACQUIRE);

	return d && d->pid == getpid() ? d : NULL;
}

bool kt_driver_is_parents(void)
{
	const struct kt_driver *d = __atomic_load_n(&driver, __ATOMIC_ACQUIRE);

	return d && d->pid != getpid();
}

/* --- settings --- */

/* Parses KTAIL_SOFTGPU_SEED: "doorbell:N" or "submission:N". */
static int read_seed(struct kt_driver *d)
{
	const char *text = getenv("KTAIL_SOFTGPU_SEED");
	const char *number = text ? strchr(text, ':') : NULL;
	char *end;

	d->seed = KT_SEED_NONE;
	if (!text || !*text) {
		return KT_CU_OK;
	}
	d->seed = strncmp(text, "doorbell:", 9) == 0      ? KT_SEED_DOORBELL
		  : strncmp(text, "submission:", 11) == 0 ? KT_SEED_SUBMISSION
							  : KT_SEED_NONE;
	d->seed_at = number ? strtoul(number + 1, &end, 10) : 0;
	return d->seed != KT_SEED_NONE && d->seed_at > 0 && !*end ? KT_CU_OK
								  : KT_CU_INVALID_VALUE;
}

static int read_settings(struct kt_driver *d)
{
	static const char *const names[] = {
		[KT_TRANSFER_DMA] = "dma",       [KT_TRANSFER_MAPPED] = "mapped",
		[KT_TRANSFER_WINDOW] = "window", [KT_TRANSFER_CHUNK1] = "chunk1",
		[KT_TRANSFER_CHUNK4] = "chunk4",
	};
	const char *text = getenv("KTAIL_SOFTGPU_DRIVER");

	d->version = text && strcmp(text, "1") == 0 ? 1 : 2;
	if (text && *text && strcmp(text, "1") != 0 && strcmp(text, "2") != 0) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(read_seed(d));
	text = getenv("KTAIL_SOFTGPU_TRANSFER");
	d->transfer = KT_TRANSFER_DMA;
	if (!text || !*text) {
		return KT_CU_OK;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			d->transfer = (enum kt_transfer)i;
			return KT_CU_OK;
		}
	}
	return KT_CU_INVALID_VALUE;
}

/* --- steps of open_driver --- */

/*
 * Returns the size of a block of memory that can be added or removed. The kernel module
 * accepts only this size.
 */
static uint64_t memory_block_bytes(void)
{
	FILE *file = fopen("/sys/devices/system/memory/block_size_bytes", "re");
	char text[32] = "";

	if (file) {
		(void)fgets(text, sizeof(text), file);
		fclose(file);
	}
	return strtoull(text, NULL, 16);
}

/*
 * The structs in abi.h are those of 580. Another release reads other fields at their
 * places, so the driver must not make a request of it.
 */
static int check_release(void)
{
	static const char *const lines[] = {
		"x86_64 Kernel Module  580.",
		"Open Kernel Module for x86_64  580.",
	};
	FILE *file = fopen(KT_ABI_FILE_VERSION, "re");
	char text[256] = "";

	if (!file) {
		return KT_CU_NO_DEVICE_HERE;
	}
	(void)fgets(text, sizeof(text), file);
	fclose(file);
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (strstr(text, lines[i])) {
			return KT_CU_OK;
		}
	}
	return KT_CU_DRIVER_MISMATCH;
}

static int open_control(struct kt_driver *d, struct kt_abi_card_info cards[KT_ABI_MAX_GPUS])
{
	KT_LABEL(OPEN_DRIVER);
	struct kt_abi_sys_params params = {.memblock_size = memory_block_bytes()};

	KT_TRY(check_release());
	d->control = kt_rm_open(KT_ABI_FILE_CONTROL);
	if (d->control < 0) {
		return KT_CU_NO_DEVICE_HERE;
	}
	KT_TRY(kt_rm_request(d->control, KT_ABI_NR_SYS_PARAMS, &params));
	return KT_LABELLED(ASK, kt_rm_request_sized(d->control, KT_ABI_NR_CARD_INFO, cards,
						    KT_ABI_MAX_GPUS * sizeof(*cards)));
}

static int open_uvm(struct kt_driver *d)
{
	KT_LABEL(OPEN_DRIVER);
	struct kt_abi_uvm_initialize initialize = {0};
	struct kt_abi_uvm_mm mm = {0};
	struct kt_abi_uvm_pageable pageable = {0};

	d->uvm = kt_rm_open(KT_ABI_FILE_UVM);
	d->uvm_mm = kt_rm_open(KT_ABI_FILE_UVM);
	if (d->uvm < 0 || d->uvm_mm < 0) {
		return KT_CU_OPERATING_SYSTEM;
	}
	KT_TRY(kt_uvm_request(d->uvm, KT_ABI_UVM_INITIALIZE, &initialize));
	mm.fd = d->uvm;
	KT_TRY(kt_uvm_request(d->uvm_mm, KT_ABI_UVM_MM_INITIALIZE, &mm));
	return KT_LABELLED(ASK,
			   kt_uvm_request(d->uvm, KT_ABI_UVM_PAGEABLE_ACCESS, &pageable));
}

static int attach_gpu(struct kt_driver *d)
{
	KT_LABEL(OPEN_DRIVER);
	struct kt_abi_probed_ids probed = {0};
	struct kt_abi_attach_ids attach;
	struct kt_abi_id_info info = {0};

	KT_TRY(KT_LABELLED(ASK,
			   kt_rm_control(d, d->client, KT_ABI_GET_PROBED_IDS, &probed)));
	memset(&attach, 0xff, sizeof(attach));
	attach.ids[0] = d->gpu_id;
	attach.failed = 0;
	KT_TRY(kt_rm_control(d, d->client, KT_ABI_ATTACH_IDS, &attach));
	{
		KT_LABEL(ASK);

		info.gpu_id = d->gpu_id;
		KT_TRY(kt_rm_control(d, d->client, KT_ABI_GET_ID_INFO, &info));
	}
	d->instance = info.device_instance;
	return KT_CU_OK;
}

static int create_device(struct kt_driver *d)
{
	KT_LABEL(OPEN_DRIVER);
	struct kt_abi_device_params device = {
		.device_id = d->instance,
		.client_share = d->client,
		.va_mode = KT_ABI_VA_MULTIPLE_SPACES,
	};
	struct kt_abi_subdevice_params subdevice = {0};
	struct kt_abi_class_list classes = {0};
	uint32_t n = 0;

	KT_TRY(kt_rm_alloc(d, d->client, KT_ABI_CLASS_DEVICE, &device, &d->device));
	{
		KT_LABEL(ASK);

		KT_TRY(kt_rm_control(d, d->device, KT_ABI_GET_CLASSES, &classes));
		KT_TRY(kt_rm_control(d, d->device, KT_ABI_GET_NUM_SUBDEVICES, &n));
	}
	return kt_rm_alloc(d, d->device, KT_ABI_CLASS_SUBDEVICE, &subdevice, &d->subdevice);
}

/*
 * Chooses the copy engine of all channels. They have compute objects, too, so it must be on
 * compute's runlist. Among several, number 1 is preferred, as it was tried on an H200.
 */
static int choose_copy_engine(struct kt_driver *d, const struct kt_abi_copy_caps *caps)
{
	static const uint32_t preferred = 1;

	for (uint32_t i = 0; i <= KT_ABI_MAX_COPY_ENGINES; i++) {
		const uint32_t engine = i ? i - 1 : preferred;

		if ((caps->present >> engine & 1) &&
		    (caps->caps[engine][0] & KT_ABI_COPY_GRCE)) {
			d->copy_engine = engine;
			return KT_CU_OK;
		}
	}
	return KT_CU_NOT_SUPPORTED;
}

static int describe_gpu(struct kt_driver *d)
{
	KT_LABEL(ASK);
	struct kt_abi_arch arch = {0};
	struct kt_abi_engines engines = {0};
	struct kt_abi_fb_info info = {.n = 2};
	struct kt_abi_gid gid = {.flags = 2 /* binary */};
	struct kt_abi_name name = {0};
	struct kt_abi_copy_caps copy_caps = {0};

	info.list[0].index = KT_ABI_FB_INFO_TOTAL_KIB;
	info.list[1].index = KT_ABI_FB_INFO_FREE_KIB;
	KT_TRY(kt_rm_control(d, d->subdevice, KT_ABI_GET_ARCH, &arch));
	KT_TRY(kt_rm_control(d, d->subdevice, KT_ABI_GET_FB_INFO, &info));
	KT_TRY(kt_rm_control(d, d->subdevice, KT_ABI_GET_GID, &gid));
	KT_TRY(kt_rm_control(d, d->subdevice, KT_ABI_GET_ENGINES, &engines));
	KT_TRY(kt_rm_control(d, d->subdevice, KT_ABI_GET_COPY_CAPS, &copy_caps));
	KT_TRY(kt_rm_control(d, d->subdevice, KT_ABI_GET_NAME, &name));
	if (arch.architecture != KT_ABI_ARCH_HOPPER) {
		return KT_CU_NO_DEVICE_HERE;
	}
	d->runs_machine_code = arch.implementation != KT_ABI_IMPLEMENTATION_MODEL;
	if (d->runs_machine_code && d->transfer != KT_TRANSFER_DMA &&
	    d->transfer != KT_TRANSFER_MAPPED) {
		return KT_CU_INVALID_VALUE; /* these registers are the model's */
	}
	KT_TRY(choose_copy_engine(d, &copy_caps));
	d->memory_bytes = (uint64_t)info.list[0].data << 10;
	d->memory_free = (uint64_t)info.list[1].data << 10;
	memcpy(d->uuid, gid.data, sizeof(d->uuid));
	memcpy(d->name, name.text, sizeof(d->name));
	d->name[sizeof(d->name) - 1] = '\0';
	return KT_CU_OK;
}

static int create_usermode(struct kt_driver *d, uint8_t bar1, volatile uint8_t **out)
{
	KT_LABEL(MAP_DOORBELL);
	struct kt_abi_usermode_params params = {.bar1 = bar1};
	struct kt_rm_mapping mapping = {
		.aperture = true,
		.update = true,
		.protection = PROT_READ | PROT_WRITE,
		.bytes = KT_ABI_USERMODE_BYTES,
		.flags = KT_ABI_MAP_WRITE_ONLY,
	};

	*out = NULL;
	KT_TRY(kt_rm_alloc(d, d->subdevice, KT_ABI_CLASS_USERMODE, &params,
			   &mapping.memory));
	KT_TRY(kt_rm_addr_space_type(d, mapping.memory));
	KT_TRY(kt_rm_map(d, &mapping));
	*out = mapping.cpu;
	return KT_CU_OK;
}

static int create_space(struct kt_driver *d)
{
	KT_LABEL(CREATE_SPACE);
	struct kt_abi_uvm_register_gpu gpu = {
		.numa_node = -1,
		.control_fd = -1,
	};
	struct kt_abi_address_space_params params = {
		.flags = KT_ABI_SPACE_EXTERNALLY_OWNED | KT_ABI_SPACE_ENABLE_PAGE_FAULTING,
		.base = KT_ABI_PAGE,
	};
	struct kt_abi_uvm_register_space space = {
		.control_fd = d->control,
		.client = d->client,
	};

	memcpy(gpu.uuid, d->uuid, sizeof(gpu.uuid));
	memcpy(space.uuid, d->uuid, sizeof(space.uuid));
	KT_TRY(kt_uvm_request(d->uvm, KT_ABI_UVM_REGISTER_GPU, &gpu));
	KT_TRY(kt_rm_alloc(d, d->device, KT_ABI_CLASS_ADDRESS_SPACE, &params, &d->space));
	space.address_space = d->space;
	return kt_uvm_request(d->uvm, KT_ABI_UVM_REGISTER_SPACE, &space);
}

static int open_card(struct kt_driver *d, const struct kt_abi_card_info *card)
{
	struct kt_abi_register_fd fd = {.control_fd = d->control};

	d->gpu_id = card->gpu_id;
	d->pci_domain = card->pci.domain;
	d->pci_bus = card->pci.bus;
	d->pci_slot = card->pci.slot;
	snprintf(d->gpu_file, sizeof(d->gpu_file), "/dev/nvidia%u", card->minor);
	/* Attaching starts a GPU, so one that only other containers may use is left alone.
	 */
	if (access(d->gpu_file, R_OK | W_OK) != 0) {
		return KT_CU_NO_DEVICE_HERE;
	}
	KT_TRY(attach_gpu(d));
	{
		KT_LABEL(OPEN_DRIVER);

		d->gpu = kt_rm_open(d->gpu_file);
		if (d->gpu < 0) {
			return KT_CU_NO_DEVICE_HERE;
		}
		KT_TRY(kt_rm_request(d->gpu, KT_ABI_NR_REGISTER_FD, &fd));
	}
	KT_TRY(create_device(d));
	return describe_gpu(d);
}

/* Takes the first card that can be opened and is of the Hopper generation. */
static int open_gpu(struct kt_driver *d,
		    const struct kt_abi_card_info cards[KT_ABI_MAX_GPUS])
{
	int code = KT_CU_NO_DEVICE_HERE;

	for (unsigned i = 0; i < KT_ABI_MAX_GPUS && code == KT_CU_NO_DEVICE_HERE; i++) {
		if (!cards[i].valid) {
			continue;
		}
		code = open_card(d, &cards[i]);
		if (code == KT_CU_NO_DEVICE_HERE) {
			KT_LABEL(CLOSE_DRIVER);

			if (d->device) {
				kt_rm_free(d, d->client, d->device);
				d->device = 0;
			}
			if (d->gpu >= 0) {
				close(d->gpu);
				d->gpu = -1;
			}
		}
	}
	return code;
}

/*
 * Sets the windows of shared and local memory, in a reserved range that holds all 4 GiB on
 * both sides of an address with 32 low bits of 0, as the commands want it.
 */
static int reserve_windows(struct kt_driver *d)
{
	const uint64_t size = UINT64_C(1) << 32;
	uint64_t begin;

	if (!d->runs_machine_code) {
		return KT_CU_OK;
	}
	begin = kt_addresses_take(3 * size);
	d->shared_window = (begin + 2 * size - 1) & ~(size - 1);
	return begin ? KT_CU_OK : KT_CU_OUT_OF_MEMORY;
}

/* --- open and close --- */

static int open_driver(struct kt_driver *d)
{
	struct kt_abi_card_info cards[KT_ABI_MAX_GPUS] = {0};
	struct kt_abi_share_policy policy = {
		.access = KT_ABI_ACCESS_DUPLICATE,
		.type = KT_ABI_SHARE_PID,
	};
	int code = KT_CU_OK;

	memset(d, 0, sizeof(*d));
	d->control = d->gpu = d->uvm = d->uvm_mm = -1;
	d->next_handle = FIRST_HANDLE;
	d->pid = getpid();
	KT_TRY_END(kt_labels_open() ? KT_CU_INVALID_VALUE : KT_CU_OK);
	KT_TRY_END(read_settings(d));
	KT_TRY_END(open_control(d, cards));
	{
		KT_LABEL(OPEN_DRIVER);

		KT_TRY_END(
			kt_rm_alloc_sized(d, 0, KT_ABI_CLASS_CLIENT, NULL, 0, &d->client));
		policy.target = d->client;
		KT_TRY_END(kt_rm_control(d, d->client, KT_ABI_SET_SHARE_POLICY, &policy));
	}
	KT_TRY_END(open_uvm(d));
	KT_TRY_END(open_gpu(d, cards));
	KT_TRY_END(create_usermode(d, 0, &d->registers));
	KT_TRY_END(create_usermode(d, 1, &d->doorbell));
	KT_TRY_END(create_space(d));
	KT_TRY_END(reserve_windows(d));
end:
	if (code) {
		/* Closing the descriptors frees the objects, but does not unmap them. */
		KT_LABEL(CLOSE_DRIVER);
		int files[] = {d->uvm_mm, d->uvm, d->gpu, d->control};

		if (d->doorbell) {
			munmap((void *)(uintptr_t)d->doorbell, KT_ABI_USERMODE_BYTES);
		}
		if (d->registers) {
			munmap((void *)(uintptr_t)d->registers, KT_ABI_USERMODE_BYTES);
		}
		for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			if (files[i] >= 0) {
				close(files[i]);
			}
		}
	}
	return code;
}

int kt_driver_open(void)
{
	int result = KT_CU_OK;

	if (kt_driver_is_parents()) {
		return KT_CU_NOT_INITIALIZED;
	}
	pthread_mutex_lock(&lock);
	if (!driver) {
		result = open_driver(&opened);
		if (result == KT_CU_OK) {
			__atomic_store_n(&driver, &opened, __ATOMIC_RELEASE);
		}
	}
	pthread_mutex_unlock(&lock);
	return result;
}
