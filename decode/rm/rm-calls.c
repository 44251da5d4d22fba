/* SPDX-License-Identifier: MIT */
#include "decode/rm/rm-calls.h"

#include <string.h>

#include "decode/classes.h"

/* Fields of a request, as encoded by <asm-generic/ioctl.h>. */
#define REQUEST_NR(request)   ((uint32_t)((request)&0xff))
#define REQUEST_SIZE(request) ((uint32_t)((request) >> 16 & 0x3fff))

/* Flags and attributes of a heap allocation: NVOS32_ALLOC_FLAGS_*, NVOS32_ATTR_* in nvos.h.
 */
#define HEAP_FLAGS_VIRTUAL        0x80000u
#define HEAP_LOCATION(attributes) ((attributes) >> 25 & 3)
#define HEAP_VIDEO_MEMORY         0

#define CLASS_MEMORY_SYSTEM        0x3eu
#define CLASS_MEMORY_LOCAL_USER    0x40u
#define CLASS_MEMORY_OS_DESCRIPTOR 0x71u
#define CLASS_MEMORY_VIRTUAL       0x50a0u

uint64_t kt_rm_call_get(const struct kt_rm_call *call, enum kt_role role)
{
	return kt_layout_get(call->layout, role, call->data, call->size);
}

static uint32_t get32(const struct kt_rm_call *call, enum kt_role role)
{
	return (uint32_t)kt_rm_call_get(call, role);
}

/*
 * Returns the class of the object that the call allocates; 0 if the struct has no class.
 * For a heap allocation, the driver derives the class from flags and attributes
 * (_rmVidHeapControl* in rmapi_deprecated_vidheapctrl.c of NVIDIA's
 * open-gpu-kernel-modules).
 */
static uint32_t class_of(const struct kt_rm_call *call)
{
	switch (call->kind) {
	case KT_STRUCT_HEAP_ALLOC:
	case KT_STRUCT_HEAP_TILED:
		if (get32(call, KT_ROLE_FLAGS) & HEAP_FLAGS_VIRTUAL) {
			return CLASS_MEMORY_VIRTUAL;
		}
		return HEAP_LOCATION(get32(call, KT_ROLE_ATTRIBUTES)) == HEAP_VIDEO_MEMORY
			       ? CLASS_MEMORY_LOCAL_USER
			       : CLASS_MEMORY_SYSTEM;
	case KT_STRUCT_HEAP_DESCRIPTOR: return CLASS_MEMORY_OS_DESCRIPTOR;
	default: return get32(call, KT_ROLE_CLASS);
	}
}

static void find_layout(struct kt_rm_call *call, const struct kt_rm_reader *reader,
			void *copy)
{
	call->kind = kt_layout_of_request(call->nr);
	call->layout = kt_layout_find(call->kind, call->size, reader->release);
	call->data = copy;
	if (call->layout && (call->size > KT_RM_STRUCT_MAX ||
			     !reader->read(copy, call->address, call->size))) {
		call->layout = NULL;
	}
	if (call->layout && call->kind == KT_STRUCT_HEAP) {
		call->kind = kt_layout_of_heap_function(get32(call, KT_ROLE_FUNCTION));
		call->layout = kt_layout_find(call->kind, call->size, reader->release);
	}
}

void kt_rm_call_open(struct kt_rm_call *call, const struct kt_rm_reader *reader,
		     enum kt_ioctl_family family, uint64_t request, uint64_t argument,
		     void *copy)
{
	memset(call, 0, sizeof(*call));
	call->family = family;
	call->address = argument;
	call->data = copy;
	if (family == KT_IOCTL_UVM) {
		call->nr = (uint32_t)request;
		call->kind = kt_layout_of_uvm_request(call->nr);
		return;
	}
	call->nr = REQUEST_NR(request);
	call->size = REQUEST_SIZE(request);
	find_layout(call, reader, copy);
	if (call->layout && call->kind == KT_STRUCT_XFER) {
		const struct kt_rm_call outer = *call;

		call->nr = get32(&outer, KT_ROLE_INNER_REQUEST);
		call->size = get32(&outer, KT_ROLE_INNER_SIZE);
		call->address = kt_rm_call_get(&outer, KT_ROLE_PARAMS);
		find_layout(call, reader, copy);
	}
}

