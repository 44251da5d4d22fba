/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/rm.h"

#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collect/channels.h"
#include "collect/counters.h"
#include "collect/emit.h"
#include "collect/mappings.h"
#include "collect/objects.h"
#include "decode/classes.h"

#define PARAMS_MAX 512

uint32_t kt_rm_release;

/* Memory that an application's struct points to may be anything: let the kernel read it. */
static bool read_user(void *buffer, uint64_t address, size_t length)
{
	struct iovec local = {buffer, length};
	struct iovec remote = {(void *)(uintptr_t)address, length};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length;
}

static uint64_t get(const struct kt_rm_call *call, enum kt_role role)
{
	return kt_layout_get(call->layout, role, call->data, call->size);
}

static uint32_t get32(const struct kt_rm_call *call, enum kt_role role)
{
	return (uint32_t)get(call, role);
}

struct kt_rm_call kt_rm_open_call(enum kt_ioctl_family family, unsigned long request,
				  const void *argument)
{
	struct kt_rm_call call = {.family = family, .data = argument};
	unsigned char first;

	if (family == KT_IOCTL_UVM) {
		call.nr = (uint32_t)request;
		return call;
	}
	call.nr = _IOC_NR(request);
	call.size = _IOC_SIZE(request);
	call.kind = kt_layout_of_request(call.nr);
	call.layout = kt_layout_find(call.kind, call.size, kt_rm_release);
	if (call.layout && !read_user(&first, (uintptr_t)argument + call.size - 1, 1)) {
		call.layout = NULL; /* the driver will say EFAULT */
	}
	if (call.layout && call.kind == KT_STRUCT_XFER) {
		const struct kt_rm_call outer = call;

		call.nr = get32(&outer, KT_ROLE_INNER_REQUEST);
		call.size = get32(&outer, KT_ROLE_INNER_SIZE);
		call.data = (const void *)(uintptr_t)get(&outer, KT_ROLE_PARAMS);
		call.kind = kt_layout_of_request(call.nr);
		call.layout = kt_layout_find(call.kind, call.size, kt_rm_release);
		if (call.layout &&
		    !read_user(&first, (uintptr_t)call.data + call.size - 1, 1)) {
			call.layout = NULL;
		}
	}
	if (call.kind != KT_STRUCT_NONE && !call.layout) {
		kt_count(&kt_counters->unreadable);
	}
	return call;
}

static void look_at_channel(const struct kt_object *object, void *context)
{
	const struct kt_class *class = kt_class_find(object->class_);

	(void)context;
	if (class && class->kind == KT_CLASS_CHANNEL) {
		kt_channel_remove(object->client, object->object);
	}
}

void kt_rm_before(const struct kt_rm_call *call)
{
	if (call->layout && call->kind == KT_STRUCT_FREE) {
		kt_object_each_below(get32(call, KT_ROLE_CLIENT),
				     get32(call, KT_ROLE_OBJECT), 0, look_at_channel, NULL);
	}
}

void kt_rm_describe(const struct kt_rm_call *call, struct kt_event_ioctl *event)
{
	event->nr = call->nr;
	event->size = call->size;
	if (!call->layout) {
		return;
	}
	event->client = get32(call, KT_ROLE_CLIENT);
	event->parent = get32(call, KT_ROLE_PARENT);
	event->object = get32(call, KT_ROLE_OBJECT);
	event->class_ = get32(call, KT_ROLE_CLASS);
	event->command = get32(call, KT_ROLE_COMMAND);
	event->status = get32(call, KT_ROLE_STATUS);
	if (call->kind == KT_STRUCT_MAP || call->kind == KT_STRUCT_UNMAP) {
		event->object = get32(call, KT_ROLE_MEMORY);
	}
	if (call->kind == KT_STRUCT_DUP) {
		event->class_ = kt_object_class(get32(call, KT_ROLE_SOURCE_CLIENT),
						get32(call, KT_ROLE_SOURCE_OBJECT));
	}
	if (event->class_ == 0 && event->object != 0) {
		event->class_ = kt_object_class(event->client, event->object);
	}
}

static void emit_object(const char *action, const struct kt_object *object)
{
	struct kt_event_object event = {
		.action = action,
		.client = object->client,
		.parent = object->parent,
		.object = object->object,
		.class_ = object->class_,
	};

	kt_emit_object(&event);
}

