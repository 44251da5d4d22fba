/* SPDX-License-Identifier: MIT */
/* Looks up the names of a listing; the message for an unknown one has the nearest name. */
#ifndef KTAIL_RAW_READ_NAMES_H
#define KTAIL_RAW_READ_NAMES_H

#include "decode/methods.h"
#include "raw/text/read-token.h"

/* A class by name or number. KT_E_MALFORMED with a message. O(classes). */
int kt_raw_class(const struct kt_raw_line *line, const struct kt_token *token,
		 uint32_t *number);

/* A method by NAME or NAME(ELEMENT); *offset is that of the element. O(methods). */
int kt_raw_method(const struct kt_raw_line *line, const struct kt_token *token,
		  const struct kt_method_class *class_, uint32_t *offset);

int kt_raw_field(const struct kt_raw_line *line, const struct kt_token *token,
		 const struct kt_method_class *class_, const struct kt_method_info *method,
		 struct kt_method_field *out);

/* A value of a field by name. */
int kt_raw_value(const struct kt_raw_line *line, const struct kt_token *token,
		 const struct kt_method_class *class_, const struct kt_method_field *field,
		 uint32_t *value);

#endif
