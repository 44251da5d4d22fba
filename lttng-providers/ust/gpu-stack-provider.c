/* SPDX-License-Identifier: MIT */
/* The probe provider: a shared object of its own, loaded by each program that emits its
 * events. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "lttng-providers/ust/gpu-stack-tp.h"