/* Registered user memory is mapped by its registration: no mmap will follow. */
static void emit_pin(struct kt_object *object)
{
	object->mapping = kt_mapping_next_ordinal();

	struct kt_event_map event = {
		.device = "",
		.space = "pin",
		.mapping = object->mapping,
		.address = object->address,
		.length = object->length,
		.client = object->client,
		.object = object->object,
		.class_ = object->class_,
	};

	kt_emit_map(&event);
}

static void emit_freed(const struct kt_object *object, void *context)
{
	(void)context;
	if (object->mapping) {
		struct kt_event_unmap event = {
			.space = "pin",
			.mapping = object->mapping,
			.address = object->address,
			.length = object->length,
			.client = object->client,
			.object = object->object,
		};

		kt_emit_unmap(&event);
	}
	emit_object("free", object);
}

static void add_channel(const struct kt_rm_call *call, const struct kt_object *object)
{
	const struct kt_layout *layout =
		kt_layout_find(KT_STRUCT_CHANNEL, 0, kt_rm_release);
	unsigned char params[PARAMS_MAX];
	uint64_t address = get(call, KT_ROLE_PARAMS);
	size_t extent = layout ? kt_layout_extent(layout) : 0;
	struct kt_channel_alloc alloc = {.client = object->client,
					 .object = object->object};

	/* paramsSize may be 0: the driver then takes the size of its own release. */
	if (!layout || extent > sizeof(params) || !read_user(params, address, extent)) {
		return;
	}
	alloc.userd_memory =
		(uint32_t)kt_layout_get(layout, KT_ROLE_USERD_MEMORY, params, extent);
	alloc.userd_offset = kt_layout_get(layout, KT_ROLE_USERD_OFFSET, params, extent);
	kt_channel_add(&alloc);
}

static void after_alloc(const struct kt_rm_call *call, const struct kt_event_ioctl *event,
			const char *action)
{
	const struct kt_class *class = kt_class_find(event->class_);
	struct kt_object object = {
		.client = event->client,
		.object = event->object,
		.parent = event->parent,
		.class_ = event->class_,
	};

	if (class && class->kind == KT_CLASS_CLIENT) {
		/* A client's handle is the root of its own name space. */
		object.client = object.object;
	}
	if (class && class->space && class->space[0] == 'p' &&
	    call->kind == KT_STRUCT_ALLOC_MEMORY) {
		object.address = get(call, KT_ROLE_ADDRESS);
		object.length =
			get(call, KT_ROLE_LENGTH) + 1; /* the call gives the limit */
		emit_pin(&object);
	}
	kt_object_add(&object);
	emit_object(action, &object);
	if (class && class->kind == KT_CLASS_CHANNEL && call->kind == KT_STRUCT_ALLOC) {
		add_channel(call, &object);
	}
}

/* The call names the descriptor whose next mmap maps the object. */
static void tie_descriptor(const struct kt_rm_call *call,
			   const struct kt_event_ioctl *event)
{
	struct kt_device *device = kt_device_get((int)get32(call, KT_ROLE_FD));

	if (device) {
		device->pending.client = event->client;
		device->pending.object = event->object;
		device->pending.class_ = event->class_;
		device->pending.offset = get(call, KT_ROLE_OFFSET);
	}
}

static void after_control(const struct kt_rm_call *call, const struct kt_event_ioctl *event)
{
	const struct kt_layout *layout = kt_layout_find(KT_STRUCT_TOKEN, 4, kt_rm_release);
	uint32_t token;

	if (event->command == KT_CONTROL_GET_WORK_SUBMIT_TOKEN && layout &&
	    read_user(&token, get(call, KT_ROLE_PARAMS), sizeof(token))) {
		kt_channel_set_token(event->client, event->object, token);
	}
}

void kt_rm_after(const struct kt_rm_call *call, const struct kt_event_ioctl *event)
{
	if (!call->layout || event->result != 0 || event->status != 0) {
		return;
	}
	switch (call->kind) {
	case KT_STRUCT_ALLOC:
	case KT_STRUCT_ALLOC_OBJECT: after_alloc(call, event, "alloc"); break;
	case KT_STRUCT_ALLOC_MEMORY:
		after_alloc(call, event, "alloc");
		tie_descriptor(call, event);
		break;
	case KT_STRUCT_DUP: after_alloc(call, event, "dup"); break;
	case KT_STRUCT_MAP: tie_descriptor(call, event); break;
	case KT_STRUCT_CONTROL: after_control(call, event); break;
	case KT_STRUCT_FREE:
		kt_object_each_below(event->client, event->object, 1, emit_freed, NULL);
		break;
	default: break;
	}
}
