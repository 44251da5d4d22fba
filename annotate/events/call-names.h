/* SPDX-License-Identifier: MIT */
/* Names of ioctls, as published by NVIDIA. */
#ifndef KTAIL_ANNOTATE_CALL_NAMES_H
#define KTAIL_ANNOTATE_CALL_NAMES_H

#include <stdint.h>

/* What identifies a resource-manager request in addition to its number. */
enum kt_call_subject {
	KT_CALL_PLAIN = 0,
	KT_CALL_OF_COMMAND, /* the command of a control call */
	KT_CALL_OF_CLASS,   /* the class of the object that is allocated, mapped or freed */
};

struct kt_call_what {
	int family;  /* enum kt_ioctl_family; -1: another device */
	uint32_t nr; /* field `nr` of the event `ioctl` */
	enum kt_call_subject subject;
	uint32_t number;     /* the command or class; 0 if KT_CALL_PLAIN */
	const char *request; /* Static: name of `nr`; NULL: no public name */
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

/* Finds the names of an ioctl in a driver release (kt_release_parse(); 0: the latest). */
struct kt_call_what kt_call_what(const struct kt_call_numbers *numbers, uint32_t release);

/*
 * Returns the request's name ("NV_ESC_RM_ALLOC") or, if the request has no public name, "RM
 * 0x99", "UVM 0x99" or "ioctl 0x99". The text is in `buffer` or static.
 */
const char *kt_call_request_label(const struct kt_call_what *what, char buffer[static 24]);

/*
 * Returns the subject's name or number, or "" if there is no subject; in `buffer` or
 * static.
 */
const char *kt_call_subject_label(const struct kt_call_what *what, char buffer[static 24]);

/* Orders by family, nr, subject, number and name. */
int kt_call_compare(const struct kt_call_what *a, const struct kt_call_what *b);

#endif
