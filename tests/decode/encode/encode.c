/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/decode/encode/encode.h"

#include <stdlib.h>
#include <string.h>

#define SET_EXTENDED_BASE 4

void kt_encoder_free(struct kt_encoder *encoder)
{
	free(encoder->words);
	*encoder = (struct kt_encoder){0};
}

void kt_encode_word(struct kt_encoder *encoder, uint32_t word)
{
	if (encoder->n == encoder->capacity) {
		encoder->capacity = encoder->capacity ? 2 * encoder->capacity : 64;
		encoder->words = realloc(encoder->words, encoder->capacity * sizeof(word));
		if (!encoder->words) {
			abort();
		}
	}
	encoder->words[encoder->n++] = word;
}

void kt_encode_header(struct kt_encoder *encoder, enum kt_form form, unsigned subchannel,
		      uint32_t offset, uint32_t count)
{
	uint32_t word = (uint32_t)form << 29 | subchannel << 13;

	if (form == KT_FORM_OLD_INC || form == KT_FORM_OLD_NON) {
		word |= count << 18 | offset;
	} else {
		word |= count << 16 | offset / 4;
	}
	kt_encode_word(encoder, word);
}

/* --- names --- */

static bool is_number(const char *text, uint32_t *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	*number = (uint32_t)value;
	return end != text && *end == '\0' && value <= UINT32_MAX;
}

/*
 * Returns the row of a class's method; with a field, the row of the field; with a value,
 * the row of the value. "" stands for none.
 */
static const struct kt_table_row *find(const struct kt_table *table, uint32_t class_,
				       const char *method, const char *field,
				       const char *value)
{
	size_t first, end;

	kt_table_class(table, class_, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct kt_table_row *row = &table->rows[i];

		if (strcmp(row->method, method) == 0 && strcmp(row->field, field) == 0 &&
		    strcmp(row->value, value) == 0) {
			return row;
		}
	}
	return NULL;
}

/* Splits "NAME(3)" into NAME and 3. */
static uint32_t split_index(char name[KT_TABLE_NAME], const char *text)
{
	size_t n = strcspn(text, "(");
	size_t kept = n < KT_TABLE_NAME - 1 ? n : KT_TABLE_NAME - 1;

	memcpy(name, text, kept);
	name[kept] = '\0';
	return text[n] ? (uint32_t)strtoul(text + n + 1, NULL, 0) : 0;
}

bool kt_encode_method(const struct kt_table *table, uint32_t class_, const char *text,
		      uint32_t *offset)
{
	char name[KT_TABLE_NAME];
	uint32_t index = split_index(name, text);
	const struct kt_table_row *row;

	if (is_number(text, offset)) {
		return true;
	}
	row = find(table, class_, name, "", "");
	if (!row || name[0] == '\0' || index >= row->count) {
		return false;
	}
	*offset = row->offset + index * row->stride;
	return true;
}

const char *kt_encode_name(const struct kt_table *table, uint32_t class_, uint32_t offset)
{
	size_t first, end;

	kt_table_class(table, class_, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct kt_table_row *row = &table->rows[i];
		bool is_method = row->method[0] && !row->field[0];

		for (uint32_t k = 0; is_method && k < row->count; k++) {
			if (row->offset + k * row->stride == offset) {
				return row->method;
			}
		}
	}
	return NULL;
}

/* Encodes one "FIELD=VALUE" at its bits. */
static bool encode_field(const struct kt_table *table, uint32_t class_, const char *method,
			 char *text, uint32_t *word)
{
	char *equals = strchr(text, '=');
	const struct kt_table_row *field, *value;
	uint32_t number;

	if (!equals) {
		return false;
	}
	*equals = '\0';
	field = find(table, class_, method, text, "");
	if (!field) {
		return false;
	}
	if (!is_number(equals + 1, &number)) {
		value = find(table, class_, method, text, equals + 1);
		if (!value || equals[1] == '\0') {
			return false;
		}
		number = value->number;
	}
	if (number > (UINT64_C(2) << (field->hi - field->lo)) - 1) {
		return false;
	}
	*word |= number << field->lo;
	return true;
}

bool kt_encode_value(const struct kt_table *table, uint32_t class_, const char *method,
		     const char *text, uint32_t *value)
{
	char name[KT_TABLE_NAME];
	char copy[1024];
	char *rest = copy;
	char *part;

	if (is_number(text, value)) {
		return true;
	}
	if (strlen(text) >= sizeof(copy)) {
		return false;
	}
	strcpy(copy, text);
	split_index(name, method);
	*value = 0;
	while ((part = strsep(&rest, ","))) {
		if (!encode_field(table, class_, name, part, value)) {
			return false;
		}
	}
	return true;
}

/* --- ring entries --- */

void kt_encode_entry(uint32_t out[2], uint64_t address, uint32_t words,
		     struct kt_ring_flags flags)
{
	out[0] = (uint32_t)address | (flags.conditional ? 1u : 0u);
	out[1] = (uint32_t)(address >> 32 & 0xff) | (flags.subroutine ? 1u << 9 : 0u) |
		 words << 10 | (flags.wait ? 1u << 31 : 0u);
}

void kt_encode_control(uint32_t out[2], unsigned opcode, uint32_t operand)
{
	out[0] = opcode == SET_EXTENDED_BASE ? operand << 8 : operand;
	out[1] = opcode;
}
