/* SPDX-License-Identifier: (GPL-2.0-only OR LGPL-2.1-only) */
/*
 * LTTng probes for the tracepoints of doorbell_watch.ko, built outside LTTng-modules' tree
 * against its headers. Like LTTng's own probes, this module contains only what LTTng's
 * generator emits.
 */
#include <linux/module.h>
#include <lttng/tracer.h>

#include "watch/doorbell/doorbell.h"
/* Prototypes that the generated ones are checked against */
#include "watch/base/trace.h"

/*
 * References a symbol of doorbell_watch, which then cannot be unloaded before this module.
 * Without it, a session would go on without doorbell_watch's tracepoints, which are found
 * by name.
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
