/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#define TEXT_MAX 1024 /* bytes of a reason, with its NUL */
#define SHOWN    60   /* maximum characters of a value in messages */

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

/* --- errors --- */

int kt_json_error(const char *member, const char *format, ...)
{
	char reason[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return kt_error(KT_E_MALFORMED, "%s: %s", member, reason);
}

/* Formats a value as at most SHOWN ASCII characters, and "..." if it is longer. */
static void show(char out[static SHOWN + 4], const json_t *value)
{
	char *text;

	if (json_is_array(value) || json_is_object(value)) {
		strcpy(out, json_is_array(value) ? "an array" : "an object");
		return;
	}
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	snprintf(out, SHOWN + 1, "%s", text ? text : "that");
	if (text && strlen(text) > SHOWN) {
		strcat(out, "...");
	}
	free(text);
}

int kt_json_mismatch(const char *member, const json_t *value, const char *what, ...)
{
	char reason[TEXT_MAX];
	char shown[SHOWN + 4];
	va_list args;

	va_start(args, what);
	vsnprintf(reason, sizeof(reason), what, args);
	va_end(args);
	if (!value) {
		return kt_json_error(member, "is missing, must be %s", reason);
	}
	show(shown, value);
	return kt_json_error(member, "must be %s, not %s", reason, shown);
}

int kt_json_in_member(int code, const char *key)
{
	char inner[2 * TEXT_MAX];

	if (code != KT_E_MALFORMED) {
		return code;
	}
	snprintf(inner, sizeof(inner), "%s", kt_error_message());
	return kt_error(code, "%s%s%s", key, inner[0] == ':' ? "" : ".", inner);
}

int kt_json_within(int code, const char *key, size_t i)
{
	char element[TEXT_MAX];

	snprintf(element, sizeof(element), "%s[%zu]", key, i);
	return kt_json_in_member(code, element);
}

/* --- members --- */

int kt_json_get_number(uint64_t *out, const json_t *object, const char *key, uint64_t limit)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (uint64_t)json_integer_value(value) > limit) {
		return kt_json_mismatch(key, value, "a whole number from 0 to %" PRIu64,
					limit);
	}
	*out = (uint64_t)json_integer_value(value);
	return KT_OK;
}

int kt_json_get_string(char **out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value)) {
		return kt_json_mismatch(key, value, "a string");
	}
	*out = strdup(json_string_value(value));
	return *out ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

int kt_json_get_boolean(bool *out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*out = json_is_true(value);
	return json_is_boolean(value) ? KT_OK
				      : kt_json_mismatch(key, value, "true or false");
}

int kt_json_get_array(const json_t **out, const json_t *object, const char *key)
{
	*out = json_object_get(object, key);
	if (json_array_size(*out) >= UINT32_MAX) {
		return kt_json_error(key, "has too many elements");
	}
	return json_is_array(*out) ? KT_OK : kt_json_mismatch(key, *out, "an array");
}

int kt_json_check_text(const json_t *object, const char *key, const char *text)
{
	const json_t *value = json_object_get(object, key);

	return json_is_string(value) && strcmp(json_string_value(value), text) == 0
		       ? KT_OK
		       : kt_json_mismatch(key, value, "\"%s\"", text);
}

int kt_json_get_hash(const char **out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*out = json_string_value(value);
	return *out && strlen(*out) == 32 && strspn(*out, "0123456789abcdef") == 32
		       ? KT_OK
		       : kt_json_mismatch(key, value, "32 hex digits");
}

json_t *kt_json_integer(uint64_t n)
{
	return json_integer((json_int_t)n);
}

bool kt_json_append(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

json_t *kt_json_if_whole(json_t *value, bool whole)
{
	if (!whole) {
		json_decref(value);
		return NULL;
	}
	return value;
}
