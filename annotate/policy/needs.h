/* SPDX-License-Identifier: MIT */
/*
 * What programs need of the driver: device files, requests, RM controls, object classes and
 * mappings, each with evidence. Needs come from traces, from letters of words and machines,
 * and from lists written earlier.
 */
#ifndef KTAIL_ANNOTATE_NEEDS_H
#define KTAIL_ANNOTATE_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ktail/fsm.h>
#include <ktail/versions.h>

#include "annotate/events/activity.h"
#include "base/table.h"
#include "base/texts.h"
#include "decode/controls.h"
#include "decode/ioctls.h"

enum kt_need_kind {
	KT_NEED_FILE,    /* a device file that is opened */
	KT_NEED_REQUEST, /* an ioctl of the resource manager */
	KT_NEED_UVM,     /* an ioctl of the unified-memory driver */
	KT_NEED_CONTROL, /* a command of NV_ESC_RM_CONTROL */
	KT_NEED_CLASS,   /* a class whose objects are allocated */
	KT_NEED_MAP,     /* a mapping of a device file */
	KT_NEED_KINDS
};

/* Driver versions that a set can tell apart. */
#define KT_NEED_DRIVERS 64

struct kt_need {
	enum kt_need_kind kind;
	/*
	 * Weak: base name of the device file, without the number of a GPU ("nvidia#"); ""
	 * if unknown or if the kind has none.
	 */
	const char *device;
	const char *space; /* Weak: of a mapping ("reg"); else "" */
	uint32_t number;   /* request, command or class; else 0 */
	/* The whole request as the program passed it; 0: unknown, or wrapped */
	uint64_t request;

	uint64_t calls;
	uint64_t failed;
	uint64_t recordings; /* with at least one call */
	uint64_t drivers;    /* bit i: needed with needs.drivers[i] */
	const char *only;    /* Weak: "only 580.95.05"; "" if with all; kt_needs_settle() */
	/* The first call */
	const char *call; /* Weak: API call that was open; "" if there was none */
	const char *path; /* Weak: the input */
	uint64_t time;    /* ns since the first event of the trace */
	bool timed;       /* `time` is known */
	size_t last;      /* ordinal of the last recording that counts */
};

/* All zero: empty. Free with kt_needs_free(). */
struct kt_needs {
	struct kt_need *items; /* Owned by this; by kind, number, space, device, request */
	size_t n;
	size_t capacity;
	struct kt_texts texts; /* Owned by this: all texts of the items */
	uint64_t recordings;
	const char *drivers[KT_NEED_DRIVERS]; /* Weak: versions of libcuda */
	size_t n_drivers;
	const char *path; /* Weak: the current input */
	size_t driver;    /* index of the current recording's; KT_NEED_DRIVERS: unknown */
};

/*
 * Returns whether two needs are the same, except for their evidence. An unknown device or
 * request equals any.
 */
bool kt_need_same(const struct kt_need *a, const struct kt_need *b);

/* Begins a recording: a trace, or a word. */
void kt_needs_begin(struct kt_needs *needs);

/* Says which driver version the current recording has. KT_E_MEMORY. */
int kt_needs_driver(struct kt_needs *needs, const char *version);

/*
 * Counts `need->calls` calls in the current recording. Texts are copied. KT_E_MEMORY. O(log
 * needs), O(needs) for a new need.
 */
int kt_needs_count(struct kt_needs *needs, const struct kt_need *need);

/* Adds the needs of another set, whose recordings are others. KT_E_MEMORY. */
int kt_needs_merge(struct kt_needs *needs, const struct kt_needs *more);

/*
 * Sets how many recordings need it: a need of a list, counted before. KT_E_MEMORY if it was
 * not counted.
 */
int kt_needs_set_recordings(struct kt_needs *needs, const struct kt_need *need, uint64_t n);

/* Returns the same need in a set; NULL if it has none. O(needs). */
const struct kt_need *kt_needs_find(const struct kt_needs *needs,
				    const struct kt_need *need);

/* Sets `only` of each need; call it once everything is counted. KT_E_MEMORY. */
int kt_needs_settle(struct kt_needs *needs);

void kt_needs_free(struct kt_needs *needs);

/* --- names --- */

/* "file", "request", ...; NULL after the last kind. */
extern const char *const kt_need_kind_names[KT_NEED_KINDS + 1];

/* Returns NVIDIA's name of the number; "" if it has none. Static. */
const char *kt_need_name(const struct kt_need *need);

/* Returns who may make a control; KT_CONTROL_UNKNOWN for other kinds. */
enum kt_control_who kt_need_who(const struct kt_need *need);

/* Returns whether a request of the resource manager allocates an object of a class. */
static inline bool kt_need_allocates(uint32_t nr)
{
	return nr == KT_NR_ALLOC || nr == KT_NR_ALLOC_OBJECT || nr == KT_NR_ALLOC_MEMORY;
}

/* --- inputs --- */

/* A visitor whose context is the set; kt_needs_begin() was called. */
extern const struct kt_activity_visitor kt_needs_visitor;

/*
 * Adds the needs of a trace, a machine (.json, ...), words (.events) or a list. KT_E_USAGE
 * if letters do not distinguish controls and classes; else as their readers.
 */
int kt_needs_read(struct kt_needs *needs, const char *path,
		  struct kt_activity_totals *totals);

/*
 * Adds the need of a letter of the alphabets rm or calls, which occurs `count` times; other
 * letters need nothing. *general becomes true if the letter does not say which control it
 * is. KT_E_MEMORY.
 */
int kt_needs_letter(struct kt_needs *needs, const char *letter, uint64_t count,
		    const char *path, bool *general);

/* Returns whether a file is a list; one that cannot be read is none. */
bool kt_needs_is_list(const char *path);

/* Adds the needs of a list (JSON, ktail-policy/1). KT_E_IO, KT_E_MALFORMED, KT_E_MEMORY. */
int kt_needs_read_list(struct kt_needs *needs, const char *path);

/* --- outputs: a kt_output_fn each, for a struct kt_needs --- */

int kt_needs_table(struct kt_table *out, const void *needs);
int kt_needs_write_text(FILE *out, const void *needs);
int kt_needs_write_tsv(FILE *out, const void *needs);
int kt_needs_write_json(FILE *out, const void *needs);
int kt_needs_write_nvproxy(FILE *out, const void *needs);
int kt_needs_write_seccomp(FILE *out, const void *needs);

/* Returns how many needs the seccomp form cannot express: all but requests. */
size_t kt_needs_beyond_seccomp(const struct kt_needs *needs);

#endif
