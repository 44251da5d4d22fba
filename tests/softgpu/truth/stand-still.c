/* SPDX-License-Identifier: MIT */
/*
 * Runs a command and repeatedly stops the thread of its software GPU's device: the thread
 * runs for at most RUN-US microseconds, then stands still for at most STAND-US, both
 * random. The driver continues meanwhile until it must wait for a completion, for space in
 * a ring or pushbuffer, or for staging memory. Exits with the command's status, or 125 if
 * the device never stood still.
 * Usage: stand-still SEED RUN-US STAND-US COMMAND [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * A line of /proc that identifies the device's thread, which blocks all signals that libc
 * allows to block. LTTng's threads block the same signals, but have names, unlike the
 * device's thread.
 */
#define ALL_BLOCKED "\nSigBlk:\tfffffffe7ffbfeff\n"

static uint64_t state;

static unsigned random_below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (unsigned)((state >> 11) % n) : 0;
}

static void sleep_us(unsigned us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000L}, NULL);
}

static bool read_text(char *text, size_t size, const char *path)
{
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(text, 1, size - 1, file) : 0;

	text[n] = '\0';
	if (file) {
		fclose(file);
	}
	return n > 0;
}

/*
 * Returns whether the process has loaded the software GPU. A recording's daemons have
 * threads with the same blocked signals, but not the device.
 */
static bool has_device(pid_t process)
{
	char path[64];
	char line[4096];
	bool has = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", process);
	file = fopen(path, "re");
	while (file && !has && fgets(line, sizeof(line), file)) {
		has = strstr(line, "/libktail-softgpu.so") != NULL;
	}
	if (file) {
		fclose(file);
	}
	return has;
}

/*
 * Searches the threads of a process, except the first, for the device's thread. Returns 0
 * if there is none.
 */
static pid_t find_in(pid_t process)
{
	char path[64];
	char name[64];
	char text[4096];
	struct dirent *entry;
	pid_t found = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/comm", process);
	if (!read_text(name, sizeof(name), path) || !has_device(process)) {
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", process);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks))) {
		pid_t thread = atoi(entry->d_name);

		snprintf(path, sizeof(path), "/proc/%d/comm", thread);
		if (thread <= 0 || thread == process ||
		    !read_text(text, sizeof(text), path) || strcmp(text, name) != 0) {
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%d/status", thread);
		if (read_text(text, sizeof(text), path) && strstr(text, ALL_BLOCKED)) {
			found = thread;
		}
	}
	if (tasks) {
		closedir(tasks);
	}
	return found;
}

/*
 * Searches the process and its descendants for the device's thread. Returns 0 if there is
 * none.
 */
static pid_t find_device(pid_t process)
{
	char path[64];
	char children[4096];
	pid_t found = find_in(process);
	char *rest = children;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", process, process);
	if (!found && read_text(children, sizeof(children), path)) {
		for (char *word; !found && (word = strtok_r(rest, " ", &rest));) {
			found = find_device(atoi(word));
		}
	}
	return found;
}

/* Stops and continues the thread until it ends. Returns how often it was stopped. */
static unsigned disturb(pid_t thread, unsigned run_us, unsigned stand_us)
{
	unsigned times = 0;
	int status;

	for (;;) {
		sleep_us(random_below(run_us) + 1);
		ptrace(PTRACE_INTERRUPT, thread, NULL, NULL);
		if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status)) {
			return times;
		}
		times++;
		sleep_us(random_below(stand_us) + 1);
		ptrace(PTRACE_CONT, thread, NULL, NULL);
	}
}

int main(int argc, char **argv)
{
	unsigned times = 0;
	int status = 0;
	pid_t child;

	if (argc < 5) {
		fprintf(stderr, "usage: stand-still SEED RUN-US STAND-US COMMAND...\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
	child = fork();
	if (child == 0) {
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		pid_t device = find_device(child);

		if (device && ptrace(PTRACE_SEIZE, device, NULL, NULL) == 0) {
			times += disturb(device, (unsigned)atoi(argv[2]),
					 (unsigned)atoi(argv[3]));
		} else {
			sleep_us(200);
		}
	}
	fprintf(stderr, "stand-still: %u times\n", times);
	return times == 0 ? 125 : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
