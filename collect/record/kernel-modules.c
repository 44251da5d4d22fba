/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/kernel-modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#include "base/try.h"

#define WATCH      "doorbell_watch"
#define PROBE      "lttng-probe-gpu-stack"
#define PROBE_NAME "lttng_probe_gpu_stack" /* name that the kernel uses for PROBE */
#define PARAMETERS "/sys/module/" WATCH "/parameters/"
/* Inode of the initial PID namespace: PROC_PID_INIT_INO of Linux. */
#define FIRST_PID_NAMESPACE 0xeffffffcu

#define REMOVE_MS 3000  /* limit for a module to become unused */
#define EXIT_MS   30000 /* limit for a module's exit function */
#define STEP_MS   10
#define GOING     (-1) /* result: the removal has begun, but has not ended in time */

/* --- the lock --- */

int kt_kernel_lock_take(int *out, const char *path, pid_t who, const char *output)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int code;

	*out = -1;
	if (fd < 0) {
		return kt_error_errno(KT_E_IO, "record in the kernel: open %s", path);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		char holder[512];
		ssize_t n;

		if (errno != EWOULDBLOCK) {
			code = kt_error_errno(KT_E_IO, "record in the kernel: lock %s",
					      path);
			close(fd);
			return code;
		}
		n = pread(fd, holder, sizeof(holder) - 1, 0);
		holder[n > 0 ? n : 0] = '\0';
		holder[strcspn(holder, "\n")] = '\0';
		close(fd);
		return kt_error(KT_E_IO,
				"record in the kernel: another recording uses its modules: "
				"%s",
				holder[0] ? holder : "it has just started");
	}
	/*
	 * Names this recording, for the error message of other recordings that try to take
	 * the lock. A failure to write the name does not prevent recording.
	 */
	if (ftruncate(fd, 0) == 0) {
		dprintf(fd, "process %ld, into %s (supervised by process %ld)\n", (long)who,
			output, (long)getpid());
	}
	*out = fd;
	return KT_OK;
}

void kt_kernel_lock_give(int lock)
{
	if (lock >= 0) {
		(void)!ftruncate(lock, 0);
		close(lock);
	}
}

/* --- a module --- */

/*
 * In all functions except modprobe() and load(), `module` is the kernel's form of the name,
 * which has _ instead of -.
 */
static bool is_loaded(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return access(path, F_OK) == 0;
}

/*
 * Runs modprobe with the module and its parameters `first` and `second` (or NULL). Writes
 * the first line of the error messages, or "", to said[]. Returns the exit status, which is
 * 127 if there is no modprobe; -1 if modprobe could not be forked or was killed.
 */
