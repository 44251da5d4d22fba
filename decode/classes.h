/* SPDX-License-Identifier: MIT */
/* Object classes of the resource manager. Source: decode/tables/classes.tsv. */
#ifndef KTAIL_DECODE_CLASSES_H
#define KTAIL_DECODE_CLASSES_H

#include <stddef.h>
#include <stdint.h>

enum kt_class_kind {
	KT_CLASS_OTHER = 0,
	KT_CLASS_CLIENT,
	KT_CLASS_DEVICE,
	KT_CLASS_SUBDEVICE,
	KT_CLASS_MEMORY,
	KT_CLASS_USERMODE, /* the usermode region with the doorbell */
	KT_CLASS_CHANNEL,
	KT_CLASS_CHANNEL_GROUP,
	KT_CLASS_COMPUTE,
	KT_CLASS_GRAPHICS3D,
	KT_CLASS_DMA_COPY,
	KT_CLASS_INLINE_TO_MEMORY,
	KT_CLASS_M2MF,
	KT_CLASS_TWOD,
	KT_CLASS_DISPLAY,
	KT_CLASS_VIDEO_SEC,
};

struct kt_class {
	uint32_t number;
	const char *name; /* NVIDIA's name, static */
	enum kt_class_kind kind;
	/* space of a CPU mapping of an object; NULL: the class number names the space */
	const char *space;
	uint32_t doorbell; /* byte offset of the doorbell in a CPU mapping; 0: none */
};

/*
 * Finds a class by number; NULL if unknown. Static data; O(log n); safe in a signal
 * handler.
 */
const struct kt_class *kt_class_find(uint32_t number);

/* Returns class i in ascending order of numbers; NULL past the last one. */
const struct kt_class *kt_class_at(size_t i);

/*
 * Returns the space of a CPU mapping of an object of class `number`: "other" for class 0;
 * the known space of the class ("reg", "fb", "sys" or "pin"); or else "0x<number>", written
 * to `buffer`.
 */
const char *kt_class_space(uint32_t number, char buffer[static 12]);

#endif
