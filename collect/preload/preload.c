/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/environment.h"
#include "collect/preload/access/access.h"
#include "collect/preload/access/give-up.h"
#include "collect/preload/access/hot-sites.h"
#include "collect/preload/access/patch.h"
#include "collect/preload/access/redirect-copies.h"
#include "collect/preload/api/api-calls.h"
#include "collect/preload/api/api-choice.h"
#include "collect/preload/api/api-coverage.h"
#include "collect/preload/api/api-entry.h"
#include "collect/preload/api/api-imports.h"
#include "collect/preload/emit/emit.h"
#include "collect/preload/emit/join.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/handlers/signals.h"
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/interpose/descriptors.h"
#include "collect/preload/interpose/process-instance.h"
#include "collect/preload/interpose/interpose-memory.h"
#include "collect/preload/interpose/versions.h"
#include "collect/preload/mappings/gpu-addresses.h"
#include "collect/preload/mappings/pages.h"
#include "collect/preload/overhead/overhead.h"
#include "collect/preload/overhead/visits.h"
#include "collect/preload/process/clock.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/faults.h"
#include "collect/preload/process/interpose.h"
#include "collect/preload/process/kernel.h"
#include "collect/preload/process/next.h"
#include "collect/preload/process/variables.h"
#include "collect/preload/rm/rm.h"
#include "collect/preload/submissions/channels.h"
#include "collect/preload/submissions/doorbell.h"
#include "collect/preload/submissions/ring-stores.h"
#include "collect/preload/submissions/submissions.h"

static char executable[256] = "unknown";
static char release_text[32];
static char module_text[256]; /* line of the module in /proc/driver/nvidia/version */
static char modes[512 + KT_API_CALLS_TEXT];

/* --- driver release --- */

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

/*
 * Reads the driver's release from a line such as "NVRM version: NVIDIA UNIX Open Kernel
 * Module for x86_64 580.159.04 Release Build ...". Copies the text after "NVRM version: "
 * to module_text[].
 */
