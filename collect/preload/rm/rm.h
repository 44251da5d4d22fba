/* SPDX-License-Identifier: MIT */
/*
 * What a resource-manager call means for the recorder: which handles it names, which
 * objects come and go, which descriptor will map what. The lock is held for all functions
 * here but kt_rm_open_call().
 */
#ifndef KTAIL_COLLECT_RM_H
#define KTAIL_COLLECT_RM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/preload/mappings/devices.h"
#include "decode/rm/rm-calls.h"

/* Driver release that picks the layouts; 0: unknown. */
extern uint32_t kt_rm_release;

/* Finds out what a call carries, following NV_ESC_IOCTL_XFER_CMD. Reads user memory. */
struct kt_rm_call kt_rm_open_call(enum kt_ioctl_family family, unsigned long request,
				  const void *argument);

/* Before a readable KT_STRUCT_FREE is made: a last look at channels that it may free. */
void kt_rm_before_free(const struct kt_rm_call *call);

/* After it returned: fills the event's handles, class, command and status. */
void kt_rm_describe(const struct kt_rm_call *call, struct kt_event_ioctl *event);

/* After its event was emitted: follows what the call changed, emits object and pin events.
 */
void kt_rm_after(const struct kt_rm_call *call, const struct kt_event_ioctl *event);

#endif
