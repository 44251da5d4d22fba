/* SPDX-License-Identifier: MIT */
/*
 * Commands of RM control, the request NV_ESC_RM_CONTROL (KT_NR_CONTROL of decode/ioctls.h).
 * The high half of a command is the class of the objects that take it. Some numbers got a
 * new meaning in a later release of the driver. Source of the facts:
 * decode/tables/controls.tsv. Static data; nothing allocates; safe in a signal handler.
 */
#ifndef KTAIL_DECODE_CONTROLS_H
#define KTAIL_DECODE_CONTROLS_H

#include <stddef.h>
#include <stdint.h>

struct kt_control {
	uint32_t command;
	const char *name; /* NVIDIA's: "NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN" */
	uint32_t bytes;   /* of its parameters in release 595; 0: none, or unknown */
	uint32_t last; /* release that had it so; UINT32_MAX: the youngest known has it */
};

/*
 * What a command means under a driver release (kt_release_parse(); 0: the youngest). A
 * release in which it was gone has the youngest meaning. NULL: it has no public name.
 * O(log commands).
 */
const struct kt_control *kt_control_find(uint32_t command, uint32_t release);

/* Its name under the youngest release, or NULL. O(log commands). */
const char *kt_control_name(uint32_t command);

/* All of them, by command, then release, for tests and listings. */
size_t kt_controls(void);
const struct kt_control *kt_control_at(size_t i);

#endif
