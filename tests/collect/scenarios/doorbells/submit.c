/* SPDX-License-Identifier: MIT */
/* Makes three submissions. This is the simplest program, with which others are compared. */
#include "tests/collect/scenarios/play.h"

int main(void)
{
	run_submit();
	return 0;
}
