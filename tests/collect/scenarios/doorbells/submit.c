/* SPDX-License-Identifier: MIT */
/*
 * Three submissions: the plainest program that there is, against which others are
 * compared.
 */
#include "tests/collect/scenarios/play.h"

int main(void)
{
	run_submit();
	return 0;
}
