/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "raw/channel/observe.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "decode/classes.h"
#include "decode/rm/rm-calls.h"

#define RM_TYPE          'F' /* type of RM requests in the ioctl encoding */
#define TYPE_OF(request) ((request) >> 8 & 0xff)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kt_observed observed;
static uint32_t release; /* of the driver */

/* An allocation in here may itself map memory. */
static _Thread_local bool inside;

static void enter(void)
{
	inside = true;
	pthread_mutex_lock(&lock);
}

static void leave(void)
{
	pthread_mutex_unlock(&lock);
	inside = false;
}

/* The descriptor whose next mmap maps an object. */
static struct {
	int fd; /* -1: none */
	struct kt_observed_mapping mapping;
} pending = {.fd = -1};

/* --- objects --- */

static bool reserve(void **items, size_t *capacity, size_t need, size_t size)
{
	const size_t before = *capacity;

	if (kt_array_reserve_(items, capacity, need, size)) {
		observed.incomplete = true;
		return false;
	}
	memset((char *)*items + before * size, 0, (*capacity - before) * size);
	return true;
}

static void give(void *items, size_t capacity, size_t size)
{
	(void)capacity;
	(void)size;
	free(items);
}

static struct kt_object_table objects = {.reserve = reserve, .release = give};

/* Reads through the kernel, because pointers in a struct may be invalid. */
static bool read_own(void *buffer, uint64_t address, size_t length)
{
	struct iovec to = {.iov_base = buffer, .iov_len = length};
	struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = length};

	return address &&
	       process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)length;
}

/* Reads the driver's release from "NVRM version: ... 580.159.04 ...". */
void kt_observe_begin(void)
{
	FILE *file = fopen("/proc/driver/nvidia/version", "re");
	char text[256] = "";
	char *rest = NULL;

	release = KT_RELEASE_USUAL;
	if (!file) {
		return;
	}
	if (fgets(text, sizeof(text), file)) {
		for (char *word = strtok_r(text, " \t\n", &rest); word;
		     word = strtok_r(NULL, " \t\n", &rest)) {
			if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.')) {
				release = kt_release_parse(word);
			}
		}
	}
	fclose(file);
}

static struct kt_observed_channel *find_channel(uint32_t client, uint32_t object)
{
	for (size_t i = 0; i < observed.n_channels; i++) {
		if (observed.channels[i].client == client &&
		    observed.channels[i].object == object) {
			return &observed.channels[i];
		}
	}
	return NULL;
}

static void add_channel(const struct kt_rm_call *call, const struct kt_rm_reader *reader,
			const struct kt_object *object)
{
	unsigned char params[KT_RM_PARAMS_MAX] = {0};
	size_t extent;
	const struct kt_layout *layout =
		kt_rm_call_params(call, reader, KT_STRUCT_CHANNEL, params, &extent);
	struct kt_observed_channel *channel;

	if (!layout || !reserve((void **)&observed.channels, &observed.channels_capacity,
				observed.n_channels + 1, sizeof(*channel))) {
		return;
	}
	channel = &observed.channels[observed.n_channels++];
	*channel = (struct kt_observed_channel){
		.client = object->client,
		.object = object->object,
		.class_number = object->class_,
		.userd_memory = (uint32_t)kt_layout_get(layout, KT_ROLE_USERD_MEMORY,
							params, extent),
		.userd_offset = kt_layout_get(layout, KT_ROLE_USERD_OFFSET, params, extent),
		.ring = kt_layout_get(layout, KT_ROLE_GPFIFO_ADDRESS, params, extent),
		.entries = (uint32_t)kt_layout_get(layout, KT_ROLE_GPFIFO_ENTRIES, params,
						   extent),
	};
	/* hObjectError is the first member of NV_CHANNEL_ALLOC_PARAMS in all releases. */
	memcpy(&channel->error_memory, params, sizeof(channel->error_memory));
}

static void add_object(const struct kt_rm_call *call, const struct kt_rm_reader *reader,
		       const struct kt_event_ioctl *event)
{
	const struct kt_class *class_ = kt_class_find(event->class_);
	struct kt_observed_channel *channel;
	struct kt_object object;

	(void)kt_rm_call_object(call, reader, event, &object);
	kt_object_table_add(&objects, &object);
	if (!class_) {
		return;
	}
	if (class_->kind == KT_CLASS_CHANNEL && call->kind == KT_STRUCT_ALLOC) {
		add_channel(call, reader, &object);
	}
	channel = find_channel(object.client, object.parent);
	if (channel && channel->n_engines < KT_OBSERVED_ENGINES &&
	    (class_->kind == KT_CLASS_COMPUTE || class_->kind == KT_CLASS_DMA_COPY)) {
		channel->engines[channel->n_engines++] = class_->number;
	}
}

