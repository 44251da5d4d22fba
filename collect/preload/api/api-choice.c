/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/api-choice.h"

#include <string.h>

#include "collect/environment.h"

static char choice[KT_API_CALLS_TEXT] = "work";

void kt_api_choose(const char *value)
{
	size_t length = value ? strlen(value) : 0;

	if (length > 0 && length < sizeof(choice)) {
		memcpy(choice, value, length + 1);
	} else {
		strcpy(choice, "work");
	}
}

const char *kt_api_choice(void)
{
	return choice;
}

bool kt_api_is_chosen(const char *name, const struct kt_api_function *known)
{
	if (strcmp(choice, "work") == 0) {
		return !kt_api_is_query(known);
	}
	if (strcmp(choice, "all") == 0) {
		return true;
	}
	for (const char *at = choice; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");

		if (kt_api_is_variant(name, at, length)) {
			return true;
		}
		at += length;
	}
	return false;
}
