/* SPDX-License-Identifier: MIT */
/*
 * Decodes ioctls of the resource manager: the struct that a call carries, the handles in
 * the struct, and the object that the call created. Plain C shared by the recorder and the
 * kernel module, which read the program's memory in different ways.
 */
#ifndef KTAIL_COLLECT_RM_CALLS_H
#define KTAIL_COLLECT_RM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/ioctls.h"
#include "decode/layouts.h"
#include "decode/rm/object-table.h"
#include "lttng-providers/ust/gpu-stack-events.h"

#define KT_RM_STRUCT_MAX 184 /* maximum size of a struct that a request carries */
#define KT_RM_PARAMS_MAX 512 /* maximum size of parameters that the struct points to */

/*
 * Copies the program's memory, which may be unmapped. Returns whether all of it was copied.
 */
typedef bool (*kt_rm_read_fn)(void *buffer, uint64_t address, size_t length);

/* Describes how to read a driver's structs. */
struct kt_rm_reader {
	kt_rm_read_fn read;
	uint32_t release; /* driver release, which selects the layouts; 0: unknown */
};

struct kt_rm_call {
	enum kt_ioctl_family family;
	uint32_t nr;   /* of the inner request, if the call is NV_ESC_IOCTL_XFER_CMD */
	uint32_t size; /* of the inner request, if the call is NV_ESC_IOCTL_XFER_CMD */
	enum kt_struct kind;
	const struct kt_layout *layout; /* NULL: opaque */
	uint64_t address;               /* address of the struct in the program's memory */
	const void *data; /* Weak: the struct or a copy of it, if layout is not NULL */
};

/*
 * Finds the struct that a call carries, also inside NV_ESC_IOCTL_XFER_CMD. `copy` has
 * KT_RM_STRUCT_MAX bytes; call->data will point to it, but the caller may redirect
 * call->data.
 *
 * call->layout is NULL in three cases: the struct is unknown; the struct is not fully
 * readable, so the driver will return EFAULT; or the call is one of the unified-memory
 * driver, whose requests do not contain a size.
 */
void kt_rm_call_open(struct kt_rm_call *call, const struct kt_rm_reader *reader,
		     enum kt_ioctl_family family, uint64_t request, uint64_t argument,
		     void *copy);

/*
 * Returns a field of the struct; 0 if the struct has no such field. call->layout must not
 * be NULL.
 */
uint64_t kt_rm_call_get(const struct kt_rm_call *call, enum kt_role role);

/*
 * Fills in nr, size, handles, class, command and status of the event, after the call has
 * returned.
 */
void kt_rm_call_describe(const struct kt_rm_call *call,
			 const struct kt_object_table *objects,
			 struct kt_event_ioctl *event);

/* Returns whether a successful call of this kind creates an object. */
bool kt_rm_call_creates(enum kt_struct kind);

/*
 * Sets *out to the object that a successful call has created. Returns true if the object is
 * registered user memory with a known address; the caller then fills in out->mapping. May
 * read the program's memory.
 */
bool kt_rm_call_object(const struct kt_rm_call *call, const struct kt_rm_reader *reader,
		       const struct kt_event_ioctl *event, struct kt_object *out);

/*
 * Return the events of an object: its creation or destruction, and, for registered memory,
 * the mapping and unmapping of its address range.
 */
struct kt_event_object kt_rm_object_event(const char *action,
					  const struct kt_object *object);
struct kt_event_map kt_rm_pin_event(const struct kt_object *object);
struct kt_event_unmap kt_rm_unpin_event(const struct kt_object *object);

/*
 * Reads the parameters to which the call's struct points, a struct of `kind`, into
 * params[0..KT_RM_PARAMS_MAX); *extent is their size. Returns their layout, or NULL if they
 * cannot be read. The driver release alone determines the layout and thus the size; the
 * size that the call gives is ignored.
 */
const struct kt_layout *kt_rm_call_params(const struct kt_rm_call *call,
					  const struct kt_rm_reader *reader,
					  enum kt_struct kind, void *params,
					  size_t *extent);

#endif
