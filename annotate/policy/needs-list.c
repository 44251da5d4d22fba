/* SPDX-License-Identifier: MIT */
/* A list of needs as JSON: ktail-policy/1. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"
#include "base/json-writer.h"
#include "base/try.h"

#define FORMAT "ktail-policy/1"

/* --- write --- */

static void write_need(struct kt_json_writer *w, const struct kt_needs *needs,
		       const struct kt_need *need)
{
	const char *name = kt_need_name(need);
	const char *who = kt_control_who_name(kt_need_who(need));

	kt_json_object(w, NULL);
	KT_JSON(w, KT_STR("kind", kt_need_kind_names[need->kind]),
		KT_STR("device", need->device[0] ? need->device : NULL),
		KT_STR("space", need->space[0] ? need->space : NULL));
	if (need->kind != KT_NEED_FILE && need->kind != KT_NEED_MAP) {
		KT_JSON(w, KT_HEX("number", need->number),
			KT_STR("name", name[0] ? name : NULL));
	}
	if (need->request) {
		KT_JSON(w, KT_HEX("request", need->request));
	}
	KT_JSON(w, KT_STR("who", who[0] ? who : NULL), KT_U64("calls", need->calls),
		KT_U64("failed", need->failed), KT_U64("recordings", need->recordings));
	if (needs->n_drivers) {
		kt_json_array(w, "drivers");
		for (size_t i = 0; i < needs->n_drivers; i++) {
			if (need->drivers >> i & 1) {
				kt_json_text(w, needs->drivers[i]);
			}
		}
		kt_json_end(w);
	}
	kt_json_object(w, "first");
	KT_JSON(w, KT_STR("input", need->path),
		KT_STR("call", need->call[0] ? need->call : NULL));
	if (need->timed) {
		KT_JSON(w, KT_U64("time", need->time));
	}
	kt_json_end(w);
	kt_json_end(w);
}

int kt_needs_write_json(FILE *out, const void *context)
{
	const struct kt_needs *needs = context;
	struct kt_json_writer w = kt_json_document(out, FORMAT);

	KT_JSON(&w, KT_U64("recordings", needs->recordings));
	kt_json_array(kt_json_line(&w), "drivers");
	for (size_t i = 0; i < needs->n_drivers; i++) {
		kt_json_text(&w, needs->drivers[i]);
	}
	kt_json_end(&w);
	kt_json_rows(kt_json_line(&w), "needs");
	for (size_t i = 0; i < needs->n; i++) {
		write_need(&w, needs, &needs->items[i]);
	}
	kt_json_end(&w);
	return kt_json_finish(&w, "write policy as JSON");
}

/* --- read --- */

bool kt_needs_is_list(const char *path)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_DISABLE_EOF_CHECK, &error);
	const char *format = json_string_value(json_object_get(root, "format"));
	const bool is = format && strncmp(format, "ktail-policy/", 13) == 0;

	json_decref(root);
	return is;
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static uint64_t count_of(const json_t *object, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(object, name));

	return n > 0 ? (uint64_t)n : 0;
}

/*
 * Parses the member `name`, a text such as "0x2a". If the object does not have it, leaves
 * *out unchanged and returns true.
 */
static bool parse_hex(uint64_t *out, const json_t *object, const char *name)
{
	const json_t *member = json_object_get(object, name);
	const char *text = json_string_value(member);
	char *end;

	if (!member) {
		return true;
	}
	if (!text || strncmp(text, "0x", 2) != 0 || strlen(text) > 18) {
		return false;
	}
	*out = strtoull(text, &end, 16);
	return *end == '\0';
}

static int read_need(struct kt_needs *list, const json_t *object, const char *path,
		     size_t i)
{
	const json_t *first = json_object_get(object, "first");
	const json_t *time = json_object_get(first, "time");
	const json_t *drivers = json_object_get(object, "drivers");
	const char *kind = text_of(object, "kind");
	struct kt_need need = {.device = text_of(object, "device"),
			       .space = text_of(object, "space"),
			       .calls = count_of(object, "calls"),
			       .failed = count_of(object, "failed"),
			       .call = text_of(first, "call"),
			       .path = text_of(first, "input"),
			       .time = count_of(first, "time"),
			       .timed = json_is_integer(time)};
	uint64_t number = 0;
	size_t k = 0;

	while (kt_need_kind_names[k] && strcmp(kt_need_kind_names[k], kind) != 0) {
		k++;
	}
	if (k == KT_NEED_KINDS) {
		return kt_error(KT_E_MALFORMED,
				"read %s: need %zu: \"kind\" is not a kind of needs", path,
				i);
	}
	need.kind = (enum kt_need_kind)k;
	if (!parse_hex(&number, object, "number") || number > UINT32_MAX ||
	    !parse_hex(&need.request, object, "request")) {
		return kt_error(KT_E_MALFORMED,
				"read %s: need %zu: a number is not \"0x\" with digits",
				path, i);
	}
	need.number = (uint32_t)number;
	list->driver = KT_NEED_DRIVERS;
	KT_TRY(kt_needs_count(list, &need));
	for (size_t d = 0; d < json_array_size(drivers); d++) {
		const char *driver = json_string_value(json_array_get(drivers, d));

		if (driver) {
			struct kt_need none = need;

			none.calls = 0;
			none.failed = 0;
			KT_TRY(kt_needs_driver(list, driver));
			KT_TRY(kt_needs_count(list, &none));
		}
	}
	return kt_needs_set_recordings(list, &need, count_of(object, "recordings"));
}

int kt_needs_read_list(struct kt_needs *needs, const char *path)
{
	struct kt_needs list = {.n = 0};
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *rows = json_object_get(root, "needs");
	int code = KT_OK;

	if (!root) {
		return json_error_code(&error) == json_error_cannot_open_file
			       ? kt_error_errno(KT_E_IO, "open %s", path)
			       : kt_error(KT_E_MALFORMED, "read %s: line %d: %s", path,
					  error.line, error.text);
	}
	if (!format || strcmp(format, FORMAT) != 0 || !json_is_array(rows)) {
		code = kt_error(KT_E_MALFORMED,
				"read %s: is not a list of ktail policy (%s)", path,
				FORMAT);
		goto end;
	}
	list.recordings = count_of(root, "recordings");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		KT_TRY_END(read_need(&list, json_array_get(rows, i), path, i));
	}
	code = kt_needs_merge(needs, &list);
end:
	kt_needs_free(&list);
	json_decref(root);
	return code;
}
