/* SPDX-License-Identifier: MIT */
/*
 * The tables contain no pointers: names are offsets into one block of strings, and lists
 * are ranges of arrays. Therefore a preloaded library needs no relocations for them.
 */
#include "decode/methods.h"

#include <string.h>

/*
 * The values of a field are in ascending order. If a value has two names, the preferred
 * name comes first.
 */
struct value {
	uint16_t number;
	uint16_t name;
};

/* The fields of a method are in descending order of bits. */
struct field {
	uint16_t name;
	uint8_t hi;
	uint8_t lo;
	uint16_t first_value;
	uint16_t n_values;
};

/* members[] lists the methods of a class in ascending order of offsets. */
struct method {
	uint16_t offset;
	uint16_t count;
	uint16_t stride;
	uint16_t name;
	uint16_t first_field;
	uint16_t n_fields;
};

struct kt_method_class {
	uint16_t number;
	uint16_t name;
	uint16_t first_member;
	uint16_t n_members;
};

/* clang-format off */
#define AT(name) offsetof(struct strings, n_##name)
#include "decode/methods.inc"
#undef AT
/* clang-format on */

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(sizeof(strings) <= UINT16_MAX && LENGTH(values) <= UINT16_MAX &&
		       LENGTH(fields) <= UINT16_MAX && LENGTH(methods) <= UINT16_MAX &&
		       LENGTH(members) <= UINT16_MAX,
	       "positions have 16 bits");

static const char *string_at(uint16_t name)
{
	return (const char *)&strings + name;
}

const struct kt_method_class *kt_method_class_find(uint32_t number)
{
	size_t lo = 0;
	size_t hi = LENGTH(classes);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (classes[mid].number == number) {
			return &classes[mid];
		}
		if (classes[mid].number < number) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return NULL;
}

uint32_t kt_method_class_number(const struct kt_method_class *class_)
{
	return class_->number;
}

const char *kt_method_class_name(const struct kt_method_class *class_)
{
	return string_at(class_->name);
}

size_t kt_method_classes(void)
{
	return LENGTH(classes);
}

const struct kt_method_class *kt_method_class_at(size_t i)
{
	return i < LENGTH(classes) ? &classes[i] : NULL;
}

static const struct method *member(const struct kt_method_class *class_, size_t i)
{
	return &methods[members[class_->first_member + i]];
}

static void describe(struct kt_method_info *out, const struct method *method,
		     uint32_t index)
{
	*out = (struct kt_method_info){
		.name = string_at(method->name),
		.offset = method->offset,
		.count = method->count,
		.stride = method->stride,
		.index = (uint16_t)index,
		.id = (uint32_t)(method - methods),
	};
}

/*
 * Arrays can interleave: A[0] B[0] A[1] B[1] ... Each array then begins between the first
 * two elements of the array before it. Therefore the method at an offset is the last method
 * that begins at or before the offset, or one of the arrays (at most nine) that interleave
 * with that last method.
 */
bool kt_method_find(const struct kt_method_class *class_, uint32_t offset,
		    struct kt_method_info *out)
{
	size_t lo = 0;
	size_t hi = class_->n_members;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (member(class_, mid)->offset <= offset) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	for (size_t i = lo; i > 0; i--) {
		const struct method *method = member(class_, i - 1);
		const struct method *before = i > 1 ? member(class_, i - 2) : NULL;
		uint32_t distance = offset - method->offset;
		uint32_t index = method->count > 1 ? distance / method->stride : 0;

		if (index < method->count && distance == index * method->stride) {
			describe(out, method, index);
			return true;
		}
		if (!before || before->count == 1 ||
		    before->offset + before->stride <= method->offset) {
			return false;
		}
	}
	return false;
}

bool kt_method_find_name(const struct kt_method_class *class_, const char *name,
			 struct kt_method_info *out)
{
	for (size_t i = 0; i < class_->n_members; i++) {
		const struct method *method = member(class_, i);

		if (strcmp(string_at(method->name), name) == 0) {
			describe(out, method, 0);
			return true;
		}
	}
	return false;
}

bool kt_method_at(const struct kt_method_class *class_, size_t i,
		  struct kt_method_info *out)
{
	if (i >= class_->n_members) {
		return false;
	}
	describe(out, member(class_, i), 0);
	return true;
}

bool kt_method_field(const struct kt_method_class *class_,
		     const struct kt_method_info *method, size_t i,
		     struct kt_method_field *out)
{
	const struct method *of;

	(void)class_; /* the id is unique over all classes */
	if (method->id >= LENGTH(methods) || i >= methods[method->id].n_fields) {
		return false;
	}
	of = &methods[method->id];
	*out = (struct kt_method_field){
		.name = string_at(fields[of->first_field + i].name),
		.hi = fields[of->first_field + i].hi,
		.lo = fields[of->first_field + i].lo,
		.id = of->first_field + (uint32_t)i,
	};
	return true;
}

const char *kt_method_value_name(const struct kt_method_class *class_,
				 const struct kt_method_field *field, uint32_t value)
{
	const struct value *first;
	size_t lo = 0;
	size_t hi;

	(void)class_;
	if (field->id >= LENGTH(fields)) {
		return NULL;
	}
	first = &values[fields[field->id].first_value];
	hi = fields[field->id].n_values;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (first[mid].number < value) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo < fields[field->id].n_values && first[lo].number == value
		       ? string_at(first[lo].name)
		       : NULL;
}

const char *kt_method_value_at(const struct kt_method_class *class_,
			       const struct kt_method_field *field, size_t i,
			       uint32_t *value)
{
	(void)class_;
	if (field->id >= LENGTH(fields) || i >= fields[field->id].n_values) {
		return NULL;
	}
	*value = values[fields[field->id].first_value + i].number;
	return string_at(values[fields[field->id].first_value + i].name);
}
