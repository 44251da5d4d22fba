/* SPDX-License-Identifier: MIT */
/*
 * The kernel modules of a recording, doorbell_watch.ko and lttng-probe-gpu-stack.ko. Loads
 * modules that are not loaded, sets their parameters, reads their counters, and at the end
 * removes the modules that it loaded.
 */
#ifndef KTAIL_COLLECT_KERNEL_MODULES_H
#define KTAIL_COLLECT_KERNEL_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The counters of doorbell_watch. Each is read from the module parameter of the same name.
 */
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
	bool removed; /* the module was removed meanwhile: the counts are unknown */
	bool hooked;  /* a driver's mmap is hooked; false: mappings were not observed */
};

/* Limits that another user of the module has set; "": none. */
struct kt_kernel_limits {
	char cgroup[256];
	char majors[64];
};

struct kt_kernel_options {
	const char *mode;   /* watch, shadow or off; NULL: unchanged */
	const char *access; /* off or coalesced; NULL: unchanged, or coalesced if the module
			     * must be loaded */
	pid_t only;         /* records this process and its descendants; 0: all processes */
	pid_t who; /* the recording process: named in the error messages of recordings that
		    * are refused because of this one */
	const char *output; /* Weak: folder of the trace, named in the same messages */
};

/* What kt_kernel_stop() has to undo. Initial value: KT_KERNEL_NONE. */
struct kt_kernel {
	int lock;        /* Owned by this: taken before the first module is loaded */
	int pids;        /* Owned by this: open file of the module's parameter `pids` */
	bool chose;      /* this recording has set the parameter `pids` */
	char access[16]; /* former value of the parameter `access`; "": not changed */
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
 * KT_E_USAGE if the PID namespace is not the initial one, for example in a container. The
 * modules use the pids of the initial namespace, and the lock exists once for the machine.
 */
int kt_kernel_check_namespace(void);

/*
 * Loads and configures both modules. KT_E_IO, with a message that suggests a remedy, if
 * they are missing, cannot be loaded, or are in use. Call kt_kernel_stop() later, even
 * after a failure.
 */
int kt_kernel_start(struct kt_kernel *kernel, const struct kt_kernel_options *options);

/*
 * Writes the increase of the counters since kt_kernel_start() to *out. The session starts
 * after kt_kernel_start(), so all of its events are included.
 */
void kt_kernel_count(const struct kt_kernel *kernel, struct kt_kernel_counts *out);

#define KT_KERNEL_LEFT 320

/*
 * Removes the probe if this recording loaded it. Call it after the session has ended and
 * before the daemon ends: the probe holds LTTng's modules, which the daemon removes at its
 * end if they are unused.
 */
void kt_kernel_remove_probe(struct kt_kernel *kernel);

/*
 * Stops tracing, restores all parameters and removes the modules that this recording
 * loaded. Call it after the daemon has ended. Writes what could not be undone, and why, to
 * left[]; "" if everything was undone.
 */
void kt_kernel_stop(struct kt_kernel *kernel, char left[static KT_KERNEL_LEFT]);

#define KT_KERNEL_LOCK_FILE "/run/ktail-kernel.lock"

/*
 * Takes the lock for the process `who`, which records into `output`, and writes `who` and
 * `output` to the lock's file `path`. Only one recording at a time may use the modules,
 * because they and their parameters exist once in the system. *out is the descriptor of the
 * file, owned by the caller; the lock is held until all processes that inherited the
 * descriptor have closed it. KT_E_IO with a message that names the holder.
 */
int kt_kernel_lock_take(int *out, const char *path, pid_t who, const char *output);

/*
 * Empties the file of the lock, so that it does not name a process that has exited, and
 * closes `lock`. Does nothing if `lock` is -1.
 */
void kt_kernel_lock_give(int lock);

#endif
