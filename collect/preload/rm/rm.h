/* SPDX-License-Identifier: MIT */
/*
 * Interprets resource-manager calls for the recorder: the handles a call names, the objects
 * it creates and frees, the descriptor whose next mmap maps an object. The caller holds the
 * lock, except for kt_rm_open_call().
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
 * Returns the call's struct and layout, following NV_ESC_IOCTL_XFER_CMD. Reads user memory.
 */
struct kt_rm_call kt_rm_open_call(enum kt_ioctl_family family, unsigned long request,
				  const void *argument);

/*
 * Reads GP_PUT of all channels that the call may free. Call it before the call is made,
 * for a readable KT_STRUCT_FREE.
 */
void kt_rm_before_free(const struct kt_rm_call *call);

/* Fills the event's handles, class, command and status, after the call has returned. */
void kt_rm_describe(const struct kt_rm_call *call, struct kt_event_ioctl *event);

/*
 * Applies the call's changes to the tables and emits object and pin events, after the
 * call's own event was emitted.
 */
void kt_rm_after(const struct kt_rm_call *call, const struct kt_event_ioctl *event);

#endif
