/* SPDX-License-Identifier: MIT */
/* What doorbell-storm loads and unloads. */
#include "tests/collect/scenarios/play.h"

__attribute__((visibility("default"))) void doorbell_ring(volatile char *doorbell,
							  uint32_t token);

/* The only store to the doorbell that this library has. */
void doorbell_ring(volatile char *doorbell, uint32_t token)
{
	ring(doorbell, token);
}
