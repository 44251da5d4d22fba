/* SPDX-License-Identifier: MIT */
#include "annotate/events/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/classes.h"
#include "decode/methods.h"

const char *kt_class_label(uint32_t number, char buffer[static 16])
{
	const struct kt_class *class_ = kt_class_find(number);
	const struct kt_method_class *methods = kt_method_class_find(number);

	if (!number) {
		return "unknown class";
	}
	if (class_) {
		return class_->name;
	}
	if (methods) {
		return kt_method_class_name(methods);
	}
	snprintf(buffer, 16, "0x%" PRIx32, number);
	return buffer;
}

const char *kt_method_label(const struct kt_decoded *decoded, char buffer[static 96])
{
	if (!decoded->named) {
		snprintf(buffer, 96, "0x%" PRIx16, decoded->method.offset);
	} else if (decoded->info.count > 1) {
		snprintf(buffer, 96, "%s(%" PRIu16 ")", decoded->info.name,
			 decoded->info.index);
	} else {
		snprintf(buffer, 96, "%s", decoded->info.name);
	}
	return buffer;
}
