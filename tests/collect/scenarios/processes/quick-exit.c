/* SPDX-License-Identifier: MIT */
/*
 * quick_exit() runs handlers but no destructors. The handlers' requests must be recorded.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "tests/collect/scenarios/play.h"

static void at_quick_end(void)
{
	release(CLIENT);
	printf("released\n");
	fflush(stdout);
}

int main(void)
{
	at_quick_exit(at_quick_end);
	set_up();
	quick_exit(11);
}
