/* SPDX-License-Identifier: MIT */
/* Runs a program once and checks how it ended. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/mutate/mutate.h"

#define PATIENCE 120 /* seconds of real time, because other work may slow the run */

static void become(char *const *argv, const char *out, const char *err, const char *tmp)
{
	struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	setenv("TMPDIR", tmp, 1);
	setpgid(0, 0);
	if (!freopen("/dev/null", "r", stdin) || !freopen(out, "w", stdout) ||
	    !freopen(err, "w", stderr)) {
		_exit(99);
	}
	execv(argv[0], argv);
	_exit(99);
}

static volatile sig_atomic_t late;

static void set_late(int number)
{
	(void)number;
	late = 1;
}

void kt_run(struct kt_run *run, char *const *argv, const char *out, const char *err,
	    const char *tmp)
{
	struct sigaction action = {.sa_handler = set_late};
	struct rusage usage = {0};
	pid_t pid = fork();

	memset(run, 0, sizeof(*run));
	if (pid == 0) {
		become(argv, out, err, tmp);
	}
	late = 0;
	sigaction(SIGALRM, &action, NULL);
	alarm(PATIENCE);
	while (pid > 0 && wait4(pid, &run->status, 0, &usage) < 0) {
		if (errno == EINTR && late) {
			run->hung = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
		}
	}
	alarm(0);
	run->seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
		       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	run->megabytes = usage.ru_maxrss / 1024;
}

/* --- what is left --- */

static bool is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool empty = true;

	while (dir && (entry = readdir(dir))) {
		empty = empty && (strcmp(entry->d_name, ".") == 0 ||
				  strcmp(entry->d_name, "..") == 0);
	}
	if (dir) {
		closedir(dir);
	}
	return empty;
}

static bool has_temporary(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool has = false;

	while (dir && (entry = readdir(dir))) {
		has = has || strncmp(entry->d_name, ".ktail-", 7) == 0;
	}
	if (dir) {
		closedir(dir);
	}
	return has;
}

static bool ends_in(const char *text, const char *ending)
{
	size_t n = strlen(text);

	return n >= strlen(ending) && strcmp(text + n - strlen(ending), ending) == 0;
}

static bool is_svg(const char *path)
{
	struct kt_bytes bytes;
	bool is;

	kt_bytes_read(&bytes, path);
	kt_bytes_replace(&bytes, bytes.length, 0, "", 1);
	is = strstr((char *)bytes.data, "<svg") && strstr((char *)bytes.data, "</svg>");
	kt_bytes_free(&bytes);
	return is;
}

static bool is_json(const char *path)
{
	json_t *root = json_load_file(path, JSON_ALLOW_NUL, NULL);
	bool is = root != NULL;

	json_decref(root);
	return is;
}

/*
 * An output must exist after status 0, must not exist after 2 and 3, and may after 1 and 4.
 */
static const char *check_output(const char *path, int status)
{
	bool is = access(path, F_OK) == 0;

	if (!is && status == 0) {
		return "an output is not there";
	}
	if (is && (status == 2 || status == 3)) {
		return "an output is there";
	}
	if (is && ends_in(path, ".json") && !is_json(path)) {
		return "an output is no JSON";
	}
	return is && ends_in(path, ".svg") && !is_svg(path) ? "an output is no SVG" : NULL;
}

static const char *check_files(const char *folder, char *const *argv, int status)
{
	const char *wrong = NULL;
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/tmp", folder);
	if (!is_empty(path)) {
		return "something is left in TMPDIR";
	}
	if (has_temporary(folder)) {
		return "a temporary file is left beside the input";
	}
	snprintf(path, sizeof(path), "%s/out/", folder);
	if (has_temporary(path)) {
		return "a temporary file is left beside the output";
	}
	for (size_t i = 0; argv[i] && !wrong; i++) {
		if (strncmp(argv[i], path, strlen(path)) == 0) {
			wrong = check_output(argv[i], status);
		}
	}
	snprintf(path, sizeof(path), "%s/stderr", folder);
	if (!wrong && status >= 2 && (stat(path, &st) != 0 || st.st_size == 0)) {
		wrong = "it failed and does not say why";
	}
	return wrong;
}

const char *kt_check_run(const struct kt_run *run, const char *folder, char *const *argv)
{
	if (run->hung || run->seconds > KT_RUN_SECONDS) {
		return "it hangs";
	}
	if (WIFSIGNALED(run->status)) {
		return "it was ended by a signal";
	}
	if (WEXITSTATUS(run->status) > 4) {
		return "its exit status is none of ours";
	}
	if (run->megabytes >= KT_RUN_MEGABYTES) {
		return "it takes too much memory";
	}
	return check_files(folder, argv, WEXITSTATUS(run->status));
}
