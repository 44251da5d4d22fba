/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/softgpu/device/code.h"
#include "corpus/softgpu/driver/work/cubin.h"
#include "tests/suite.h"

static const _Alignas(8) unsigned char sm90[] = {
#include "corpus/softgpu/driver/kernels/kernels-sm90.inc"
};

static const _Alignas(8) unsigned char needs[] = {
#include "tests/softgpu/driver/needs-sm90.inc"
};

/* Finds the header of a section in a cubin; copies it to `out`. Returns its place. */
static unsigned char *find_section(unsigned char *cubin, const char *name, Elf64_Shdr *out)
{
	Elf64_Ehdr head;
	Elf64_Shdr names;

	memcpy(&head, cubin, sizeof(head));
	memcpy(&names, cubin + head.e_shoff + head.e_shstrndx * sizeof(names),
	       sizeof(names));
	for (size_t i = 0; i < head.e_shnum; i++) {
		unsigned char *at = cubin + head.e_shoff + i * sizeof(*out);

		memcpy(out, at, sizeof(*out));
		if (strcmp((char *)cubin + names.sh_offset + out->sh_name, name) == 0) {
			return at;
		}
	}
	CU_FAIL_FATAL("no such section");
	return NULL;
}

/* The built-in kernels have the parameters that the model knows. */
static void test_built_in(void)
{
	static const struct {
		const char *name;
		const char *arguments;
	} rows[] = {
#define ROW(name, kernel, arguments) {name, arguments},
		KT_GPU_KERNEL_TABLE(ROW)
#undef ROW
	};
	struct kt_cubin_kernel kernel;
	size_t at = 0;
	size_t n = 0;

	CU_ASSERT_EQUAL(kt_cubin_bytes(sm90), sizeof(sm90));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t offset = 0;

		CU_ASSERT_EQUAL_FATAL(
			kt_cubin_find(&kernel, sm90, sizeof(sm90), rows[i].name),
			KT_CUBIN_OK);
		CU_ASSERT_EQUAL(kernel.needs.n, strlen(rows[i].arguments));
		for (unsigned j = 0; j < kernel.needs.n; j++) {
			const uint32_t bytes = (uint32_t)(rows[i].arguments[j] - '0');

			offset = (offset + bytes - 1) / bytes * bytes;
			CU_ASSERT_EQUAL(kernel.needs.parameters[j].bytes, bytes);
			CU_ASSERT_EQUAL(kernel.needs.parameters[j].offset, offset);
			offset += bytes;
		}
		CU_ASSERT_EQUAL(kernel.needs.parameter_bytes, offset);
		CU_ASSERT_TRUE(kernel.needs.registers > 0 && kernel.needs.registers <= 32);
		CU_ASSERT_EQUAL(kernel.needs.shared_bytes, 0);
		CU_ASSERT_TRUE(kernel.code_bytes > 0 && kernel.code_bytes % 128 == 0);
	}
	while (kt_cubin_next(&kernel, sm90, sizeof(sm90), &at) == KT_CUBIN_OK) {
		n++;
	}
	CU_ASSERT_EQUAL(n, sizeof(rows) / sizeof(rows[0]));
	CU_ASSERT_EQUAL(kt_cubin_find(&kernel, sm90, sizeof(sm90), "vector"),
			KT_CUBIN_NONE);
}

