/* SPDX-License-Identifier: MIT */
#include "tests/decode/encode/write-seeds.h"

#include <stdio.h>
#include <string.h>

/* The input of fuzz-submissions: numbers, then the memory that begins at MEMORY. */
#define RING_HEAD    8 /* dwords of numbers: ring and entries, GP_PUTs, ... */
#define MEMORY       UINT64_C(0x10000000)
#define MEMORY_WORDS 4096
#define RING_ENTRIES 64

void kt_seed_add(struct kt_seed_channel *channel, const struct kt_encoder *segment)
{
	kt_encode_word(&channel->segments, (uint32_t)segment->n);
	for (size_t i = 0; i < segment->n; i++) {
		kt_encode_word(&channel->segments, segment->words[i]);
	}
}

static bool write_file(const char *folder, const char *target, const char *name,
		       const uint32_t *words, size_t n)
{
	char path[4096];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, target, name);
	file = fopen(path, "wb");
	ok = file && fwrite(words, sizeof(*words), n, file) == n;
	return file && fclose(file) == 0 && ok;
}

static bool write_commands(const struct kt_seed_channel *channel, const char *folder,
			   const char *name)
{
	struct kt_encoder all = {0};
	bool ok;

	kt_encode_word(&all, channel->class_);
	for (size_t i = 0; i < channel->segments.n; i++) {
		kt_encode_word(&all, channel->segments.words[i]);
	}
	ok = write_file(folder, "commands", name, all.words, all.n);
	kt_encoder_free(&all);
	return ok;
}

static bool write_segments(const struct kt_seed_channel *channel, const char *folder,
			   const char *name)
{
	const struct kt_encoder *all = &channel->segments;
	unsigned number = 0;

	for (size_t at = 0; at < all->n; at += 1 + all->words[at]) {
		char numbered[256];

		snprintf(numbered, sizeof(numbered), "%s-%u", name, number++);
		if (!write_file(folder, "method-stream", numbered, all->words + at + 1,
				all->words[at])) {
			return false;
		}
	}
	return true;
}

/* Writes a ring at the beginning of the memory, then as many segments as fit. */
static bool write_ring(const struct kt_seed_channel *channel, const char *folder,
		       const char *name)
{
	static uint32_t words[RING_HEAD + MEMORY_WORDS];
	uint32_t *memory = words + RING_HEAD;
	const struct kt_encoder *all = &channel->segments;
	size_t to = 2 * RING_ENTRIES;
	uint32_t n = 0;

	memset(words, 0, sizeof(words));
	for (size_t at = 0; at < all->n; at += 1 + all->words[at]) {
		uint32_t length = all->words[at];

		if (n == RING_ENTRIES || to + length > MEMORY_WORDS) {
			break;
		}
		kt_encode_entry(&memory[2 * n], MEMORY + 4 * to, length,
				(struct kt_ring_flags){.wait = n % 2});
		n++;
		memcpy(&memory[to], all->words + at + 1, length * sizeof(*memory));
		to += length;
	}
	words[0] = RING_ENTRIES << 16;
	words[1] = n / 2;
	words[2] = n;
	words[3] = 1; /* GP_PUT after the ring has wrapped */
	words[7] = 64;
	return write_file(folder, "submissions", name, words, RING_HEAD + to);
}

bool kt_seed_write(const struct kt_seed_channel *channel, const char *folder,
		   const char *name)
{
	return write_commands(channel, folder, name) &&
	       write_segments(channel, folder, name) && write_ring(channel, folder, name);
}

bool kt_seed_write_qmd(uint32_t class_, const uint32_t *words, size_t n, const char *folder,
		       const char *name)
{
	struct kt_encoder all = {0};
	bool ok;

	kt_encode_word(&all, class_);
	for (size_t i = 0; i < n; i++) {
		kt_encode_word(&all, words[i]);
	}
	ok = write_file(folder, "qmd", name, all.words, all.n);
	kt_encoder_free(&all);
	return ok;
}
