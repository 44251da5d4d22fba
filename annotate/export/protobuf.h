/* SPDX-License-Identifier: MIT */
/* Writes protobuf's wire format (protobuf.dev/programming-guides/encoding) into memory. */
#ifndef KTAIL_ANNOTATE_PROTOBUF_H
#define KTAIL_ANNOTATE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KT_PROTOBUF_DEPTH 8 /* maximum nesting of messages */

/* Empty if all members are zero. Free with kt_protobuf_free(). */
struct kt_protobuf {
	unsigned char *bytes; /* Owned by this */
	size_t n;
	size_t capacity;
	size_t begins[KT_PROTOBUF_DEPTH]; /* where the open messages begin */
	unsigned depth;
	bool failed; /* memory was exhausted; everything added since is missing */
};

/* Add a field of the innermost open message. */
void kt_protobuf_number(struct kt_protobuf *p, unsigned field, uint64_t number);
void kt_protobuf_fixed64(struct kt_protobuf *p, unsigned field, uint64_t number);
void kt_protobuf_text(struct kt_protobuf *p, unsigned field, const char *text);

/*
 * kt_protobuf_begin() begins a message as a field of the innermost open message;
 * kt_protobuf_end() ends the innermost open message.
 */
void kt_protobuf_begin(struct kt_protobuf *p, unsigned field);
void kt_protobuf_end(struct kt_protobuf *p);

void kt_protobuf_free(struct kt_protobuf *p);

#endif
