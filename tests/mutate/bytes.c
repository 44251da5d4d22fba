/* SPDX-License-Identifier: MIT */
/* Damages bytes and text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mutate/mutate.h"

uint64_t kt_random_next(struct kt_random *random)
{
	/* splitmix64 */
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t kt_random_below(struct kt_random *random, uint64_t n)
{
	return n ? kt_random_next(random) % n : 0;
}

static void die(const char *what, const char *path)
{
	perror(what);
	fprintf(stderr, "mutate: %s\n", path);
	exit(99);
}

void kt_bytes_read(struct kt_bytes *bytes, const char *path)
{
	FILE *in = fopen(path, "rb");
	char chunk[65536];
	size_t n;

	memset(bytes, 0, sizeof(*bytes));
	if (!in) {
		die("read", path);
		return;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0) {
		kt_bytes_replace(bytes, bytes->length, 0, chunk, n);
	}
	fclose(in);
}

void kt_bytes_write(const struct kt_bytes *bytes, const char *path)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(bytes->data, 1, bytes->length, out) != bytes->length ||
	    fclose(out) != 0) {
		die("write", path);
	}
}

void kt_bytes_replace(struct kt_bytes *bytes, size_t at, size_t length, const void *with,
		      size_t size)
{
	size_t n_after = bytes->length - at - length;

	if (bytes->length + size + 1 > bytes->capacity) {
		bytes->capacity = 2 * (bytes->length + size) + 64;
		bytes->data = realloc(bytes->data, bytes->capacity);
		if (!bytes->data) {
			die("mutate", "no memory");
			return;
		}
	}
	memmove(bytes->data + at + size, bytes->data + at + length, n_after);
	if (size > 0) {
		memmove(bytes->data + at, with, size);
	}
	bytes->length += size - length;
}