static int modprobe(const char *module, const char *first, const char *second, char *said,
		    size_t size)
{
	int answer[2];
	int status = -1;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	said[0] = '\0';
	if (pipe2(answer, O_CLOEXEC) != 0) {
		return -1;
	}
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, 0);
		dup2(null, 1);
		dup2(answer[1], 2);
		unsetenv("LD_PRELOAD");
		execlp("modprobe", "modprobe", module, first, second, (char *)NULL);
		/* Tries /sbin too, because the PATH of root need not contain it. */
		execl("/sbin/modprobe", "modprobe", module, first, second, (char *)NULL);
		dprintf(2, "modprobe: %s", strerror(errno));
		_exit(127);
	}
	close(answer[1]);
	while (pid > 0 && n < size - 1 &&
	       ((got = read(answer[0], said + n, size - 1 - n)) > 0 ||
		(got < 0 && errno == EINTR))) {
		n += got > 0 ? (size_t)got : 0;
	}
	said[n] = '\0';
	said[strcspn(said, "\n")] = '\0';
	close(answer[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Loads the module with up to two parameters, which may be NULL. KT_E_IO with a message. */
static int load(const char *module, const char *first, const char *second)
{
	char said[256];

	if (modprobe(module, first, second, said, sizeof(said)) == 0) {
		return KT_OK;
	}
	return kt_error(
		KT_E_IO,
		"load %s: %s (are ktail's kernel modules installed for this kernel, "
		"and signed if Secure Boot requires it? see "
		"lttng-providers/kernel/README.md, and dmesg)",
		module, said[0] ? said : "modprobe cannot be run");
}

/*
 * Removes a module when it is unused. Waits up to REMOVE_MS for that, because a session
 * that has just ended may hold the module for a moment. Returns 0 (also if the module is
 * not loaded) or an error number.
 */
static int remove_unused(const char *module)
{
	struct timespec pause = {.tv_nsec = STEP_MS * 1000000};

	for (int waited = 0;; waited += STEP_MS) {
		int error = syscall(SYS_delete_module, module, O_NONBLOCK) == 0 ? 0 : errno;

		if ((error != EAGAIN && error != EBUSY) || waited >= REMOVE_MS) {
			return error == ENOENT ? 0 : error;
		}
		nanosleep(&pause, NULL);
	}
}

/*
 * Removes a module in a separate process, which is abandoned if the removal takes too long.
 * Returns 0 (also if the module is not loaded), an error number (EAGAIN: in use) or GOING.
 */
static int remove_module(const char *module)
{
	struct timespec pause = {.tv_nsec = STEP_MS * 1000000};
	pid_t remover = fork();
	int status = 0;

	if (remover <= 0) {
		int error = remove_unused(module);

		if (remover == 0) {
			_exit(error);
		}
		return error;
	}
	for (int waited = 0; waited < REMOVE_MS + EXIT_MS; waited += STEP_MS) {
		if (waitpid(remover, &status, WNOHANG) != 0) {
			return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
		}
		nanosleep(&pause, NULL);
	}
	return GOING;
}

/*
 * Writes the names of the modules that use `module` as " NAME NAME". Returns false if no
 * module uses it.
 */
static bool list_holders(const char *module, char *text, size_t size)
{
	char path[128];
	struct dirent *entry;
	size_t n = 0;
	DIR *holders;

	snprintf(path, sizeof(path), "/sys/module/%s/holders", module);
	holders = opendir(path);
	text[0] = '\0';
	while (holders && (entry = readdir(holders)) != NULL) {
		if (entry->d_name[0] != '.' && n < size) {
			n += (size_t)snprintf(text + n, size - n, " %s", entry->d_name);
		}
	}
	if (holders) {
		closedir(holders);
	}
	return n > 0;
}

/* --- parameters --- */

static int open_parameter(const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return open(path, flags | O_CLOEXEC);
}

/* Reads a parameter's text without the newline. Returns false if it cannot be read. */
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

/*
 * Reports that a parameter of the loaded module has another value than the option requires.
 */
static int refuse(const char *name, const char *value, const char *option,
		  const char *wanted)
{
	return kt_error(KT_E_IO,
			"set " WATCH
			": it is loaded with %s=%s, but %s requires %s: remove "
			"it first (rmmod " PROBE_NAME " " WATCH ")",
			name, value, option, wanted);
}

/*
 * Loads doorbell_watch, or checks the mode of the loaded module. If options->mode is NULL,
 * modprobe.d(5) or the default of the module decides the mode.
 */
static int load_watch(struct kt_kernel *kernel, const struct kt_kernel_options *options)
{
	char access[32];
	char mode[32];
	int code;

	/*
	 * The mode of a loaded module cannot be changed, so the module must already have
	 * the wanted mode.
	 */
	if (is_loaded(WATCH)) {
		bool is_that =
			!options->mode || (get_parameter("mode", mode, sizeof(mode)) &&
					   strcmp(mode, options->mode) == 0);

		return is_that ? KT_OK : refuse("mode", mode, "--doorbell", options->mode);
	}
	snprintf(access, sizeof(access), "access=%s",
		 options->access ? options->access : "coalesced");
	snprintf(mode, sizeof(mode), "mode=%s", options->mode ? options->mode : "");
	code = load(WATCH, access, options->mode ? mode : NULL);
	kernel->loaded_watch = code == KT_OK;
	return code;
}

/* --- start, end --- */

int kt_kernel_check_namespace(void)
{
	struct stat here;

	if (stat("/proc/self/ns/pid", &here) != 0) {
		return kt_error_errno(KT_E_IO,
				      "record in the kernel: stat /proc/self/ns/pid");
	}
	if (here.st_ino != FIRST_PID_NAMESPACE) {
		return kt_error(
			KT_E_USAGE,
			"record in the kernel: this is a container (a PID namespace "
			"of its own), and the modules use the host's PIDs: record on "
			"the host, which includes its containers");
	}
	return KT_OK;
}

/*
 * Opens the parameter `pids` and reads the limits that another user of the module has set.
 * KT_E_IO if `pids` is set, or if a cgroup is set and a command is recorded. Without a
 * command, a cgroup is allowed: it limits what is recorded.
 */
static int check_free(struct kt_kernel *kernel, const struct kt_kernel_options *options)
{
	struct kt_kernel_limits *limits = &kernel->limits;
	char pids[64];

	kernel->pids = open_parameter("pids", O_RDONLY);
	if (kernel->pids < 0 || !get_parameter("pids", pids, sizeof(pids))) {
		return kt_error_errno(KT_E_IO, "read " PARAMETERS "pids");
	}
	if (pids[0]) {
		return kt_error(KT_E_IO,
				"set " WATCH ": it already watches processes %s (clear its "
				"parameter pids first)",
				pids);
	}
	get_parameter("majors", limits->majors, sizeof(limits->majors));
	get_parameter("cgroup", limits->cgroup, sizeof(limits->cgroup));
	if (options->only && limits->cgroup[0]) {
		return kt_error(KT_E_IO,
				"set " WATCH
				": it already watches the cgroup %s, which would be "
				"recorded with the command (clear its parameter cgroup "
				"first)",
				limits->cgroup);
	}
	return KT_OK;
}

int kt_kernel_start(struct kt_kernel *kernel, const struct kt_kernel_options *options)
{
	char pid[32] = "\n";
	char access[sizeof(kernel->access)];

	*kernel = (struct kt_kernel)KT_KERNEL_NONE;
	KT_TRY(kt_kernel_lock_take(&kernel->lock, KT_KERNEL_LOCK_FILE, options->who,
				   options->output));
	KT_TRY(load_watch(kernel, options));
	KT_TRY(check_free(kernel, options));
	if (!is_loaded(PROBE_NAME)) {
		KT_TRY(load(PROBE, NULL, NULL));
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

/*
 * Returns false if the module was removed, or removed and loaded again: reading the file of
 * the parameter `pids`, which was opened before, then fails with ENODEV.
 */
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
	/*
	 * Checked last: if the module is still the same now, it was the same during all
	 * reads.
	 */
	if (!is_the_same(kernel)) {
		*out = (struct kt_kernel_counts){.removed = true};
	}
}

void kt_kernel_remove_probe(struct kt_kernel *kernel)
{
	if (kernel->loaded_probe && remove_module(PROBE_NAME) == 0) {
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
	int error = remove_module(module);
	char holders[64];

	if (error == GOING) {
		add(left,
		    "%s is still being removed: a thread is in a driver call, "
		    "perhaps waiting for memory of a file in a file system such as FUSE",
		    module);
	} else if (error == EAGAIN && list_holders(module, holders, sizeof(holders))) {
		add(left, "%s stays loaded: it is used by%s", module, holders);
	} else if (error == EAGAIN) {
		add(left,
		    "%s stays loaded: it is in use, perhaps by an LTTng session with its "
		    "events (lttng list)",
		    module);
	} else if (error) {
		add(left, "%s could not be removed: %s", module, strerror(error));
	}
}

void kt_kernel_stop(struct kt_kernel *kernel, char left[static KT_KERNEL_LEFT])
{
	left[0] = '\0';
	/*
	 * Restores the parameters only if the module was loaded before this recording. A
	 * module that this recording loaded is removed below.
	 */
	if (!kernel->loaded_watch && kernel->pids >= 0 && is_the_same(kernel)) {
		if (kernel->chose && !put_parameter("pids", "\n")) {
			add(left, WATCH "'s parameter pids could not be cleared");
		}
		if (kernel->access[0] && !put_parameter("access", kernel->access)) {
			add(left, WATCH "'s parameter access could not be restored to %s",
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
