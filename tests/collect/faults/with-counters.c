/* SPDX-License-Identifier: MIT */
/*
 * Runs a command as ktail record does, but without LTTng. The command's processes join a
 * recording and get counters, which are written to FILE at the end. Exits with the
 * command's status.
 * Usage: with-counters FILE COMMAND [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ktail/status.h>

#include "collect/record/admit.h"
#include "collect/record/folders.h"

static bool track_nothing(void *context, pid_t pid, bool on)
{
	(void)context;
	(void)pid;
	(void)on;
	return true;
}

static int run(const struct kt_run_folder *folder, char **command)
{
	struct kt_admit admit;
	const struct kt_admit_options options = {
		.socket = folder->socket,
		.key = folder->key,
		.counters = folder->counters,
		.track = track_nothing,
	};
	struct pollfd fds[2] = {{.events = POLLIN}, {.events = POLLIN}};
	int status = 0;
	pid_t child;

	if (kt_admit_open(&admit, &options)) {
		return -1;
	}
	child = fork();
	if (child == 0) {
		setenv(KT_ADMISSION_VARIABLE, folder->socket, 1);
		setenv(KT_KEY_VARIABLE, folder->key, 1);
		execvp(command[0], command);
		_exit(127);
	}
	fds[0].fd = (int)syscall(SYS_pidfd_open, child, 0);
	fds[1].fd = admit.events;
	while (!fds[0].revents) {
		poll(fds, 2, -1);
		kt_admit_serve(&admit);
	}
	close(fds[0].fd);
	waitpid(child, &status, 0);
	kt_admit_close(&admit);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct kt_run_folder folder = KT_RUN_FOLDER_NONE;
	struct kt_counters *counters;
	int status;
	FILE *out;

	if (argc < 3 || kt_run_folder_make(&folder, NULL, 0, &counters)) {
		fprintf(stderr, "with-counters: %s\n",
			argc < 3 ? "usage" : kt_error_message());
		return 125;
	}
	status = run(&folder, argv + 2);
	kt_run_folder_remove(&folder);
	if (status < 0) {
		fprintf(stderr, "with-counters: %s\n", kt_error_message());
		return 125;
	}
	out = fopen(argv[1], "wb");
	if (!out || fwrite(counters, sizeof(*counters), 1, out) != 1 || fclose(out) != 0) {
		perror(argv[1]);
		return 125;
	}
	return status;
}
