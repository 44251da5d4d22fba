/* SPDX-License-Identifier: MIT */
#include "raw/text/read-names.h"

#include <string.h>

#include <ktail/status.h>

#include "decode/classes.h"

static bool is_name(const struct kt_token *token, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(token->text, name, length) == 0;
}

int kt_raw_class(const struct kt_raw_line *line, const struct kt_token *token,
		 uint32_t *number)
{
	const struct kt_class *found;
	struct kt_nearest nearest = kt_nearest_begin(token->text, token->length);
	char hint[KT_DID_YOU_MEAN];
	uint64_t value;

	if (kt_token_number(token, &value) && value <= UINT16_MAX) {
		*number = (uint32_t)value;
		return KT_OK;
	}
	for (size_t i = 0; (found = kt_class_at(i)) != NULL; i++) {
		if (is_name(token, token->length, found->name)) {
			*number = found->number;
			return KT_OK;
		}
	}
	for (size_t i = 0; i < kt_method_classes(); i++) {
		const struct kt_method_class *class_ = kt_method_class_at(i);

		if (is_name(token, token->length, kt_method_class_name(class_))) {
			*number = kt_method_class_number(class_);
			return KT_OK;
		}
		kt_nearest_try(&nearest, kt_method_class_name(class_));
	}
	return kt_token_fail(line, token, "no class '%.*s'%s", KT_TOKEN(token),
			     kt_did_you_mean(hint, nearest.found));
}

int kt_raw_method(const struct kt_raw_line *line, const struct kt_token *token,
		  const struct kt_method_class *class_, uint32_t *offset)
{
	const char *open = memchr(token->text, '(', token->length);
	const size_t length = open ? (size_t)(open - token->text) : token->length;
	struct kt_nearest nearest = kt_nearest_begin(token->text, length);
	char hint[KT_DID_YOU_MEAN];
	struct kt_method_info info;
	uint64_t element = 0;
	size_t i = 0;

	while (kt_method_at(class_, i, &info) && !is_name(token, length, info.name)) {
		i++;
	}
	if (!kt_method_at(class_, i, &info)) {
		for (i = 0; kt_method_at(class_, i, &info); i++) {
			kt_nearest_try(&nearest, info.name);
		}
		return kt_token_fail(line, token, "%s has no method '%.*s'%s",
				     kt_method_class_name(class_), KT_TOKEN(token),
				     kt_did_you_mean(hint, nearest.found));
	}
	if (open) {
		const struct kt_token inner = {.text = open + 1,
					       .length = token->length - length - 2,
					       .column = token->column + length + 1};

		if (token->length < length + 3 || token->text[token->length - 1] != ')' ||
		    !kt_token_number(&inner, &element) || element >= info.count) {
			return kt_token_fail(line, token, "%s has the elements 0 to %d",
					     info.name, info.count - 1);
		}
	}
	*offset = info.offset + (uint32_t)element * info.stride;
	return KT_OK;
}

int kt_raw_field(const struct kt_raw_line *line, const struct kt_token *token,
		 const struct kt_method_class *class_, const struct kt_method_info *method,
		 struct kt_method_field *out)
{
	struct kt_nearest nearest = kt_nearest_begin(token->text, token->length);
	char hint[KT_DID_YOU_MEAN];

	for (size_t i = 0; kt_method_field(class_, method, i, out); i++) {
		if (is_name(token, token->length, out->name)) {
			return KT_OK;
		}
	}
	for (size_t i = 0; kt_method_field(class_, method, i, out); i++) {
		kt_nearest_try(&nearest, out->name);
	}
	return kt_token_fail(line, token, "%s has no field '%.*s'%s", method->name,
			     KT_TOKEN(token), kt_did_you_mean(hint, nearest.found));
}

int kt_raw_value(const struct kt_raw_line *line, const struct kt_token *token,
		 const struct kt_method_class *class_, const struct kt_method_field *field,
		 uint32_t *value)
{
	struct kt_nearest nearest = kt_nearest_begin(token->text, token->length);
	char hint[KT_DID_YOU_MEAN];
	const char *name;

	for (size_t i = 0; (name = kt_method_value_at(class_, field, i, value)) != NULL;
	     i++) {
		if (is_name(token, token->length, name)) {
			return KT_OK;
		}
	}
	for (size_t i = 0; (name = kt_method_value_at(class_, field, i, value)) != NULL;
	     i++) {
		kt_nearest_try(&nearest, name);
	}
	return kt_token_fail(line, token, "%s has no value '%.*s'%s", field->name,
			     KT_TOKEN(token), kt_did_you_mean(hint, nearest.found));
}