/* A file that ends early, or has any one byte changed, is read without harm. */
static void test_damage(void)
{
	struct kt_cubin_kernel kernel;
	unsigned char *copy = malloc(sizeof(sm90));
	size_t at;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	for (size_t bytes = sizeof(Elf64_Ehdr); bytes < sizeof(sm90); bytes += 7) {
		unsigned char *part = malloc(bytes);

		CU_ASSERT_PTR_NOT_NULL_FATAL(part);
		memcpy(part, sm90, bytes);
		CU_ASSERT_NOT_EQUAL(kt_cubin_find(&kernel, part, bytes, "scale"),
				    KT_CUBIN_NONE);
		free(part);
	}
	for (size_t i = 0; i < sizeof(sm90); i++) {
		memcpy(copy, sm90, sizeof(sm90));
		copy[i] ^= (unsigned char)(i % 255 + 1);
		at = 0;
		while (kt_cubin_next(&kernel, copy, sizeof(sm90), &at) == KT_CUBIN_OK) {
			CU_ASSERT_TRUE(kernel.code >= copy &&
				       kernel.code + kernel.code_bytes <=
					       copy + sizeof(sm90));
		}
	}
	free(copy);
}

/* The cubin of a program may begin at any address. */
static void test_unaligned(void)
{
	unsigned char *copy = malloc(sizeof(needs) + 1);
	struct kt_cubin_kernel kernel;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy + 1, needs, sizeof(needs));
	CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy + 1, sizeof(needs), "sums"),
			KT_CUBIN_OK);
	CU_ASSERT_EQUAL(kernel.needs.n, 3);
	free(copy);
}

/* Global functions that are not kernels, or are defined elsewhere, are skipped. */
static void test_other_functions(void)
{
	_Alignas(8) unsigned char copy[sizeof(needs)];
	struct kt_cubin_kernel kernel;
	Elf64_Shdr table;
	Elf64_Sym symbol;
	unsigned char *at;
	size_t next;

	for (unsigned change = 0; change < 2; change++) {
		unsigned changed = 0;

		memcpy(copy, needs, sizeof(needs));
		(void)find_section(copy, ".symtab", &table);
		for (size_t i = 0; i < table.sh_size / sizeof(symbol) && !changed; i++) {
			at = copy + table.sh_offset + i * sizeof(symbol);
			memcpy(&symbol, at, sizeof(symbol));
			if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
				symbol.st_shndx = change ? symbol.st_shndx : SHN_UNDEF;
				symbol.st_other = change ? 0 : symbol.st_other;
				memcpy(at, &symbol, sizeof(symbol));
				changed++;
			}
		}
		CU_ASSERT_EQUAL(changed, 1);
		next = 0;
		CU_ASSERT_EQUAL(kt_cubin_next(&kernel, copy, sizeof(copy), &next),
				KT_CUBIN_OK);
		CU_ASSERT_EQUAL(kt_cubin_next(&kernel, copy, sizeof(copy), &next),
				KT_CUBIN_NONE);
	}
}

/* What the launches cannot give is refused. */
static void test_refused(void)
{
	struct kt_cubin_kernel kernel;
	_Alignas(8) unsigned char copy[sizeof(sm90)];
	Elf64_Ehdr head;
	Elf64_Shdr section;
	unsigned char *frame;

	memcpy(copy, sm90, sizeof(sm90));
	memcpy(&head, copy, sizeof(head));
	head.e_flags = (head.e_flags & ~0xff00u) | 80u << 8;
	memcpy(copy, &head, sizeof(head));
	CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy, sizeof(copy), "spin"), KT_CUBIN_OTHER);
	head.e_machine = EM_X86_64;
	memcpy(copy, &head, sizeof(head));
	CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy, sizeof(copy), "spin"), KT_CUBIN_BAD);
	CU_ASSERT_EQUAL(kt_cubin_bytes("#!/bin/sh"), 0);

	/* A stack of 16 MiB, in .nv.info: format 4, attribute 0x11, 8 bytes. */
	memcpy(copy, sm90, sizeof(sm90));
	memcpy(&head, copy, sizeof(head));
	for (size_t i = 0; i < head.e_shnum; i++) {
		memcpy(&section, copy + head.e_shoff + i * sizeof(section),
		       sizeof(section));
		frame = copy + section.sh_offset;
		for (size_t j = 0;
		     section.sh_type == SHT_LOPROC && j + 12 <= section.sh_size; j += 4) {
			if (memcmp(frame + j, "\4\x11\10", 4) == 0) {
				frame[j + 11] = 1;
			}
		}
	}
	CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy, sizeof(copy), "spin"), KT_CUBIN_BAD);
}

