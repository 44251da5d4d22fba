// SPDX-License-Identifier: GPL-2.0
#include "watch/base/trace.h"

#define DEFINE(name) DEFINE_TRACE(gpu_stack_##name, DW_PROTO(name), TP_ARGS(head, event));
#define DEFINE_MORE(name, prototype, arguments)                                            \
	DEFINE_TRACE(gpu_stack_##name, PARAMS(prototype), PARAMS(arguments));
DW_TRACEPOINTS(DEFINE, DEFINE_MORE)
