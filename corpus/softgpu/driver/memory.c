/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/rm.h"

/*
 * --- addresses ---
 *
 * Address ranges of the process, reserved before anything is mapped in them. A GPU address
 * equals the process's address of the same memory, so no address has two meanings.
 */

#define ALIGNMENT ((uint64_t)KT_ABI_BIG_PAGE)
#define FLAGS     (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/*
 * Number of consecutive refusals by mmap after which an allocation gives up on a range. If
 * this happens in the first range, later allocations do not try it again.
 */
#define MAX_REFUSALS 1024

/*
 * The range in which NVIDIA's driver maps, and a second range for programs in which the
 * first is occupied, for example by the shadow memory of the address sanitizer.
 */
static struct range {
	uint64_t begin;
	uint64_t end;
	uint64_t next; /* next address to try */
	bool refused;
} ranges[] = {
	{UINT64_C(0x200000000), UINT64_C(0x10000000000), UINT64_C(0x200000000), false},
	{UINT64_C(0x10000000), UINT64_C(0x7fe00000), UINT64_C(0x10000000), false},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t aligned(uint64_t address)
{
	return (address + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static uint64_t take_in(struct range *range, uint64_t bytes)
{
	bool wrapped = false;

	if (range->refused || bytes > range->end - range->begin) {
		return 0;
	}
	for (unsigned refusals = 0; refusals < MAX_REFUSALS; refusals++) {
		uint64_t address = range->next;
		void *got;

		if (bytes > range->end - address) {
			if (wrapped) {
				return 0;
			}
			wrapped = true;
			address = range->begin;
		}
		range->next = address + ALIGNMENT;
		got = mmap((void *)(uintptr_t)address, bytes, PROT_NONE,
			   FLAGS | MAP_FIXED_NOREPLACE, -1, 0);
		if ((uintptr_t)got == address) {
			range->next = aligned(address + bytes);
			return address;
		}
		/* An older or simulated kernel may treat the address as a mere hint. */
		if (got != MAP_FAILED) {
			munmap(got, bytes);
		}
	}
	range->refused = range == ranges;
	return 0;
}

void kt_addresses_give(uint64_t address, uint64_t bytes)
{
	munmap((void *)(uintptr_t)address, bytes);
}

uint64_t kt_addresses_take(uint64_t bytes)
{
	uint64_t all = bytes + ALIGNMENT;
	uint64_t begin;
	uint64_t address;
	void *got;

	if (all < bytes) {
		return 0;
	}
	got = mmap(NULL, all, PROT_NONE, FLAGS, -1, 0);
	if (got == MAP_FAILED) {
		return 0;
	}
	begin = (uintptr_t)got;
	address = aligned(begin);
	if (address > begin) {
		kt_addresses_give(begin, address - begin);
	}
	kt_addresses_give(address + bytes, begin + all - (address + bytes));
	return address;
}

/* Ring entries hold addresses of 40 bits. */
uint64_t kt_addresses_take_low(uint64_t bytes)
{
	uint64_t address = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; !address && i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		address = take_in(&ranges[i], bytes);
	}
	pthread_mutex_unlock(&lock);
	return address;
}

#define ALL (PROT_READ | PROT_WRITE)

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + KT_ABI_PAGE - 1) & ~(uint64_t)(KT_ABI_PAGE - 1);
}

static bool is_mapped(enum kt_memory_kind kind)
{
	return kind == KT_MEMORY_DEVICE_MAPPED || kind == KT_MEMORY_SYSTEM;
}

static struct kt_rm_mapping mapping_of(const struct kt_memory *memory)
{
	return (struct kt_rm_mapping){
		.memory = memory->handle,
		.aperture = memory->kind == KT_MEMORY_DEVICE_MAPPED,
		.update = memory->kind == KT_MEMORY_DEVICE_MAPPED,
		.fixed = true,
		.protection = ALL,
		.bytes = memory->bytes,
		.cpu = (volatile uint8_t *)(uintptr_t)memory->address,
		.name = memory->mapping,
	};
}

