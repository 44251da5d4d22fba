/* SPDX-License-Identifier: MIT */
/* The tracepoints of `gpu_stack`, for lttng-ust's generator. Read once per definition pass. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER gpu_stack

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng-providers/ust/gpu-stack-tp.h"

#if !defined(KTAIL_GPU_STACK_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KTAIL_GPU_STACK_TP_H

#include <lttng/tracepoint.h>

#include "lttng-providers/ust/gpu-stack-events.h"

/* pid, tid and seq are fields, not contexts: a plain lttng session must be enough. */
#undef KT_HEAD_FIELDS
#define KT_HEAD_FIELDS                                                                       \
	lttng_ust_field_integer(uint32_t, pid, head->pid)                                    \
	lttng_ust_field_integer(uint32_t, tid, head->tid)                                    \
	lttng_ust_field_integer(uint64_t, seq, head->seq)

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, process_begin,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_process_begin *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(name, event->name)
		lttng_ust_field_integer(uint32_t, ppid, event->ppid)
		lttng_ust_field_string(recorder, event->recorder)
		lttng_ust_field_string(driver, event->driver)
		lttng_ust_field_string(access, event->access)
		lttng_ust_field_string(doorbell, event->doorbell)
		lttng_ust_field_string(api, event->api)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, process_end,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_process_end *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(reason, event->reason)
		lttng_ust_field_integer(uint64_t, doorbells, event->doorbells)
		lttng_ust_field_integer(uint64_t, idle_doorbells, event->idle_doorbells)
		lttng_ust_field_integer(uint32_t, channels, event->channels)
		lttng_ust_field_integer(uint32_t, behind, event->behind)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, device_open,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_device_open *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(device, event->device)
		lttng_ust_field_integer(int32_t, fd, event->fd)
		lttng_ust_field_integer(int32_t, error, event->error)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, device_close,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_device_close *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(device, event->device)
		lttng_ust_field_integer(int32_t, fd, event->fd)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, ioctl,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_ioctl *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(device, event->device)
		lttng_ust_field_integer(int32_t, fd, event->fd)
		lttng_ust_field_integer_hex(uint64_t, request, event->request)
		lttng_ust_field_integer_hex(uint32_t, nr, event->nr)
		lttng_ust_field_integer(uint32_t, size, event->size)
		lttng_ust_field_integer(int64_t, result, event->result)
		lttng_ust_field_integer(int32_t, error, event->error)
		lttng_ust_field_integer(uint64_t, duration, event->duration)
		lttng_ust_field_integer_hex(uint32_t, client, event->client)
		lttng_ust_field_integer_hex(uint32_t, parent, event->parent)
		lttng_ust_field_integer_hex(uint32_t, object, event->object)
		lttng_ust_field_integer_hex(uint32_t, class, event->class_)
		lttng_ust_field_integer_hex(uint32_t, command, event->command)
		lttng_ust_field_integer_hex(uint32_t, status, event->status)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, object,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_object *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(action, event->action)
		lttng_ust_field_integer_hex(uint32_t, client, event->client)
		lttng_ust_field_integer_hex(uint32_t, parent, event->parent)
		lttng_ust_field_integer_hex(uint32_t, object, event->object)
		lttng_ust_field_integer_hex(uint32_t, class, event->class_)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, map,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_map *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(device, event->device)
		lttng_ust_field_string(space, event->space)
		lttng_ust_field_integer(uint32_t, mapping, event->mapping)
		lttng_ust_field_integer(int32_t, error, event->error)
		lttng_ust_field_integer_hex(uint64_t, address, event->address)
		lttng_ust_field_integer(uint64_t, length, event->length)
		lttng_ust_field_integer_hex(uint32_t, client, event->client)
		lttng_ust_field_integer_hex(uint32_t, object, event->object)
		lttng_ust_field_integer_hex(uint32_t, class, event->class_)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, unmap,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_unmap *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(space, event->space)
		lttng_ust_field_integer(uint32_t, mapping, event->mapping)
		lttng_ust_field_integer_hex(uint64_t, address, event->address)
		lttng_ust_field_integer(uint64_t, length, event->length)
		lttng_ust_field_integer_hex(uint32_t, client, event->client)
		lttng_ust_field_integer_hex(uint32_t, object, event->object)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, access,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_access *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(op, event->op)
		lttng_ust_field_string(space, event->space)
		lttng_ust_field_integer(uint32_t, mapping, event->mapping)
		lttng_ust_field_integer_hex(uint64_t, offset, event->offset)
		lttng_ust_field_integer(uint64_t, size, event->size)
		lttng_ust_field_integer_hex(uint64_t, ip, event->ip)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, doorbell,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_doorbell *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(by, event->by)
		lttng_ust_field_string(space, event->space)
		lttng_ust_field_integer(uint32_t, mapping, event->mapping)
		lttng_ust_field_integer_hex(uint64_t, offset, event->offset)
		lttng_ust_field_integer_hex(uint64_t, ip, event->ip)
		lttng_ust_field_integer(uint32_t, known, event->known)
		lttng_ust_field_integer_hex(uint32_t, value, event->value)
		lttng_ust_field_integer(uint32_t, moved, event->moved)
		lttng_ust_field_integer_hex(uint32_t, channel, event->channel)
		lttng_ust_field_integer(uint32_t, gp_put, event->gp_put)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, gpfifo_entry,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_gpfifo_entry *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_integer_hex(uint32_t, client, event->client)
		lttng_ust_field_integer_hex(uint32_t, channel, event->channel)
		lttng_ust_field_integer_hex(uint32_t, class, event->class_)
		lttng_ust_field_integer(uint32_t, index, event->index)
		lttng_ust_field_integer_hex(uint64_t, entry, event->entry)
		lttng_ust_field_integer_hex(uint64_t, address, event->address)
		lttng_ust_field_integer(uint32_t, words, event->words)
		lttng_ust_field_string(state, event->state)
		lttng_ust_field_string(unread, event->unread)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, pushbuffer,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_pushbuffer *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_integer_hex(uint32_t, client, event->client)
		lttng_ust_field_integer_hex(uint32_t, channel, event->channel)
		lttng_ust_field_integer(uint32_t, index, event->index)
		lttng_ust_field_integer_hex(uint64_t, address, event->address)
		lttng_ust_field_integer(uint32_t, offset, event->offset)
		lttng_ust_field_sequence_hex(uint32_t, words, event->words, uint32_t, event->count)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, api_enter,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_api_enter *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(api, event->api)
		lttng_ust_field_string(name, event->name)
		lttng_ust_field_string(by, event->by)
		lttng_ust_field_integer(uint64_t, correlation, event->correlation)
		lttng_ust_field_sequence_hex(uint64_t, arguments, event->arguments, uint32_t, event->count)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, api_exit,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_api_exit *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(api, event->api)
		lttng_ust_field_string(name, event->name)
		lttng_ust_field_string(by, event->by)
		lttng_ust_field_integer(uint64_t, correlation, event->correlation)
		lttng_ust_field_integer(uint32_t, known, event->known)
		lttng_ust_field_integer(int32_t, result, event->result)
		lttng_ust_field_integer(uint64_t, duration, event->duration)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, api_coverage,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_api_coverage *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(api, event->api)
		lttng_ust_field_string(name, event->name)
		lttng_ust_field_string(state, event->state)
		lttng_ust_field_string(how, event->how)
		lttng_ust_field_integer(uint64_t, calls, event->calls)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(gpu_stack, wait,
	LTTNG_UST_TP_ARGS(const struct kt_event_head *, head,
		const struct kt_event_wait *, event),
	LTTNG_UST_TP_FIELDS(
		KT_HEAD_FIELDS
		lttng_ust_field_string(device, event->device)
		lttng_ust_field_integer(int32_t, fd, event->fd)
		lttng_ust_field_string(call, event->call)
		lttng_ust_field_integer(int32_t, result, event->result)
		lttng_ust_field_integer(int32_t, error, event->error)
		lttng_ust_field_integer(uint64_t, duration, event->duration)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
