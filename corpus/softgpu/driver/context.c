/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/rm.h"

static struct kt_context *living; /* list of existing contexts */
static pthread_mutex_t living_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t serials; /* protected by living_lock */
static _Thread_local struct kt_current current;

static struct kt_context *primary;
static bool primary_blocking;
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- existing and current contexts --- */

/* Returns the serial of an existing context, 0 for any other pointer. */
static uint64_t serial_of(const struct kt_context *context)
{
	struct kt_context *c;
	uint64_t serial;

	if (!kt_driver_get()) { /* a forked child must not wait for the lock */
		return 0;
	}
	pthread_mutex_lock(&living_lock);
	for (c = living; c && c != context; c = c->next) {
	}
	serial = c ? c->serial : 0;
	pthread_mutex_unlock(&living_lock);
	return serial;
}

bool kt_context_is_alive(struct kt_context *context)
{
	return serial_of(context) != 0;
}

struct kt_current kt_context_current(void)
{
	return current;
}

void kt_context_set_current(struct kt_current next)
{
	current = next;
}

void kt_context_make_current(struct kt_context *context)
{
	current = (struct kt_current){context, serial_of(context)};
}

bool kt_current_is_alive(struct kt_current candidate)
{
	return candidate.serial != 0 && serial_of(candidate.context) == candidate.serial;
}

int kt_context_error(const struct kt_context *context)
{
	return __atomic_load_n(&context->error, __ATOMIC_RELAXED);
}

