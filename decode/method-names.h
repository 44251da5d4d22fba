/* SPDX-License-Identifier: MIT */
/*
 * Defines C names for the offsets of methods, for their fields and values, and for the
 * fields of a QMD:
 *
 *   KT_C8B5_LAUNCH_DMA                             byte offset of a method of class 0xc8b5
 *   KT_C8B5_LAUNCH_DMA__SRC_TYPE                   a field, as "highest bit, lowest bit"
 *   KT_C8B5_LAUNCH_DMA__SRC_TYPE__VIRTUAL          a value of this field
 *   KT_QMD_V04_00__GRID_WIDTH                      a field of a QMD of version 4.0
 *   KT_QMD_V04_00__CONSTANT_BUFFER_VALID(i)        element i of an array of fields
 *
 * If classes disagree on a version of the QMD, the names are those of the newest class.
 * Only the classes of Hopper (0xc86f, 0xc8b5, 0xcbc0) have names here; decode/methods.h
 * finds methods of other classes, too, by number. decode/bits.h reads and writes fields.
 * Source of the facts: decode/tables/methods-*.txt, qmd.tsv.
 */
#ifndef KTAIL_DECODE_METHOD_NAMES_H
#define KTAIL_DECODE_METHOD_NAMES_H

/* clang-format off */
#include "decode/method-names.inc"
#include "decode/qmd.inc"
/* clang-format on */

#define KT_QMD_BYTES 384 /* the longest: versions 4.0 to 5.1; earlier ones have 256 */

#endif
