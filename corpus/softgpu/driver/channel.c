/* SPDX-License-Identifier: MIT */
#include <sys/mman.h>

#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/rm.h"
#include "decode/bits.h"
#include "decode/method-names.h"

#define NOTIFIER_BYTES KT_ABI_PAGE

/* --- steps of create_channel in driver.points; a failing step undoes its changes --- */

static struct kt_rm_mapping notifier_mapping(const struct kt_channel *channel)
{
	return (struct kt_rm_mapping){
		.memory = channel->error_memory,
		.protection = PROT_READ | PROT_WRITE,
		.bytes = NOTIFIER_BYTES,
		.cpu = (volatile uint8_t *)channel->notifier,
		.name = channel->notifier_mapping,
	};
}

static int create_error_memory(struct kt_driver *driver, struct kt_channel *channel)
{
	KT_LABEL(ALLOCATE_MEMORY);
	struct kt_abi_memory_params params = {
		.owner = driver->device,
		.type = KT_ABI_TYPE_NOTIFIER,
		.flags = KT_ABI_ALLOC_MAP_NOT_REQUIRED | KT_ABI_ALLOC_HANDLE_PROVIDED |
			 KT_ABI_ALLOC_IGNORE_BANK_PLACEMENT,
		.attr = KT_ABI_ATTR_PCI | KT_ABI_ATTR_ALLOW_NONCONTIGUOUS |
			KT_ABI_ATTR_CACHED,
		.size = NOTIFIER_BYTES,
	};
	struct kt_rm_mapping mapping;
	int result;

	KT_TRY(kt_rm_alloc(driver, driver->device, KT_ABI_CLASS_MEMORY_SYSTEM, &params,
			   &channel->error_memory));
	mapping = notifier_mapping(channel);
	{
		KT_LABEL(MAP_MEMORY);

		result = kt_rm_addr_space_type(driver, mapping.memory);
		if (result == KT_CU_OK) {
			result = kt_rm_map(driver, &mapping);
		}
	}
	if (result != KT_CU_OK) {
		kt_rm_free(driver, driver->device, channel->error_memory);
		return result;
	}
	channel->notifier = (volatile struct kt_abi_notification *)mapping.cpu;
	channel->notifier_bytes = mapping.bytes;
	channel->notifier_mapping = mapping.name;
	return KT_CU_OK;
}

static int create_object(struct kt_driver *driver, struct kt_channel *channel)
{
	KT_LABEL(CREATE_CHANNEL);
	struct kt_context *context = channel->context;
	struct kt_abi_channel_params params = {
		.error_memory = channel->error_memory,
		.buffer = context->ring.handle,
		.gpfifo_address = kt_ring_address(channel),
		.gpfifo_entries = KT_RING_ENTRIES,
		.context_share = context->share,
	};
	uint32_t number = 0;
	struct kt_abi_channel_list list = {
		.n = 1,
		.handles = (uintptr_t)&channel->handle,
		.channels = (uintptr_t)&number,
	};
	int result;

	params.userd_memory[0] = context->ring.handle;
	params.userd_offset[0] = kt_userd_offset(channel->index);
	KT_TRY(kt_rm_alloc(driver, context->group, KT_ABI_CLASS_CHANNEL, &params,
			   &channel->handle));
	result = kt_rm_control(driver, driver->device, KT_ABI_GET_CHANNEL_LIST, &list);
	if (result == KT_CU_OK) {
		channel->notifier->status = 0;
	} else {
		kt_rm_free(driver, context->group, channel->handle);
		channel->handle = 0;
	}
	return result;
}

static int create_engine(struct kt_driver *driver, const struct kt_channel *channel,
			 uint32_t class_number, void *params, uint32_t bytes,
			 uint32_t *handle)
{
	KT_LABEL(CREATE_ENGINE);
	struct kt_abi_class_engine engine = {0};
	int result;

	KT_TRY(kt_rm_alloc_sized(driver, channel->handle, class_number, params, bytes,
				 handle));
	engine.object = *handle;
	result = kt_rm_control(driver, channel->handle, KT_ABI_GET_CLASS_ENGINE, &engine);
	if (result != KT_CU_OK) {
		kt_rm_free(driver, channel->handle, *handle);
		*handle = 0;
	}
	return result;
}

static int start_channel(struct kt_driver *driver, struct kt_channel *channel)
{
	KT_LABEL(ENABLE_CHANNEL);
	struct kt_context *context = channel->context;
	struct kt_abi_ctx_buffer_size state = {.channel = channel->handle};
	struct kt_abi_uvm_register_channel params = {
		.control_fd = driver->control,
		.client = driver->client,
		.channel = channel->handle,
	};

	KT_TRY(kt_rm_control(driver, channel->handle, KT_ABI_GET_TOKEN, &channel->token));
	KT_TRY(kt_rm_control(driver, driver->subdevice, KT_ABI_GET_CTX_BUFFER_SIZE,
			     &state));
	if (!context->engine_state) {
		/* On hardware, some addresses of an engine have 40 bits. */
		context->engine_state = driver->runs_machine_code
						? kt_addresses_take_low(state.bytes)
						: kt_addresses_take(state.bytes);
		context->engine_state_bytes = state.bytes;
	}
	if (!context->engine_state || state.bytes > context->engine_state_bytes) {
		return KT_CU_OUT_OF_MEMORY;
	}
	params.base = context->engine_state;
	params.length = context->engine_state_bytes;
	{
		KT_LABEL(WRITE_COMMANDS);

		/*
		 * Imitates NVIDIA's driver, which writes to the pushbuffer at this point. A
		 * dword of 0 is a command without effect.
		 */
		*(volatile uint32_t *)kt_pushbuffer_at(channel, 0) = 0;
	}
	for (unsigned i = 0; i < KT_ABI_UUID_SIZE; i++) {
		params.uuid[i] = driver->uuid[i];
	}
	return kt_uvm_request(driver->uvm, KT_ABI_UVM_REGISTER_CHANNEL, &params);
}

