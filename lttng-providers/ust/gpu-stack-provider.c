/* SPDX-License-Identifier: MIT */
/*
 * The probe provider: a separate shared object, which each program that emits the events
 * loads.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "lttng-providers/ust/gpu-stack-tp.h"
