/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/kernel-modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/try.h"
#include "collect/record/kernel-lock.h"
#include "collect/record/module.h"

#define WATCH      "doorbell_watch"
#define PROBE      "lttng-probe-gpu-stack"
#define PROBE_NAME "lttng_probe_gpu_stack" /* as the kernel writes it */
#define PARAMETERS "/sys/module/" WATCH "/parameters/"
/* The inode of the namespace in which the machine began: PROC_PID_INIT_INO of Linux. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

/* --- parameters --- */

static int open_parameter(const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return open(path, flags | O_CLOEXEC);
}

/* Its text without the newline; false: it cannot be read. */
static bool get_parameter(const char *name, char *text, size_t size)
{
	int fd = open_parameter(name, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n >= 0;
}

static bool put_parameter(const char *name, const char *text)
{
	int fd = open_parameter(name, O_WRONLY);
	size_t length = strlen(text);
	bool is_put = fd >= 0 && write(fd, text, length) == (ssize_t)length;

	if (fd >= 0) {
		close(fd);
	}
	return is_put;
}

/* A module that was there may have been loaded with something else. */
static int refuse(const char *name, const char *value, const char *option,
		  const char *wanted)
{
	return kt_error(KT_E_IO,
			"set " WATCH
			": it is loaded with %s=%s, and %s asks for %s: remove "
			"it first (rmmod " PROBE_NAME " " WATCH ")",
			name, value, option, wanted);
}

/* --- loading --- */

/* What nobody has said is left to modprobe.d(5), and to the module. */
static int load_watch(struct kt_kernel *kernel, const struct kt_kernel_options *options)
{
	char access[32];
	char mode[32];
	char name[] = "modprobe";
	char module[] = WATCH;
	char *argv[] = {name, module, access, options->mode ? mode : NULL, NULL};
	int code;

	/* The mode is said when the module is loaded, and stays. */
	if (kt_module_is_loaded(WATCH)) {
		bool is_that =
			!options->mode || (get_parameter("mode", mode, sizeof(mode)) &&
					   strcmp(mode, options->mode) == 0);

		return is_that ? KT_OK : refuse("mode", mode, "--doorbell", options->mode);
	}
	snprintf(access, sizeof(access), "access=%s",
		 options->access ? options->access : "coalesced");
	snprintf(mode, sizeof(mode), "mode=%s", options->mode ? options->mode : "");
	code = kt_module_load(argv);
	kernel->loaded_watch = code == KT_OK;
	return code;
}

/* --- start, end --- */

int kt_kernel_check_place(void)
{
	struct stat here;

	if (stat("/proc/self/ns/pid", &here) != 0) {
		return kt_error_errno(KT_E_IO,
				      "record in the kernel: look at /proc/self/ns/pid");
	}
	if (here.st_ino != FIRST_PID_NAMESPACE) {
		return kt_error(
			KT_E_USAGE,
			"record in the kernel: this is a container (a pid namespace "
			"of its own), and the modules know processes by the "
			"machine's numbers: record on the machine itself, which "
			"sees containers too");
	}
	return KT_OK;
}

/*
 * What somebody has set who uses the module without ktail record. A cgroup is watched
 * beside a command; without one it is the user's choice.
 */
static int check_free(struct kt_kernel *kernel, const struct kt_kernel_options *options)
{
	struct kt_kernel_limits *limits = &kernel->limits;
	char pids[64];

	kernel->pids = open_parameter("pids", O_RDONLY);
	if (kernel->pids < 0 || !get_parameter("pids", pids, sizeof(pids))) {
		return kt_error_errno(KT_E_IO, "look at " PARAMETERS "pids");
	}
	if (pids[0]) {
		return kt_error(KT_E_IO,
				"set " WATCH
				": it watches processes %s for somebody (empty "
				"its parameter pids to let it watch others)",
				pids);
	}
	get_parameter("majors", limits->majors, sizeof(limits->majors));
	get_parameter("cgroup", limits->cgroup, sizeof(limits->cgroup));
	if (options->only && limits->cgroup[0]) {
		return kt_error(KT_E_IO,
				"set " WATCH
				": it watches the cgroup %s for somebody, which would be "
				"recorded with the command (empty its parameter cgroup)",
				limits->cgroup);
	}
	return KT_OK;
}

int kt_kernel_start(struct kt_kernel *kernel, const struct kt_kernel_options *options)
{
	char modprobe[] = "modprobe";
	char probe[] = PROBE;
	char *argv[] = {modprobe, probe, NULL};
	char pid[32] = "\n";
	char access[sizeof(kernel->access)];

	*kernel = (struct kt_kernel)KT_KERNEL_NONE;
	KT_TRY(kt_kernel_lock_take(&kernel->lock, KT_KERNEL_LOCK_FILE, options->who,
				   options->output));
	KT_TRY(load_watch(kernel, options));
	KT_TRY(check_free(kernel, options));
	if (!kt_module_is_loaded(PROBE_NAME)) {
		KT_TRY(kt_module_load(argv));
		kernel->loaded_probe = true;
	}
	if (options->access && (!get_parameter("access", access, sizeof(access)) ||
				strcmp(access, options->access) != 0)) {
		memcpy(kernel->access, access, sizeof(access));
		if (!put_parameter("access", options->access)) {
			return refuse("access", access, "--access", options->access);
		}
	}
	if (options->only) {
		snprintf(pid, sizeof(pid), "%ld", (long)options->only);
	}
	kernel->chose = true;
	if (!put_parameter("pids", pid)) {
		return kt_error_errno(KT_E_IO, "set " PARAMETERS "pids");
	}
	kt_kernel_count(kernel, &kernel->before);
	return KT_OK;
}

static uint64_t read_counter(const char *name)
{
	char text[32];

	return get_parameter(name, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

/* Another one of that name has other files: ours gives ENODEV then. */
static bool is_the_same(const struct kt_kernel *kernel)
{
	char byte;

	return pread(kernel->pids, &byte, sizeof(byte), 0) >= 0;
}

void kt_kernel_count(const struct kt_kernel *kernel, struct kt_kernel_counts *out)
{
	struct kt_kernel_counts before = kernel->before;

#define COUNTER(name) out->name = read_counter(#name) - before.name;
	KT_KERNEL_COUNTERS(COUNTER)
#undef COUNTER
	out->hooked = read_counter("hooked") > 0;
	/* Asked last: the module was there for all of them. */
	if (!is_the_same(kernel)) {
		*out = (struct kt_kernel_counts){.gone = true};
	}
}

void kt_kernel_remove_probe(struct kt_kernel *kernel)
{
	if (kernel->loaded_probe && kt_module_remove(PROBE_NAME) == 0) {
		kernel->loaded_probe = false;
	}
}

__attribute__((format(printf, 2, 3))) static void add(char *left, const char *format, ...)
{
	size_t n = strlen(left);
	va_list args;

	if (n && n < KT_KERNEL_LEFT - 2) {
		n += (size_t)snprintf(left + n, KT_KERNEL_LEFT - n, "; ");
	}
	va_start(args, format);
	vsnprintf(left + n, KT_KERNEL_LEFT - n, format, args);
	va_end(args);
}

static void unload(const char *module, char *left)
{
	int error = kt_module_remove(module);
	char why[KT_MODULE_WHY];

	if (error) {
		kt_module_say_why(why, module, error);
		add(left, "%s", why);
	}
}

void kt_kernel_stop(struct kt_kernel *kernel, char left[static KT_KERNEL_LEFT])
{
	left[0] = '\0';
	/* Those of a module that is about to go, or has gone, do not matter. */
	if (!kernel->loaded_watch && kernel->pids >= 0 && is_the_same(kernel)) {
		if (kernel->chose && !put_parameter("pids", "\n")) {
			add(left, WATCH "'s parameter pids could not be emptied");
		}
		if (kernel->access[0] && !put_parameter("access", kernel->access)) {
			add(left,
			    WATCH "'s parameter access was %s, and could not be put back",
			    kernel->access);
		}
	}
	if (kernel->pids >= 0) {
		close(kernel->pids);
	}
	if (kernel->loaded_probe) {
		unload(PROBE_NAME, left);
	}
	if (kernel->loaded_watch) {
		unload(WATCH, left);
	}
	kt_kernel_lock_give(kernel->lock);
	*kernel = (struct kt_kernel)KT_KERNEL_NONE;
}