/* --- GPU mappings: a range of nvidia-uvm and the object that it maps --- */

static void free_range(struct kt_driver *driver, const struct kt_memory *memory)
{
	KT_LABEL(TAKE_MEMORY);
	struct kt_abi_uvm_free request = {
		.base = memory->address,
		.length = memory->bytes,
	};

	(void)kt_uvm_request(driver->uvm, KT_ABI_UVM_FREE, &request);
}

static int map_on_gpu(struct kt_driver *driver, const struct kt_memory *memory)
{
	struct kt_abi_uvm_range range = {
		.base = memory->address,
		.length = memory->bytes,
	};
	struct kt_abi_uvm_map_external request = {
		.base = memory->address,
		.length = memory->bytes,
		.n_gpus = 1,
		.control_fd = driver->control,
		.client = driver->client,
		.memory = memory->handle,
	};
	int result;

	KT_TRY(KT_LABELLED(
		GIVE_MEMORY,
		kt_uvm_request(driver->uvm, KT_ABI_UVM_CREATE_EXTERNAL, &range)));
	{
		KT_LABEL(GIVE_MEMORY);

		memcpy(request.gpus[0].uuid, driver->uuid, KT_ABI_UUID_SIZE);
		result = kt_uvm_request(driver->uvm, KT_ABI_UVM_MAP_EXTERNAL, &request);
	}
	if (result != KT_CU_OK) {
		free_range(driver, memory);
	}
	return result;
}

/* --- objects --- */

static void unmap_on_cpu(struct kt_driver *driver, struct kt_memory *memory)
{
	KT_LABEL(UNMAP_MEMORY);
	struct kt_rm_mapping mapping = mapping_of(memory);

	kt_rm_unmap(driver, &mapping);
	memory->cpu = NULL;
}

static void free_object(struct kt_driver *driver, const struct kt_memory *memory)
{
	KT_LABELLED(FREE_MEMORY, kt_rm_free(driver, driver->device, memory->handle));
}

static void unregister_object(struct kt_driver *driver, const struct kt_memory *memory)
{
	KT_LABELLED(UNREGISTER_MEMORY, kt_rm_free(driver, driver->device, memory->handle));
}

/* What NVIDIA's driver asks for; its memory is coherent and cached on the CPU. */
#define SYSTEM_FLAGS                                                                       \
	((uint32_t)KT_ABI_ALLOC_MAP_NOT_REQUIRED | KT_ABI_ALLOC_HANDLE_PROVIDED |          \
	 KT_ABI_ALLOC_IGNORE_BANK_PLACEMENT)
#define LOCAL_FLAGS (SYSTEM_FLAGS | KT_ABI_ALLOC_ALIGNMENT_FORCE | KT_ABI_ALLOC_PERSISTENT)
#define SYSTEM_ATTR                                                                        \
	((uint32_t)KT_ABI_ATTR_PCI | KT_ABI_ATTR_ALLOW_NONCONTIGUOUS | KT_ABI_ATTR_CACHED)

/*
 * Implements create_device_memory, create_mapped_device_memory and create_system_memory of
 * driver.points.
 */
