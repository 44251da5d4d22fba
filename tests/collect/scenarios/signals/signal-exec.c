/* SPDX-License-Identifier: MIT */
/* The executed program inherits the blocked and the ignored signals. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

extern char **environ;

static const int numbers[] = {SIGSEGV, SIGBUS, SIGTRAP, SIGUSR1, SIGSTKFLT};

static void say(const char *what)
{
	struct sigaction action;
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("%s:", what);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaction(numbers[i], NULL, &action);
		printf(" %d%s%s", numbers[i],
		       sigismember(&set, numbers[i]) ? " blocked" : "",
		       action.sa_handler == SIG_IGN ? " ignored" : "");
	}
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char name[] = "again";
	char *again[] = {argv[0], name, NULL};
	sigset_t set;
	pid_t child;
	int status;

	if (argc > 1) {
		say("inherited");
		run_submit();
		return 0;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, again, environ) == 0) {
		waitpid(child, &status, 0);
	}
	say("after one beside");
	signal(SIGTRAP, SIG_IGN);
	say("before");
	execv("/nonexistent/program", again);
	say("after one that failed");
	run_submit();
	fflush(stdout);
	execve("/proc/self/exe", again, environ);
	return 1;
}
