/* SPDX-License-Identifier: MIT */
/* The library that doorbell-storm loads and unloads. */
#include "tests/collect/scenarios/play.h"

__attribute__((visibility("default"))) void doorbell_ring(volatile char *doorbell,
							  uint32_t token);

/* This library's only store to the doorbell. */
void doorbell_ring(volatile char *doorbell, uint32_t token)
{
	ring(doorbell, token);
}
