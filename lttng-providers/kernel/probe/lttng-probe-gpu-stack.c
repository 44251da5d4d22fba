/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only) */
/*
 * Hands the tracepoints of doorbell_watch.ko to LTTng. Built out of LTTng-modules' tree,
 * against its headers; like its own probes it is nothing but what its generator makes.
 */
#include <linux/module.h>
#include <lttng/tracer.h>

#include "watch/doorbell/doorbell.h"
/* The prototypes that the generator's are compared with */
#include "watch/base/trace.h"

/*
 * A symbol of doorbell_watch's, so that it stays as long as this does: its tracepoints are
 * found by name, and a session would go on without them.
 */
static int (*const held)(struct doorbell_watch_client *) __used = doorbell_watch_register;

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#define TRACE_INCLUDE_PATH probe
#define TRACE_INCLUDE_FILE gpu-stack-events-lttng

#include "probe/gpu-stack-events-lttng.h"

MODULE_LICENSE("GPL and additional rights");
MODULE_AUTHOR("the authors of ktail");
MODULE_DESCRIPTION("LTTng probes of doorbell_watch");
MODULE_VERSION(KT_VERSION);
MODULE_SOFTDEP("pre: lttng-tracer");
