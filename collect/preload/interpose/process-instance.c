/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/interpose/process-instance.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "collect/preload/access/access.h"
#include "collect/preload/access/give-up.h"
#include "collect/preload/api/api-coverage.h"
#include "collect/preload/api/api-entry.h"
#include "collect/preload/api/api-imports.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/interpose/interpose-memory.h"
#include "collect/preload/interpose/versions.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/reports.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/process.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/doorbell.h"

static struct kt_event_process_begin first;
static bool ended;
static bool ended_by_exec; /* which may fail */

static void begin(void)
{
	first.ppid = (uint32_t)getppid();
	kt_emit_restart();
	kt_process_begin();
	ended = false;
	ended_by_exec = false;
	kt_emit_process_begin(&first);
}

void kt_instance_begin(const struct kt_event_process_begin *event)
{
	first = *event;
	begin();
}

void kt_instance_end(const char *reason)
{
	struct kt_event_process_end event = {.reason = reason};
	bool locked;

	if (kt_process_is_stopped() || !kt_process_ask_own()) {
		return;
	}
	locked = kt_lock();
	if (!ended) {
		ended = true;
		kt_visit_finish();
		kt_report_read();
		event.doorbells = kt_doorbell_count;
		event.idle_doorbells = kt_doorbell_idle;
		kt_channel_finish(&event.channels, &event.behind);
		kt_api_coverage_emit();
		kt_emit_process_end(&event);
		ended_by_exec = strcmp(reason, "exec") == 0;
		if (!ended_by_exec) {
			kt_patch_finish();
			/*
			 * Other threads may still run, but their actions do not belong to
			 * the word any more, so no more events are emitted.
			 */
			kt_emit_stop();
		}
	}
	kt_unlock(locked);
}

void kt_instance_resume(void)
{
	bool locked;

	if (kt_process_is_stopped() || !kt_process_ask_own()) {
		return;
	}
	locked = kt_lock();
	if (ended_by_exec) {
		ended = false;
		ended_by_exec = false;
		kt_count_many(&kt_counters->ended, (uint64_t)-1);
	}
	kt_unlock(locked);
}

/* --- a forked child --- */

/* Watches the doorbell again, because a forked child does not inherit watchpoints. */
static void watch_inherited(struct kt_mapping *mapping, void *context)
{
	(void)context;
	if (mapping->doorbell) {
		kt_access_watch(mapping);
	}
}

void kt_instance_fork_child(void)
{
	kt_api_imports_after_fork();
	kt_lock();
	kt_access_after_fork();
	kt_forget_uncopied();
	kt_give_up_after_fork();
	kt_doorbell_after_fork();
	kt_mapping_each(watch_inherited, NULL);
	kt_channel_after_fork();
	kt_gpu_after_fork();
	kt_access_watch_rings();
	kt_api_wrap_after_fork();
	kt_api_coverage_after_fork();
	kt_versions_after_fork();
	begin();
	kt_unlock(true);
}
