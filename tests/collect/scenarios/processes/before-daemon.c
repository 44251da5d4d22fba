/* SPDX-License-Identifier: MIT */
/*
 * Started before the session daemon: submits, waits for the file that the argument names,
 * and submits again.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(int argc, char **argv)
{
	set_up();
	submit(2);
	fflush(stdout);
	while (argc > 1 && access(argv[1], F_OK) != 0) {
		usleep(10000);
	}
	submit(3);
	release(CLIENT);
	return 0;
}
