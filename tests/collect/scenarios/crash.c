/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stdint.h>

#include "tests/collect/scenarios/play.h"

/* Dies of a fault of its own. */
int main(void)
{
	volatile char *volatile nowhere = (volatile char *)(uintptr_t)PAGE;

	set_up();
	*nowhere = 1;
	return 0;
}
