/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/interpose/filter.h"

#include <limits.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/interpose/process-instance.h"
#include "collect/preload/mappings/devices.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/mappings/runs.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/process.h"
#include "collect/preload/process/signal-frame.h"
#include "collect/preload/process/tracer.h"
#include "collect/preload/signals/filter-program.h"
#include "collect/preload/submissions/doorbell.h"

#define LIBRARY "libktail-record"
#define PRELOAD "LD_PRELOAD="

/* --- LD_PRELOAD --- */

static const char *preload_of(char *const envp[])
{
	for (size_t i = 0; envp && envp[i]; i++) {
		if (strncmp(envp[i], PRELOAD, sizeof(PRELOAD) - 1) == 0) {
			return envp[i];
		}
	}
	return NULL;
}

/* Copies a list of libraries, leaving out those of the recorder. */
static void copy_others(char *to, const char *from)
{
	size_t n;

	for (; *from; from += n) {
		n = strcspn(from, ": ");
		if (n == 0) {
			n = 1; /* a separator */
		} else if (memmem(from, n, LIBRARY, sizeof(LIBRARY) - 1)) {
			continue;
		}
		memcpy(to, from, n);
		to += n;
	}
	*to = '\0';
}

/*
 * Removes the recorder from LD_PRELOAD, because no interposed function can do so for
 * programs that libc starts by itself (system, popen).
 */
static void leave_environment(void)
{
	const char *preload = getenv("LD_PRELOAD");
	char others[PATH_MAX];

	if (preload && strlen(preload) < sizeof(others)) {
		copy_others(others, preload);
		setenv("LD_PRELOAD", others, 1);
	}
}

/* --- installation of a filter --- */

/*
 * Pid of the last vfork child that installed a filter before its exec; 0: none. Such a
 * filter does not apply to this process, whose memory the child shares.
 */
static _Atomic long child;

/* Ends the recording in this process. In a vfork child, only notes the child's pid. */
static void end_here(void)
{
	struct kt_mapping *m;
	bool locked;

	if (!kt_process_ask_own()) {
		atomic_store(&child, KT_KERNEL(SYS_getpid, 0));
		return;
	}
	if (kt_process_is_stopped()) {
		return;
	}
	kt_count(&kt_counters->filtered);
	leave_environment();
	/*
	 * Ends the word and gives all watched memory the protection that the program asked
	 * for.
	 */
	kt_instance_end("filter");
	locked = kt_lock();
	kt_access_end_run();
	while ((m = kt_mapping_touching(0, UINTPTR_MAX, 0)) != NULL) {
		kt_doorbell_disarm(m->start, m->length);
		kt_pages_open(m);
		/* Stays mapped, because another thread may be copying through it. */
		m->alias = NULL;
		kt_mapping_cut(m->start, m->length);
	}
	kt_device_forget_all();
	kt_wrap_give_back(); /* no other thread is within a section */
	kt_unlock(locked);
	/*
	 * The recorder's handlers stay if there are other threads, which may be about to
	 * enter them.
	 */
	if (kt_threads_alone()) {
		kt_fork_hold_lttng();
		kt_signals_give_back();
	}
	kt_process_stop();
}

static void before_filter(const void *program)
{
	struct sock_fprog copy;
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.effective = 0}};

	if (!kt_guarded_copy(&copy, program, sizeof(copy)) || !copy.len ||
	    copy.len > BPF_MAXINSNS || !kt_filter_is_against_us(&copy)) {
		return;
	}
	/*
	 * If the process has neither no_new_privs nor CAP_SYS_ADMIN, the kernel refuses the
	 * filter with EACCES, so the recording continues.
	 */
	if (KT_KERNEL(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		KT_KERNEL(SYS_capget, &head, data);
		if (!(data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &
		      CAP_TO_MASK(CAP_SYS_ADMIN))) {
			return;
		}
	}
	end_here();
}

void kt_filter_before_prctl(long option, long mode, const void *program)
{
	if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER) {
		before_filter(program);
	} else if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT) {
		end_here();
	}
}

void kt_filter_before_seccomp(unsigned operation, unsigned flags, const void *program)
{
	if (operation == SECCOMP_SET_MODE_FILTER) {
		before_filter(program);
	} else if (operation == SECCOMP_SET_MODE_STRICT && !flags && !program) {
		end_here();
	}
}

/* --- exec of another program --- */

/* Returns 0 if LD_PRELOAD need not change. */
size_t kt_filter_space(char *const envp[])
{
	long process = atomic_load(&child);
	const char *preload;
	size_t n = 1;

	if (!kt_process_is_stopped() && (!process || process != KT_KERNEL(SYS_getpid, 0))) {
		return 0;
	}
	preload = preload_of(envp);
	while (preload && envp[n - 1]) {
		n++;
	}
	return preload ? n * sizeof(*envp) + strlen(preload) + 1 : 0;
}

char *const *kt_filter_environment(char *const envp[], size_t bytes, void *space)
{
	const char *preload;
	char **copy = space;
	char *text;
	size_t n = 0;

	if (bytes == 0) {
		return envp;
	}
	preload = preload_of(envp);
	for (; envp[n]; n++) {
		copy[n] = envp[n];
	}
	copy[n] = NULL;
	text = (char *)(copy + n + 1);
	memcpy(text, PRELOAD, sizeof(PRELOAD) - 1);
	copy_others(text + sizeof(PRELOAD) - 1, preload + sizeof(PRELOAD) - 1);
	for (n = 0; copy[n]; n++) {
		if (copy[n] == preload) {
			copy[n] = text;
		}
	}
	return copy;
}
