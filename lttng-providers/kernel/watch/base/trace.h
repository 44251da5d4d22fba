/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints that this module emits. They are declared with DECLARE_TRACE, which needs
 * no LTTng; lttng-probe-gpu-stack.ko, or any other listener, finds them by name. A probe
 * gets the event's head and the event, whose pointers are valid only during the call.
 */
#ifndef DW_TRACE_H
#define DW_TRACE_H

#include <linux/tracepoint.h>

#include "gpu-stack-kernel-events.h"

/*
 * All tracepoints. A NAME tracepoint has two arguments, the head and the event's struct. A
 * MORE tracepoint has further arguments, for fields that the user-space event of this name
 * does not have.
 */
#define DW_TRACEPOINTS(NAME, MORE)                                                         \
	MORE(process_begin, DW_PROTO(process_begin, u32 vpid), TP_ARGS(head, event, vpid)) \
	NAME(process_end)                                                                  \
	NAME(device_open)                                                                  \
	MORE(ioctl, DW_PROTO(ioctl, const struct kt_first_bytes *first),                   \
	     TP_ARGS(head, event, first))                                                  \
	NAME(object)                                                                       \
	NAME(map)                                                                          \
	NAME(unmap)                                                                        \
	NAME(access)                                                                       \
	NAME(doorbell)                                                                     \
	/* Kernel only */                                                                  \
	NAME(ioctl_entry)                                                                  \
	NAME(mmap)                                                                         \
	NAME(munmap)                                                                       \
	NAME(pin)                                                                          \
	NAME(irq)

#define DW_PROTO(name, ...)                                                                \
	TP_PROTO(const struct kt_event_head *head, const struct kt_event_##name *event,    \
		 ##__VA_ARGS__)

#define DW_DECLARE(name)                                                                   \
	DECLARE_TRACE(gpu_stack_##name, DW_PROTO(name), TP_ARGS(head, event));
#define DW_DECLARE_MORE(name, prototype, arguments)                                        \
	DECLARE_TRACE(gpu_stack_##name, PARAMS(prototype), PARAMS(arguments));
DW_TRACEPOINTS(DW_DECLARE, DW_DECLARE_MORE)
#undef DW_DECLARE
#undef DW_DECLARE_MORE

#endif
