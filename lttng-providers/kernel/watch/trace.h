/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints that this module raises. They are bare (DECLARE_TRACE): nothing of LTTng
 * is needed to load it; lttng-probe-gpu-stack.ko, or any other listener, finds them by
 * name. What hangs on them gets the event's head and the event; pointers live during the
 * call.
 */
#ifndef DW_TRACE_H
#define DW_TRACE_H

#include <linux/tracepoint.h>

#include "gpu-stack-kernel-events.h"

#define DW_DECLARE(name)                                                                   \
	DECLARE_TRACE(gpu_stack_##name,                                                    \
		      TP_PROTO(const struct kt_event_head *head,                           \
			       const struct kt_event_##name *event),                       \
		      TP_ARGS(head, event))

/* The same structs as in user space */
DW_DECLARE(process_end);
DW_DECLARE(device_open);
DW_DECLARE(object);
DW_DECLARE(map);
DW_DECLARE(unmap);
DW_DECLARE(access);
DW_DECLARE(doorbell);

/* These have a field more than in user space. */
DECLARE_TRACE(gpu_stack_process_begin,
	      TP_PROTO(const struct kt_event_head *head,
		       const struct kt_event_process_begin *event, u32 vpid),
	      TP_ARGS(head, event, vpid));
DECLARE_TRACE(gpu_stack_ioctl,
	      TP_PROTO(const struct kt_event_head *head, const struct kt_event_ioctl *event,
		       const struct kt_first_bytes *first),
	      TP_ARGS(head, event, first));

/* The kernel's own */
DW_DECLARE(ioctl_entry);
DW_DECLARE(mmap);
DW_DECLARE(munmap);
DW_DECLARE(pin);
DW_DECLARE(irq);

#undef DW_DECLARE

#endif
