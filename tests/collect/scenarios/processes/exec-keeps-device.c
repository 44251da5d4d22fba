/* SPDX-License-Identifier: MIT */
/* A device descriptor that stays open across an exec is recognised after it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(int argc, char **argv)
{
	char number[16];

	if (argc > 1) {
		control_fd = atoi(argv[1]);
		alloc(CLIENT, DEVICE, 0x80, NULL, 0);
		release(CLIENT);
		printf("kept\n");
		return 0;
	}
	set_up();
	snprintf(number, sizeof(number), "%d", control_fd);
	execl("/proc/self/exe", "scenario-exec-keeps-device", number, (char *)NULL);
	return 1;
}
