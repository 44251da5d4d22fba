/* SPDX-License-Identifier: MIT */
/*
 * Interprets resource-manager calls for the recorder: the handles that a call names, the
 * objects that it creates and frees, and the descriptor whose next mmap maps an object. The
 * caller holds the lock, except for kt_rm_open_call().
 */
#ifndef KTAIL_COLLECT_RM_H
#define KTAIL_COLLECT_RM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/devices.h"
#include "decode/rm/rm-calls.h"

/* Driver release, which selects the struct layouts; 0 if unknown. */
extern uint32_t kt_rm_release;

/*
 * Returns the call's struct and its layout; for NV_ESC_IOCTL_XFER_CMD, those of the request
 * to which it points. Reads user memory.
 */
struct kt_rm_call kt_rm_open_call(enum kt_ioctl_family family, unsigned long request,
				  const void *argument);

/*
 * Call before a KT_STRUCT_FREE with a known layout is passed to the driver: reads GP_PUT of
 * all channels that the call may free.
 */
void kt_rm_before_free(const struct kt_rm_call *call);

/*
 * Call after the driver has returned: fills the event's handles, class, command and status.
 */
void kt_rm_describe(const struct kt_rm_call *call, struct kt_event_ioctl *event);

/*
 * Call after the call's own event was emitted: applies the call's changes to the tables,
 * and emits the events of objects and of registered memory.
 */
void kt_rm_after(const struct kt_rm_call *call, const struct kt_event_ioctl *event);

#endif
