/* SPDX-License-Identifier: MIT */
/*
 * Commands of RM control, carried by the request NV_ESC_RM_CONTROL (KT_NR_CONTROL of
 * decode/ioctls.h). The high half of a command is the class of the objects that accept it.
 * Some commands changed their meaning in a later driver release, and have a row for each
 * meaning. Source of the facts: decode/tables/controls.tsv. Static data; allocates nothing;
 * safe in a signal handler.
 */
#ifndef KTAIL_DECODE_CONTROLS_H
#define KTAIL_DECODE_CONTROLS_H

#include <stddef.h>
#include <stdint.h>

/* Clients that may issue a control, according to its flags in release 595.45.04. */
enum kt_control_who {
	KT_CONTROL_UNKNOWN = 0,
	KT_CONTROL_ANY,      /* any client */
	KT_CONTROL_NICE,     /* clients with CAP_SYS_NICE */
	KT_CONTROL_ADMIN,    /* clients with CAP_SYS_ADMIN */
	KT_CONTROL_KERNEL,   /* clients in the kernel */
	KT_CONTROL_INTERNAL, /* the resource manager itself */
};

struct kt_control {
	uint32_t command;
	const char *name; /* NVIDIA's name:
			   * "NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN" */
	uint32_t bytes;   /* size of its parameters in release 595; 0: none, or unknown */
	/* last release (kt_release_parse()) with this meaning; UINT32_MAX: still current */
	uint32_t last;
	enum kt_control_who who;
};

/*
 * Finds the meaning of a command in a driver release (a number of kt_release_parse(); 0:
 * the newest release). If the command was added after the release, finds its oldest
 * meaning; if the command was removed before the release, finds its newest meaning. Returns
 * NULL if the command has no public name. O(log commands).
 */
const struct kt_control *kt_control_find(uint32_t command, uint32_t release);

/* Returns "any", "nice", "admin", "kernel" or "internal"; "" if unknown. Static. */
const char *kt_control_who_name(enum kt_control_who who);

/* Returns the newest name of a command; NULL if it has no public name. O(log commands). */
const char *kt_control_name(uint32_t command);

/* Enumerate all rows, sorted by command and then by release, for tests and listings. */
size_t kt_controls(void);
const struct kt_control *kt_control_at(size_t i);

#endif
