/* SPDX-License-Identifier: MIT */
/*
 * The program dies of its own fault, as it does without the recorder. Its word is
 * truncated. An exec that failed before has not ended it.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <unistd.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *volatile nowhere = (volatile char *)(uintptr_t)PAGE;

	execl("/nonexistent/program", "program", (char *)NULL);
	set_up();
	*nowhere = 1;
	return 0;
}
