/* SPDX-License-Identifier: MIT */
/* Executes another program after two failed attempts. Both programs are recorded. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(int argc, char **argv)
{
	char path[4096];

	(void)argc;
	set_up();
	fflush(stdout);
	execl("/no/such/program", "x", (char *)NULL);
	printf("exec failed %d\n", errno == ENOENT);
	release(CLIENT);
	fflush(stdout);
	execlp("no-such-scenario", "x", (char *)NULL);
	/* The other program is in the same folder. */
	snprintf(path, sizeof(path), "%.*ssubmit", (int)strlen(argv[0]) - 4, argv[0]);
	execl(path, "scenario-submit", (char *)NULL);
	return 0;
}
