/* SPDX-License-Identifier: MIT */
/*
 * The tracepoints of `gpu_stack`, for lttng-ust's generator, which includes this file once
 * per pass.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gpu_stack

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng-providers/ust/gpu-stack-tp.h"

#if !defined(KTAIL_GPU_STACK_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KTAIL_GPU_STACK_TP_H

#include <lttng/tracepoint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

/* pid, tid and seq are fields, so that a session needs no contexts for them. */
#undef KT_HEAD_FIELDS
#define KT_HEAD_FIELDS                                                                       \
	lttng_ust_field_integer(uint32_t, pid, head->pid)                                    \
	lttng_ust_field_integer(uint32_t, tid, head->tid)                                    \
	lttng_ust_field_integer(uint64_t, seq, head->seq)

#undef KT_TEXT
#undef KT_NUMBER
#undef KT_HEX
#undef KT_CLASS
#define KT_TEXT(field)         lttng_ust_field_string(field, event->field)
#define KT_NUMBER(type, field) lttng_ust_field_integer(type, field, event->field)
#define KT_HEX(type, field)    lttng_ust_field_integer_hex(type, field, event->field)
#define KT_CLASS               lttng_ust_field_integer_hex(uint32_t, class, event->class_)

/* clang-format off */
#undef KT_EVENT
#define KT_EVENT(event_name, ...) \
	LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, event_name, \
		LTTNG_UST_TP_ARGS(const struct kt_event_head *, head, \
			const struct kt_event_##event_name *, event), \
		LTTNG_UST_TP_FIELDS(KT_HEAD_FIELDS __VA_ARGS__))

KT_EVENT(process_begin, KT_FIELDS_OF_process_begin)
KT_EVENT(process_end, KT_FIELDS_OF_process_end)
KT_EVENT(device_open, KT_FIELDS_OF_device_open)

KT_EVENT(version,
	KT_TEXT(what)
	KT_TEXT(version)
	KT_TEXT(id)
	KT_TEXT(detail)
)

KT_EVENT(detail,
	KT_TEXT(what)
	KT_TEXT(from)
	KT_TEXT(to)
	KT_TEXT(why)
	KT_NUMBER(uint32_t, mapping)
)

KT_EVENT(report,
	KT_NUMBER(uint32_t, mapping)
	KT_HEX(uint64_t, offset)
	KT_HEX(uint64_t, payload)
	KT_NUMBER(uint64_t, time)
)

KT_EVENT(device_close,
	KT_TEXT(device)
	KT_NUMBER(int32_t, fd)
)

KT_EVENT(ioctl, KT_FIELDS_OF_ioctl)
KT_EVENT(object, KT_FIELDS_OF_object KT_HEX(uint64_t, ring) KT_NUMBER(uint32_t, entries))
KT_EVENT(map, KT_FIELDS_OF_map)
KT_EVENT(unmap, KT_FIELDS_OF_unmap)
KT_EVENT(access, KT_FIELDS_OF_access KT_TEXT(role))
KT_EVENT(doorbell, KT_FIELDS_OF_doorbell
	KT_NUMBER(uint32_t, get_known) KT_NUMBER(uint32_t, gp_get))

#undef KT_TEXT
#undef KT_NUMBER
#undef KT_HEX
#define KT_TEXT(field)         lttng_ust_field_string(field, event->doorbell->field)
#define KT_NUMBER(type, field) lttng_ust_field_integer(type, field, event->doorbell->field)
#define KT_HEX(type, field)    lttng_ust_field_integer_hex(type, field, event->doorbell->field)

KT_EVENT(submission,
	KT_FIELDS_OF_doorbell
	KT_NUMBER(uint32_t, get_known)
	KT_NUMBER(uint32_t, gp_get)
	lttng_ust_field_integer_hex(uint32_t, client, event->client)
	KT_CLASS
	lttng_ust_field_sequence(uint32_t, indexes, event->indexes, uint32_t, event->n)
	lttng_ust_field_sequence_hex(uint64_t, entries, event->entries, uint32_t, event->n)
	lttng_ust_field_sequence_hex(uint64_t, addresses, event->addresses, uint32_t, event->n)
	lttng_ust_field_sequence(uint32_t, lengths, event->lengths, uint32_t, event->n)
	lttng_ust_field_sequence_hex(uint32_t, words, event->words, uint32_t, event->count)
)

#undef KT_TEXT
#undef KT_NUMBER
#undef KT_HEX
#define KT_TEXT(field)         lttng_ust_field_string(field, event->field)
#define KT_NUMBER(type, field) lttng_ust_field_integer(type, field, event->field)
#define KT_HEX(type, field)    lttng_ust_field_integer_hex(type, field, event->field)

KT_EVENT(gpfifo_entry,
	KT_HEX(uint32_t, client)
	KT_HEX(uint32_t, channel)
	KT_CLASS
	KT_NUMBER(uint32_t, index)
	KT_HEX(uint64_t, entry)
	KT_HEX(uint64_t, address)
	KT_NUMBER(uint32_t, words)
	KT_TEXT(state)
	KT_TEXT(unread)
)

KT_EVENT(pushbuffer,
	KT_HEX(uint32_t, client)
	KT_HEX(uint32_t, channel)
	KT_NUMBER(uint32_t, index)
	KT_HEX(uint64_t, address)
	KT_NUMBER(uint32_t, offset)
	lttng_ust_field_sequence_hex(uint32_t, words, event->words, uint32_t, event->count)
)

KT_EVENT(api_enter,
	KT_TEXT(api)
	KT_TEXT(name)
	KT_TEXT(by)
	KT_NUMBER(uint64_t, correlation)
	lttng_ust_field_sequence_hex(uint64_t, arguments, event->arguments, uint32_t, event->count)
)

KT_EVENT(api_exit,
	KT_TEXT(api)
	KT_TEXT(name)
	KT_TEXT(by)
	KT_NUMBER(uint64_t, correlation)
	KT_NUMBER(uint32_t, known)
	KT_NUMBER(int32_t, result)
	KT_NUMBER(uint64_t, duration)
)

KT_EVENT(api_kernel,
	KT_TEXT(api)
	KT_NUMBER(uint64_t, correlation)
	KT_HEX(uint64_t, handle)
	KT_HEX(uint64_t, of)
	KT_TEXT(name)
)

KT_EVENT(api_coverage,
	KT_TEXT(api)
	KT_TEXT(name)
	KT_TEXT(state)
	KT_TEXT(how)
	KT_NUMBER(uint64_t, calls)
)

KT_EVENT(wait,
	KT_TEXT(device)
	KT_NUMBER(int32_t, fd)
	KT_TEXT(call)
	KT_NUMBER(int32_t, result)
	KT_NUMBER(int32_t, error)
	KT_NUMBER(uint64_t, duration)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
