/* SPDX-License-Identifier: MIT */
#include "raw/text/address-parts.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *word; /* in the name of the method or of its only field */
	struct kt_address_part part;
} parts[] = {
	{"SHIFTED8", {8, 0, 0}}, {"UPPER", {32, 4, 0}},  {"ADDR_HI", {32, -4, 0}},
	{"LOWER", {0, -4, 0}},   {"ADDR_LO", {0, 4, 0}},
};

/* Returns the bits of a method's dword that its fields have; all if it has no fields. */
static uint32_t bits_of(const struct kt_method_class *class_,
			const struct kt_method_info *info)
{
	struct kt_method_field field;
	uint64_t bits = 0;

	for (size_t i = 0; kt_method_field(class_, info, i, &field); i++) {
		bits |= ((UINT64_C(2) << (field.hi - field.lo)) - 1) << field.lo;
	}
	return bits ? (uint32_t)bits : UINT32_MAX;
}

bool kt_raw_address_part(const struct kt_method_class *class_, uint32_t offset,
			 struct kt_address_part *out)
{
	struct kt_method_info info;
	struct kt_method_info upper;
	struct kt_method_field field = {.name = ""};
	char name[96];

	if (!class_ || !kt_method_find(class_, offset, &info)) {
		return false;
	}
	/* OFFSET_OUT takes what OFFSET_OUT_UPPER leaves. */
	snprintf(name, sizeof(name), "%s_UPPER", info.name);
	if (kt_method_find_name(class_, name, &upper)) {
		*out = (struct kt_address_part){
			.shift = 0,
			.mate = (int8_t)(upper.offset - info.offset),
			.bits = bits_of(class_, &info)};
		return true;
	}
	(void)kt_method_field(class_, &info, 0, &field);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strstr(info.name, parts[i].word) || strstr(field.name, parts[i].word)) {
			*out = parts[i].part;
			out->bits = bits_of(class_, &info);
			return true;
		}
	}
	return false;
}