/* A section of attributes without data is not read, wherever it says that they are. */
static void test_no_data(void)
{
	static const char *const names[] = {".nv.info", ".nv.info.sums"};
	struct kt_cubin_kernel kernel;
	_Alignas(8) unsigned char copy[sizeof(needs)];
	unsigned char *at;
	Elf64_Shdr section;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		memcpy(copy, needs, sizeof(needs));
		at = find_section(copy, names[i], &section);
		section.sh_type = SHT_NOBITS;
		section.sh_offset = UINT64_C(1) << 44;
		memcpy(at, &section, sizeof(section));
		CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy, sizeof(copy), "sums"),
				KT_CUBIN_BAD);
	}
}

/* Replaces the value of all attributes that begin with `head`; returns how many. */
static unsigned patch(unsigned char *cubin, const char *name, const char *head, size_t n,
		      const char *by)
{
	Elf64_Shdr section;
	unsigned char *data;
	unsigned found = 0;

	(void)find_section(cubin, name, &section);
	data = cubin + section.sh_offset;
	for (size_t i = 0; i + n <= section.sh_size; i += 4) {
		if (memcmp(data + i, head, n) == 0) {
			memcpy(data + i, by, n);
			found++;
		}
	}
	return found;
}

/* Renames a section and, if `type` is not 0, makes it another one, which is for `target`.
 */
static void rename_section(unsigned char *cubin, const char *old, const char *name,
			   uint32_t type, uint32_t target)
{
	Elf64_Ehdr head;
	Elf64_Shdr names;
	Elf64_Shdr section;
	unsigned char *at = find_section(cubin, old, &section);

	memcpy(&head, cubin, sizeof(head));
	memcpy(&names, cubin + head.e_shoff + head.e_shstrndx * sizeof(names),
	       sizeof(names));
	CU_ASSERT_EQUAL_FATAL(strlen(old), strlen(name));
	memcpy(cubin + names.sh_offset + section.sh_name, name, strlen(name));
	if (type) {
		section.sh_type = type;
		section.sh_info = target;
		memcpy(at, &section, sizeof(section));
	}
}

/* Banks and relocations that the loader would have to fill in; those of debuggers not. */
static void test_unsupported(void)
{
	static const struct {
		const char *old;
		const char *name;
		uint32_t type; /* 0: as it was */
		const char *target;
		enum kt_cubin_status status;
	} rows[] = {
		{".nv.constant0.sums", ".nv.constant2.sums", 0, NULL, KT_CUBIN_UNSUPPORTED},
		{".nv.constant0.sums", ".nv.constant4.sums", 0, NULL, KT_CUBIN_UNSUPPORTED},
		{".nv.constant0.sums", ".nv.constant10.sum", 0, NULL, KT_CUBIN_UNSUPPORTED},
		{".nv.constant0.sums", ".nv.global.init.00", 0, NULL, KT_CUBIN_UNSUPPORTED},
		{".debug_frame", ".rela_frames", SHT_RELA, ".text.sums",
		 KT_CUBIN_UNSUPPORTED},
		{".debug_frame", ".rela_frames", SHT_REL, ".nv.constant0.sums",
		 KT_CUBIN_UNSUPPORTED},
		{".debug_frame", ".debug_rela1", SHT_RELA, ".debug_rela1", KT_CUBIN_OK},
	};
	struct kt_cubin_kernel kernel;
	_Alignas(8) unsigned char copy[sizeof(needs)];
	Elf64_Ehdr head;
	Elf64_Shdr section;

	memcpy(&head, needs, sizeof(head));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t target = 0;

		memcpy(copy, needs, sizeof(needs));
		if (rows[i].target) {
			rename_section(copy, rows[i].old, rows[i].name, 0, 0);
			target = (size_t)(find_section(copy, rows[i].target, &section) -
					  copy - head.e_shoff) /
				 sizeof(section);
			rename_section(copy, rows[i].name, rows[i].name, rows[i].type,
				       (uint32_t)target);
		} else {
			rename_section(copy, rows[i].old, rows[i].name, 0, 0);
		}
		CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy, sizeof(copy), "permute"),
				rows[i].status);
	}
}

