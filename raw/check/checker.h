/* SPDX-License-Identifier: MIT */
/* Internals of the checks, shared by raw/check: what is known while methods are followed.
 */
#ifndef KTAIL_RAW_CHECKER_H
#define KTAIL_RAW_CHECKER_H

#include "decode/commands.h"
#include "raw/check/check.h"

#define KT_RAW_METHODS 4096 /* of a subchannel */

/*
 * What the script wrote to the methods of a subchannel. What it did not write has the value
 * that an earlier user of the channel left.
 */
struct kt_raw_registers {
	uint32_t values[KT_RAW_METHODS];
	bool written[KT_RAW_METHODS];
};

struct kt_raw_bytes {
	uint64_t address;
	uint64_t bytes;
};

struct kt_raw_checker {
	const struct kt_raw_script *script; /* Weak, as the next two */
	const struct kt_raw_target *target;
	const struct kt_raw_entry *entry;
	struct kt_channel_decoder *decoder; /* Owned by this */
	kt_raw_complain_fn *complain;
	void *context;
	size_t problems;
	struct kt_raw_registers engines[KT_SUBCHANNELS];
	struct kt_raw_registers host;
	/* Inline data whose LAUNCH_DMA was found. */
	struct {
		uint64_t left; /* dwords still to come */
		size_t line;   /* of the LAUNCH_DMA */
		bool stray;    /* dwords without a LAUNCH_DMA were complained of */
		bool reduces;
		uint64_t to;
		uint64_t extent; /* bytes from the first to the last one written */
	} upload;
	/* Owned by this: GPU addresses of the QMDs that a launch schedules */
	uint64_t *scheduled;
	size_t n_scheduled, scheduled_capacity;
	/* Owned by this: QMDs sent since the script last waited */
	struct kt_raw_bytes *sent;
	size_t n_sent, sent_capacity;
	bool no_memory;
};

__attribute__((format(printf, 3, 4))) void
kt_raw_complain(struct kt_raw_checker *c, size_t line, const char *format, ...);

/* Complains unless the bytes lie in one buffer. O(buffers). */
void kt_raw_check_range(struct kt_raw_checker *c, size_t line, const char *what,
			uint64_t address, uint64_t bytes);

/* Returns what was last written to a method of the decoded method's subchannel, or host. */
uint32_t kt_raw_register(const struct kt_raw_checker *c, const struct kt_decoded *d,
			 uint16_t offset);
/*
 * Complains of the first method of offsets[0..n) that was not written; such methods make up
 * the command that `d` starts.
 */
void kt_raw_check_written(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d,
			  const uint16_t *offsets, size_t n);

/* LAUNCH_DMA of a copy engine, and of engines that take inline data. */
void kt_raw_check_copy(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d);
void kt_raw_check_upload(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d);
/* A method that is not a LAUNCH_DMA: complains if inline data are missing or too many. */
void kt_raw_check_data(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d);
/* Complains of inline data that are missing at the end of a submission. */
void kt_raw_check_upload_end(struct kt_raw_checker *c, size_t line);

/* Returns the name of a class; never NULL. */
const char *kt_raw_class_name(uint32_t number);

/* A QMD and those that depend on it. O(QMDs^2). */
void kt_raw_check_launch(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d);

/* A semaphore that a method releases, or waits for. */
void kt_raw_check_semaphore(struct kt_raw_checker *c, size_t line,
			    const struct kt_decoded *d);

#endif
