/* SPDX-License-Identifier: MIT */
/*
 * Compares the structs of corpus/softgpu/abi.h with the sizes and offsets in NVIDIA's
 * driver 580, given as numbers, and with the recorder's tables.
 */
#include <stddef.h>

#include "corpus/softgpu/abi.h"
#include "decode/layouts.h"
#include "tests/suite.h"

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#define AT(type, member, bytes)                                                            \
	_Static_assert(offsetof(struct type, member) == (bytes), #type)

SIZE(kt_abi_free, 16);
AT(kt_abi_free, status, 12);
SIZE(kt_abi_alloc_memory, 56);
AT(kt_abi_alloc_memory, flags, 16);
AT(kt_abi_alloc_memory, address, 24);
AT(kt_abi_alloc_memory, limit, 32);
AT(kt_abi_alloc_memory, status, 40);
AT(kt_abi_alloc_memory, fd, 48);
SIZE(kt_abi_control, 32);
AT(kt_abi_control, params, 16);
AT(kt_abi_control, status, 28);
SIZE(kt_abi_alloc, 48);
AT(kt_abi_alloc, params, 16);
AT(kt_abi_alloc, rights, 24);
AT(kt_abi_alloc, params_size, 32);
AT(kt_abi_alloc, flags, 36);
AT(kt_abi_alloc, status, 40);
SIZE(kt_abi_map, 56);
AT(kt_abi_map, offset, 16);
AT(kt_abi_map, length, 24);
AT(kt_abi_map, status, 40);
AT(kt_abi_map, fd, 48);
SIZE(kt_abi_unmap, 32);
AT(kt_abi_unmap, address, 16);
AT(kt_abi_unmap, status, 24);
SIZE(kt_abi_update_mapping, 40);
AT(kt_abi_update_mapping, old_address, 16);
AT(kt_abi_update_mapping, new_address, 24);
AT(kt_abi_update_mapping, status, 32);
SIZE(kt_abi_card_info, 72);
AT(kt_abi_card_info, pci, 4);
AT(kt_abi_card_info, pci.vendor, 12);
AT(kt_abi_card_info, gpu_id, 16);
AT(kt_abi_card_info, interrupt_line, 20);
AT(kt_abi_card_info, reg_address, 24);
AT(kt_abi_card_info, fb_size, 48);
AT(kt_abi_card_info, minor, 56);
AT(kt_abi_card_info, name, 60);
SIZE(kt_abi_register_fd, 4);
SIZE(kt_abi_sys_params, 8);

SIZE(kt_abi_memory_params, 128);
AT(kt_abi_memory_params, attr, 24);
AT(kt_abi_memory_params, zcull, 40);
AT(kt_abi_memory_params, range_lo, 48);
AT(kt_abi_memory_params, size, 64);
AT(kt_abi_memory_params, offset, 80);
AT(kt_abi_memory_params, address_space, 108);
AT(kt_abi_memory_params, numa_node, 120);
SIZE(kt_abi_device_params, 56);
AT(kt_abi_device_params, va_size, 24);
AT(kt_abi_device_params, va_mode, 48);
SIZE(kt_abi_subdevice_params, 4);
SIZE(kt_abi_context_share_params, 12);
SIZE(kt_abi_address_space_params, 56);
AT(kt_abi_address_space_params, size, 8);
AT(kt_abi_address_space_params, base, 40);
AT(kt_abi_address_space_params, pasid, 48);
SIZE(kt_abi_channel_group_params, 20);
AT(kt_abi_channel_group_params, engine, 12);
SIZE(kt_abi_usermode_params, 2);
SIZE(kt_abi_memory_descriptor, 24);
SIZE(kt_abi_channel_params, 368);
AT(kt_abi_channel_params, gpfifo_address, 8);
AT(kt_abi_channel_params, gpfifo_entries, 16);
AT(kt_abi_channel_params, context_share, 24);
AT(kt_abi_channel_params, userd_memory, 32);
AT(kt_abi_channel_params, userd_offset, 64);
AT(kt_abi_channel_params, engine, 128);
AT(kt_abi_channel_params, instance, 144);
AT(kt_abi_channel_params, method_buffer, 216);
AT(kt_abi_channel_params, group, 240);
AT(kt_abi_channel_params, error_notifier, 248);
AT(kt_abi_channel_params, process, 296);
AT(kt_abi_channel_params, encrypt_iv, 304);
AT(kt_abi_channel_params, hmac_nonce, 328);
AT(kt_abi_channel_params, tpc_config, 360);
SIZE(kt_abi_copy_params, 8);
SIZE(kt_abi_compute_params, 16);

SIZE(kt_abi_gpu_ids, 128);
SIZE(kt_abi_probed_ids, 384);
SIZE(kt_abi_attach_ids, 132);
SIZE(kt_abi_id_info, 32);
SIZE(kt_abi_addr_space_type, 12);
SIZE(kt_abi_class_list, 804);
SIZE(kt_abi_channel_list, 24);
SIZE(kt_abi_name, 132);
SIZE(kt_abi_ctx_buffer_size, 16);
SIZE(kt_abi_gid, 268);
SIZE(kt_abi_engines, 340);
SIZE(kt_abi_fb_info, 1028);
SIZE(kt_abi_arch, 16);
SIZE(kt_abi_class_engine, 16);
SIZE(kt_abi_schedule, 3);

SIZE(kt_abi_uvm_initialize, 16);
AT(kt_abi_uvm_initialize, status, 8);
SIZE(kt_abi_uvm_mm, 8);
SIZE(kt_abi_uvm_pageable, 8);
AT(kt_abi_uvm_pageable, status, 4);
SIZE(kt_abi_uvm_register_gpu, 40);
AT(kt_abi_uvm_register_gpu, numa_node, 20);
AT(kt_abi_uvm_register_gpu, client, 28);
AT(kt_abi_uvm_register_gpu, status, 36);
SIZE(kt_abi_uvm_gpu, 20);
SIZE(kt_abi_uvm_register_space, 32);
AT(kt_abi_uvm_register_space, status, 28);
SIZE(kt_abi_uvm_range, 24);
AT(kt_abi_uvm_range, status, 16);
SIZE(kt_abi_uvm_map_external, 9264);
AT(kt_abi_uvm_map_external, gpus, 24);
AT(kt_abi_uvm_map_external, gpus[0].mapping_type, 40);
AT(kt_abi_uvm_map_external, n_gpus, 9240);
AT(kt_abi_uvm_map_external, memory, 9256);
AT(kt_abi_uvm_map_external, status, 9260);
SIZE(kt_abi_uvm_free, 24);
AT(kt_abi_uvm_free, status, 16);
SIZE(kt_abi_uvm_range_group, 16);
AT(kt_abi_uvm_range_group, status, 8);
SIZE(kt_abi_uvm_register_channel, 56);
AT(kt_abi_uvm_register_channel, channel, 24);
AT(kt_abi_uvm_register_channel, base, 32);
AT(kt_abi_uvm_register_channel, status, 48);
SIZE(kt_abi_uvm_unregister_channel, 28);
AT(kt_abi_uvm_unregister_channel, status, 24);

SIZE(kt_abi_notification, 16);
AT(kt_abi_notification, number, 8);
AT(kt_abi_notification, status, 14);
SIZE(kt_abi_transfer_registers, 144);

/* --- comparison with the recorder's tables --- */

/* A request, the size of its struct, and one of the struct's fields. */
#define FIELD(nr, type, role, member)                                                      \
	{                                                                                  \
		nr, KT_STRUCT_NONE, sizeof(struct type), role,                             \
			offsetof(struct type, member), sizeof(((struct type *)0)->member)  \
	}
/* Like FIELD, for a struct that belongs to no request. */
#define PARAM(kind, type, role, member, bytes)                                             \
	{                                                                                  \
		0, kind, sizeof(struct type), role, offsetof(struct type, member), bytes   \
	}

static const struct {
	uint32_t nr;
	enum kt_struct kind;
	size_t size;
	enum kt_role role;
	size_t offset;
	size_t bytes;
} fields[] = {
	FIELD(KT_ABI_NR_FREE, kt_abi_free, KT_ROLE_CLIENT, client),
	FIELD(KT_ABI_NR_FREE, kt_abi_free, KT_ROLE_PARENT, parent),
	FIELD(KT_ABI_NR_FREE, kt_abi_free, KT_ROLE_OBJECT, object),
	FIELD(KT_ABI_NR_FREE, kt_abi_free, KT_ROLE_STATUS, status),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_OBJECT, object),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_CLASS, class_number),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_FLAGS, flags),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_ADDRESS, address),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_LENGTH, limit),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_STATUS, status),
	FIELD(KT_ABI_NR_ALLOC_MEMORY, kt_abi_alloc_memory, KT_ROLE_FD, fd),
	FIELD(KT_ABI_NR_CONTROL, kt_abi_control, KT_ROLE_OBJECT, object),
	FIELD(KT_ABI_NR_CONTROL, kt_abi_control, KT_ROLE_COMMAND, command),
	FIELD(KT_ABI_NR_CONTROL, kt_abi_control, KT_ROLE_FLAGS, flags),
	FIELD(KT_ABI_NR_CONTROL, kt_abi_control, KT_ROLE_PARAMS, params),
	FIELD(KT_ABI_NR_CONTROL, kt_abi_control, KT_ROLE_PARAMS_SIZE, params_size),
	FIELD(KT_ABI_NR_CONTROL, kt_abi_control, KT_ROLE_STATUS, status),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_PARENT, parent),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_OBJECT, object),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_CLASS, class_number),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_PARAMS, params),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_PARAMS_SIZE, params_size),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_FLAGS, flags),
	FIELD(KT_ABI_NR_ALLOC, kt_abi_alloc, KT_ROLE_STATUS, status),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_CLIENT, client),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_PARENT, device),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_MEMORY, memory),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_OFFSET, offset),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_LENGTH, length),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_ADDRESS, address),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_STATUS, status),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_FLAGS, flags),
	FIELD(KT_ABI_NR_MAP_MEMORY, kt_abi_map, KT_ROLE_FD, fd),
	FIELD(KT_ABI_NR_UNMAP_MEMORY, kt_abi_unmap, KT_ROLE_MEMORY, memory),
	FIELD(KT_ABI_NR_UNMAP_MEMORY, kt_abi_unmap, KT_ROLE_ADDRESS, address),
	FIELD(KT_ABI_NR_UNMAP_MEMORY, kt_abi_unmap, KT_ROLE_STATUS, status),
	FIELD(KT_ABI_NR_UNMAP_MEMORY, kt_abi_unmap, KT_ROLE_FLAGS, flags),
	PARAM(KT_STRUCT_CHANNEL, kt_abi_channel_params, KT_ROLE_GPFIFO_ADDRESS,
	      gpfifo_address, 8),
	PARAM(KT_STRUCT_CHANNEL, kt_abi_channel_params, KT_ROLE_GPFIFO_ENTRIES,
	      gpfifo_entries, 4),
	PARAM(KT_STRUCT_CHANNEL, kt_abi_channel_params, KT_ROLE_USERD_MEMORY, userd_memory,
	      4),
	PARAM(KT_STRUCT_CHANNEL, kt_abi_channel_params, KT_ROLE_USERD_OFFSET, userd_offset,
	      8),
	PARAM(KT_STRUCT_CHANNEL, kt_abi_channel_params, KT_ROLE_ENGINE, engine, 4),
};

static void fields_lie_where_the_recorder_reads(void)
{
	uint32_t release = kt_release_parse(KT_ABI_RELEASE);

	CU_ASSERT_EQUAL(release, 580159004u);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		enum kt_struct kind =
			fields[i].nr ? kt_layout_of_request(fields[i].nr) : fields[i].kind;
		size_t size = fields[i].nr ? fields[i].size : 0;
		const struct kt_layout *layout = kt_layout_find(kind, size, release);

		CU_ASSERT_FATAL(layout != NULL);
		CU_ASSERT_EQUAL(layout->fields[fields[i].role].offset, fields[i].offset);
		CU_ASSERT_EQUAL(layout->fields[fields[i].role].size, fields[i].bytes);
		CU_ASSERT(kt_layout_extent(layout) <= fields[i].size);
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"fields lie where the recorder looks",
		 fields_lie_where_the_recorder_reads},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu: abi", tests);
}
