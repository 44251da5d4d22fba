/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only) */
/*
 * The tracepoints of doorbell_watch.ko as LTTng events, for LTTng-modules' generator, which
 * includes this file once per pass. Events of both providers have the names and fields of
 * the user-space provider (lttng-providers/ust/gpu-stack-tp.h), so a reader handles both
 * alike.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpu_stack

#if !defined(KTAIL_GPU_STACK_EVENTS_LTTNG_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTAIL_GPU_STACK_EVENTS_LTTNG_H

#include <lttng/tracepoint-event.h>

#include "watch/base/trace.h"

/* pid, tid and seq are fields, so that a session needs no contexts for them. */
#undef KT_HEAD_FIELDS
#define KT_HEAD_FIELDS                                                                     \
	ctf_integer(u32, pid, head->pid)                                                   \
	ctf_integer(u32, tid, head->tid)                                                   \
	ctf_integer(u64, seq, head->seq)

#undef KT_TEXT
#undef KT_NUMBER
#undef KT_HEX
#undef KT_CLASS
#define KT_TEXT(field)         ctf_string(field, event->field)
#define KT_NUMBER(type, field) ctf_integer(type, field, event->field)
#define KT_HEX(type, field)    ctf_integer_hex(type, field, event->field)
#define KT_CLASS               ctf_integer_hex(u32, class, event->class_)

/*
 * Defines an event whose arguments are the head and one struct. Most events are of this
 * kind.
 */
#undef KT_EVENT
#define KT_EVENT(name, fields...)                                                          \
	LTTNG_TRACEPOINT_EVENT(gpu_stack_##name,                                           \
			       PARAMS(TP_PROTO(const struct kt_event_head *head,           \
					       const struct kt_event_##name *event)),      \
			       PARAMS(TP_ARGS(head, event)),                               \
			       PARAMS(TP_FIELDS(KT_HEAD_FIELDS fields)))

/* clang-format off */
LTTNG_TRACEPOINT_EVENT(gpu_stack_process_begin,
	TP_PROTO(const struct kt_event_head *head, const struct kt_event_process_begin *event,
		 u32 vpid),
	TP_ARGS(head, event, vpid),
	TP_FIELDS(
		KT_HEAD_FIELDS
		KT_FIELDS_OF_process_begin
		ctf_integer(u32, vpid, vpid)
	)
)

KT_EVENT(process_end, KT_FIELDS_OF_process_end)
KT_EVENT(device_open, KT_FIELDS_OF_device_open)

KT_EVENT(ioctl_entry,
	KT_TEXT(device)
	KT_NUMBER(int32_t, fd)
	KT_HEX(uint64_t, request)
	ctf_sequence_hex(u8, bytes, event->first.bytes, u32, event->first.count)
)

LTTNG_TRACEPOINT_EVENT(gpu_stack_ioctl,
	TP_PROTO(const struct kt_event_head *head, const struct kt_event_ioctl *event,
		 const struct kt_first_bytes *first),
	TP_ARGS(head, event, first),
	TP_FIELDS(
		KT_HEAD_FIELDS
		KT_FIELDS_OF_ioctl
		ctf_sequence_hex(u8, bytes, first->bytes, u32, first->count)
	)
)

KT_EVENT(object, KT_FIELDS_OF_object)

KT_EVENT(mmap,
	KT_TEXT(device)
	KT_NUMBER(int32_t, fd)
	KT_NUMBER(int32_t, error)
	KT_HEX(uint64_t, address)
	KT_NUMBER(uint64_t, length)
	KT_HEX(uint64_t, offset)
	KT_HEX(uint32_t, protection)
	KT_HEX(uint32_t, flags)
)

KT_EVENT(map, KT_FIELDS_OF_map)

KT_EVENT(munmap,
	KT_NUMBER(uint32_t, mapping)
	KT_HEX(uint64_t, address)
	KT_NUMBER(uint64_t, length)
)

KT_EVENT(unmap, KT_FIELDS_OF_unmap)

KT_EVENT(pin,
	KT_HEX(uint64_t, address)
	KT_NUMBER(uint64_t, pages)
	KT_NUMBER(int64_t, result)
)

KT_EVENT(access, KT_FIELDS_OF_access)
KT_EVENT(doorbell, KT_FIELDS_OF_doorbell)

KT_EVENT(irq,
	KT_NUMBER(uint32_t, line)
	KT_NUMBER(uint32_t, cpu)
	KT_NUMBER(uint32_t, handled)
)
/* clang-format on */

#endif

/* Outside the include guard, because define_trace.h includes this file again. */
#include <lttng/define_trace.h>
