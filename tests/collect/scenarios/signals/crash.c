/* SPDX-License-Identifier: MIT */
/*
 * A program dies of a fault of its own: as it would bare, and its word is cut at the end.
 */
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
