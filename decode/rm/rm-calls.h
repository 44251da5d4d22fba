/* SPDX-License-Identifier: MIT */
/*
 * What an ioctl says to the resource manager: which struct it carries, which handles that
 * names, what object it has made. Plain C that the recorder and the kernel module share;
 * how a program's memory is read is their own affair.
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

#define KT_RM_STRUCT_MAX 128 /* bytes of a struct that a request carries itself */
#define KT_RM_PARAMS_MAX 512 /* of parameters that it points to */

/* Copies memory that may not be there: whether all of it was. */
typedef bool (*kt_rm_read_fn)(void *buffer, uint64_t address, size_t length);

/* How a driver's structs are to be read. */
struct kt_rm_reader {
	kt_rm_read_fn read;
	uint32_t release; /* of the driver, that picks the layouts; 0: unknown */
};

struct kt_rm_call {
	enum kt_ioctl_family family;
	uint32_t nr;   /* of the request within NV_ESC_IOCTL_XFER_CMD */
	uint32_t size; /* likewise */
	enum kt_struct kind;
	const struct kt_layout *layout; /* NULL: opaque */
	uint64_t address;               /* of its struct, in the program */
	const void *data; /* Weak: that struct, or a copy of it, when layout is not NULL */
};

/*
 * Finds out what a call carries, following NV_ESC_IOCTL_XFER_CMD. A struct of which a part
 * is missing is none, for the driver will say EFAULT; nor has a call of the unified-memory
 * driver one here, whose size no request tells. `copy`: room for KT_RM_STRUCT_MAX bytes,
 * what data points to; the caller may point it elsewhere.
 */
void kt_rm_call_open(struct kt_rm_call *call, const struct kt_rm_reader *reader,
		     enum kt_ioctl_family family, uint64_t request, uint64_t argument,
		     void *copy);

/* A field of its struct; 0 where it has none. layout is not NULL. */
uint64_t kt_rm_call_get(const struct kt_rm_call *call, enum kt_role role);

/* After the call has returned: fills the event's nr, size, handles, class and status. */
void kt_rm_call_describe(const struct kt_rm_call *call,
			 const struct kt_object_table *objects,
			 struct kt_event_ioctl *event);

/*
 * The object that a successful KT_STRUCT_ALLOC, _ALLOC_OBJECT, _ALLOC_MEMORY or _DUP has
 * made. true: it is registered user memory, and where that lies is known; its `mapping` is
 * the caller's to fill in. Reads the program's memory.
 */
bool kt_rm_call_object(const struct kt_rm_call *call, const struct kt_rm_reader *reader,
		       const struct kt_event_ioctl *event, struct kt_object *out);

/* Events of an object: that it is made or gone; of its memory, where that is registered. */
struct kt_event_object kt_rm_object_event(const char *action,
					  const struct kt_object *object);
struct kt_event_map kt_rm_pin_event(const struct kt_object *object);
struct kt_event_unmap kt_rm_unpin_event(const struct kt_object *object);

/*
 * Parameters of a KT_STRUCT_ALLOC, into room for KT_RM_PARAMS_MAX bytes, *extent of them:
 * their layout, or NULL: they cannot be read. The size that came may be 0: the release
 * tells it.
 */
const struct kt_layout *kt_rm_call_params(const struct kt_rm_call *call,
					  const struct kt_rm_reader *reader,
					  enum kt_struct kind, void *params,
					  size_t *extent);

#endif