void kt_context_fail(struct kt_context *context, int error)
{
	int none = KT_CU_OK;

	__atomic_compare_exchange_n(&context->error, &none, error, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

/* --- semaphores --- */

int kt_semaphore_take(struct kt_context *context, struct kt_semaphore *out)
{
	int result = KT_CU_OUT_OF_MEMORY;

	pthread_mutex_lock(&context->lock);
	for (uint32_t i = 0; i < KT_SEMAPHORES; i++) {
		uint64_t bit = UINT64_C(1) << i % 64;

		if (!(context->semaphores_used[i / 64] & bit)) {
			context->semaphores_used[i / 64] |= bit;
			out->index = i;
			out->value = context->semaphore_values[i];
			result = KT_CU_OK;
			break;
		}
	}
	pthread_mutex_unlock(&context->lock);
	return result;
}

void kt_semaphore_give(struct kt_context *context, const struct kt_semaphore *semaphore)
{
	uint32_t i = semaphore->index;

	pthread_mutex_lock(&context->lock);
	context->semaphores_used[i / 64] &= ~(UINT64_C(1) << i % 64);
	context->semaphore_values[i] = semaphore->value;
	pthread_mutex_unlock(&context->lock);
}

uint64_t kt_semaphore_address(const struct kt_context *context, uint32_t index)
{
	return context->semaphores.address + (uint64_t)index * 16;
}

/* --- creation and destruction --- */

/*
 * Creates all parts of a context, in the order of create_context in driver.points. After a
 * failure, the caller frees the parts that exist.
 */
static int make_parts(struct kt_driver *driver, struct kt_context *context)
{
	struct kt_abi_channel_group_params group = {.engine = KT_ABI_ENGINE_GRAPHICS};
	struct kt_abi_context_share_params share = {
		.address_space = driver->space,
		.flags = KT_ABI_SHARE_ASYNC,
	};
	struct kt_abi_schedule schedule = {.enable = 1};

	KT_TRY(KT_LABELLED(CREATE_GROUP,
			   kt_rm_alloc(driver, driver->device, KT_ABI_CLASS_CHANNEL_GROUP,
				       &group, &context->group)));
	KT_TRY(KT_LABELLED(CREATE_GROUP,
			   kt_rm_alloc(driver, context->group, KT_ABI_CLASS_CONTEXT_SHARE,
				       &share, &context->share)));
	KT_TRY(kt_memory_create(&context->ring, KT_MEMORY_DEVICE_MAPPED,
				kt_big_pages(kt_userd_offset(KT_CHANNELS))));
	KT_TRY(kt_memory_create(&context->pushbuffer, KT_MEMORY_SYSTEM,
				kt_big_pages((uint64_t)KT_CHANNELS * KT_PUSHBUFFER_BYTES)));
	KT_TRY(kt_memory_create(&context->semaphores, KT_MEMORY_SYSTEM,
				KT_SEMAPHORES * UINT64_C(16)));
	for (uint32_t i = 0; i < KT_CHANNELS; i++) {
		KT_TRY(kt_channel_create(context, i));
	}
	KT_TRY(KT_LABELLED(ENABLE_CHANNEL, kt_rm_control(driver, context->group,
							 KT_ABI_SCHEDULE, &schedule)));
	KT_TRY(kt_memory_create(&context->launches, KT_MEMORY_DEVICE_LOW,
				KT_LAUNCHES_BYTES));
	KT_TRY(kt_heap_create(&context->heap));
	for (uint32_t i = 0; i < KT_CHANNELS; i++) {
		KT_TRY(kt_channel_bind(&context->channels[i]));
	}
	return kt_wait_all(context);
}

/*
 * Frees all parts in reverse order of creation. If `driver` is NULL, as in a forked child,
 * frees only the struct.
 */
static void free_context(struct kt_driver *driver, struct kt_context *context)
{
	if (driver) {
		kt_memory_destroy(&context->local);
		kt_heap_destroy(context->heap);
		kt_memory_destroy(&context->launches);
		for (uint32_t i = KT_CHANNELS; i-- > 0;) {
			kt_channel_destroy(&context->channels[i]);
		}
		if (context->engine_state) {
			kt_addresses_give(context->engine_state,
					  context->engine_state_bytes);
		}
		kt_memory_destroy(&context->semaphores);
		kt_memory_destroy(&context->pushbuffer);
		kt_memory_destroy(&context->ring);
	}
	if (driver && context->share) {
		KT_LABELLED(DESTROY_GROUP,
			    kt_rm_free(driver, context->group, context->share));
	}
	if (driver && context->group) {
		KT_LABELLED(DESTROY_GROUP,
			    kt_rm_free(driver, driver->device, context->group));
	}
	pthread_mutex_destroy(&context->local_lock);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

int kt_context_create(struct kt_context **out, bool is_primary, bool blocking)
{
	struct kt_driver *driver = kt_driver_get();
	struct kt_context *context;
	int result;

	*out = NULL;
	if (!driver) {
		return KT_CU_NOT_INITIALIZED;
	}
	context = calloc(1, sizeof(*context));
	if (!context) {
		return KT_CU_OUT_OF_MEMORY;
	}
	context->primary = is_primary;
	context->blocking = blocking;
	pthread_mutex_init(&context->lock, NULL);
	pthread_mutex_init(&context->local_lock, NULL);
	result = make_parts(driver, context);
	if (result != KT_CU_OK) {
		free_context(driver, context);
		return result;
	}
	pthread_mutex_lock(&living_lock);
	context->serial = ++serials;
	context->next = living;
	living = context;
	pthread_mutex_unlock(&living_lock);
	*out = context;
	return KT_CU_OK;
}

void kt_context_destroy(struct kt_context *context)
{
	kt_context_clear(context);
	pthread_mutex_lock(&living_lock);
	for (struct kt_context **at = &living; *at; at = &(*at)->next) {
		if (*at == context) {
			*at = context->next;
			break;
		}
	}
	pthread_mutex_unlock(&living_lock);
	if (current.context == context) {
		current = (struct kt_current){0};
	}
	(void)kt_wait_all(context);
	if (context->staging.bytes) {
		kt_memory_destroy(&context->staging);
	}
	free_context(kt_driver_get(), context);
}

/* --- the primary context --- */

int kt_context_retain_primary(struct kt_context **out)
{
	int result = KT_CU_OK;

	*out = NULL;
	if (!kt_driver_get()) {
		return KT_CU_NOT_INITIALIZED;
	}
	pthread_mutex_lock(&primary_lock);
	if (!primary) {
		result = kt_context_create(&primary, true, primary_blocking);
	}
	if (result == KT_CU_OK) {
		primary->references++;
		*out = primary;
	}
	pthread_mutex_unlock(&primary_lock);
	return result;
}

int kt_context_release_primary(void)
{
	int result = KT_CU_OK;

	if (!kt_driver_get()) {
		return KT_CU_NOT_INITIALIZED;
	}
	pthread_mutex_lock(&primary_lock);
	if (!primary) {
		result = KT_CU_INVALID_CONTEXT;
	} else if (--primary->references == 0) {
		kt_context_destroy(primary);
		primary = NULL;
	}
	pthread_mutex_unlock(&primary_lock);
	return result;
}

void kt_context_set_primary_blocking(bool blocking)
{
	pthread_mutex_lock(&primary_lock);
	primary_blocking = blocking;
	if (primary) {
		__atomic_store_n(&primary->blocking, blocking, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&primary_lock);
}
