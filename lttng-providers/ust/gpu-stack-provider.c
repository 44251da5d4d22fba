/* SPDX-License-Identifier: MIT */
/*
 * The probe provider, a shared object of its own. Every program that emits the events loads
 * it.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "lttng-providers/ust/gpu-stack-tp.h"