/* --- creation and destruction --- */

/* Frees the parts in reverse order of creation. */
static void free_parts(struct kt_channel *channel, bool started)
{
	struct kt_driver *driver = kt_driver_get();

	if (driver && started) {
		KT_LABEL(DESTROY_CHANNEL);
		struct kt_abi_uvm_unregister_channel params = {
			.client = driver->client,
			.channel = channel->handle,
		};

		for (unsigned i = 0; i < KT_ABI_UUID_SIZE; i++) {
			params.uuid[i] = driver->uuid[i];
		}
		(void)kt_uvm_request(driver->uvm, KT_ABI_UVM_UNREGISTER_CHANNEL, &params);
	}
	if (driver && channel->copy) {
		KT_LABELLED(DESTROY_ENGINE,
			    kt_rm_free(driver, channel->handle, channel->copy));
	}
	if (driver && channel->compute) {
		KT_LABELLED(DESTROY_ENGINE,
			    kt_rm_free(driver, channel->handle, channel->compute));
	}
	if (driver && channel->handle) {
		KT_LABELLED(DESTROY_CHANNEL,
			    kt_rm_free(driver, channel->context->group, channel->handle));
	}
	if (driver && channel->notifier) {
		KT_LABEL(FREE_MEMORY);
		struct kt_rm_mapping mapping = notifier_mapping(channel);

		KT_LABELLED(UNMAP_MEMORY, kt_rm_unmap(driver, &mapping));
		kt_rm_free(driver, driver->device, channel->error_memory);
		channel->notifier = NULL;
	}
	kt_semaphore_give(channel->context, &channel->progress);
	pthread_mutex_destroy(&channel->lock);
	channel->context = NULL;
}

int kt_channel_create(struct kt_context *context, uint32_t index)
{
	struct kt_channel *channel = &context->channels[index];
	struct kt_driver *driver = kt_driver_get();
	struct kt_abi_compute_params compute = {.size = sizeof(compute)};
	struct kt_abi_copy_params copy = {0};
	int code;

	if (!driver) {
		return KT_CU_NOT_INITIALIZED;
	}
	copy.engine = driver->copy_engine;
	KT_TRY(kt_semaphore_take(context, &channel->progress));
	channel->context = context;
	channel->index = index;
	pthread_mutex_init(&channel->lock, NULL);
	KT_TRY_END(create_error_memory(driver, channel));
	KT_TRY_END(create_object(driver, channel));
	KT_TRY_END(create_engine(driver, channel, KT_ABI_CLASS_COMPUTE, &compute,
				 sizeof(compute), &channel->compute));
	KT_TRY_END(create_engine(driver, channel, KT_ABI_CLASS_COPY, &copy, sizeof(copy),
				 &channel->copy));
	KT_TRY_END(start_channel(driver, channel));
end:
	if (code) {
		free_parts(channel, false);
	}
	return code;
}

void kt_channel_destroy(struct kt_channel *channel)
{
	if (channel->context) {
		free_parts(channel, true);
	}
}

/* The state of a compute class that machine code needs. */
static void push_compute_state(struct kt_push *push, const struct kt_driver *driver)
{
	kt_push_methods(push, KT_SUBCHANNEL_COMPUTE,
			KT_CBC0_SET_SHADER_SHARED_MEMORY_WINDOW_A, 2);
	kt_push_word(push, (uint32_t)(driver->shared_window >> 32));
	kt_push_word(push, (uint32_t)driver->shared_window);
	kt_push_method(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SET_SPA_VERSION,
		       kt_bits(KT_CBC0_SET_SPA_VERSION__MAJOR, 9));
	kt_push_method(push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SET_QMD_VERSION,
		       kt_bits(KT_CBC0_SET_QMD_VERSION__CURRENT, 0x40) |
			       kt_bits(KT_CBC0_SET_QMD_VERSION__OLDEST_SUPPORTED, 1));
}

int kt_channel_bind(struct kt_channel *channel)
{
	KT_SUBMITTING(SETUP);
	struct kt_push push = {0};
	int result;

	kt_push_method(&push, KT_SUBCHANNEL_COMPUTE, KT_CBC0_SET_OBJECT,
		       KT_ABI_CLASS_COMPUTE);
	if (kt_driver_get() && kt_driver_get()->runs_machine_code) {
		push_compute_state(&push, kt_driver_get());
	}
	kt_push_method(&push, KT_SUBCHANNEL_COPY, KT_C86F_SET_OBJECT, KT_ABI_CLASS_COPY);
	result = kt_submit(channel, &push, NULL);
	kt_push_free(&push);
	return result;
}

int kt_channel_check(struct kt_channel *channel)
{
	KT_LABEL(CHECK_NOTIFIER);
	int error = KT_CU_LAUNCH_FAILED;

	/* The device writes `status` last, so `number` is valid if `status` is not 0. */
	if (__atomic_load_n(&channel->notifier->status, __ATOMIC_ACQUIRE) == 0) {
		return KT_CU_OK;
	}
	switch (channel->notifier->number) {
	case KT_ABI_XID_MMU_FAULT: error = KT_CU_ILLEGAL_ADDRESS; break;
	case KT_ABI_XID_PBDMA_ERROR: error = KT_CU_ILLEGAL_INSTRUCTION; break;
	default: break;
	}
	kt_context_fail(channel->context, error);
	return kt_context_error(channel->context);
}
