/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/api-choice.h"

#include <string.h>

#include "collect/environment.h"

static char choice[KT_API_CALLS_TEXT] = "work";

/* Returns whether all of the names, separated by commas, are known. */
static bool is_list(const char *names)
{
	size_t length = strcspn(names, ",");

	while (kt_api_is_name(names, length)) {
		if (!names[length]) {
			return true;
		}
		names += length + 1;
		length = strcspn(names, ",");
	}
	return false;
}

bool kt_api_choose(const char *value)
{
	const bool fits = value && value[0] && strlen(value) < sizeof(choice);

	strcpy(choice, fits ? value : "work");
	return !value || !value[0] || strcmp(value, "work") == 0 ||
	       strcmp(value, "all") == 0 || (fits && is_list(value));
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
