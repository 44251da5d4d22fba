/* SPDX-License-Identifier: MIT */
#include "decode/sass.h"

#include <string.h>

#include "decode/little.h"

void kt_sass_control_decode(struct kt_sass_control *out,
			    const uint8_t bytes[static KT_SASS_BYTES])
{
	uint32_t control = (uint32_t)(kt_little(bytes + 8, 8) >> (105 - 64));

	*out = (struct kt_sass_control){
		.stall = control & 15,
		.yield = !(control >> 4 & 1),
		.write_barrier = control >> 5 & 7,
		.read_barrier = control >> 8 & 7,
		.wait_mask = control >> 11 & 63,
		.reuse = control >> 17 & 15,
	};
}

static char digit(unsigned value)
{
	return (char)('0' + value);
}

void kt_sass_control_text(char text[static KT_SASS_CONTROL_TEXT],
			  const struct kt_sass_control *control)
{
	memcpy(text, "----:B------:R-:W-:-:S00", KT_SASS_CONTROL_TEXT);
	for (unsigned i = 0; i < 4; i++) {
		if (control->reuse >> i & 1) {
			text[i] = 'R';
		}
	}
	for (unsigned i = 0; i < 6; i++) {
		if (control->wait_mask >> i & 1) {
			text[6 + i] = digit(i);
		}
	}
	if (control->read_barrier < KT_SASS_NO_BARRIER) {
		text[14] = digit(control->read_barrier);
	}
	if (control->write_barrier < KT_SASS_NO_BARRIER) {
		text[17] = digit(control->write_barrier);
	}
	if (control->yield) {
		text[19] = 'Y';
	}
	text[22] = digit(control->stall / 10 % 10);
	text[23] = digit(control->stall % 10);
}

const char *kt_sass_status_text(enum kt_sass_status status)
{
	static const char *const texts[KT_SASS_STATUSES] = {
		[KT_SASS_OK] = "read to its end",
		[KT_SASS_NO_CUBIN] = "not a 64-bit ELF file for CUDA",
		[KT_SASS_OLD] = "for a GPU older than Volta",
		[KT_SASS_MALFORMED] = "a malformed ELF file",
	};

	return (unsigned)status < KT_SASS_STATUSES ? texts[status] : "unknown";
}

/* ELF-64 (System V ABI); CUDA's additions are from LLVM's llvm/BinaryFormat/ELF.h. */
#define HEADER_BYTES  64
#define SECTION_BYTES 64
#define ABI_VERSION   8 /* index of the ABI version in the header */
#define EM_CUDA       190
#define SHT_PROGBITS  1
#define SHN_XINDEX    0xffff
#define VOLTA         70

#define TEXT_PREFIX ".text."
#define TEXT_LENGTH 6

#define BEYOND       "is not within the file"
#define TABLE_BEYOND "is in a section table that is not within the file"

struct elf {
	const uint8_t *file; /* Weak */
	uint64_t size;
	unsigned sm;
	const uint8_t *sections; /* the section table, in the file */
	uint64_t n_sections;
	const char *names; /* in the file; the last byte is 0 */
	uint64_t names_bytes;
	/* describes the part being read, in case it is malformed */
	struct kt_sass_fault fault;
};

struct section {
	uint64_t name; /* offset in the section names */
	uint64_t type;
	uint64_t offset;
	uint64_t bytes;
	uint64_t link;
};

static struct section section_at(const struct elf *elf, uint64_t i)
{
	const uint8_t *at = elf->sections + i * SECTION_BYTES;

	return (struct section){
		.name = kt_little(at, 4),
		.type = kt_little(at + 4, 4),
		.offset = kt_little(at + 24, 8),
		.bytes = kt_little(at + 32, 8),
		.link = kt_little(at + 40, 4),
	};
}

static bool within(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->size && bytes <= elf->size - offset;
}

static enum kt_sass_status read_header(struct elf *elf)
{
	static const uint8_t magic[7] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
	uint64_t flags;

	if (elf->size < HEADER_BYTES || memcmp(elf->file, magic, sizeof(magic)) != 0 ||
	    kt_little(elf->file + 18, 2) != EM_CUDA) {
		return KT_SASS_NO_CUBIN;
	}
	/*
	 * The compute capability is in bits 7:0 of the flags before ABI version 8
	 * (Blackwell), and in bits 15:8 from version 8 on.
	 */
	flags = kt_little(elf->file + 48, 4);
	elf->sm = flags >> (elf->file[ABI_VERSION] < 8 ? 0 : 8) & 0xff;
	return elf->sm < VOLTA ? KT_SASS_OLD : KT_SASS_OK;
}

