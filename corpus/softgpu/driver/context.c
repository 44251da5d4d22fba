/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/driver/driver.h"
#include "corpus/softgpu/driver/layout.h"
#include "corpus/softgpu/driver/rm.h"

static struct kt_context *living; /* list */
static pthread_mutex_t living_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t serials; /* under living_lock */
static _Thread_local struct kt_current current;

static struct kt_context *primary;
static bool primary_blocking;
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- the list --- */

static void link_context(struct kt_context *context)
{
	pthread_mutex_lock(&living_lock);
	context->serial = ++serials;
	context->next = living;
	living = context;
	pthread_mutex_unlock(&living_lock);
}

static void unlink_context(struct kt_context *context)
{
	pthread_mutex_lock(&living_lock);
	for (struct kt_context **at = &living; *at; at = &(*at)->next) {
		if (*at == context) {
			*at = context->next;
			break;
		}
	}
	pthread_mutex_unlock(&living_lock);
}

/* The serial of a living one; 0: it is none. */
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

bool kt_context_lives(struct kt_context *context)
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

bool kt_current_lives(struct kt_current candidate)
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

/* --- the steps of create_context; a step that fails leaves nothing of itself --- */

static int create_group(struct kt_driver *driver, struct kt_context *context)
{
	KT_LABEL(CREATE_GROUP);
	struct kt_abi_channel_group_params params = {
		.address_space = driver->space,
		.engine = KT_ABI_ENGINE_GRAPHICS,
	};

	return kt_rm_alloc(driver, driver->device, KT_ABI_CLASS_CHANNEL_GROUP, &params,
			   sizeof(params), &context->group);
}

static void destroy_group(struct kt_driver *driver, struct kt_context *context)
{
	KT_LABEL(DESTROY_GROUP);

	kt_rm_free(driver, driver->device, context->group);
}

static int create_share(struct kt_driver *driver, struct kt_context *context)
{
	KT_LABEL(CREATE_GROUP);
	struct kt_abi_context_share_params params = {.address_space = driver->space};

	return kt_rm_alloc(driver, context->group, KT_ABI_CLASS_CONTEXT_SHARE, &params,
			   sizeof(params), &context->share);
}

static void destroy_share(struct kt_driver *driver, struct kt_context *context)
{
	KT_LABEL(DESTROY_GROUP);

	kt_rm_free(driver, context->group, context->share);
}

static int create_rings(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	return kt_memory_create(&context->ring, KT_MEMORY_DEVICE_MAPPED,
				kt_big_pages(kt_userd_offset(KT_CHANNELS)));
}

static void destroy_rings(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	kt_memory_destroy(&context->ring);
}

static int create_pushbuffers(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	return kt_memory_create(&context->pushbuffer, KT_MEMORY_SYSTEM,
				kt_big_pages((uint64_t)KT_CHANNELS * KT_PUSHBUFFER_BYTES));
}

static void destroy_pushbuffers(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	kt_memory_destroy(&context->pushbuffer);
}

static int create_semaphores(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	return kt_memory_create(&context->semaphores, KT_MEMORY_SYSTEM,
				KT_SEMAPHORES * UINT64_C(16));
}

static void destroy_semaphores(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	kt_memory_destroy(&context->semaphores);
}

static void destroy_channels(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	for (uint32_t i = KT_CHANNELS; i-- > 0;) {
		kt_channel_destroy(&context->channels[i]);
	}
}

static int create_channels(struct kt_driver *driver, struct kt_context *context)
{
	struct kt_abi_schedule schedule = {.enable = 1};
	int result = KT_CU_OK;

	for (uint32_t i = 0; result == KT_CU_OK && i < KT_CHANNELS; i++) {
		result = kt_channel_create(context, i);
	}
	if (result == KT_CU_OK) {
		KT_LABEL(ENABLE_CHANNEL);

		result = kt_rm_control(driver, context->group, KT_ABI_SCHEDULE, &schedule,
				       sizeof(schedule));
	}
	if (result != KT_CU_OK) {
		destroy_channels(driver, context);
	}
	return result;
}

static int create_launches(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	return kt_memory_create(&context->launches, KT_MEMORY_DEVICE_LOW,
				KT_LAUNCHES_BYTES);
}

static void destroy_launches(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	kt_memory_destroy(&context->launches);
}

static int bind_channels(struct kt_driver *driver, struct kt_context *context)
{
	int result = KT_CU_OK;

	(void)driver;
	for (uint32_t i = 0; result == KT_CU_OK && i < KT_CHANNELS; i++) {
		result = kt_channel_bind(&context->channels[i]);
	}
	return result == KT_CU_OK ? kt_wait_all(context) : result;
}

static int create_heap(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	return kt_heap_create(&context->heap);
}

static void destroy_heap(struct kt_driver *driver, struct kt_context *context)
{
	(void)driver;
	kt_heap_destroy(context->heap);
}

static const struct {
	int (*make)(struct kt_driver *driver, struct kt_context *context);
	void (*unmake)(struct kt_driver *driver, struct kt_context *context);
} steps[] = {
	{create_group, destroy_group},
	{create_share, destroy_share},
	{create_rings, destroy_rings},
	{create_pushbuffers, destroy_pushbuffers},
	{create_semaphores, destroy_semaphores},
	{create_channels, destroy_channels},
	{create_launches, destroy_launches},
	{create_heap, destroy_heap},
	{bind_channels, NULL},
};

static void undo(struct kt_driver *driver, struct kt_context *context, size_t n)
{
	while (driver && n-- > 0) {
		if (steps[n].unmake) {
			steps[n].unmake(driver, context);
		}
	}
	pthread_mutex_destroy(&context->lock);
	free(context);
}

int kt_context_create(struct kt_context **out, bool is_primary, bool blocking)
{
	struct kt_driver *driver = kt_driver_get();
	struct kt_context *context;

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
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int result = steps[i].make(driver, context);

		if (result != KT_CU_OK) {
			undo(driver, context, i);
			return result;
		}
	}
	link_context(context);
	*out = context;
	return KT_CU_OK;
}

void kt_context_destroy(struct kt_context *context)
{
	kt_context_clear(context);
	unlink_context(context);
	if (current.context == context) {
		current = (struct kt_current){0};
	}
	(void)kt_wait_all(context);
	if (context->staging.bytes) {
		kt_memory_destroy(&context->staging);
	}
	undo(kt_driver_get(), context, sizeof(steps) / sizeof(steps[0]));
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
