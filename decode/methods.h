/* SPDX-License-Identifier: MIT */
/*
 * What methods of a class are called, which fields their words have, and what values of
 * fields are called: channels (the host engine), copy, compute, inline-to-memory and
 * memory-to-memory classes up to Blackwell, and the registers of the doorbell's page. 3D
 * and 2D classes are not among them. The tables are decode/tables/methods-NAME.txt, where a
 * class holds what differs from the class it inherits from (their form: methods.awk
 * there). Static data without pointers; nothing allocates; safe in a signal handler.
 */
#ifndef KTAIL_DECODE_METHODS_H
#define KTAIL_DECODE_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A class whose methods are known. */
struct kt_method_class;

/* NULL: no class of that number has methods here. O(log classes). */
const struct kt_method_class *kt_method_class_find(uint32_t number);
uint32_t kt_method_class_number(const struct kt_method_class *class_);
const char *
kt_method_class_name(const struct kt_method_class *class_); /* "HOPPER_DMA_COPY_A" */

struct kt_method_info {
	const char *name; /* NVIDIA's: "LAUNCH_DMA" */
	uint16_t offset;  /* bytes, of element 0 */
	uint16_t count;   /* elements; 1: no array */
	uint16_t stride;  /* bytes from one element to the next */
	uint16_t index;   /* of the element asked for */
	uint32_t id;      /* for kt_method_field() */
};

/* The method at that byte offset. false: it has no public name. O(log methods). */
bool kt_method_find(const struct kt_method_class *class_, uint32_t offset,
		    struct kt_method_info *out);

/* The method of that name, for encoders and filters. O(methods). */
bool kt_method_find_name(const struct kt_method_class *class_, const char *name,
			 struct kt_method_info *out);

struct kt_method_field {
	const char *name; /* "SRC_TYPE" */
	uint8_t hi;       /* bits */
	uint8_t lo;
	uint32_t id; /* for kt_method_value_name() */
};

/* Field i of a method, from the highest bit down. false: there are no more. */
bool kt_method_field(const struct kt_method_class *class_,
		     const struct kt_method_info *method, size_t i,
		     struct kt_method_field *out);

/*
 * What a value of the field is called; NULL: nothing. Where NVIDIA gave a value a second
 * name, the one that the table has first. O(log values).
 */
const char *kt_method_value_name(const struct kt_method_class *class_,
				 const struct kt_method_field *field, uint32_t value);

/* Classes in ascending order, for tests and listings. */
size_t kt_method_classes(void);
const struct kt_method_class *kt_method_class_at(size_t i);

#endif