static void read_release(void)
{
	char text[512];
	int fd = kt_fault_now("open the driver's version")
			 ? -1
			 : kt_next()->open("/proc/driver/nvidia/version",
					   O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 && !kt_fault_now("read the driver's version")
			    ? read(fd, text, sizeof(text) - 1)
			    : -1;
	char *rest = NULL;
	const char *line;

	if (fd >= 0) {
		kt_next()->close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	line = strncmp(text, "NVRM version: ", 14) == 0 ? text + 14 : text;
	n = (ssize_t)strcspn(line, "\n");
	while (n > 0 && line[n - 1] == ' ') {
		n--;
	}
	snprintf(module_text, sizeof(module_text), "%.*s", (int)n, line);
	for (char *word = strtok_r(text, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest)) {
		if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.')) {
			snprintf(release_text, sizeof(release_text), "%s", word);
			kt_rm_release = kt_release_parse(word);
			return;
		}
	}
}

/* --- environment --- */

static const char *const access_names[] = {
	[KT_ACCESS_OFF] = "off",
	[KT_ACCESS_COALESCED] = "coalesced",
	[KT_ACCESS_EXACT] = "exact",
};
static const char *const doorbell_names[] = {
	[KT_DOORBELL_OFF] = "off",
	[KT_DOORBELL_AUTO] = "auto",
	[KT_DOORBELL_WATCHPOINT] = "watchpoint",
	[KT_DOORBELL_PATCH] = "patch",
	[KT_DOORBELL_PROTECT] = "protect",
};
static const char *const submissions_names[] = {
	[KT_SUBMISSIONS_OFF] = "off",
	[KT_SUBMISSIONS_WORDS] = "words",
};
static const char *const rings_names[] = {
	[KT_RINGS_BUS] = "bus",
	[KT_RINGS_STORES] = "stores",
	[KT_RINGS_CHECK] = "check",
	[KT_RINGS_AUTO] = "auto",
};
static const char *const api_names[] = {
	[KT_API_NONE] = "none",
	[KT_API_WRAP] = "wrap",
	[KT_API_CUPTI] = "cupti",
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static void read_environment(void)
{
	static const char *const off_on[] = {"0", "1"};
	const char *hold = kt_variable(KT_HOLD_VARIABLE);
	uint64_t part = kt_variable_number(KT_PART_VARIABLE, 0, UINT64_MAX, UINT64_MAX);
	char overhead[32] = "";

	kt_access_mode = kt_variable_choose(KT_ACCESS_VARIABLE, access_names,
					    N_OF(access_names), KT_ACCESS_COALESCED);
	kt_doorbell_mode = kt_variable_choose(KT_DOORBELL_VARIABLE, doorbell_names,
					      N_OF(doorbell_names), KT_DOORBELL_AUTO);
	kt_submissions_mode =
		kt_variable_choose(KT_SUBMISSIONS_VARIABLE, submissions_names,
				   N_OF(submissions_names), KT_SUBMISSIONS_WORDS);
	kt_rings_mode = kt_variable_choose(KT_RINGS_VARIABLE, rings_names,
					   N_OF(rings_names), KT_RINGS_AUTO);
	if (kt_rings_mode == KT_RINGS_AUTO) {
		/* Elsewhere each store would cost a page fault, more than the two reads. */
		kt_rings_mode = kt_access_mode != KT_ACCESS_OFF || kt_doorbell_patches()
					? KT_RINGS_STORES
					: KT_RINGS_BUS;
	}
	kt_api_mode = kt_variable_choose(KT_API_VARIABLE, api_names, N_OF(api_names),
					 KT_API_NONE);
	if (!kt_api_choose(kt_variable(KT_API_CALLS_VARIABLE))) {
		kt_variable_refuse(KT_API_CALLS_VARIABLE,
				   kt_variable(KT_API_CALLS_VARIABLE));
	}
	if (part != UINT64_MAX) {
		kt_submissions_set_part(part);
	}
	kt_hot_site_faults = (unsigned)kt_variable_number(KT_HOT_VARIABLE, 1, INT_MAX,
							  kt_hot_site_faults);
	kt_access_limit = kt_variable_number(KT_ACCESS_LIMIT_VARIABLE, 0, UINT64_MAX,
					     KT_ACCESS_LIMIT);
	kt_access_limit = kt_access_limit ? kt_access_limit : UINT64_MAX;
	kt_overhead_percent = (uint32_t)kt_variable_number(
		KT_OVERHEAD_VARIABLE, KT_OVERHEAD_MIN, KT_OVERHEAD_MAX, 0);
	kt_access_pin = kt_variable_choose(KT_PIN_VARIABLE, off_on, N_OF(off_on), 0);
	/* emit.c reads it, earlier. */
	if (hold && strcmp(hold, "forever") != 0) {
		kt_variable_number(KT_HOLD_VARIABLE, 0, UINT64_MAX, 0);
	}
	if (kt_overhead_percent) {
		snprintf(overhead, sizeof(overhead), " overhead=%" PRIu32,
			 kt_overhead_percent);
	}
	snprintf(modes, sizeof(modes),
		 "access=%s doorbell=%s submissions=%s rings=%s api=%s%s%s pin=%s%s",
		 access_names[kt_access_mode], doorbell_names[kt_doorbell_mode],
		 submissions_names[kt_submissions_mode], rings_names[kt_rings_mode],
		 api_names[kt_api_mode], kt_api_mode == KT_API_NONE ? "" : " api-calls=",
		 kt_api_mode == KT_API_NONE ? "" : kt_api_choice(),
		 kt_access_pin ? "on" : "off", overhead);
	kt_versions_set(release_text, module_text, modes);
}

/* Without ktail record, whose summary would name the value, a line on standard error does.
 */
static void report_wrong_variable(void)
{
	char line[sizeof(kt_counters->wrong_variable) + 64];
	int n;

	if (!kt_counters->wrong_variables || kt_join_is_recorded()) {
		return;
	}
	n = snprintf(line, sizeof(line), "ktail: warning: unknown value: %s\n",
		     kt_counters->wrong_variable);
	KT_KERNEL(SYS_write, STDERR_FILENO, line, (size_t)n);
}

__attribute__((constructor)) static void start(void)
{
	int saved = errno;
	bool joined;

	kt_next_resolve();
	kt_clock_init();
	joined = kt_join_at_start();
	read_executable();
	read_release();
	read_environment();
	report_wrong_variable();
	kt_instruction_init();
	kt_patch_init();
	kt_copies_init();
	/*
	 * Loads libgcc_s early. libc needs the library when LTTng cancels its threads at
	 * the program's exit, and cannot load it then if the program has called chroot(2).
	 */
	dlopen("libgcc_s.so.1", RTLD_NOW);
	if (!joined || !kt_emit_init()) {
		kt_count(&kt_counters->without_provider);
	}
	kt_process_init();
	kt_signals_install();
	kt_give_up_init();
	kt_lock();
	kt_instance_begin(&(struct kt_event_process_begin){
		.name = executable,
		.recorder = "ktail " KTAIL_VERSION,
		.driver = release_text,
		.access = access_names[kt_access_mode],
		.doorbell = doorbell_names[kt_doorbell_mode],
		.api = api_names[kt_api_mode],
	});
	kt_unlock(true);
	kt_devices_scan();
	kt_dlsym_init();
	errno = saved;
}

/* --- end --- */

/*
 * Called by the destructor of libktail-record-last.so (preload/last.c), which runs after
 * libcuda's.
 */
KT_INTERPOSE void kt_record_finish(void);

KT_INTERPOSE void kt_record_finish(void)
{
	kt_instance_end("exit");
}

__attribute__((destructor)) static void stop(void)
{
	if (!kt_device_use_ends_last()) {
		kt_instance_end("exit");
	}
}
