/* SPDX-License-Identifier: MIT */
#include "raw/text/read-commands.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "base/try.h"

/* Reads "0x2 NAME", "0x2" or "NAME". */
static int read_field_value(struct kt_raw_line *line, const struct kt_method_class *class_,
			    const struct kt_method_field *field, bool has_base,
			    uint32_t was, uint32_t *out)
{
	struct kt_token token = kt_token_take(line);
	const uint32_t most = (uint32_t)((UINT64_C(2) << (field->hi - field->lo)) - 1);
	uint64_t number;
	uint32_t named;

	*out = was;
	if (kt_token_number(&token, &number)) {
		if (number > most) {
			return kt_token_fail(line, &token, "%s has %u bits", field->name,
					     field->hi - field->lo + 1u);
		}
		*out = (uint32_t)number;
		token = kt_token_take(line);
		if (token.length == 0) {
			return KT_OK;
		}
		KT_TRY(kt_raw_value(line, &token, class_, field, &named));
		if (!kt_raw_edit(has_base, was, named, out) ||
		    (!has_base && named != number)) {
			return kt_token_fail(line, &token, "%.*s is 0x%" PRIx32,
					     KT_TOKEN(&token), named);
		}
		return KT_OK;
	}
	return kt_raw_value(line, &token, class_, field, out);
}

int kt_raw_read_field(struct kt_raw_commands *c, struct kt_raw_line *line)
{
	const struct kt_method_class *class_ = kt_method_class_find(c->last.class_number);
	const struct kt_token token = kt_token_take(line);
	const struct kt_token equals = kt_token_take(line);
	struct kt_method_info info;
	struct kt_method_field field;
	uint32_t reference;
	uint32_t mask;
	uint32_t value;
	uint32_t was;
	uint32_t now;

	(void)equals;
	if (!c->last.known || !class_ || !kt_method_find(class_, c->last.offset, &info)) {
		return kt_token_fail(line, &token, "a field without a method above it");
	}
	KT_TRY(kt_raw_field(line, &token, class_, &info, &field));
	mask = (uint32_t)((UINT64_C(2) << (field.hi - field.lo)) - 1);
	reference = c->last.has_base ? c->last.base : c->last.value;
	was = reference >> field.lo & mask;
	now = c->last.value >> field.lo & mask;
	KT_TRY(read_field_value(line, class_, &field, c->last.has_base, was, &value));
	KT_TRY(kt_token_end(line));
	if (c->last.is_address) {
		/* What was recorded says nothing. */
		return c->last.has_base && value == was
			       ? KT_OK
			       : kt_token_fail(line, &token,
					       "%s is a part of the address in the line "
					       "above; remove one of both",
					       field.name);
	}
	if (c->last.has_base ? !kt_raw_edit(true, was, value, &now)
			     : c->last.has_value && value != now) {
		return kt_token_fail(line, &token,
				     "%s is 0x%" PRIx32 " here, but 0x%" PRIx32
				     " in the value of %s; remove one of both",
				     field.name, value, now, info.name);
	}
	now = c->last.has_base ? now : value;
	c->last.value = (c->last.value & ~(mask << field.lo)) | now << field.lo;
	if (c->last.immediate) {
		return kt_raw_set_immediate(c, line, &token, c->last.value);
	}
	c->script->words[c->last.word] = c->last.value;
	return KT_OK;
}
