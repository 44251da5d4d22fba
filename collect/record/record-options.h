/* SPDX-License-Identifier: MIT */
/* The command line of ktail record. */
#ifndef KTAIL_COLLECT_RECORD_OPTIONS_H
#define KTAIL_COLLECT_RECORD_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/option-table.h"

/* Source of the events: the preloaded recorder, the kernel's modules, or both. */
enum kt_record_source {
	KT_RECORD_USER = 1,
	KT_RECORD_KERNEL = 2,
	KT_RECORD_BESIDE = KT_RECORD_USER | KT_RECORD_KERNEL,
};

struct kt_record_options {
	struct kt_asked asked;     /* KT_LAST_ROWS requires that it is the first member */
	const char *output;        /* Weak, as all strings here; NULL: default */
	const char *access;        /* off, coalesced or exact */
	const char *access_limit;  /* a number; NULL: the recorder's default */
	unsigned long overhead;    /* limit of the overhead, in percent; 0: none */
	const char *doorbell;      /* auto, watchpoint, patch, protect, shadow or off */
	const char *submissions;   /* off or words */
	const char *rings;         /* auto, bus, stores or check */
	const char *api;           /* none, wrap or cupti */
	const char *api_calls;     /* all, work or names, separated by commas */
	const char *cupti;         /* path of libcupti; NULL: search for it */
	unsigned long subbuf_size; /* bytes */
	unsigned long num_subbuf;  /* number of sub-buffers for each CPU */
	unsigned long hold_ms;     /* longest time for which LTTng may block a process */
	bool hold_given;
	enum kt_record_source source;
	const char *kernel_access; /* the module's parameter `access`; NULL: unchanged */
	const char *kernel_mode; /* how the module observes doorbells: watch, shadow or off;
				  * NULL: unchanged */
	uid_t *users; /* Owned by this until the program ends: users of --also-user */
	size_t n_users;
	bool force;       /* replace an existing trace */
	bool verbose;     /* print all counters at the end */
	bool only_losses; /* print only errors and warnings of loss */
	bool pin;
	bool lossless;     /* LTTng may block a process without limit */
	bool softgpu;      /* run on the software GPU, see collect/record/own-libraries.h */
	const char *check; /* Weak: machine for ktail check; NULL: none */
	const char *softgpu_driver;   /* 1 or 2; NULL: not given */
	const char *softgpu_transfer; /* a transfer method; NULL: not given */
};

/* The argument of kt_options_answer(). */
extern const struct kt_command_line kt_record_command;

/*
 * Sets the defaults and parses argv[1..]. Moves operands to the front of argv. Errors have
 * a message.
 */
int kt_record_options_parse(struct kt_record_options *out, int argc, char **argv,
			    int *n_operands);

#endif
