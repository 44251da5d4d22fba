/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/access.h"
#include "collect/api-calls.h"
#include "collect/api-coverage.h"
#include "collect/api-entry.h"
#include "collect/api-imports.h"
#include "collect/channels.h"
#include "collect/counters.h"
#include "collect/descriptors.h"
#include "collect/doorbell.h"
#include "collect/emit.h"
#include "collect/faults.h"
#include "collect/filter.h"
#include "collect/emulate.h"
#include "collect/gpu-addresses.h"
#include "collect/interpose-dlsym.h"
#include "collect/interpose-fork.h"
#include "collect/interpose-memory.h"
#include "collect/interpose-threads.h"
#include "collect/interpose.h"
#include "collect/join.h"
#include "collect/lock.h"
#include "collect/pages.h"
#include "collect/patch.h"
#include "collect/real.h"
#include "collect/ring-reads.h"
#include "collect/rm.h"
#include "collect/signals.h"
#include "collect/submissions.h"

#define LAST_LIBRARY "libktail-record-last.so"

static char executable[256] = "unknown";
static char release_text[32];
static bool has_last; /* libktail-record-last.so will end the word */
static bool ended;
static _Atomic pid_t own_pid;

/* --- what is known at start --- */

static void read_executable(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	if (n <= 0) {
		return;
	}
	path[n] = '\0';
	slash = strrchr(path, '/');
	snprintf(executable, sizeof(executable), "%.255s", slash ? slash + 1 : path);
}

/* "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
 */
