/* SPDX-License-Identifier: MIT */
/* Names ioctls as NVIDIA has published them. */
#ifndef KTAIL_ANNOTATE_CALL_NAMES_H
#define KTAIL_ANNOTATE_CALL_NAMES_H

#include <stdint.h>

/* What a resource-manager request applies to, besides its number. */
enum kt_call_subject {
	KT_CALL_PLAIN = 0,
	KT_CALL_OF_COMMAND, /* the command of a control call */
	KT_CALL_OF_CLASS,   /* the class of the object that it allocates, maps or frees */
};

struct kt_call_what {
	int family;  /* enum kt_ioctl_family; -1: another device */
	uint32_t nr; /* as in the event `ioctl` */
	enum kt_call_subject subject;
	uint32_t number;     /* command or class; else 0 */
	const char *request; /* Static; NULL: no public name */
	const char *name;    /* Static: name of `number`; NULL: no public name */
};

/* Fields of the event `ioctl`. */
struct kt_call_numbers {
	int family;
	uint32_t nr;
	uint32_t client;
	uint32_t object;
	uint32_t class_number;
	uint32_t command;
};

/* Names a call as a driver release does (kt_release_parse(); 0: the latest). */
struct kt_call_what kt_call_what(const struct kt_call_numbers *numbers, uint32_t release);

/*
 * Returns the request's name ("NV_ESC_RM_ALLOC"), or "RM 0x99", "UVM 0x99" or "ioctl 0x99"
 * if it has none; in `buffer` or static.
 */
const char *kt_call_request_label(const struct kt_call_what *what, char buffer[static 24]);

/*
 * Returns the subject's name or number, or "" if there is no subject; in `buffer` or
 * static.
 */
const char *kt_call_subject_label(const struct kt_call_what *what, char buffer[static 24]);

/* Orders by family, number, subject and name. */
int kt_call_compare(const struct kt_call_what *a, const struct kt_call_what *b);

#endif
