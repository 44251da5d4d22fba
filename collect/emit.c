/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng-providers/ust/gpu-stack-tp.h"

#include "collect/emit.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/counters.h"
#include "collect/lock.h"

#define PROVIDER "libktail-gpu-stack.so"

static struct {
	uint32_t pid;
	bool stopped;
	uint64_t next;
} sequence;

static struct kt_event_head next_head(void)
{
	struct kt_event_head head = {
		.pid = sequence.pid,
		.tid = kt_tid(),
		.seq = sequence.next++,
	};

	kt_count(&kt_counters->events);
	return head;
}

/* clang-format off */
#define EMITTER(name)                                                                        \
	void kt_emit_##name(const struct kt_event_##name *event)                             \
	{                                                                                    \
		struct kt_event_head head;                                                   \
                                                                                             \
		if (!sequence.stopped) {                                                     \
			head = next_head();                                                  \
			lttng_ust_tracepoint(gpu_stack, name, &head, event);                 \
		}                                                                            \
	}
/* clang-format on */

EMITTER(process_begin)
EMITTER(process_end)
EMITTER(device_open)
EMITTER(device_close)
EMITTER(ioctl)
EMITTER(object)
EMITTER(map)
EMITTER(unmap)
EMITTER(access)
EMITTER(doorbell)

void kt_emit_skip(void)
{
	kt_count(&kt_counters->missed);
	sequence.next++;
}

void kt_emit_restart(void)
{
	sequence.pid = (uint32_t)getpid();
	sequence.next = 0;
	sequence.stopped = false;
}

void kt_emit_stop(void)
{
	sequence.stopped = true;
}

/* The provider lies beside this library, or in a folder "ktail" beside it. */
bool kt_emit_init(void)
{
	static const char *const places[] = {"", "/ktail"};
	char path[PATH_MAX];
	Dl_info self;
	const char *slash;

	if (!dladdr((void *)&sequence, &self) || !self.dli_fname) {
		return false;
	}
	slash = strrchr(self.dli_fname, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		int n = snprintf(path, sizeof(path), "%.*s%s/" PROVIDER,
				 (int)(slash - self.dli_fname), self.dli_fname, places[i]);

		if (n > 0 && (size_t)n < sizeof(path) &&
		    dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
			return true;
		}
	}
	return dlopen(PROVIDER, RTLD_NOW | RTLD_GLOBAL) != NULL;
}