/*
 * Finds the section table and the names of sections. If there are more sections than the
 * header can count, section 0 holds the number of sections and the index of the section
 * with the names.
 */
static enum kt_sass_status read_sections(struct elf *elf)
{
	enum kt_sass_status bad = KT_SASS_MALFORMED;
	uint64_t at = kt_little(elf->file + 40, 8);
	uint64_t names = kt_little(elf->file + 62, 2);
	struct section section;

	elf->n_sections = kt_little(elf->file + 60, 2);
	if (at == 0) {
		elf->n_sections = 0;
		return KT_SASS_OK;
	}
	elf->fault = (struct kt_sass_fault){"has entries of another size", 0, 58};
	if (kt_little(elf->file + 58, 2) != SECTION_BYTES) {
		return bad;
	}
	elf->fault = (struct kt_sass_fault){TABLE_BEYOND, 0, 40};
	if (!within(elf, at, SECTION_BYTES)) {
		return bad;
	}
	elf->sections = elf->file + at;
	section = section_at(elf, 0);
	elf->n_sections = elf->n_sections ? elf->n_sections : section.bytes;
	names = names == SHN_XINDEX ? section.link : names;
	if (elf->n_sections > (elf->size - at) / SECTION_BYTES) {
		return bad;
	}
	elf->fault = (struct kt_sass_fault){"should hold the names, but does not exist",
					    names, 62};
	if (names >= elf->n_sections) {
		return bad;
	}
	section = section_at(elf, names);
	elf->fault = (struct kt_sass_fault){BEYOND, names, at + names * SECTION_BYTES};
	if (!within(elf, section.offset, section.bytes)) {
		return bad;
	}
	elf->fault.what = "holds the names, but does not end with a zero byte";
	if (!section.bytes || elf->file[section.offset + section.bytes - 1] != '\0') {
		return bad;
	}
	elf->names = (const char *)elf->file + section.offset;
	elf->names_bytes = section.bytes;
	return KT_SASS_OK;
}

/*
 * Reports the instructions of section i if it contains code. Returns false if `each` stops,
 * or if the section is malformed; *status is set in the latter case.
 */
static bool read_section(struct elf *elf, uint64_t i, uint64_t *left,
			 enum kt_sass_status *status, kt_sass_fn *each, void *context)
{
	const struct section one = section_at(elf, i);
	const struct section *section = &one;
	struct kt_sass_instruction instruction = {.sm = elf->sm};
	const char *name;

	if (section->type != SHT_PROGBITS) {
		return true;
	}
	elf->fault = (struct kt_sass_fault){"has a name past the end of the names", i,
					    (uint64_t)(elf->sections - elf->file) +
						    i * SECTION_BYTES};
	if (section->name >= elf->names_bytes) {
		*status = KT_SASS_MALFORMED;
		return false;
	}
	name = elf->names + section->name;
	if (strncmp(name, TEXT_PREFIX, TEXT_LENGTH) != 0) {
		return true;
	}
	elf->fault.what =
		!within(elf, section->offset, section->bytes) ? BEYOND
		: section->bytes % KT_SASS_BYTES
			? "is not a multiple of 16 bytes, the size of an instruction"
		: section->bytes > *left ? "overlaps another section"
					 : NULL;
	if (elf->fault.what) {
		*status = KT_SASS_MALFORMED;
		return false;
	}
	*left -= section->bytes;
	instruction.function = name + TEXT_LENGTH;
	for (uint64_t at = 0; at < section->bytes; at += KT_SASS_BYTES) {
		instruction.offset = at;
		instruction.bytes = elf->file + section->offset + at;
		kt_sass_control_decode(&instruction.control, instruction.bytes);
		if (!each(context, &instruction)) {
			return false;
		}
	}
	return true;
}

enum kt_sass_status kt_sass_each(const void *file, size_t size, kt_sass_fn *each,
				 void *context, struct kt_sass_fault *fault)
{
	struct elf elf = {.file = file, .size = size};
	enum kt_sass_status status = read_header(&elf);
	uint64_t left = size; /* bytes left for sections, which do not overlap */

	if (!status) {
		status = read_sections(&elf);
	}
	for (uint64_t i = 0; !status && i < elf.n_sections; i++) {
		if (!read_section(&elf, i, &left, &status, each, context)) {
			break;
		}
	}
	if (fault) {
		*fault = elf.fault;
	}
	return status;
}
