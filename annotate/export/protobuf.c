/* SPDX-License-Identifier: MIT */
#include "annotate/export/protobuf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* Wire types: how the value of a field is written. */
enum { VARINT = 0, I64 = 1, LEN = 2 };

#define LONGEST_VARINT 10

/* Reserves room for n bytes; returns false if memory is exhausted. */
static bool reserve(struct kt_protobuf *p, size_t n)
{
	p->failed =
		p->failed || kt_array_reserve(&p->bytes, &p->capacity, p->n + n) != KT_OK;
	return !p->failed;
}

/* Writes a number in groups of 7 bits, lowest first; returns the number of bytes. */
static size_t encode(unsigned char *out, uint64_t number)
{
	size_t n = 0;

	while (number >= 0x80) {
		out[n++] = (unsigned char)(number | 0x80);
		number >>= 7;
	}
	out[n++] = (unsigned char)number;
	return n;
}

static void put_tag(struct kt_protobuf *p, unsigned field, unsigned type)
{
	p->n += encode(p->bytes + p->n, (uint64_t)field << 3 | type);
}

void kt_protobuf_number(struct kt_protobuf *p, unsigned field, uint64_t number)
{
	if (reserve(p, 2 * LONGEST_VARINT)) {
		put_tag(p, field, VARINT);
		p->n += encode(p->bytes + p->n, number);
	}
}

void kt_protobuf_fixed64(struct kt_protobuf *p, unsigned field, uint64_t number)
{
	if (reserve(p, LONGEST_VARINT + 8)) {
		put_tag(p, field, I64);
		for (unsigned i = 0; i < 8; i++) {
			p->bytes[p->n++] = (unsigned char)(number >> (8 * i));
		}
	}
}

void kt_protobuf_text(struct kt_protobuf *p, unsigned field, const char *text)
{
	const size_t n = strlen(text);

	if (reserve(p, 2 * LONGEST_VARINT + n)) {
		put_tag(p, field, LEN);
		p->n += encode(p->bytes + p->n, n);
		memcpy(p->bytes + p->n, text, n);
		p->n += n;
	}
}

void kt_protobuf_begin(struct kt_protobuf *p, unsigned field)
{
	assert(p->depth < KT_PROTOBUF_DEPTH);
	if (reserve(p, LONGEST_VARINT)) {
		put_tag(p, field, LEN);
	}
	p->begins[p->depth++] = p->n;
}

/* The length stands before the message, so the message is moved first. */
void kt_protobuf_end(struct kt_protobuf *p)
{
	unsigned char length[LONGEST_VARINT];
	const size_t begin = p->begins[--p->depth];
	const size_t n = encode(length, p->n - begin);

	if (reserve(p, n)) {
		memmove(p->bytes + begin + n, p->bytes + begin, p->n - begin);
		memcpy(p->bytes + begin, length, n);
		p->n += n;
	}
}

void kt_protobuf_free(struct kt_protobuf *p)
{
	free(p->bytes);
	*p = (struct kt_protobuf){.n = 0};
}