static void forget(const struct kt_object *object, void *context)
{
	struct kt_observed_channel *channel = find_channel(object->client, object->object);

	(void)context;
	if (channel) {
		const size_t i = (size_t)(channel - observed.channels);

		observed.n_channels--;
		memmove(channel, channel + 1, (observed.n_channels - i) * sizeof(*channel));
	}
}

static void after(const struct kt_rm_call *call, const struct kt_rm_reader *reader,
		  const struct kt_event_ioctl *event)
{
	struct kt_observed_channel *channel;

	if (kt_rm_call_creates(call->kind)) {
		add_object(call, reader, event);
	}
	switch (call->kind) {
	case KT_STRUCT_MAP:
		pending.fd = (int)kt_rm_call_get(call, KT_ROLE_FD);
		pending.mapping = (struct kt_observed_mapping){
			.client = event->client,
			.object = event->object,
			.class_number = event->class_,
			.offset = kt_rm_call_get(call, KT_ROLE_OFFSET),
		};
		break;
	case KT_STRUCT_CONTROL:
		channel = find_channel(event->client, event->object);
		if (channel && event->command == KT_CONTROL_GET_WORK_SUBMIT_TOKEN) {
			channel->has_token = read_own(&channel->token,
						      kt_rm_call_get(call, KT_ROLE_PARAMS),
						      sizeof(channel->token));
		}
		break;
	case KT_STRUCT_FREE:
		kt_object_table_each_below(&objects, event->client, event->object, true,
					   forget, NULL);
		break;
	default: break;
	}
}

void kt_observe_ioctl(unsigned long request, void *argument, int result)
{
	struct kt_rm_reader reader = {.read = read_own};
	struct kt_event_ioctl event = {.request = request, .result = result};
	unsigned char copy[KT_RM_STRUCT_MAX];
	struct kt_rm_call call;
	const int error = errno;

	if (inside || TYPE_OF(request) != RM_TYPE || result != 0) {
		return;
	}
	enter();
	reader.release = release;
	/* The struct is read after the call, when it has the driver's answer, too. */
	kt_rm_call_open(&call, &reader, KT_IOCTL_RM, request, (uintptr_t)argument, copy);
	if (call.layout) {
		kt_rm_call_describe(&call, &objects, &event);
		if (event.status == 0) {
			after(&call, &reader, &event);
		}
	}
	leave();
	errno = error;
}

/* --- mappings --- */

void kt_observe_munmap(void *start, size_t length)
{
	const uintptr_t begin = (uintptr_t)start;
	size_t kept = 0;

	if (inside) {
		return;
	}
	enter();
	for (size_t i = 0; i < observed.n_mappings; i++) {
		const struct kt_observed_mapping *m = &observed.mappings[i];

		if (m->start + m->length <= begin || m->start >= begin + length) {
			observed.mappings[kept++] = *m;
		}
	}
	observed.n_mappings = kept;
	leave();
}

void kt_observe_mmap(void *start, size_t length, int protection, int fd)
{
	const int error = errno;

	if (inside || start == MAP_FAILED) {
		return;
	}
	kt_observe_munmap(start, length); /* by MAP_FIXED */
	enter();
	if (fd >= 0 && fd == pending.fd) {
		pending.fd = -1;
		if (reserve((void **)&observed.mappings, &observed.mappings_capacity,
			    observed.n_mappings + 1, sizeof(*observed.mappings))) {
			struct kt_observed_mapping *m =
				&observed.mappings[observed.n_mappings++];

			*m = pending.mapping;
			m->start = (uintptr_t)start;
			m->length = length;
			m->writable = protection & PROT_WRITE;
		}
	}
	leave();
	errno = error;
}

const struct kt_observed *kt_observed(void)
{
	return &observed;
}

void *kt_observed_memory(uint32_t client, uint32_t object, uint64_t offset, size_t bytes)
{
	for (size_t i = 0; i < observed.n_mappings; i++) {
		const struct kt_observed_mapping *m = &observed.mappings[i];

		if (m->client == client && m->object == object && offset >= m->offset &&
		    offset - m->offset <= m->length &&
		    bytes <= m->length - (offset - m->offset)) {
			return (void *)(m->start + (offset - m->offset));
		}
	}
	return NULL;
}

const struct kt_observed_mapping *kt_observed_mapping(uint64_t address, size_t bytes)
{
	for (size_t i = 0; i < observed.n_mappings; i++) {
		const struct kt_observed_mapping *m = &observed.mappings[i];

		if (address >= m->start && address - m->start <= m->length &&
		    bytes <= m->length - (address - m->start)) {
			return m;
		}
	}
	return NULL;
}
