/* SPDX-License-Identifier: MIT */
/*
 * Writes the streams of encode-streams as seeds for fuzz targets: for each target in a
 * folder of its own, in the form that the target reads.
 */
#ifndef KTAIL_TESTS_WRITE_SEEDS_H
#define KTAIL_TESTS_WRITE_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/decode/encode/encode.h"

/* The segments of a channel, in order. */
struct kt_seed_channel {
	uint32_t class_;
	struct kt_encoder segments; /* for each a length and that many dwords */
};

void kt_seed_add(struct kt_seed_channel *channel, const struct kt_encoder *segment);

/*
 * Write FOLDER/commands/NAME, FOLDER/method-stream/NAME-0 and on, and
 * FOLDER/submissions/NAME; kt_seed_write_qmd() writes FOLDER/qmd/NAME. The folders must
 * exist. Return false if a file could not be written.
 */
bool kt_seed_write(const struct kt_seed_channel *channel, const char *folder,
		   const char *name);
bool kt_seed_write_qmd(uint32_t class_, const uint32_t *words, size_t n, const char *folder,
		       const char *name);

#endif
