/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <string.h>

#include <ktail/status.h>

int kt_json_load(json_t **out, FILE *in, const char *name)
{
	json_error_t error;

	*out = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	if (!*out && ferror(in)) {
		return kt_error_errno(KT_E_IO, "read %s", name);
	}
	if (!*out) {
		return kt_error(KT_E_MALFORMED, "read %s: line %d: %s", name, error.line,
				error.text);
	}
	return KT_OK;
}

int kt_json_get_number(uint64_t *out, const json_t *object, const char *key, uint64_t limit)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (uint64_t)json_integer_value(value) > limit) {
		return kt_error(KT_E_MALFORMED, "\"%s\" is no number in range", key);
	}
	*out = (uint64_t)json_integer_value(value);
	return KT_OK;
}

int kt_json_get_string(char **out, const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	if (!value) {
		return kt_error(KT_E_MALFORMED, "\"%s\" is no string", key);
	}
	*out = strdup(value);
	return *out ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}
