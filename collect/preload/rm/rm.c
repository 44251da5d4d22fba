/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/rm/rm.h"

#include <string.h>

#include "collect/preload/access/access.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/mappings.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/rm/objects.h"
#include "collect/preload/submissions/channels.h"
#include "decode/classes.h"

#define UVM_PARAMS_MAX 9264 /* bytes; UVM's structs have arrays for 256 GPUs */

uint32_t kt_rm_release;

/* Reads through the kernel, because pointers in an application's struct may be invalid. */
static bool read_user(void *buffer, uint64_t address, size_t length)
{
	return kt_memory_read(buffer, address, length) == length;
}

static struct kt_rm_reader reader(void)
{
	return (struct kt_rm_reader){.read = read_user, .release = kt_rm_release};
}

static uint32_t get32(const struct kt_rm_call *call, enum kt_role role)
{
	return (uint32_t)kt_rm_call_get(call, role);
}

struct kt_rm_call kt_rm_open_call(enum kt_ioctl_family family, unsigned long request,
				  const void *argument)
{
	const struct kt_rm_reader own = reader();
	unsigned char copy[KT_RM_STRUCT_MAX];
	struct kt_rm_call call;

	kt_rm_call_open(&call, &own, family, request, (uintptr_t)argument, copy);
	call.data = (const void *)(uintptr_t)call.address; /* where the driver writes */
	if (family != KT_IOCTL_UVM && call.kind != KT_STRUCT_NONE && !call.layout) {
		kt_count(&kt_counters->unreadable);
	}
	return call;
}

static void read_channel(const struct kt_object *object, void *context)
{
	(void)context;
	kt_channel_read_last(object->client, object->object);
}

void kt_rm_before_free(const struct kt_rm_call *call)
{
	kt_object_each_below(get32(call, KT_ROLE_CLIENT), get32(call, KT_ROLE_OBJECT), 0,
			     read_channel, NULL);
}

void kt_rm_describe(const struct kt_rm_call *call, struct kt_event_ioctl *event)
{
	kt_rm_call_describe(call, &kt_objects, event);
}

static void emit_freed(const struct kt_object *object, void *context)
{
	struct kt_event_object event;

	(void)context;
	if (object->mapping) {
		struct kt_event_unmap unpin = kt_rm_unpin_event(object);

		kt_access_forget_pinned(object->mapping, object->address, object->length);
		kt_emit_unmap(&unpin);
	}
	kt_channel_remove(object->client, object->object);
	kt_gpu_forget_object(object->client, object->object);
	event = kt_rm_object_event("free", object);
	kt_emit_object(&event);
}

/* Reads the parameters of a channel's allocation. Returns false if they are unknown. */
static bool read_channel_alloc(const struct kt_rm_call *call,
			       const struct kt_object *object, struct kt_channel_alloc *out)
{
	const struct kt_rm_reader own = reader();
	unsigned char params[KT_RM_PARAMS_MAX];
	size_t extent;
	const struct kt_layout *layout =
		kt_rm_call_params(call, &own, KT_STRUCT_CHANNEL, params, &extent);

	if (!layout) {
		return false;
	}
	*out = (struct kt_channel_alloc){
		.client = object->client,
		.object = object->object,
		.class_ = object->class_,
	};
	out->userd_memory =
		(uint32_t)kt_layout_get(layout, KT_ROLE_USERD_MEMORY, params, extent);
	out->userd_offset = kt_layout_get(layout, KT_ROLE_USERD_OFFSET, params, extent);
	out->ring = kt_layout_get(layout, KT_ROLE_GPFIFO_ADDRESS, params, extent);
	out->entries =
		(uint32_t)kt_layout_get(layout, KT_ROLE_GPFIFO_ENTRIES, params, extent);
	return true;
}

static void after_alloc(const struct kt_rm_call *call, const struct kt_event_ioctl *event,
			const char *action)
{
	const struct kt_class *class = kt_class_find(event->class_);
	const struct kt_rm_reader own = reader();
	struct kt_event_object object_event;
	struct kt_channel_alloc channel;
	struct kt_object object;
	struct kt_event_map pin;
	bool is_channel;

	if (kt_rm_call_object(call, &own, event, &object)) {
		/*
		 * Registered user memory is mapped already and no mmap follows, so its map
		 * event is emitted here.
		 */
		object.mapping = kt_mapping_next_ordinal();
		pin = kt_rm_pin_event(&object);
		kt_emit_map(&pin);
		kt_gpu_pin(&(struct kt_gpu_range){.address = object.address,
						  .length = object.length,
						  .client = object.client,
						  .object = object.object});
		kt_access_watch_pinned(object.mapping, object.address, object.length);
	}
	kt_object_add(&object);
	is_channel = class && class->kind == KT_CLASS_CHANNEL &&
		     call->kind == KT_STRUCT_ALLOC &&
		     read_channel_alloc(call, &object, &channel);
	object_event = kt_rm_object_event(action, &object);
	if (is_channel) {
		object_event.ring = channel.ring;
		object_event.entries = channel.entries;
	}
	kt_emit_object(&object_event);
	if (is_channel) {
		kt_channel_add(&channel);
	}
}

