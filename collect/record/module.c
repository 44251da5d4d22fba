/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/record/module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#define REMOVE_MS 3000  /* until nobody uses it */
#define EXIT_MS   30000 /* that the module may take for its end */
#define STEP_MS   10

bool kt_module_is_loaded(const char *module)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return access(path, F_OK) == 0;
}

/* --- loading --- */

/* The first line that it says, or "". Its status; -1: it could not be run. */
static int modprobe(char *const argv[], char *said, size_t size)
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
		execvp(argv[0], argv);
		/* Not on every root's PATH */
		execv("/sbin/modprobe", argv);
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

int kt_module_load(char *const argv[])
{
	char said[256];
	int status = modprobe(argv, said, sizeof(said));

	if (status == 0) {
		return KT_OK;
	}
	return kt_error(
		KT_E_IO,
		"load %s: %s (are ktail's kernel modules installed for this kernel, "
		"and signed where Secure Boot asks for that? "
		"lttng-providers/kernel/README.md says how; dmesg may say more)",
		argv[1], said[0] ? said : "modprobe cannot be run");
}

/* --- removing --- */

/* A session that has just gone may hold it for a moment. 0, or errno. */
static int remove_module(const char *module)
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

/* A process of its own does it, which can be left behind. */
int kt_module_remove(const char *module)
{
	struct timespec pause = {.tv_nsec = STEP_MS * 1000000};
	pid_t remover = fork();
	int status = 0;

	if (remover <= 0) {
		int error = remove_module(module);

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
	return KT_MODULE_GOING;
}

/* " NAME NAME": the modules that use it; false: there are none. */
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

void kt_module_say_why(char why[static KT_MODULE_WHY], const char *module, int error)
{
	char holders[64];

	if (error == KT_MODULE_GOING) {
		snprintf(why, KT_MODULE_WHY,
			 "%s is still being removed: a thread is within a call of the "
			 "driver, perhaps waiting for memory of a file in a file system "
			 "such as FUSE",
			 module);
	} else if (error != EAGAIN) {
		snprintf(why, KT_MODULE_WHY, "%s could not be removed: %s", module,
			 strerror(error));
	} else if (list_holders(module, holders, sizeof(holders))) {
		snprintf(why, KT_MODULE_WHY, "%s stays loaded: it is used by%s", module,
			 holders);
	} else {
		snprintf(why, KT_MODULE_WHY,
			 "%s stays loaded: somebody uses it, such as an LTTng session with "
			 "its events (lttng list)",
			 module);
	}
}
