/* SPDX-License-Identifier: MIT */
/*
 * A child after vfork closes a descriptor before its exec. The recorder's memory is shared
 * with the parent, in which the descriptor must stay known until the parent closes it by
 * close_range().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	int status = 0;
	pid_t child;

	set_up();
	fflush(stdout);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	child = vfork();
#pragma GCC diagnostic pop
	if (child == 0) {
		close(control_fd);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	printf("true gave %d\n", WEXITSTATUS(status));
	close_range((unsigned)control_fd, (unsigned)control_fd, 0);
	printf("closed %d\n", call(0x2a, &status, 0) == -1 && errno == EBADF);
	return 0;
}