/* The attributes that limit a kernel's blocks; others of the same length give way. */
static void test_limits(void)
{
	struct kt_cubin_kernel kernel;
	_Alignas(8) unsigned char copy[sizeof(needs)];

	CU_ASSERT_EQUAL(kt_cubin_find(&kernel, needs, sizeof(needs), "sums"), KT_CUBIN_OK);
	CU_ASSERT_EQUAL(kernel.needs.barriers, 1);
	CU_ASSERT_EQUAL(kernel.needs.most_threads, 0);
#define TRY(head, by, status)                                                              \
	do {                                                                               \
		memcpy(copy, needs, sizeof(needs));                                        \
		CU_ASSERT_TRUE(patch(copy, ".nv.info.sums", head, sizeof(head) - 1, by));  \
		CU_ASSERT_EQUAL(kt_cubin_find(&kernel, copy, sizeof(copy), "sums"),        \
				status);                                                   \
	} while (0)
	TRY("\2\x4c\1", "\2\x4c\20", KT_CUBIN_OK);
	CU_ASSERT_EQUAL(kernel.needs.barriers, 16);
	TRY("\2\x4c\1", "\2\x4c\21", KT_CUBIN_UNSUPPORTED);
	TRY("\2\x4c\1", "\2\x4c\377", KT_CUBIN_UNSUPPORTED);
	TRY("\2\x4c\1\0", "\1\x3e\0\0", KT_CUBIN_UNSUPPORTED);
	/* The parameter n: ordinal 2 at offset 16, 4 bytes. */
#define N                                                                                  \
	"\4\x17\x0c\0"                                                                     \
	"\0\0\0\0"                                                                         \
	"\2\0\x10\0"                                                                       \
	"\0\xf0\x11\0"
	TRY(N,
	    "\4\5\x0c\0"
	    "\x80\0\0\0"
	    "\2\0\0\0"
	    "\1\0\0\0",
	    KT_CUBIN_OK);
	CU_ASSERT_EQUAL(kernel.needs.most_threads, 256);
	TRY(N,
	    "\4\5\x0c\0"
	    "\0\0\1\0"
	    "\0\0\1\0"
	    "\1\0\0\0",
	    KT_CUBIN_OK);
	CU_ASSERT_EQUAL(kernel.needs.most_threads, UINT32_MAX);
	TRY(N,
	    "\4\x10\x0c\0"
	    "\x10\0\0\0"
	    "\4\0\0\0"
	    "\1\0\0\0",
	    KT_CUBIN_OK);
	CU_ASSERT_EQUAL(kernel.needs.block[0], 16);
	CU_ASSERT_EQUAL(kernel.needs.block[1], 4);
	CU_ASSERT_EQUAL(kernel.needs.block[2], 1);
	TRY(N,
	    "\4\x3d\x0c\0"
	    "\2\0\0\0"
	    "\1\0\0\0"
	    "\1\0\0\0",
	    KT_CUBIN_UNSUPPORTED);
#undef N
#undef TRY
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"built-in kernels", test_built_in},
		{"damaged files", test_damage},
		{"what is refused", test_refused},
		{"attributes without data", test_no_data},
		{"limits of blocks", test_limits},
		{"a file at an odd address", test_unaligned},
		{"functions that are not kernels", test_other_functions},
		{"what the loader would have to do", test_unsupported},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("softgpu-cubin", tests);
}
