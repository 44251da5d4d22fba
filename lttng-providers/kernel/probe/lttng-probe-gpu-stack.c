/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only) */
/*
 * LTTng probes for the tracepoints of doorbell_watch.ko, built outside LTTng-modules' tree
 * against its headers. Like LTTng's own probes, this module contains only what LTTng's
 * generator emits.
 */
#include <linux/module.h>
#include <lttng/tracer.h>

#include "watch/doorbell/doorbell.h"
/* Declares the tracepoints, so that the compiler checks the generated prototypes. */
#include "watch/base/trace.h"

/*
 * A reference to a symbol of doorbell_watch, so that doorbell_watch cannot be unloaded
 * while this module is loaded. LTTng attaches to tracepoints only by name: if
 * doorbell_watch were unloaded, a session would continue without the events.
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