void kt_rm_call_describe(const struct kt_rm_call *call,
			 const struct kt_object_table *objects,
			 struct kt_event_ioctl *event)
{
	event->nr = call->nr;
	event->size = call->size;
	if (!call->layout) {
		return;
	}
	event->client = get32(call, KT_ROLE_CLIENT);
	event->parent = get32(call, KT_ROLE_PARENT);
	event->object = get32(call, KT_ROLE_OBJECT);
	event->class_ = class_of(call);
	event->command = get32(call, KT_ROLE_COMMAND);
	event->status = get32(call, KT_ROLE_STATUS);
	if (call->kind == KT_STRUCT_MAP || call->kind == KT_STRUCT_UNMAP) {
		event->object = get32(call, KT_ROLE_MEMORY);
	}
	if (call->kind == KT_STRUCT_DUP) {
		event->class_ =
			kt_object_table_class(objects, get32(call, KT_ROLE_SOURCE_CLIENT),
					      get32(call, KT_ROLE_SOURCE_OBJECT));
	}
	if (event->class_ == 0 && event->object != 0) {
		event->class_ =
			kt_object_table_class(objects, event->client, event->object);
	}
}

const struct kt_layout *kt_rm_call_params(const struct kt_rm_call *call,
					  const struct kt_rm_reader *reader,
					  enum kt_struct kind, void *params, size_t *extent)
{
	const struct kt_layout *layout = kt_layout_find(kind, 0, reader->release);

	*extent = layout ? kt_layout_extent(layout) : 0;
	if (!layout || *extent > KT_RM_PARAMS_MAX ||
	    !reader->read(params, kt_rm_call_get(call, KT_ROLE_PARAMS), *extent)) {
		return NULL;
	}
	return layout;
}

bool kt_rm_call_creates(enum kt_struct kind)
{
	switch (kind) {
	case KT_STRUCT_ALLOC:
	case KT_STRUCT_ALLOC_OBJECT:
	case KT_STRUCT_ALLOC_MEMORY:
	case KT_STRUCT_DUP:
	case KT_STRUCT_HEAP_ALLOC:
	case KT_STRUCT_HEAP_TILED:
	case KT_STRUCT_HEAP_DESCRIPTOR: return true;
	default: return false;
	}
}

bool kt_rm_call_object(const struct kt_rm_call *call, const struct kt_rm_reader *reader,
		       const struct kt_event_ioctl *event, struct kt_object *out)
{
	const struct kt_class *class = kt_class_find(event->class_);
	unsigned char params[KT_RM_PARAMS_MAX];
	const struct kt_layout *layout;
	size_t extent;

	memset(out, 0, sizeof(*out));
	out->client = event->client;
	out->object = event->object;
	out->parent = event->parent;
	out->class_ = event->class_;
	if (class && class->kind == KT_CLASS_CLIENT) {
		/*
		 * A client belongs to itself: its own handle is also the handle of its
		 * client.
		 */
		out->client = out->object;
	}
	if (!class || !class->space || strcmp(class->space, "pin") != 0) {
		return false;
	}
	/*
	 * Read the range of the registered memory from the struct of
	 * KT_STRUCT_ALLOC_MEMORY or KT_STRUCT_HEAP_DESCRIPTOR, or from the parameters of
	 * KT_STRUCT_ALLOC. Both give the offset of the last byte, which is the length - 1.
	 * If the descriptor is of another type (a file of a dma-buf), it is not an address.
	 */
	if (call->kind == KT_STRUCT_ALLOC_MEMORY ||
	    call->kind == KT_STRUCT_HEAP_DESCRIPTOR) {
		out->address = kt_rm_call_get(call, KT_ROLE_ADDRESS);
		out->length = kt_rm_call_get(call, KT_ROLE_LENGTH) + 1;
		return kt_rm_call_get(call, KT_ROLE_DESCRIPTOR) == 0;
	}
	if (call->kind != KT_STRUCT_ALLOC) {
		return false;
	}
	layout = kt_rm_call_params(call, reader, KT_STRUCT_OS_DESCRIPTOR, params, &extent);
	if (!layout) {
		return false;
	}
	out->address = kt_layout_get(layout, KT_ROLE_ADDRESS, params, extent);
	out->length = kt_layout_get(layout, KT_ROLE_LENGTH, params, extent) + 1;
	return kt_layout_get(layout, KT_ROLE_DESCRIPTOR, params, extent) == 0;
}

struct kt_event_object kt_rm_object_event(const char *action,
					  const struct kt_object *object)
{
	return (struct kt_event_object){
		.action = action,
		.client = object->client,
		.parent = object->parent,
		.object = object->object,
		.class_ = object->class_,
	};
}

struct kt_event_map kt_rm_pin_event(const struct kt_object *object)
{
	return (struct kt_event_map){
		.device = "",
		.space = "pin",
		.mapping = object->mapping,
		.address = object->address,
		.length = object->length,
		.client = object->client,
		.object = object->object,
		.class_ = object->class_,
	};
}

struct kt_event_unmap kt_rm_unpin_event(const struct kt_object *object)
{
	return (struct kt_event_unmap){
		.space = "pin",
		.mapping = object->mapping,
		.address = object->address,
		.length = object->length,
		.client = object->client,
		.object = object->object,
	};
}
