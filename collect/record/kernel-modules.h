/* SPDX-License-Identifier: MIT */
/*
 * The kernel's side of a recording: doorbell_watch.ko and lttng-probe-gpu-stack.ko, which
 * are loaded where they are not there, set, read and, if they were not there, removed.
 */
#ifndef KTAIL_COLLECT_KERNEL_MODULES_H
#define KTAIL_COLLECT_KERNEL_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the module counts, by the names of its parameters. */
#define KT_KERNEL_COUNTERS(COUNTER)                                                        \
	COUNTER(events)                                                                    \
	COUNTER(begun)                                                                     \
	COUNTER(doorbells)                                                                 \
	COUNTER(undecoded)                                                                 \
	COUNTER(untold)                                                                    \
	COUNTER(left)                                                                      \
	COUNTER(refused)                                                                   \
	COUNTER(no_register)                                                               \
	COUNTER(not_watched)                                                               \
	COUNTER(missed)                                                                    \
	COUNTER(lost)                                                                      \
	COUNTER(unknown)                                                                   \
	COUNTER(untraced)

struct kt_kernel_counts {
#define COUNTER(name) uint64_t name;
	KT_KERNEL_COUNTERS(COUNTER)
#undef COUNTER
	bool removed; /* the module has been removed meanwhile: nothing is known */
	bool hooked;  /* some driver's mmap is, at the end: without it no mapping is seen */
};

/* What somebody else has told the module to look at alone; "": there is no such limit. */
struct kt_kernel_limits {
	char cgroup[256];
	char majors[64];
};

struct kt_kernel_options {
	const char *mode;   /* watch, shadow or off; NULL: as it is */
	const char *access; /* off or coalesced; NULL: as it is, or coalesced */
	pid_t only;         /* this process and its descendants; 0: all */
	pid_t who;          /* records, and */
	const char *output; /* where to (Weak): for others who want to */
};

/* Begins as KT_KERNEL_NONE: there is nothing to undo. */
struct kt_kernel {
	int lock;        /* Owned by this: from before the first module is loaded */
	int pids;        /* Owned by this: the parameter, of that very module */
	bool chose;      /* the parameter `pids` is ours */
	char access[16]; /* what that parameter was; "": it was not changed */
	bool loaded_watch;
	bool loaded_probe;
	struct kt_kernel_limits limits;
	struct kt_kernel_counts before;
};

#define KT_KERNEL_NONE                                                                     \
	{                                                                                  \
		.lock = -1, .pids = -1                                                     \
	}

/*
 * KT_E_USAGE in a pid namespace of one's own, as containers have: the modules go by the
 * machine's process numbers, and there is one lock for the machine.
 */
int kt_kernel_check_namespace(void);

/*
 * Loads and sets both modules. KT_E_IO with a message that says what to do where they are
 * not there, cannot be loaded, or are in use. What was done is to be undone by
 * kt_kernel_stop() in any case.
 */
int kt_kernel_start(struct kt_kernel *kernel, const struct kt_kernel_options *options);

/* What was counted since the start, when no session ran yet. */
void kt_kernel_count(const struct kt_kernel *kernel, struct kt_kernel_counts *out);

#define KT_KERNEL_LEFT 320

/*
 * After the session, and before the daemon's end, which takes LTTng's own modules away if
 * nobody needs them: the probe, if it was loaded.
 */
void kt_kernel_remove_probe(struct kt_kernel *kernel);

/*
 * After the daemon's end: nobody is traced any more, all parameters are what they were, and
 * what was loaded is removed. left[]: what could not be undone, and why; "": nothing.
 */
void kt_kernel_stop(struct kt_kernel *kernel, char left[static KT_KERNEL_LEFT]);

#define KT_KERNEL_LOCK_FILE "/run/ktail-kernel.lock"

/*
 * The modules are one for all, and so are their parameters: one recording at a time loads,
 * sets and removes them. Takes the lock for the process `who`, which records into `output`,
 * and says so in the file. It is held until *out, which the caller owns, is closed in all
 * who have inherited it. KT_E_IO with a message that says who has it.
 */
int kt_kernel_lock_take(int *out, const char *path, pid_t who, const char *output);

/* Closes it, and empties the file: nobody is named who has ended. -1: there is none. */
void kt_kernel_lock_give(int lock);

#endif