int kt_memory_create(struct kt_memory *out, enum kt_memory_kind kind, uint64_t bytes)
{
	struct kt_driver *driver = kt_driver_get();
	const bool system = kind == KT_MEMORY_SYSTEM;
	struct kt_memory memory = {
		.kind = kind,
		.bytes = system ? whole_pages(bytes) : kt_big_pages(bytes),
	};
	struct kt_abi_memory_params params = {
		.flags = system ? SYSTEM_FLAGS : LOCAL_FLAGS,
		.attr = system ? SYSTEM_ATTR : KT_ABI_ATTR_ALLOW_NONCONTIGUOUS,
		.size = memory.bytes,
		.alignment = system ? 0 : KT_ABI_BIG_PAGE,
	};
	bool low = is_mapped(kind) || kind == KT_MEMORY_DEVICE_LOW;
	int result;

	memset(out, 0, sizeof(*out));
	if (!driver) {
		return KT_CU_NOT_INITIALIZED;
	}
	if (kind == KT_MEMORY_USER || bytes == 0) {
		return KT_CU_INVALID_VALUE;
	}
	if (memory.bytes < bytes || memory.bytes > driver->memory_bytes) {
		return KT_CU_OUT_OF_MEMORY;
	}
	memory.address =
		low ? kt_addresses_take_low(memory.bytes) : kt_addresses_take(memory.bytes);
	if (!memory.address) {
		return KT_CU_OUT_OF_MEMORY;
	}
	{
		KT_LABEL(ALLOCATE_MEMORY);

		params.owner = driver->client;
		result = kt_rm_alloc(driver, driver->device,
				     system ? KT_ABI_CLASS_MEMORY_SYSTEM
					    : KT_ABI_CLASS_MEMORY_LOCAL,
				     &params, &memory.handle);
	}
	if (result != KT_CU_OK) {
		goto no_object;
	}
	if (is_mapped(kind)) {
		KT_LABEL(MAP_MEMORY);
		struct kt_rm_mapping mapping = mapping_of(&memory);

		result = kt_rm_addr_space_type(driver, memory.handle);
		if (result == KT_CU_OK) {
			result = kt_rm_map(driver, &mapping);
		}
		if (result != KT_CU_OK) {
			goto no_mapping;
		}
		memory.cpu = mapping.cpu;
		memory.mapping = mapping.name;
	}
	result = map_on_gpu(driver, &memory);
	if (result == KT_CU_OK) {
		*out = memory;
		return KT_CU_OK;
	}
	if (memory.cpu) {
		unmap_on_cpu(driver, &memory);
	}
no_mapping:
	free_object(driver, &memory);
no_object:
	kt_addresses_give(memory.address, memory.bytes);
	return result;
}

/* Implements register_memory of driver.points. */
int kt_memory_register(struct kt_memory *out, void *user, uint64_t bytes)
{
	KT_LABEL(REGISTER_MEMORY);
	struct kt_driver *driver = kt_driver_get();
	uint64_t begin = (uintptr_t)user & ~(uint64_t)(KT_ABI_PAGE - 1);
	uint64_t end = whole_pages((uintptr_t)user + bytes);
	struct kt_memory memory = {
		.kind = KT_MEMORY_USER,
		.address = begin,
		.bytes = end - begin,
		.cpu = (volatile uint8_t *)(uintptr_t)begin,
	};
	int result;

	memset(out, 0, sizeof(*out));
	if (!driver) {
		return KT_CU_NOT_INITIALIZED;
	}
	if (!user || bytes == 0 || end <= begin) {
		return KT_CU_INVALID_VALUE;
	}
	KT_TRY(kt_rm_alloc_user(driver, begin, memory.bytes, &memory.handle));
	result = map_on_gpu(driver, &memory);
	if (result != KT_CU_OK) {
		unregister_object(driver, &memory);
		return result;
	}
	*out = memory;
	return KT_CU_OK;
}

/* Implements the destroy_*_memory procedures and unregister_memory of driver.points. */
void kt_memory_destroy(struct kt_memory *memory)
{
	struct kt_driver *driver = kt_driver_get();

	if (driver && memory->bytes) {
		free_range(driver, memory);
		if (is_mapped(memory->kind)) {
			unmap_on_cpu(driver, memory);
		}
		if (memory->kind == KT_MEMORY_USER) {
			unregister_object(driver, memory);
		} else {
			free_object(driver, memory);
		}
		if (memory->kind == KT_MEMORY_DEVICE ||
		    memory->kind == KT_MEMORY_DEVICE_LOW) {
			kt_addresses_give(memory->address, memory->bytes);
		}
	}
	memset(memory, 0, sizeof(*memory));
}
