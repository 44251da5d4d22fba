/* SPDX-License-Identifier: MIT */
#include "decode/controls.h"

static const struct kt_control controls[] = {
#include "decode/controls.inc"
};

#define N_CONTROLS (sizeof(controls) / sizeof(controls[0]))

const struct kt_control *kt_control_find(uint32_t command, uint32_t release)
{
	const struct kt_control *found = NULL;
	size_t low = 0; /* after the search: first row with a command >= `command` */
	size_t high = N_CONTROLS;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (controls[middle].command < command) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	for (size_t i = low; i < N_CONTROLS && controls[i].command == command; i++) {
		found = &controls[i];
		if (release && release <= found->last) {
			break;
		}
	}
	return found;
}

const char *kt_control_who_name(enum kt_control_who who)
{
	static const char *const names[] = {"",      "any",    "nice",
					    "admin", "kernel", "internal"};

	return names[who];
}

const char *kt_control_name(uint32_t command)
{
	const struct kt_control *control = kt_control_find(command, 0);

	return control ? control->name : NULL;
}

size_t kt_controls(void)
{
	return N_CONTROLS;
}

const struct kt_control *kt_control_at(size_t i)
{
	return &controls[i];
}