/*
 * The call names an object and a descriptor: notes that the descriptor's next mmap maps the
 * object.
 */
static void tie_descriptor(const struct kt_rm_call *call,
			   const struct kt_event_ioctl *event)
{
	struct kt_device *device = kt_device_get((int)get32(call, KT_ROLE_FD));

	if (device) {
		device->pending.client = event->client;
		device->pending.object = event->object;
		device->pending.class_ = event->class_;
		device->pending.offset = kt_rm_call_get(call, KT_ROLE_OFFSET);
	}
}

/* --- mappings in a GPU's address space --- */

static void follow_gpu_map(enum kt_struct kind, const struct kt_layout *layout,
			   const void *data, size_t size)
{
	struct kt_gpu_range range = {
		.address = kt_layout_get(layout, KT_ROLE_ADDRESS, data, size),
		.length = kt_layout_get(layout, KT_ROLE_LENGTH, data, size),
		.client = (uint32_t)kt_layout_get(layout, KT_ROLE_CLIENT, data, size),
		.object = (uint32_t)kt_layout_get(layout, KT_ROLE_MEMORY, data, size),
		.offset = kt_layout_get(layout, KT_ROLE_OFFSET, data, size),
	};

	if (kind == KT_STRUCT_UVM_MAP || kind == KT_STRUCT_MAP_DMA) {
		kt_gpu_map(&range);
	} else {
		/* If the request has no length, unmaps the range at this address. */
		kt_gpu_unmap(range.address, range.length ? range.length : 1);
	}
}

/* Handles a UVM request, whose ioctl number does not encode the struct's size. */
static void after_uvm(const struct kt_rm_call *call)
{
	static unsigned char params[UVM_PARAMS_MAX];
	const struct kt_layout *layout = kt_layout_find(call->kind, 0, kt_rm_release);
	size_t extent = layout ? kt_layout_extent(layout) : 0;

	if (layout && extent <= sizeof(params) &&
	    read_user(params, (uintptr_t)call->data, extent) &&
	    kt_layout_get(layout, KT_ROLE_STATUS, params, extent) == 0) {
		follow_gpu_map(call->kind, layout, params, extent);
	}
}

void kt_rm_after(const struct kt_rm_call *call, const struct kt_event_ioctl *event)
{
	const struct kt_layout *layout;
	uint32_t token;
	char text[32];

	if (call->family == KT_IOCTL_UVM && event->result == 0) {
		after_uvm(call);
	}
	if (!call->layout || event->result != 0 || event->status != 0) {
		return;
	}
	if (kt_rm_call_creates(call->kind)) {
		after_alloc(call, event, call->kind == KT_STRUCT_DUP ? "dup" : "alloc");
	}
	switch (call->kind) {
	case KT_STRUCT_ALLOC_MEMORY:
	case KT_STRUCT_MAP: tie_descriptor(call, event); break;
	case KT_STRUCT_CONTROL:
		layout = kt_layout_find(KT_STRUCT_TOKEN, 4, kt_rm_release);
		if (event->command == KT_CONTROL_GET_WORK_SUBMIT_TOKEN && layout &&
		    read_user(&token, kt_rm_call_get(call, KT_ROLE_PARAMS),
			      sizeof(token))) {
			kt_channel_set_token(event->client, event->object, token);
		}
		break;
	case KT_STRUCT_VERSION:
		/*
		 * If /proc does not have the driver's release, uses the release in the
		 * reply.
		 */
		if (kt_rm_release == 0 &&
		    read_user(text,
			      (uintptr_t)call->data +
				      call->layout->fields[KT_ROLE_TEXT].offset,
			      sizeof(text))) {
			text[sizeof(text) - 1] = '\0';
			kt_rm_release = kt_release_parse(text);
		}
		break;
	case KT_STRUCT_MAP_DMA:
	case KT_STRUCT_UNMAP_DMA:
		follow_gpu_map(call->kind, call->layout, call->data, call->size);
		break;
	case KT_STRUCT_FREE:
		kt_object_each_below(event->client, event->object, 1, emit_freed, NULL);
		break;
	default: break;
	}
}
