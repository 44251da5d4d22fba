/* SPDX-License-Identifier: MIT */
/* A program dies of a fault of its own, as without the recorder; its word is truncated. */
#define _GNU_SOURCE
#include <stdint.h>

#include "tests/collect/scenarios/play.h"

int main(void)
{
	volatile char *volatile nowhere = (volatile char *)(uintptr_t)PAGE;

	set_up();
	*nowhere = 1;
	return 0;
}
