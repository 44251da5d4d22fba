/* SPDX-License-Identifier: MIT */
/* What the printers call things. */
#ifndef KTAIL_ANNOTATE_NAMES_H
#define KTAIL_ANNOTATE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

/* NVIDIA's name of a class, or "0x<class>" in buffer; "unknown class" for 0. */
const char *kt_class_label(uint32_t number, char buffer[static 16]);

/* "NAME", "NAME(3)" of an array, or "0x<offset>"; in buffer. */
const char *kt_method_label(const struct kt_decoded *decoded, char buffer[static 96]);

#endif
