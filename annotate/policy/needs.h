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

/* Maximum number of driver versions in a set. Further versions count as unknown. */
#define KT_NEED_DRIVERS 64

struct kt_need {
	enum kt_need_kind kind;
	/*
	 * Weak: base name of the device file, with "#" instead of the number of a GPU
	 * ("nvidia#"); "": unknown, or needs of this kind have no device file.
	 */
	const char *device;
	const char *space; /* Weak: space of a mapping, such as "reg"; otherwise "" */
	uint32_t number;   /* number of a request, control or class; otherwise 0 */
	/*
	 * The request argument of ioctl(2) as the program passed it; 0: unknown, or the
	 * request was inside NV_ESC_IOCTL_XFER_CMD.
	 */
	uint64_t request;

	uint64_t calls;
	uint64_t failed;
	uint64_t recordings; /* number of recordings with at least one call */
	uint64_t drivers;    /* bit i: needed with version kt_needs.drivers[i] */
	/*
	 * Weak: "only 580.95.05"; "": needed with all versions, or no version is known.
	 * Set by kt_needs_settle().
	 */
	const char *only;
	/* The members below, except `last`, describe the first call. */
	/*
	 * Weak: innermost API call in which the first call was made; "": outside API
	 * calls.
	 */
	const char *call;
	const char *path; /* Weak: path of the input */
	uint64_t time;    /* ns since the first event of the trace */
	bool timed;       /* `time` is known */
	size_t last;      /* ordinal of the last recording counted in `recordings` */
};

/* Empty if all members are zero. Free with kt_needs_free(). */
struct kt_needs {
	/* Owned by this: sorted by kind, number, space, device and request. */
	struct kt_need *items;
	size_t n;
	size_t capacity;
	struct kt_texts texts; /* Owned by this: all texts of the items */
	uint64_t recordings;
	const char *drivers[KT_NEED_DRIVERS]; /* Weak: in `texts`: versions of libcuda */
	size_t n_drivers;
	const char *path; /* Weak: path of the current input */
	/*
	 * Index in `drivers` of the version in the current recording; KT_NEED_DRIVERS:
	 * unknown.
	 */
	size_t driver;
};

/*
 * Returns whether two needs are the same, except for their evidence. An unknown device or
 * request counts as equal to any other.
 */
bool kt_need_same(const struct kt_need *a, const struct kt_need *b);

/* Begins a recording: a trace, a machine or a word. */
void kt_needs_begin(struct kt_needs *needs);

/* Sets the driver version of the current recording. KT_E_MEMORY. */
int kt_needs_driver(struct kt_needs *needs, const char *version);

/*
 * Adds the counts need->calls and need->failed to a need in the current recording. Texts are copied. KT_E_MEMORY. O(log needs); O(needs) if the set does not
 * have the need yet.
 */
int kt_needs_count(struct kt_needs *needs, const struct kt_need *need);

/*
 * Adds the needs of `more`, which must come from other recordings than those of `needs`.
 * KT_E_MEMORY.
 */
int kt_needs_merge(struct kt_needs *needs, const struct kt_needs *more);

/*
 * Sets the number of recordings that have a need to `n`, as read from a list. If the set
 * does not have the need yet, adds it. KT_E_MEMORY.
 */
int kt_needs_set_recordings(struct kt_needs *needs, const struct kt_need *need, uint64_t n);

/*
 * Returns the first need in the set for which kt_need_same() holds; NULL: none. O(needs).
 */
const struct kt_need *kt_needs_find(const struct kt_needs *needs,
				    const struct kt_need *need);

/*
 * Joins needs without a device to the same needs with a device, and sets `only` of each
 * need. Call this once everything is counted. KT_E_MEMORY.
 */
int kt_needs_settle(struct kt_needs *needs);

void kt_needs_free(struct kt_needs *needs);

/* --- names --- */

/* "file", "request", ...; NULL after the last kind. */
extern const char *const kt_need_kind_names[KT_NEED_KINDS + 1];

/* Returns NVIDIA's name for need->number; "" if no name is known. Static. */
const char *kt_need_name(const struct kt_need *need);

/*
 * Returns who may call a control; KT_CONTROL_UNKNOWN if unknown or `need` is of another
 * kind.
 */
enum kt_control_who kt_need_who(const struct kt_need *need);

/*
 * Returns whether the request with number `nr` of the resource manager allocates an
 * object.
 */
static inline bool kt_need_allocates(uint32_t nr)
{
	return nr == KT_NR_ALLOC || nr == KT_NR_ALLOC_OBJECT || nr == KT_NR_ALLOC_MEMORY;
}

/* --- inputs --- */

/* The context is a struct kt_needs, for which kt_needs_begin() must have been called. */
extern const struct kt_activity_visitor kt_needs_visitor;

/*
 * Adds the needs of a trace, a machine (.json, ...), words (.events) or a list.
 * KT_E_USAGE if the letters name no controls, as in the alphabet table1; otherwise fails
 * as the reader of the input does.
 */
int kt_needs_read(struct kt_needs *needs, const char *path,
		  struct kt_activity_totals *totals);

/*
 * Adds the needs of a letter that occurs `count` times. Letters other than those of the
 * alphabets rm and calls are ignored. Sets *general to true if the letter is a control
 * but does not say which one. KT_E_MEMORY.
 */
int kt_needs_letter(struct kt_needs *needs, const char *letter, uint64_t count,
		    const char *path, bool *general);

/* Returns whether a file is a list of needs; false if it cannot be read. */
bool kt_needs_is_list(const char *path);

/* Adds the needs of a list (JSON, ktail-policy/1). KT_E_IO, KT_E_MALFORMED, KT_E_MEMORY. */
int kt_needs_read_list(struct kt_needs *needs, const char *path);

/* --- outputs; `needs` is a struct kt_needs --- */

int kt_needs_table(struct kt_table *out, const void *needs);
int kt_needs_write_text(FILE *out, const void *needs);
int kt_needs_write_tsv(FILE *out, const void *needs);
int kt_needs_write_json(FILE *out, const void *needs);
int kt_needs_write_nvproxy(FILE *out, const void *needs);
int kt_needs_write_seccomp(FILE *out, const void *needs);

/*
 * Returns the number of needs that a seccomp profile cannot express: all but ioctls whose
 * request is known.
 */
size_t kt_needs_beyond_seccomp(const struct kt_needs *needs);

#endif
