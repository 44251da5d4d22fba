/* SPDX-License-Identifier: MIT */
/*
 * Names methods, the fields of their dwords, and the values of the fields. Covers channels
 * (the host engine), copy, compute, inline-to-memory and memory-to-memory classes up to
 * Blackwell, and the registers of the doorbell page; 3D and 2D classes are not included.
 * Source of the facts: decode/tables/methods-NAME.txt, in which a class lists only its
 * differences from the class it inherits from (methods.awk describes the form). Static data
 * without pointers; allocates nothing; safe in a signal handler.
 */
#ifndef KTAIL_DECODE_METHODS_H
#define KTAIL_DECODE_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A class with known methods. */
struct kt_method_class;

/* Finds a class by number; NULL if its methods are not known. O(log classes). */
const struct kt_method_class *kt_method_class_find(uint32_t number);
uint32_t kt_method_class_number(const struct kt_method_class *class_);
const char *
kt_method_class_name(const struct kt_method_class *class_); /* "HOPPER_DMA_COPY_A" */

struct kt_method_info {
	const char *name; /* NVIDIA's name: "LAUNCH_DMA" */
	uint16_t offset;  /* byte offset of element 0 */
	uint16_t count;   /* number of elements; 1: not an array */
	uint16_t stride;  /* distance between elements in bytes */
	uint16_t index;   /* index of the element at the requested offset */
	uint32_t id;      /* for kt_method_field() */
};

/*
 * Finds the method at a byte offset; false if no method there has a public name. O(log
 * methods).
 */
bool kt_method_find(const struct kt_method_class *class_, uint32_t offset,
		    struct kt_method_info *out);

/* Finds the method with that name, for encoders and filters. O(methods). */
bool kt_method_find_name(const struct kt_method_class *class_, const char *name,
			 struct kt_method_info *out);

/* Sets *out to method i of a class, by offset; false if it has no method i. */
bool kt_method_at(const struct kt_method_class *class_, size_t i,
		  struct kt_method_info *out);

struct kt_method_field {
	const char *name; /* such as "SRC_TYPE" */
	uint8_t hi;       /* highest and lowest bit */
	uint8_t lo;
	uint32_t id; /* for kt_method_value_name() */
};

/*
 * Sets *out to field i of a method, counted from the highest bits down; false if the method
 * has no field i.
 */
bool kt_method_field(const struct kt_method_class *class_,
		     const struct kt_method_info *method, size_t i,
		     struct kt_method_field *out);

/*
 * Returns the name of a value of the field, or NULL. If NVIDIA gave the value two names,
 * returns the first one in the table. O(log values).
 */
const char *kt_method_value_name(const struct kt_method_class *class_,
				 const struct kt_method_field *field, uint32_t value);

/*
 * Returns the name of value i of the field, by number, and sets *value; NULL if the field
 * has no value i. A value may have several names.
 */
const char *kt_method_value_at(const struct kt_method_class *class_,
			       const struct kt_method_field *field, size_t i,
			       uint32_t *value);

/* Enumerate the classes in ascending order, for tests and listings. */
size_t kt_method_classes(void);
const struct kt_method_class *kt_method_class_at(size_t i);

#endif
