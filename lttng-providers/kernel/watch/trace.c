// SPDX-License-Identifier: GPL-2.0
#include "watch/trace.h"

DEFINE_TRACE(gpu_stack_process_begin,
	     TP_PROTO(const struct kt_event_head *head,
		      const struct kt_event_process_begin *event, u32 vpid),
	     TP_ARGS(head, event, vpid));
DEFINE_TRACE(gpu_stack_ioctl,
	     TP_PROTO(const struct kt_event_head *head, const struct kt_event_ioctl *event,
		      const struct kt_first_bytes *first),
	     TP_ARGS(head, event, first));

#define DW_DEFINE(name)                                                                    \
	DEFINE_TRACE(gpu_stack_##name,                                                     \
		     TP_PROTO(const struct kt_event_head *head,                            \
			      const struct kt_event_##name *event),                        \
		     TP_ARGS(head, event))

DW_DEFINE(process_end);
DW_DEFINE(device_open);
DW_DEFINE(object);
DW_DEFINE(map);
DW_DEFINE(unmap);
DW_DEFINE(access);
DW_DEFINE(doorbell);
DW_DEFINE(ioctl_entry);
DW_DEFINE(mmap);
DW_DEFINE(munmap);
DW_DEFINE(pin);
DW_DEFINE(irq);
