/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/registers.h"

#include <cpuid.h>
#include <stddef.h>
#include <string.h>

#define PIECES 3

/*
 * The kernel's signal frame holds the output of XSAVE in its standard format (Intel SDM
 * vol. 1, 13.4): 512 bytes of FXSAVE, a header, then components at offsets that CPUID leaf
 * 0xd gives. Bytes 464 to 511 are the kernel's own (asm/sigcontext.h, struct
 * _fpx_sw_bytes).
 */
#define FRAME_MAGIC    0x46505853u
#define AT_MAGIC       464
#define AT_XFEATURES   472
#define AT_XSTATE_SIZE 480
#define AT_XSTATE_BV   512
#define AT_XCOMP_BV    520
#define AT_XMM         160
#define CPUID_XSTATE   0xd

enum { SSE = 1, YMM_HIGH = 2, ZMM_HIGH = 6, ZMM_16_31 = 7, COMPONENTS };

/* Position of each component in a frame; size 0: the processor does not have it. */
static struct {
	uint32_t offset;
	uint32_t size;
} components[COMPONENTS] = {[SSE] = {AT_XMM, 256}};

/* The part of a vector register that lies in one component. */
struct piece {
	unsigned component;
	uint32_t offset; /* in the frame */
	unsigned size;
};

void kt_registers_init(void)
{
	static const unsigned asked[] = {YMM_HIGH, ZMM_HIGH, ZMM_16_31};
	unsigned size;
	unsigned offset;
	unsigned c;
	unsigned d;

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (__get_cpuid_count(CPUID_XSTATE, asked[i], &size, &offset, &c, &d)) {
			components[asked[i]].offset = offset;
			components[asked[i]].size = size;
		}
	}
}

static unsigned char *frame_of(const ucontext_t *context)
{
	return (unsigned char *)context->uc_mcontext.fpregs;
}

static uint64_t frame_word(const unsigned char *frame, size_t at)
{
	uint64_t word;

	memcpy(&word, frame + at, sizeof(word));
	return word;
}

static bool is_extended(const unsigned char *frame)
{
	return (uint32_t)frame_word(frame, AT_MAGIC) == FRAME_MAGIC &&
	       !(frame_word(frame, AT_XCOMP_BV) >> 63);
}

static bool has_component(const unsigned char *frame, unsigned component)
{
	uint32_t end = components[component].offset + components[component].size;

	if (component == SSE) {
		return frame != NULL;
	}
	return frame && components[component].size && is_extended(frame) &&
	       (frame_word(frame, AT_XFEATURES) >> component & 1) &&
	       end <= (uint32_t)frame_word(frame, AT_XSTATE_SIZE);
}

/*
 * Returns whether the component's bytes in the frame are valid. If its bit in XSTATE_BV is
 * clear, the component is in its initial state (all 0), and its bytes are meaningless.
 */
static bool in_use(const unsigned char *frame, unsigned component)
{
	return !is_extended(frame) || (frame_word(frame, AT_XSTATE_BV) >> component & 1);
}

/* Writes the pieces of vector register `number`, lowest first; returns how many. */
static unsigned split(unsigned number, struct piece pieces[PIECES])
{
	if (number >= 16) {
		pieces[0] = (struct piece){
			ZMM_16_31, components[ZMM_16_31].offset + 64 * (number - 16), 64};
		return 1;
	}
	pieces[0] = (struct piece){SSE, AT_XMM + 16 * number, 16};
	pieces[1] = (struct piece){YMM_HIGH, components[YMM_HIGH].offset + 16 * number, 16};
	pieces[2] = (struct piece){ZMM_HIGH, components[ZMM_HIGH].offset + 32 * number, 32};
	return 3;
}

bool kt_vector_present(const ucontext_t *context, unsigned number, unsigned size)
{
	struct piece pieces[PIECES];
	unsigned n = split(number, pieces);

	for (unsigned i = 0, done = 0; i < n && done < size; done += pieces[i++].size) {
		if (!has_component(frame_of(context), pieces[i].component)) {
			return false;
		}
	}
	return true;
}

bool kt_vector_read(const ucontext_t *context, unsigned number, unsigned size, void *value)
{
	const unsigned char *frame = frame_of(context);
	struct piece pieces[PIECES];
	unsigned n = split(number, pieces);
	unsigned char *to = value;

	if (!kt_vector_present(context, number, size)) {
		return false;
	}
	for (unsigned i = 0; i < n && size; i++) {
		unsigned part = size < pieces[i].size ? size : pieces[i].size;

		if (in_use(frame, pieces[i].component)) {
			memcpy(to, frame + pieces[i].offset, part);
		} else {
			memset(to, 0, part);
		}
		to += part;
		size -= part;
	}
	return true;
}

bool kt_vector_write(ucontext_t *context, unsigned number, unsigned size, const void *value,
		     bool clear_above)
{
	unsigned char *frame = frame_of(context);
	struct piece pieces[PIECES];
	unsigned n = split(number, pieces);
	const unsigned char *from = value;
	uint64_t used;

	if (!kt_vector_present(context, number, size)) {
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned part = size < pieces[i].size ? size : pieces[i].size;

		if (part) {
			if (!in_use(frame, pieces[i].component)) {
				const unsigned c = pieces[i].component;

				memset(frame + components[c].offset, 0, components[c].size);
				used = frame_word(frame, AT_XSTATE_BV) | 1ull << c;
				memcpy(frame + AT_XSTATE_BV, &used, sizeof(used));
			}
			memcpy(frame + pieces[i].offset, from, part);
		}
		if (clear_above && has_component(frame, pieces[i].component) &&
		    in_use(frame, pieces[i].component)) {
			memset(frame + pieces[i].offset + part, 0, pieces[i].size - part);
		}
		from += part;
		size -= part;
	}
	return true;
}
