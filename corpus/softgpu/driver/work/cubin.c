/* SPDX-License-Identifier: MIT */
#include "corpus/softgpu/driver/work/cubin.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"

#define MACHINE_CUDA 190

/* Attributes in .nv.info: a format, an attribute, then a value or a size and data. */
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_DATA = 4, ATTRIBUTE_HEAD = 4 };
enum {
	ATTRIBUTE_MAX_THREADS = 0x05,    /* threads in x, y, z; their product counts */
	ATTRIBUTE_PARAM_CBANK = 0x0a,    /* bank's symbol; offset and size in the bank */
	ATTRIBUTE_REQNTID = 0x10,        /* threads in x, y, z */
	ATTRIBUTE_FRAME_SIZE = 0x11,     /* symbol; bytes of local memory */
	ATTRIBUTE_MIN_STACK_SIZE = 0x12, /* symbol; bytes, of called functions, too */
	ATTRIBUTE_KPARAM_INFO = 0x17,    /* index; ordinal, offset; size in bits 31:18 */
	ATTRIBUTE_REGCOUNT = 0x2f,       /* symbol; registers */
	ATTRIBUTE_CTA_PER_CLUSTER = 0x3d,
	ATTRIBUTE_EXPLICIT_CLUSTER = 0x3e, /* without data */
	ATTRIBUTE_NUM_BARRIERS = 0x4c,     /* in one byte */
};

/* Constant bank 0 of Hopper holds the parameters from here on. */
#define PARAMETERS_AT 0x210

/* More than any multiprocessor has. */
#define MOST_SHARED 0x100000u
#define MOST_STACK  0x80000u /* 512 KiB a thread: CUDA C++ Programming Guide */

struct file {
	const uint8_t *data;
	size_t bytes;
	Elf64_Ehdr head;
};

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t half(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* --- sections; all are checked when the file is opened --- */

static bool section(const struct file *file, size_t i, Elf64_Shdr *out)
{
	if (i >= file->head.e_shnum) {
		return false;
	}
	memcpy(out, file->data + file->head.e_shoff + i * sizeof(*out), sizeof(*out));
	return true;
}

/* Returns a string of a string table, "" if there is none. */
static const char *text(const struct file *file, size_t table, uint32_t at)
{
	Elf64_Shdr s;

	if (!section(file, table, &s) || s.sh_type != SHT_STRTAB || at >= s.sh_size ||
	    file->data[s.sh_offset + s.sh_size - 1] != 0) {
		return "";
	}
	return (const char *)file->data + s.sh_offset + at;
}

static const char *name_of(const struct file *file, const Elf64_Shdr *s)
{
	return text(file, file->head.e_shstrndx, s->sh_name);
}

/* Finds the section PREFIX.NAME. */
static bool find(const struct file *file, const char *prefix, const char *name,
		 Elf64_Shdr *out)
{
	const size_t n = strlen(prefix);

	for (size_t i = 0; section(file, i, out); i++) {
		const char *whole = name_of(file, out);

		if (strncmp(whole, prefix, n) == 0 && whole[n] == '.' &&
		    strcmp(whole + n + 1, name) == 0) {
			return true;
		}
	}
	return false;
}

size_t kt_cubin_bytes(const void *image)
{
	Elf64_Ehdr head;
	uint64_t sections;
	uint64_t segments;

	if (memcmp(image, ELFMAG, SELFMAG) != 0) {
		return 0;
	}
	memcpy(&head, image, sizeof(head));
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shoff > UINT32_MAX ||
	    head.e_phoff > UINT32_MAX) {
		return 0;
	}
	sections = head.e_shoff + (uint64_t)head.e_shnum * sizeof(Elf64_Shdr);
	segments = head.e_phoff + (uint64_t)head.e_phnum * sizeof(Elf64_Phdr);
	return (size_t)(sections > segments ? sections : segments);
}

static enum kt_cubin_status open_file(struct file *out, const void *image, size_t bytes)
{
	Elf64_Shdr s;

	out->data = image;
	out->bytes = bytes;
	if (bytes < sizeof(out->head)) {
		return KT_CUBIN_BAD;
	}
	memcpy(&out->head, image, sizeof(out->head));
	if (kt_cubin_bytes(image) == 0 || out->head.e_machine != MACHINE_CUDA ||
	    out->head.e_shentsize != sizeof(s) || out->head.e_shoff > bytes ||
	    out->head.e_shnum > (bytes - out->head.e_shoff) / sizeof(s)) {
		return KT_CUBIN_BAD;
	}
	for (size_t i = 0; section(out, i, &s); i++) {
		if (s.sh_type != SHT_NOBITS &&
		    (s.sh_offset > bytes || s.sh_size > bytes - s.sh_offset)) {
			return KT_CUBIN_BAD;
		}
	}
	return (out->head.e_flags >> 8 & 0xff) == KT_CUBIN_SM90 ? KT_CUBIN_OK
								: KT_CUBIN_OTHER;
}

