/* SPDX-License-Identifier: MIT */
#include "tests/collect/scenarios/play.h"

__attribute__((visibility("default"))) void plugin_run(void);

void plugin_run(void)
{
	run_submit();
}
