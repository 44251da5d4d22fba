/* SPDX-License-Identifier: MIT */
#include "decode/statuses.h"

#include <stddef.h>

static const struct {
	uint32_t status;
	const char *name;
	uint32_t last; /* last release with this name */
} statuses[] = {
#include "decode/statuses.inc"
};

const char *kt_status_name(uint32_t status, uint32_t release)
{
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		if (statuses[i].status == status) {
			name = statuses[i].name;
			if (release && release <= statuses[i].last) {
				break;
			}
		}
	}
	return name;
}