/* --- kernels: functions of the symbol table --- */

/* Of st_other: the function is a kernel. ptxas writes it, it has no public name. */
#define OTHER_ENTRY 0x10

/*
 * Finds the first kernel from symbol *index on, of any name or of this one. Sets *index to
 * its symbol.
 */
static bool find_symbol(const struct file *file, const char *name, Elf64_Sym *out,
			size_t *index, const char **found)
{
	Elf64_Shdr table = {0};

	for (size_t i = 0; section(file, i, &table) && table.sh_type != SHT_SYMTAB; i++) {
	}
	if (table.sh_type != SHT_SYMTAB) {
		return false;
	}
	for (size_t i = *index; i < table.sh_size / sizeof(*out); i++) {
		memcpy(out, file->data + table.sh_offset + i * sizeof(*out), sizeof(*out));
		if (ELF64_ST_TYPE(out->st_info) != STT_FUNC ||
		    ELF64_ST_BIND(out->st_info) != STB_GLOBAL ||
		    out->st_shndx == SHN_UNDEF || !(out->st_other & OTHER_ENTRY)) {
			continue;
		}
		*found = text(file, table.sh_link, out->st_name);
		*index = i;
		if (!name || strcmp(*found, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Returns the number of threads in a block; a number that no block has if it overflows. */
static uint32_t product(const uint8_t *block)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < 3; i++) {
		n = n * word(block + 4 * i);
		n = n < UINT32_MAX ? n : UINT32_MAX;
	}
	return (uint32_t)n;
}

/* Reads an attribute with data; `here`: the data begin with the kernel's symbol. */
static bool read_attribute(uint8_t attribute, const uint8_t *data, size_t bytes, bool here,
			   struct kt_kernel_needs *needs)
{
	const uint32_t value = here ? word(data + 4) : 0;
	uint16_t ordinal;

	switch (attribute) {
	case ATTRIBUTE_MAX_THREADS:
		if (bytes < 12) {
			return false;
		}
		needs->most_threads = product(data);
		break;
	case ATTRIBUTE_REQNTID:
		if (bytes < 12) {
			return false;
		}
		memcpy(needs->block, data, sizeof(needs->block));
		break;
	case ATTRIBUTE_CTA_PER_CLUSTER: return false;
	case ATTRIBUTE_REGCOUNT: needs->registers = here ? value : needs->registers; break;
	case ATTRIBUTE_FRAME_SIZE:
	case ATTRIBUTE_MIN_STACK_SIZE:
		needs->stack_bytes =
			value > needs->stack_bytes ? value : needs->stack_bytes;
		break;
	case ATTRIBUTE_PARAM_CBANK:
		if (bytes < 8 || half(data + 4) != PARAMETERS_AT) {
			return false;
		}
		needs->parameter_bytes = half(data + 6);
		break;
	case ATTRIBUTE_KPARAM_INFO:
		ordinal = bytes < 12 ? KT_CUBIN_PARAMETERS : half(data + 4);
		if (ordinal >= KT_CUBIN_PARAMETERS) {
			return false;
		}
		needs->parameters[ordinal].offset = half(data + 6);
		needs->parameters[ordinal].bytes = (uint16_t)(word(data + 8) >> 18);
		needs->n = ordinal >= needs->n ? ordinal + 1u : needs->n;
		break;
	default: break;
	}
	return true;
}

/* Reads the attributes of a section for symbol `index`. */
static enum kt_cubin_status read_info(const struct file *file, const Elf64_Shdr *s,
				      uint32_t index, struct kt_kernel_needs *needs)
{
	const uint8_t *at = file->data + s->sh_offset;
	const uint8_t *end = at + s->sh_size;

	if (s->sh_type == SHT_NOBITS) { /* has no data: its offset means nothing */
		return KT_CUBIN_BAD;
	}
	while (end - at >= ATTRIBUTE_HEAD) {
		const uint8_t *data = at + ATTRIBUTE_HEAD;
		const size_t bytes = at[0] == FORMAT_DATA ? half(at + 2) : 0;
		const bool here = bytes >= 8 && word(data) == index;

		if (bytes > (size_t)(end - data)) {
			return KT_CUBIN_BAD;
		}
		if (at[0] == FORMAT_BYTE && at[1] == ATTRIBUTE_NUM_BARRIERS) {
			needs->barriers = at[2];
		} else if (at[0] == FORMAT_NONE && at[1] == ATTRIBUTE_EXPLICIT_CLUSTER) {
			return KT_CUBIN_UNSUPPORTED;
		} else if (at[0] == FORMAT_DATA &&
			   !read_attribute(at[1], data, bytes, here, needs)) {
			return KT_CUBIN_UNSUPPORTED;
		}
		at = data + bytes;
	}
	return KT_CUBIN_OK;
}

/* Checks that each parameter is in the range of them all. */
static bool parameters_fit(const struct kt_kernel_needs *needs)
{
	for (unsigned i = 0; i < needs->n; i++) {
		const struct kt_parameter *p = &needs->parameters[i];

		if (p->bytes == 0 ||
		    (uint32_t)p->offset + p->bytes > needs->parameter_bytes) {
			return false;
		}
	}
	return true;
}

/*
 * Returns whether the file needs what the loader does not do: place data, fill constant
 * banks other than bank 0, or relocate anything that the device reads.
 */
static bool needs_loader(const struct file *file)
{
	static const char bank[] = ".nv.constant";
	static const char bank_0[] = ".nv.constant0.";
	Elf64_Shdr s;
	Elf64_Shdr target;

	for (size_t i = 0; section(file, i, &s); i++) {
		const char *name = name_of(file, &s);

		if (strncmp(name, ".nv.global", 10) == 0 ||
		    (strncmp(name, bank, sizeof(bank) - 1) == 0 &&
		     strncmp(name, bank_0, sizeof(bank_0) - 1) != 0)) {
			return true;
		}
		if ((s.sh_type != SHT_RELA && s.sh_type != SHT_REL) || s.sh_size == 0) {
			continue;
		}
		name = section(file, s.sh_info, &target) ? name_of(file, &target) : "";
		if (strncmp(name, ".debug", 6) != 0 && strncmp(name, ".nv_debug", 9) != 0) {
			return true;
		}
	}
	return false;
}

static enum kt_cubin_status read_kernel(struct kt_cubin_kernel *out, const void *image,
					size_t bytes, size_t *at, const char *name)
{
	struct file file;
	Elf64_Sym symbol;
	Elf64_Shdr s;
	uint32_t index;
	enum kt_cubin_status status = open_file(&file, image, bytes);

	memset(out, 0, sizeof(*out));
	if (status != KT_CUBIN_OK) {
		return status;
	}
	if (!find_symbol(&file, name, &symbol, at, &out->name)) {
		return KT_CUBIN_NONE;
	}
	index = (uint32_t)*at;
	++*at;
	if (!section(&file, symbol.st_shndx, &s) || s.sh_type != SHT_PROGBITS ||
	    symbol.st_value > s.sh_size || symbol.st_size > s.sh_size - symbol.st_value ||
	    symbol.st_size == 0) {
		return KT_CUBIN_BAD;
	}
	out->code = file.data + s.sh_offset + symbol.st_value;
	out->code_bytes = symbol.st_size;
	/* The section has the system's part, which launches without it need as well. */
	if (find(&file, ".nv.shared", out->name, &s) &&
	    s.sh_size > KT_CUBIN_SYSTEM_SHARED) {
		out->needs.shared_bytes =
			(uint32_t)(s.sh_size < MOST_SHARED ? s.sh_size : MOST_SHARED) -
			KT_CUBIN_SYSTEM_SHARED;
	}
	if (needs_loader(&file)) {
		return KT_CUBIN_UNSUPPORTED;
	}
	for (size_t i = 0; section(&file, i, &s); i++) {
		if (strcmp(name_of(&file, &s), ".nv.info") == 0) {
			KT_TRY(read_info(&file, &s, index, &out->needs));
		}
	}
	if (find(&file, ".nv.info", out->name, &s)) {
		KT_TRY(read_info(&file, &s, index, &out->needs));
	}
	if (out->needs.barriers > KT_CUBIN_BARRIERS) {
		return KT_CUBIN_UNSUPPORTED;
	}
	return out->needs.registers > 0 && out->needs.registers <= 255 &&
			       out->needs.stack_bytes <= MOST_STACK &&
			       parameters_fit(&out->needs)
		       ? KT_CUBIN_OK
		       : KT_CUBIN_BAD;
}

enum kt_cubin_status kt_cubin_next(struct kt_cubin_kernel *out, const void *image,
				   size_t bytes, size_t *at)
{
	return read_kernel(out, image, bytes, at, NULL);
}

enum kt_cubin_status kt_cubin_find(struct kt_cubin_kernel *out, const void *image,
				   size_t bytes, const char *name)
{
	size_t at = 0;

	return read_kernel(out, image, bytes, &at, name);
}
