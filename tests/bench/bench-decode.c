/* SPDX-License-Identifier: MIT */
/*
 * Prints a table of the speed of decoding pushbuffers: with counts alone, and with a
 * callback that gets every method with its name.
 *
 * bench-decode [MiB] decodes this much (default 256) of each shape of submission, each
 * submission as one segment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/commands.h"

#define SEGMENT 0x3000 /* dwords, at most */

struct segment {
	uint32_t words[SEGMENT];
	size_t n;
};

static void put(struct segment *segment, const uint32_t *words, size_t n)
{
	memcpy(segment->words + segment->n, words, n * sizeof(*words));
	segment->n += n;
}

#define PUT(segment, ...)                                                                  \
	do {                                                                               \
		const uint32_t words_[] = {__VA_ARGS__};                                   \
		put(segment, words_, sizeof(words_) / sizeof(words_[0]));                  \
	} while (0)

static void direct_copy(struct segment *segment)
{
	PUT(segment, 0x20048100, 0x7f12, 0x34000000, 0x7f56, 0x78000000, 0x20018106,
	    0x2000000, 0x818280c0, 0x20050017, 0x4000, 0x2, 7, 0, 0x03100001);
}

static void inline_copy(struct segment *segment, uint32_t to, uint32_t words)
{
	PUT(segment, 0x20022062, 0x12, to, 0x20022060, words * 4, 1, 0x8041206c,
	    0x6000206d | words << 16);
	for (uint32_t i = 0; i < words; i++) {
		PUT(segment, i * 0x9e3779b1u);
	}
}

static void inline_copy_24k(struct segment *segment)
{
	inline_copy(segment, 0x34000000, 0x1800);
}

static void launch(struct segment *segment)
{
	inline_copy(segment, 0x34000800, 12);
	inline_copy(segment, 0x34000400, 96);
	PUT(segment, 0x200120ad, 0x12340004, 0x800a20b0, 0x20050017, 0x4000, 0x2, 7, 0,
	    0x03100001);
}

/* A graph of 50 kernels with prepared QMDs. */
static void graph(struct segment *segment)
{
	for (uint32_t i = 0; i < 50; i++) {
		inline_copy(segment, 0x34000000 + i * 0x1000, 8);
		PUT(segment, 0x8011205d, 0x800020a6, 0x8000206a, 0x200120ad,
		    0x12350000 + i * 16, 0x800a20b0);
	}
}

static const struct {
	const char *name;
	void (*build)(struct segment *segment);
} shapes[] = {
	{"copy-direct", direct_copy},
	{"copy-inline-24k", inline_copy_24k},
	{"launch", launch},
	{"graph-50", graph},
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void each(void *context, const struct kt_decoded *decoded)
{
	*(uint64_t *)context += decoded->named + decoded->command.bytes;
}

/* Returns the speed for one shape in MB/s. */
static double measure(const struct segment *segment, uint64_t bytes, kt_decoded_fn *fn,
		      struct kt_decode_counts *counts)
{
	static const uint32_t binds[] = {0x20012000, 0xcbc0, 0x20018000, 0xc8b5};
	struct kt_channel_decoder *decoder;
	uint64_t done = 0;
	uint64_t sum = 0;
	double seconds;

	if (kt_channel_decoder_new(&decoder, 0xc86f)) {
		fputs("bench-decode: out of memory\n", stderr);
		exit(2);
	}
	kt_channel_decode(decoder, binds, 4, NULL, NULL);
	seconds = now();
	while (done < bytes) {
		kt_channel_decode(decoder, segment->words, segment->n, fn, &sum);
		done += segment->n * 4;
	}
	seconds = now() - seconds;
	kt_channel_decoder_counts(decoder, counts);
	kt_channel_decoder_free(decoder);
	return (double)done / seconds / 1e6;
}

int main(int argc, char **argv)
{
	uint64_t bytes = strtoull(argc > 1 ? argv[1] : "256", NULL, 10) << 20;
	static struct segment segment;

	puts("shape\tsegment_bytes\tmethods\tcommands\tunnamed\tcounts_MB_s\teach_MB_s");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct kt_decode_counts counts;
		double alone, with;

		segment.n = 0;
		shapes[i].build(&segment);
		alone = measure(&segment, bytes, NULL, &counts);
		with = measure(&segment, bytes, each, &counts);
		printf("%s\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.0f\t%.0f\n",
		       shapes[i].name, segment.n * 4, counts.methods,
		       counts.methods - counts.commands[KT_COMMAND_NONE], counts.unnamed,
		       alone, with);
	}
	return 0;
}
