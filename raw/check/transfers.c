/* SPDX-License-Identifier: MIT */
/* Checks copies by the copy engine and inline data: where they read and write. */
#include <inttypes.h>

#include "decode/bits.h"
#include "decode/method-names.h"
#include "raw/check/checker.h"

#define COPY(name, value)   kt_bits_in(KT_C8B5_LAUNCH_DMA__##name, value)
#define INLINE(name, value) kt_bits_in(KT_CBC0_LAUNCH_DMA__##name, value)
#define REMAP(name, value)  kt_bits_in(KT_C8B5_SET_REMAP_COMPONENTS__##name, value)

static uint64_t address_of(const struct kt_raw_checker *c, const struct kt_decoded *d,
			   uint16_t upper, uint16_t lower)
{
	return (uint64_t)kt_raw_register(c, d, upper) << 32 | kt_raw_register(c, d, lower);
}

/*
 * Checks `lines` lines of `length` bytes that begin `pitch` bytes apart. Returns the bytes
 * from the first to the last one.
 */
static uint64_t check_lines(struct kt_raw_checker *c, size_t line, const char *what,
			    uint64_t address, uint64_t length, uint64_t lines,
			    uint32_t pitch)
{
	const uint64_t extent = (lines > 1 ? (lines - 1) * pitch : 0) + length;

	if (lines > 1 && pitch > INT32_MAX) {
		kt_raw_complain(c, line,
				"%s has lines in descending order, which is not checked",
				what);
	} else {
		kt_raw_check_range(c, line, what, address, extent);
	}
	return extent;
}

/* --- copies --- */

/* Checks the source or the destination of a copy; returns its bytes as check_lines(). */
static uint64_t check_end(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d,
			  const char *what, const uint16_t registers[static 3],
			  uint32_t element)
{
	const uint32_t launch = d->method.value;
	const bool multiple = COPY(MULTI_LINE_ENABLE, launch);

	kt_raw_check_written(c, line, d, registers, multiple ? 3 : 2);
	return check_lines(c, line, what, address_of(c, d, registers[0], registers[1]),
			   (uint64_t)kt_raw_register(c, d, KT_C8B5_LINE_LENGTH_IN) *
				   element,
			   multiple ? kt_raw_register(c, d, KT_C8B5_LINE_COUNT) : 1,
			   kt_raw_register(c, d, registers[2]));
}

void kt_raw_check_copy(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d)
{
	static const uint16_t lengths[] = {KT_C8B5_LINE_LENGTH_IN, KT_C8B5_LINE_COUNT};
	static const uint16_t remaps[] = {KT_C8B5_SET_REMAP_COMPONENTS};
	static const uint16_t in[] = {KT_C8B5_OFFSET_IN_UPPER, KT_C8B5_OFFSET_IN_LOWER,
				      KT_C8B5_PITCH_IN};
	static const uint16_t out[] = {KT_C8B5_OFFSET_OUT_UPPER, KT_C8B5_OFFSET_OUT_LOWER,
				       KT_C8B5_PITCH_OUT};
	const uint32_t launch = d->method.value;
	const uint32_t remap = kt_raw_register(c, d, KT_C8B5_SET_REMAP_COMPONENTS);
	const bool remapped = COPY(REMAP_ENABLE, launch);
	const uint32_t component = remapped ? REMAP(COMPONENT_SIZE, remap) + 1 : 1;
	uint64_t extent;

	if (d->command.kind != KT_COMMAND_COPY) {
		if (COPY(DATA_TRANSFER_TYPE, launch) !=
		    KT_C8B5_LAUNCH_DMA__DATA_TRANSFER_TYPE__NONE) {
			kt_raw_complain(c, line, "this DATA_TRANSFER_TYPE is not checked");
		}
		return;
	}
	if (!COPY(SRC_MEMORY_LAYOUT, launch) && !d->command.filled) {
		kt_raw_complain(
			c, line,
			"SRC_MEMORY_LAYOUT is not PITCH: the extent is not checked");
		return;
	}
	if (!COPY(DST_MEMORY_LAYOUT, launch)) {
		kt_raw_complain(
			c, line,
			"DST_MEMORY_LAYOUT is not PITCH: the extent is not checked");
		return;
	}
	kt_raw_check_written(c, line, d, lengths, COPY(MULTI_LINE_ENABLE, launch) ? 2 : 1);
	kt_raw_check_written(c, line, d, remaps, remapped ? 1 : 0);
	if (!d->command.filled) {
		check_end(c, line, d, "the source of the copy", in,
			  remapped ? component * (REMAP(NUM_SRC_COMPONENTS, remap) + 1)
				   : 1);
	}
	extent = check_end(c, line, d, "the destination of the copy", out,
			   remapped ? component * (REMAP(NUM_DST_COMPONENTS, remap) + 1)
				    : 1);
	kt_channel_decoder_forget(c->decoder, address_of(c, d, out[0], out[1]), extent);
}

/* --- inline data --- */

void kt_raw_check_upload(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d)
{
	static const uint16_t registers[] = {KT_CBC0_LINE_LENGTH_IN, KT_CBC0_LINE_COUNT,
					     KT_CBC0_OFFSET_OUT_UPPER, KT_CBC0_OFFSET_OUT,
					     KT_CBC0_PITCH_OUT};
	const uint32_t launch = d->method.value;
	const uint64_t length = kt_raw_register(c, d, KT_CBC0_LINE_LENGTH_IN);
	const uint64_t lines = kt_raw_register(c, d, KT_CBC0_LINE_COUNT);

	kt_raw_check_upload_end(c, line);
	c->upload.line = line;
	c->upload.stray = false;
	c->upload.left = (length * lines + 3) / 4;
	c->upload.reduces = INLINE(REDUCTION_ENABLE, launch);
	c->upload.to = address_of(c, d, KT_CBC0_OFFSET_OUT_UPPER, KT_CBC0_OFFSET_OUT);
	kt_raw_check_written(c, line, d, registers, lines > 1 ? 5 : 4);
	if (!INLINE(DST_MEMORY_LAYOUT, launch)) {
		kt_raw_complain(
			c, line,
			"DST_MEMORY_LAYOUT is not PITCH: the extent is not checked");
		return;
	}
	if (lines > 1 && length % 4 != 0) {
		kt_raw_complain(c, line,
				"lines of inline data that are not whole dwords are not "
				"checked");
	}
	c->upload.extent =
		check_lines(c, line, "the destination of the inline data", c->upload.to,
			    length, lines, kt_raw_register(c, d, KT_CBC0_PITCH_OUT));
}

void kt_raw_check_upload_end(struct kt_raw_checker *c, size_t line)
{
	if (c->upload.left > 0) {
		kt_raw_complain(c, line,
				"%" PRIu64 " more %s of inline data to come of the "
				"LAUNCH_DMA in line %zu",
				c->upload.left, c->upload.left == 1 ? "dword" : "dwords",
				c->upload.line);
	}
	c->upload.left = 0;
}

void kt_raw_check_data(struct kt_raw_checker *c, size_t line, const struct kt_decoded *d)
{
	if (!d->inline_data) {
		kt_raw_check_upload_end(c, line);
		return;
	}
	if (c->upload.left == 0) {
		if (!c->upload.stray) {
			kt_raw_complain(c, line, "inline data without a LAUNCH_DMA");
		}
		c->upload.stray = true;
		return;
	}
	c->upload.left--;
	/* The decoder does not keep what a reduction leaves in memory. */
	if (c->upload.left == 0 && c->upload.reduces) {
		kt_channel_decoder_forget(c->decoder, c->upload.to, c->upload.extent);
	}
}
