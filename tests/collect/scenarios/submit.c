/* SPDX-License-Identifier: MIT */
#include "tests/collect/scenarios/play.h"

int main(void)
{
	run_submit();
	return 0;
}