void kt_bytes_free(struct kt_bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

/* --- binary --- */

static const uint64_t edges[] = {
	0,
	1,
	0x7f,
	0x80,
	0xff,
	0x7fff,
	0x8000,
	0xffff,
	INT32_MAX,
	UINT64_C(0x80000000),
	UINT32_MAX,
	UINT64_C(0x100000000),
	(UINT64_C(1) << 53) - 1,
	UINT64_C(1) << 53,
	(UINT64_C(1) << 53) + 1,
	INT64_MAX,
	UINT64_C(1) << 63,
	UINT64_MAX,
};

#define N_EDGES (sizeof(edges) / sizeof(edges[0]))

static void put_integer(struct kt_bytes *b, size_t at, struct kt_random *r)
{
	size_t size = (size_t)1 << kt_random_below(r, 4);
	uint64_t value = edges[kt_random_below(r, N_EDGES)];
	bool big = kt_random_below(r, 4) == 0;

	for (size_t i = 0; i < size && at + i < b->length; i++) {
		b->data[at + i] = (unsigned char)(value >> 8 * (big ? size - 1 - i : i));
	}
}

void kt_mutate_fixed_length(struct kt_bytes *b, size_t from, struct kt_random *r)
{
	size_t space = b->length > from ? b->length - from : 0;
	size_t at = from + kt_random_below(r, space);
	size_t to = from + kt_random_below(r, space);
	size_t n = 1 + kt_random_below(r, 64);

	if (space == 0) {
		return;
	}
	switch (kt_random_below(r, 5)) {
	case 0: b->data[at] ^= (unsigned char)(1 << kt_random_below(r, 8)); break;
	case 1: b->data[at] = (unsigned char)kt_random_next(r); break;
	case 2: put_integer(b, at, r); break;
	case 3: /* copies a chunk over another */
		n = n < b->length - at ? n : b->length - at;
		n = n < b->length - to ? n : b->length - to;
		memmove(b->data + to, b->data + at, n);
		break;
	default:
		n = n < b->length - at ? n : b->length - at;
		memset(b->data + at, (int)kt_random_below(r, 2) * 0xff, n);
		break;
	}
}

/* Cuts a chunk out, repeats a chunk, or cuts off the end. */
static void splice(struct kt_bytes *b, struct kt_random *r)
{
	size_t at = kt_random_below(r, b->length);
	size_t most = kt_random_below(r, 4) ? 64 : b->length;
	size_t n = kt_random_below(r, most < b->length - at ? most : b->length - at);
	size_t to = kt_random_below(r, b->length);
	unsigned char *chunk;

	switch (kt_random_below(r, 3)) {
	case 0: kt_bytes_replace(b, at, n, NULL, 0); break;
	case 1:
		chunk = malloc(n + 1);
		if (chunk) {
			memcpy(chunk, b->data + at, n);
			kt_bytes_replace(b, to, 0, chunk, n);
		}
		free(chunk);
		break;
	default: b->length = at; break;
	}
}

void kt_mutate_binary(struct kt_bytes *b, struct kt_random *r)
{
	if (kt_random_below(r, 5) == 0 && b->length > 0) {
		splice(b, r);
	} else {
		kt_mutate_fixed_length(b, 0, r);
	}
}

/* --- text --- */

static const char *const odd[] = {
	"\xff",
	"\xc0\x80",
	"\xed\xa0\x80",
	"\xf4\x90\x80\x80",
	"\xef\xbf\xbe",
	"\xc2\x85",
	"\xe2\x80\xae",
	"\xef\xbb\xbf",
	"\x01",
	"\x7f",
	"\xe2\x80\xa8",
	"%s%n",
	"-->",
	"\"",
	"\\",
	"<![CDATA[",
	"&lt;",
	"\r\n",
	"\t",
	"{",
	"}",
	"[",
	"]",
	"#ktail lost 9",
	"-1",
	"1e309",
	"0x",
	"9007199254740993",
	"9223372036854775808",
	"18446744073709551616",
	"4294967296",
	"NaN",
};

static size_t begin_of_line(const struct kt_bytes *b, size_t at)
{
	while (at > 0 && b->data[at - 1] != '\n') {
		at--;
	}
	return at;
}

static size_t end_of_line(const struct kt_bytes *b, size_t at)
{
	while (at < b->length && b->data[at] != '\n') {
		at++;
	}
	return at < b->length ? at + 1 : at;
}

/* Repeats a line, once or two thousand times. */
static void repeat_line(struct kt_bytes *b, struct kt_random *r)
{
	size_t begin = begin_of_line(b, kt_random_below(r, b->length));
	size_t n = end_of_line(b, begin) - begin;
	size_t times = kt_random_below(r, 4) ? 1 : 2000;
	char *lines;

	n = n < 4096 ? n : 4096;
	lines = malloc(n * times + 1);
	if (lines) {
		for (size_t i = 0; i < times; i++) {
			memcpy(lines + i * n, b->data + begin, n);
		}
		kt_bytes_replace(b, begin, 0, lines, n * times);
	}
	free(lines);
}

/* Replaces a number by one at the edge of a type's range. */
static void change_number(struct kt_bytes *b, struct kt_random *r)
{
	size_t at = kt_random_below(r, b->length);
	char number[32];
	size_t n = 0;

	while (at < b->length && (b->data[at] < '0' || b->data[at] > '9')) {
		at++;
	}
	while (at + n < b->length && b->data[at + n] >= '0' && b->data[at + n] <= '9') {
		n++;
	}
	snprintf(number, sizeof(number), "%s%llu", kt_random_below(r, 4) ? "" : "-",
		 (unsigned long long)edges[kt_random_below(r, N_EDGES)]);
	kt_bytes_replace(b, at, n, number, strlen(number));
}

void kt_mutate_text(struct kt_bytes *b, struct kt_random *r)
{
	const char *text = odd[kt_random_below(r, sizeof(odd) / sizeof(odd[0]))];
	size_t at = kt_random_below(r, b->length);

	if (b->length == 0) {
		return;
	}
	switch (kt_random_below(r, 6)) {
	case 0: kt_bytes_replace(b, at, 0, text, strlen(text)); break;
	case 1: repeat_line(b, r); break;
	case 2: /* removes a line */
		at = begin_of_line(b, at);
		kt_bytes_replace(b, at, end_of_line(b, at) - at, NULL, 0);
		break;
	case 3: change_number(b, r); break;
	default: kt_mutate_binary(b, r); break;
	}
}
