/* SPDX-License-Identifier: MIT */
/* Names of classes and methods in output. */
#ifndef KTAIL_ANNOTATE_NAMES_H
#define KTAIL_ANNOTATE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

/* Returns NVIDIA's name of a class, "unknown class" for 0, or "0x<class>" in `buffer`. */
const char *kt_class_label(uint32_t number, char buffer[static 16]);

/* Returns "NAME", "NAME(3)" for an array element, or "0x<offset>"; in `buffer`. */
const char *kt_method_label(const struct kt_decoded *decoded, char buffer[static 96]);

#endif
