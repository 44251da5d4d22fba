/* SPDX-License-Identifier: MIT */
/*
 * Passes events to LTTng and gives each the next sequence number of the process. The caller
 * holds the recorder's lock (collect/preload/emit/lock.h), so the numbers follow the order
 * of the events. Signal-safe in a thread that LTTng has initialised.
 */
#ifndef KTAIL_COLLECT_EMIT_H
#define KTAIL_COLLECT_EMIT_H

#include <stdbool.h>

#include "lttng-providers/ust/gpu-stack-events.h"

/*
 * Loads the provider of the tracepoints. Returns false if the provider cannot be loaded:
 * then nothing is recorded.
 */
bool kt_emit_init(void);

/* Suppresses all further events, because the last event of the process has been emitted. */
void kt_emit_stop(void);

/* Sets the process id and numbers events from 0. Call at start and in a forked child. */
void kt_emit_restart(void);

/*
 * Call for an event that could not be recorded: a signal handler could not take the lock,
 * or the doorbell is unknown. Uses up the event's sequence number, so that the trace shows
 * a gap, and counts the event as missed. Does not need the lock.
 */
void kt_emit_skip(void);

void kt_emit_process_begin(const struct kt_event_process_begin *event);
void kt_emit_process_end(const struct kt_event_process_end *event);
void kt_emit_version(const struct kt_event_version *event);
void kt_emit_detail(const struct kt_event_detail *event);
void kt_emit_device_open(const struct kt_event_device_open *event);
void kt_emit_device_close(const struct kt_event_device_close *event);
void kt_emit_ioctl(const struct kt_event_ioctl *event);
void kt_emit_object(const struct kt_event_object *event);
void kt_emit_map(const struct kt_event_map *event);
void kt_emit_unmap(const struct kt_event_unmap *event);
void kt_emit_access(const struct kt_event_access *event);
void kt_emit_report(const struct kt_event_report *event);
void kt_emit_doorbell(const struct kt_event_doorbell *event);

/*
 * Takes one sequence number for the doorbell, one for each ring entry, and one more for
 * each ring entry that has dwords.
 */
void kt_emit_submission(const struct kt_event_submission *event);

void kt_emit_gpfifo_entry(const struct kt_event_gpfifo_entry *event);
void kt_emit_pushbuffer(const struct kt_event_pushbuffer *event);
void kt_emit_api_enter(const struct kt_event_api_enter *event);
void kt_emit_api_exit(const struct kt_event_api_exit *event);
void kt_emit_api_kernel(const struct kt_event_api_kernel *event);
void kt_emit_api_coverage(const struct kt_event_api_coverage *event);
void kt_emit_wait(const struct kt_event_wait *event);

#endif
