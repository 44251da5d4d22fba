/* SPDX-License-Identifier: MIT */
/* Starts other programs in all ways that libc provides, while a mapping is watched. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

extern char **environ;

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t actions;
	char name[] = "scenario-submit";
	char *arguments[] = {name, NULL};
	char env[] = "env";
	char without[] = "-u";
	char preload[] = "LD_PRELOAD";
	char grep[] = "grep";
	char pattern[] = "SigBlk";
	char file[] = "/proc/self/status";
	/* Runs without the recorder, so that grep shows the actual mask. */
	char *blocked[] = {env, without, preload, grep, pattern, file, NULL};
	volatile char *mapped;
	sigset_t set;
	char path[4096];
	char line[64] = "";
	int status = 0;
	pid_t pid;
	FILE *pipe;

	(void)argc;
	set_up();
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	mapped = map(SYS, PAGE, PROT_READ | PROT_WRITE);
	mapped[0] = 'a';
	fflush(stdout);
	/* The program to be started is in the same folder and does not use the device. */
	snprintf(path, sizeof(path), "%.*ssubmit", (int)strlen(argv[0]) - 5, argv[0]);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	posix_spawnp(&pid, env, NULL, NULL, blocked, environ);
	waitpid(pid, &status, 0);
	mapped[3] = 'd';
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addclose(&actions, control_fd);
	printf("spawn %d\n", posix_spawn(&pid, path, &actions, NULL, arguments, environ));
	waitpid(pid, &status, 0);
	mapped[1] = 'b';
	printf("it gave %d\n", WEXITSTATUS(status));
	printf("no such %d\n",
	       posix_spawnp(&pid, "no-such-scenario", NULL, NULL, arguments, environ) != 0);
	fflush(stdout);
	status = system("exit 4");
	mapped[2] = 'c';
	printf("system gave %d\n", WEXITSTATUS(status));
	pipe = popen("echo hello", "r");
	printf("popen said %s", fgets(line, sizeof(line), pipe));
	pclose(pipe);
	printf("%c%c%c\n", mapped[0], mapped[1], mapped[2]);
	release(CLIENT);
	return 0;
}
