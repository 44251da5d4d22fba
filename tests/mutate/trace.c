/* SPDX-License-Identifier: MIT */
/* Damages one file of a CTF trace. */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mutate/mutate.h"

#define MAX_FILES 256

/*
 * Offsets in LTTng's metadata packets: of the content's size in bits, of the packet's
 * size in bits, and of the content.
 */
#define METADATA_CONTENT 24
#define METADATA_PACKET  28
#define METADATA_HEADER  37
#define METADATA_MAGIC   UINT32_C(0x75d11d57)

/* The offset of a stream packet's size in bits, and the size of its header. */
#define STREAM_PACKET 56
#define STREAM_HEADER 84

static bool is_wanted(const FTSENT *entry, enum kt_damage damage)
{
	bool metadata = strcmp(entry->fts_name, "metadata") == 0;
	bool json = strstr(entry->fts_name, ".json") != NULL;
	bool index = strstr(entry->fts_name, ".idx") != NULL;

	if (entry->fts_info != FTS_F || json) {
		return false;
	}
	switch (damage) {
	case KT_DAMAGE_METADATA: return metadata;
	case KT_DAMAGE_PAYLOAD: return !metadata && !index;
	default: return !metadata;
	}
}

/* Sorts by name, because the order of files in a folder differs between file systems. */
static int compare(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/*
 * Returns the path of a random file for this damage, larger files more often; the caller
 * frees it.
 */
static char *choose(const char *folder, enum kt_damage damage, struct kt_random *r)
{
	char *root = strdup(folder);
	char *roots[] = {root, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare);
	uint64_t total = 0;
	char *chosen = NULL;
	FTSENT *entry;

	while (walk && (entry = fts_read(walk))) {
		if (is_wanted(entry, damage)) {
			uint64_t weight = 4096 + (uint64_t)entry->fts_statp->st_size;

			total += weight;
			if (kt_random_below(r, total) < weight) {
				free(chosen);
				chosen = strdup(entry->fts_path);
			}
		}
	}
	fts_close(walk);
	free(root);
	return chosen;
}

static uint64_t get(const unsigned char *data, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++) {
		value |= (uint64_t)data[i] << 8 * i;
	}
	return value;
}

/* Damages one packet after its header. */
static void change_payload(struct kt_bytes *b, struct kt_random *r)
{
	size_t begins[64];
	size_t ends[64];
	size_t n = 0;
	size_t i;
	struct kt_bytes packet = {.data = NULL};

	for (size_t at = 0; at + STREAM_HEADER < b->length && n < 64; n++) {
		uint64_t size = get(b->data + at + STREAM_PACKET, 8) / 8;

		if (size <= STREAM_HEADER || size > b->length - at) {
			break;
		}
		begins[n] = at;
		ends[n] = at + (size_t)size;
		at = ends[n];
	}
	if (n == 0) {
		return;
	}
	i = kt_random_below(r, n);
	kt_bytes_replace(&packet, 0, 0, b->data + begins[i], ends[i] - begins[i]);
	for (uint64_t times = 1 + kt_random_below(r, 8); times > 0; times--) {
		kt_mutate_fixed_length(&packet, STREAM_HEADER, r);
	}
	memcpy(b->data + begins[i], packet.data, packet.length);
	kt_bytes_free(&packet);
}

/* Replaces metadata packets by the text that they contain. */
static void unpack(struct kt_bytes *b)
{
	struct kt_bytes text = {.data = NULL};

	for (size_t at = 0; at + METADATA_HEADER <= b->length;) {
		size_t content = (size_t)get(b->data + at + METADATA_CONTENT, 4) / 8;
		size_t packet = (size_t)get(b->data + at + METADATA_PACKET, 4) / 8;

		if (get(b->data + at, 4) != METADATA_MAGIC || content < METADATA_HEADER ||
		    packet < content || packet > b->length - at) {
			break;
		}
		kt_bytes_replace(&text, text.length, 0, b->data + at + METADATA_HEADER,
				 content - METADATA_HEADER);
		at += packet;
	}
	if (text.length > 0) {
		kt_bytes_replace(b, 0, b->length, text.data, text.length);
	}
	kt_bytes_free(&text);
}

static void change_metadata(struct kt_bytes *b, struct kt_random *r)
{
	static const char begin[] = "/* CTF 1.8 */\n";

	if (kt_random_below(r, 2) == 0) {
		kt_mutate_fixed_length(b, 0, r);
		return;
	}
	unpack(b);
	kt_mutate_text(b, r);
	/* Without this beginning, readers do not take the metadata for text. */
	if (b->length < 13 || memcmp(b->data, begin, 13) != 0) {
		kt_bytes_replace(b, 0, 0, begin, strlen(begin));
	}
}

void kt_mutate_trace(const char *folder, enum kt_damage damage, struct kt_random *random)
{
	char *path = choose(folder, damage, random);
	struct kt_bytes bytes;

	if (!path) {
		return;
	}
	kt_bytes_read(&bytes, path);
	if (damage == KT_DAMAGE_PAYLOAD) {
		change_payload(&bytes, random);
	} else if (damage == KT_DAMAGE_METADATA) {
		change_metadata(&bytes, random);
	} else if (kt_random_below(random, 2) == 0) {
		/* Damages the first header of a file, on which readers depend most. */
		struct kt_bytes header = bytes;

		header.length = bytes.length < STREAM_HEADER ? bytes.length : STREAM_HEADER;
		kt_mutate_fixed_length(&header, 0, random);
	} else {
		kt_mutate_binary(&bytes, random);
	}
	kt_bytes_write(&bytes, path);
	kt_bytes_free(&bytes);
	free(path);
}
