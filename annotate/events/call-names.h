/* SPDX-License-Identifier: MIT */
/* What an ioctl asked for, by the names that NVIDIA has published. */
#ifndef KTAIL_ANNOTATE_CALL_NAMES_H
#define KTAIL_ANNOTATE_CALL_NAMES_H

#include <stdint.h>

/* What a request of the resource manager is about, beside its number. */
enum kt_call_subject {
	KT_CALL_PLAIN = 0,
	KT_CALL_OF_COMMAND, /* the command of a control call */
	KT_CALL_OF_CLASS,   /* the class of the object that it makes, maps, frees */
};

struct kt_call_what {
	int family;  /* enum kt_ioctl_family; -1: of another device */
	uint32_t nr; /* as the event `ioctl` has it */
	enum kt_call_subject subject;
	uint32_t number;     /* of the command, of the class; else 0 */
	const char *request; /* Static; NULL: it has no public name */
	const char *name;    /* Static: the subject's, likewise */
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

/* Names as a driver release had them (kt_release_parse(); 0: the youngest). */
struct kt_call_what kt_call_what(const struct kt_call_numbers *numbers, uint32_t release);

/*
 * "NV_ESC_RM_ALLOC", or "RM 0x99", "UVM 0x99", "ioctl 0x99" where there is no name; in
 * buffer or static.
 */
const char *kt_call_request_label(const struct kt_call_what *what, char buffer[static 24]);

/* The subject's name or number; "" where there is none. In buffer or static. */
const char *kt_call_subject_label(const struct kt_call_what *what, char buffer[static 24]);

/* Orders by family, number, subject. */
int kt_call_compare(const struct kt_call_what *a, const struct kt_call_what *b);

#endif