static void read_release(void)
{
	char text[512];
	int fd = kt_fault_now("open the driver's version")
			 ? -1
			 : kt_real()->open("/proc/driver/nvidia/version",
					   O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 && !kt_fault_now("read the driver's version")
			    ? read(fd, text, sizeof(text) - 1)
			    : -1;
	char *rest = NULL;

	if (fd >= 0) {
		kt_real()->close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	for (char *word = strtok_r(text, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest)) {
		if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.')) {
			snprintf(release_text, sizeof(release_text), "%s", word);
			kt_rm_release = kt_release_parse(word);
			return;
		}
	}
}

/* --- what the environment asks for --- */

static const char *const access_names[] = {"off", "coalesced", "exact"};
static const char *const doorbell_names[] = {"off", "auto", "watchpoint", "patch",
					     "protect"};
static const char *const submissions_names[] = {"off", "words"};
static const char *const rings_names[] = {"bus", "stores", "check"};
static const char *const api_names[] = {"none", "wrap", "cupti"};

/* Index of the variable's value among the names; what is no name is as if not set. */
static unsigned choose(const char *variable, const char *const *names, unsigned n,
		       unsigned usual)
{
	const char *value = getenv(variable);

	for (unsigned i = 0; value && i < n; i++) {
		if (strcmp(value, names[i]) == 0) {
			return i;
		}
	}
	return usual;
}

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static void read_environment(void)
{
	const char *limit = getenv(KT_ACCESS_LIMIT_VARIABLE);
	const char *pin = getenv(KT_PIN_VARIABLE);
	const char *part = getenv(KT_PART_VARIABLE);

	kt_access_mode = choose(KT_ACCESS_VARIABLE, access_names, N_OF(access_names),
				KT_ACCESS_COALESCED);
	kt_doorbell_mode = choose(KT_DOORBELL_VARIABLE, doorbell_names,
				  N_OF(doorbell_names), KT_DOORBELL_AUTO);
	kt_submissions_mode = choose(KT_SUBMISSIONS_VARIABLE, submissions_names,
				     N_OF(submissions_names), KT_SUBMISSIONS_WORDS);
	kt_rings_mode =
		choose(KT_RINGS_VARIABLE, rings_names, N_OF(rings_names), KT_RINGS_BUS);
	kt_api_mode = choose(KT_API_VARIABLE, api_names, N_OF(api_names), KT_API_NONE);
	if (part) {
		kt_submissions_set_part(strtoull(part, NULL, 10));
	}
	kt_access_limit = limit ? strtoull(limit, NULL, 10) : KT_ACCESS_LIMIT;
	kt_access_limit = kt_access_limit ? kt_access_limit : UINT64_MAX;
	kt_access_pin = pin && strcmp(pin, "1") == 0;
}

static void begin(void)
{
	struct kt_event_process_begin event = {
		.name = executable,
		.ppid = (uint32_t)getppid(),
		.recorder = "ktail " KTAIL_VERSION,
		.driver = release_text,
		.access = access_names[kt_access_mode],
		.doorbell = doorbell_names[kt_doorbell_mode],
		.api = api_names[kt_api_mode],
	};

	kt_emit_restart();
	own_pid = getpid();
	ended = false;
	kt_emit_process_begin(&event);
}

__attribute__((constructor)) static void start(void)
{
	int saved = errno;
	bool joined;

	kt_real_resolve();
	joined = kt_join_at_start();
	read_executable();
	read_release();
	read_environment();
	kt_emulate_init();
	kt_patch_init();
	/* LTTng ends its threads with the program, for which libc loads this: in a chroot
	 * it could not. */
	dlopen("libgcc_s.so.1", RTLD_NOW);
	if (!joined || !kt_emit_init()) {
		kt_count(&kt_counters->without_provider);
	}
	kt_process_init();
	kt_signals_install();
	kt_lock();
	begin();
	kt_unlock(true);
	kt_devices_scan();
	kt_dlsym_init();
	errno = saved;
}

/* --- the end --- */

bool kt_preload_is_own_process(void)
{
	return kt_filter_is_on() || getpid() == own_pid;
}

void kt_preload_end(const char *reason)
{
	struct kt_event_process_end event = {.reason = reason};
	bool locked;

	if (kt_filter_is_on() || !kt_preload_is_own_process()) {
		return;
	}
	locked = kt_lock();
	if (!ended) {
		ended = true;
		event.doorbells = kt_doorbell_count;
		event.idle_doorbells = kt_doorbell_idle;
		kt_channel_finish(&event.channels, &event.behind);
		kt_api_coverage_emit();
		kt_emit_process_end(&event);
		if (strcmp(reason, "exec") != 0) {
			kt_patch_finish();
			/* Threads may still run: what they do now has no place in the word.
			 */
			kt_emit_stop();
		}
	}
	kt_unlock(locked);
}

void kt_preload_stop(void)
{
	struct kt_mapping *m;
	bool locked;

	kt_preload_end("filter");
	locked = kt_lock();
	kt_access_end_run();
	while ((m = kt_mapping_touching(0, UINTPTR_MAX, 0)) != NULL) {
		kt_doorbell_disarm(m->start, m->length);
		kt_pages_open(m);
		kt_mapping_cut(m->start, m->length);
	}
	kt_device_forget_all();
	kt_unlock(locked);
	if (kt_threads_alone()) { /* else one may be about to enter a handler of ours */
		kt_fork_hold_lttng();
		kt_signals_give_back();
	}
}

void kt_preload_go_on(void)
{
	if (!kt_filter_is_on() && kt_preload_is_own_process()) {
		ended = false;
	}
}

/* Called by libktail-record-last.so, after the destructors of the libraries before it. */
KT_INTERPOSE void kt_record_finish(void);

KT_INTERPOSE void kt_record_finish(void)
{
	kt_preload_end("exit");
}

__attribute__((destructor)) static void stop(void)
{
	if (!has_last) {
		kt_preload_end("exit");
	}
}

/*
 * libcuda may still talk to the driver in its own destructor, which runs after that of a
 * library that was loaded before it, LTTng's included. A library that is loaded after
 * libcuda and depends on LTTng's moves them all behind libcuda's.
 */
void kt_preload_device_used(void)
{
	static bool tried;
	char path[PATH_MAX];
	Dl_info self;
	const char *slash;
	bool first;

	kt_dlsym_look();
	first = !__atomic_exchange_n(&tried, true, __ATOMIC_SEQ_CST);
	if (!first) {
		return;
	}
	kt_count(&kt_counters->device_users);
	if (!dladdr((void *)&executable, &self)) {
		kt_count(&kt_counters->setup_failures);
		return;
	}
	slash = strrchr(self.dli_fname, '/');
	snprintf(path, sizeof(path), "%.*s/" LAST_LIBRARY,
		 slash ? (int)(slash - self.dli_fname) : 1, slash ? self.dli_fname : ".");
	has_last = dlopen(path, RTLD_NOW) != NULL;
	if (!has_last) {
		kt_count(&kt_counters->setup_failures);
	}
}

/* --- a forked child --- */

/* Its doorbells are guarded anew: watchpoints are not inherited. */
static void watch_inherited(struct kt_mapping *mapping, void *context)
{
	(void)context;
	if (mapping->doorbell) {
		kt_access_watch(mapping);
	}
}

void kt_preload_child(void)
{
	kt_api_imports_after_fork();
	kt_lock();
	kt_access_after_fork();
	kt_forget_uncopied();
	kt_doorbell_after_fork();
	kt_mapping_each(watch_inherited, NULL);
	kt_channel_after_fork();
	kt_gpu_after_fork();
	kt_access_watch_rings();
	kt_api_wrap_after_fork();
	kt_api_coverage_after_fork();
	begin();
	kt_unlock(true);
}
