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
#include "collect/channels.h"
#include "collect/counters.h"
#include "collect/descriptors.h"
#include "collect/doorbell.h"
#include "collect/emit.h"
#include "collect/interpose-memory.h"
#include "collect/interpose.h"
#include "collect/lock.h"
#include "collect/real.h"
#include "collect/rm.h"
#include "collect/signals.h"
#include "collect/store-value.h"

#define LAST_LIBRARY "libktail-record-last.so"

static char executable[256] = "unknown";
static char release_text[32];
static bool has_last; /* libktail-record-last.so will end the word */
static bool ended;
static pid_t own_pid;

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
	int fd = kt_real()->open("/proc/driver/nvidia/version", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
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

static bool is_off(const char *variable)
{
	const char *value = getenv(variable);

	return value && strcmp(value, "off") == 0;
}

static void begin(void)
{
	struct kt_event_process_begin event = {
		.name = executable,
		.ppid = (uint32_t)getppid(),
		.recorder = "ktail " KTAIL_VERSION,
		.driver = release_text,
		.access = kt_access_mode != KT_ACCESS_OFF ? "coalesced" : "off",
		.doorbell = kt_doorbell_enabled ? "watchpoint" : "off",
	};

	kt_emit_restart();
	own_pid = getpid();
	ended = false;
	kt_emit_process_begin(&event);
}

__attribute__((constructor)) static void start(void)
{
	int saved = errno;

	kt_real_resolve();
	kt_counters_attach();
	read_executable();
	read_release();
	kt_access_mode = is_off(KT_ACCESS_VARIABLE) ? KT_ACCESS_OFF : KT_ACCESS_COALESCED;
	kt_doorbell_enabled = !is_off(KT_DOORBELL_VARIABLE);
	kt_store_value_init();
	if (!kt_emit_init()) {
		kt_count(&kt_counters->without_provider);
	}
	kt_process_init();
	kt_signals_install();
	kt_lock();
	begin();
	kt_unlock(true);
	kt_devices_scan();
	errno = saved;
}

/* --- the end --- */

bool kt_preload_is_own_process(void)
{
	return getpid() == own_pid;
}

void kt_preload_end(const char *reason)
{
	struct kt_event_process_end event = {.reason = reason};
	bool locked;

	if (!kt_preload_is_own_process()) {
		return;
	}
	locked = kt_lock();
	if (!ended) {
		ended = true;
		event.doorbells = kt_doorbell_count;
		event.idle_doorbells = kt_doorbell_idle;
		kt_channel_finish(&event.channels, &event.behind);
		kt_emit_process_end(&event);
		if (strcmp(reason, "exit") == 0) {
			/* Threads may still run: what they do now has no place in the word.
			 */
			kt_emit_stop();
		}
	}
	kt_unlock(locked);
}

void kt_preload_go_on(void)
{
	if (kt_preload_is_own_process()) {
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

	first = !__atomic_exchange_n(&tried, true, __ATOMIC_SEQ_CST);
	if (!first || !dladdr((void *)&executable, &self)) {
		return;
	}
	kt_count(&kt_counters->device_users);
	slash = strrchr(self.dli_fname, '/');
	snprintf(path, sizeof(path), "%.*s/" LAST_LIBRARY,
		 slash ? (int)(slash - self.dli_fname) : 1, slash ? self.dli_fname : ".");
	has_last = dlopen(path, RTLD_NOW) != NULL;
}

/* --- a forked child --- */

void kt_preload_child(void)
{
	kt_lock_after_fork();
	kt_lock();
	kt_access_end_run();
	kt_forget_uncopied();
	kt_doorbell_after_fork();
	kt_channel_after_fork();
	begin();
	kt_unlock(true);
}
