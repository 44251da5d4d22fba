/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only) */
/*
 * The tracepoints of doorbell_watch.ko as LTTng's events, for LTTng-modules' generator,
 * which reads this once per pass. Names and fields are those of the user-space provider
 * (lttng-providers/ust/gpu-stack-tp.h), so that a reader needs to know them once.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpu_stack

#if !defined(KTAIL_GPU_STACK_EVENTS_LTTNG_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTAIL_GPU_STACK_EVENTS_LTTNG_H

#include <lttng/tracepoint-event.h>

#include "watch/base/trace.h"

/* pid, tid and seq are fields, not contexts: a plain session must be enough. */
#undef KT_HEAD_FIELDS
#define KT_HEAD_FIELDS                                                                     \
	ctf_integer(u32, pid, head->pid)                                                   \
	ctf_integer(u32, tid, head->tid)                                                   \
	ctf_integer(u64, seq, head->seq)

/* Most have the head and one struct. */
#undef KT_EVENT
#define KT_EVENT(name, fields...)                                                          \
	LTTNG_TRACEPOINT_EVENT(gpu_stack_##name,                                           \
			       PARAMS(TP_PROTO(const struct kt_event_head *head,           \
					       const struct kt_event_##name *event)),      \
			       PARAMS(TP_ARGS(head, event)), PARAMS(fields))

/* clang-format off */
LTTNG_TRACEPOINT_EVENT(gpu_stack_process_begin,
	TP_PROTO(const struct kt_event_head *head, const struct kt_event_process_begin *event,
		 u32 vpid),
	TP_ARGS(head, event, vpid),
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(name, event->name)
		ctf_integer(u32, ppid, event->ppid)
		ctf_string(recorder, event->recorder)
		ctf_string(driver, event->driver)
		ctf_string(access, event->access)
		ctf_string(doorbell, event->doorbell)
		ctf_string(api, event->api)
		ctf_integer(u32, vpid, vpid)
	)
)

KT_EVENT(process_end,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(reason, event->reason)
		ctf_integer(u64, doorbells, event->doorbells)
		ctf_integer(u64, idle_doorbells, event->idle_doorbells)
		ctf_integer(u32, channels, event->channels)
		ctf_integer(u32, behind, event->behind)
	)
)

KT_EVENT(device_open,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(device, event->device)
		ctf_integer(s32, fd, event->fd)
		ctf_integer(s32, error, event->error)
	)
)

KT_EVENT(ioctl_entry,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(device, event->device)
		ctf_integer(s32, fd, event->fd)
		ctf_integer_hex(u64, request, event->request)
		ctf_sequence_hex(u8, bytes, event->first.bytes, u32, event->first.count)
	)
)

LTTNG_TRACEPOINT_EVENT(gpu_stack_ioctl,
	TP_PROTO(const struct kt_event_head *head, const struct kt_event_ioctl *event,
		 const struct kt_first_bytes *first),
	TP_ARGS(head, event, first),
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(device, event->device)
		ctf_integer(s32, fd, event->fd)
		ctf_integer_hex(u64, request, event->request)
		ctf_integer_hex(u32, nr, event->nr)
		ctf_integer(u32, size, event->size)
		ctf_integer(s64, result, event->result)
		ctf_integer(s32, error, event->error)
		ctf_integer(u64, duration, event->duration)
		ctf_integer_hex(u32, client, event->client)
		ctf_integer_hex(u32, parent, event->parent)
		ctf_integer_hex(u32, object, event->object)
		ctf_integer_hex(u32, class, event->class_)
		ctf_integer_hex(u32, command, event->command)
		ctf_integer_hex(u32, status, event->status)
		ctf_sequence_hex(u8, bytes, first->bytes, u32, first->count)
	)
)

KT_EVENT(object,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(action, event->action)
		ctf_integer_hex(u32, client, event->client)
		ctf_integer_hex(u32, parent, event->parent)
		ctf_integer_hex(u32, object, event->object)
		ctf_integer_hex(u32, class, event->class_)
	)
)

KT_EVENT(mmap,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(device, event->device)
		ctf_integer(s32, fd, event->fd)
		ctf_integer(s32, error, event->error)
		ctf_integer_hex(u64, address, event->address)
		ctf_integer(u64, length, event->length)
		ctf_integer_hex(u64, offset, event->offset)
		ctf_integer_hex(u32, protection, event->protection)
		ctf_integer_hex(u32, flags, event->flags)
	)
)

KT_EVENT(map,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(device, event->device)
		ctf_string(space, event->space)
		ctf_integer(u32, mapping, event->mapping)
		ctf_integer(s32, error, event->error)
		ctf_integer_hex(u64, address, event->address)
		ctf_integer(u64, length, event->length)
		ctf_integer_hex(u32, client, event->client)
		ctf_integer_hex(u32, object, event->object)
		ctf_integer_hex(u32, class, event->class_)
	)
)

KT_EVENT(munmap,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_integer(u32, mapping, event->mapping)
		ctf_integer_hex(u64, address, event->address)
		ctf_integer(u64, length, event->length)
	)
)

KT_EVENT(unmap,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(space, event->space)
		ctf_integer(u32, mapping, event->mapping)
		ctf_integer_hex(u64, address, event->address)
		ctf_integer(u64, length, event->length)
		ctf_integer_hex(u32, client, event->client)
		ctf_integer_hex(u32, object, event->object)
	)
)

KT_EVENT(pin,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_integer_hex(u64, address, event->address)
		ctf_integer(u64, pages, event->pages)
		ctf_integer(s64, result, event->result)
	)
)

KT_EVENT(access,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(op, event->op)
		ctf_string(space, event->space)
		ctf_integer(u32, mapping, event->mapping)
		ctf_integer_hex(u64, offset, event->offset)
		ctf_integer(u64, size, event->size)
		ctf_integer_hex(u64, ip, event->ip)
	)
)

KT_EVENT(doorbell,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_string(by, event->by)
		ctf_string(space, event->space)
		ctf_integer(u32, mapping, event->mapping)
		ctf_integer_hex(u64, offset, event->offset)
		ctf_integer_hex(u64, ip, event->ip)
		ctf_integer(u32, known, event->known)
		ctf_integer_hex(u32, value, event->value)
		ctf_integer(u32, moved, event->moved)
		ctf_integer_hex(u32, channel, event->channel)
		ctf_integer(u32, gp_put, event->gp_put)
	)
)

KT_EVENT(irq,
	TP_FIELDS(
		KT_HEAD_FIELDS
		ctf_integer(u32, line, event->line)
		ctf_integer(u32, cpu, event->cpu)
		ctf_integer(u32, handled, event->handled)
	)
)
/* clang-format on */

#endif

/* Outside of the guard: this is what reads it again. */
#include <lttng/define_trace.h>
