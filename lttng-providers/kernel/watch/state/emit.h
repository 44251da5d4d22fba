/* SPDX-License-Identifier: GPL-2.0 */
/* Events on their way to whoever listens. */
#ifndef DW_EMIT_H
#define DW_EMIT_H

#include "watch/base/trace.h"
#include "watch/state/process.h"

/*
 * Raises an event of a process: DW_EMIT(process, map, &event). It gets the next sequence
 * number, whether anybody listens or not: a trace that begins later says so by that. In any
 * context. More arguments go to the tracepoint (trace.h).
 */
#define DW_EMIT(process, name, ...)                                                        \
	do {                                                                               \
		struct kt_event_head head_ = dw_process_head(process);                     \
                                                                                           \
		trace_gpu_stack_##name(&head_, __VA_ARGS__);                               \
	} while (0)

#endif
