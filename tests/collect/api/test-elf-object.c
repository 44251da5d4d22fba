/* SPDX-License-Identifier: MIT */
/*
 * Compares the symbols parsed from loaded objects with the loader's own answers, for this
 * program and all its libraries.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "collect/preload/api/elf-object.h"
#include "tests/suite.h"

static size_t checked;

static bool is_global(const ElfW(Sym) * symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

/* Looks up each symbol by its name. The symbol found may be another version of it. */
static void find_each(const struct kt_elf_object *object, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];
		const char *name = object->strings + symbol->st_name;
		const ElfW(Sym) * found;

		if (!is_global(symbol) || !*name) {
			continue;
		}
		found = kt_elf_object_find(object, name);
		CU_ASSERT_PTR_NOT_NULL_FATAL(found);
		CU_ASSERT_STRING_EQUAL(object->strings + found->st_name, name);
		checked++;
	}
}

/* The function that the loader finds for each name must be in the symbol table. */
static void compare_with_loader(const struct kt_elf_object *object, size_t n,
				const struct link_map *map)
{
	void *handle = strchr(map->l_name, '/')
			       ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD)
			       : NULL;

	for (size_t i = 0; handle && i < n; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];
		const char *name = object->strings + symbol->st_name;
		Dl_info info;
		struct link_map *of = NULL;
		void *given;

		if (!kt_elf_symbol_is_function(symbol)) {
			continue;
		}
		given = dlsym(handle, name);
		if (given && dladdr1(given, &info, (void **)&of, RTLD_DL_LINKMAP) &&
		    of == map) {
			const ElfW(Sym) *found = kt_elf_object_find(object, name);

			CU_ASSERT_PTR_NOT_NULL_FATAL(found);
			CU_ASSERT_NOT_EQUAL(found->st_value, 0);
		}
	}
	if (handle) {
		dlclose(handle);
	}
}

/* Finds the symbols again without the GNU hash table. */
static void find_without_gnu_hash(const struct kt_elf_object *object, size_t n)
{
	struct kt_elf_object plain = *object;
	uint32_t counts[2] = {0, (uint32_t)n};

	plain.gnu_hash = NULL;
	plain.hash = counts;
	CU_ASSERT_EQUAL(kt_elf_object_count(&plain), n);
	for (size_t i = 0; i < n; i += n / 10 + 1) {
		const ElfW(Sym) *symbol = &object->symbols[i];

		if (is_global(symbol)) {
			CU_ASSERT_PTR_NOT_NULL(kt_elf_object_find(
				&plain, object->strings + symbol->st_name));
		}
	}
	plain.hash = NULL;
	CU_ASSERT_EQUAL(kt_elf_object_count(&plain), 0);
	CU_ASSERT_PTR_NULL(kt_elf_object_find(&plain, "malloc"));
}

static void finds_all_symbols(void)
{
	for (struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		struct kt_elf_object object;
		size_t n;

		if (!kt_elf_object_read(&object, map->l_addr, map->l_ld)) {
			continue;
		}
		n = kt_elf_object_count(&object);
		find_each(&object, n);
		compare_with_loader(&object, n, map);
		find_without_gnu_hash(&object, n);
		CU_ASSERT_PTR_NULL(
			kt_elf_object_find(&object, "no_such_function_anywhere"));
		CU_ASSERT_PTR_NULL(kt_elf_object_find(&object, ""));
	}
	CU_ASSERT(checked > 1000);
}

static const struct link_map *map_of(const char *file)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (strstr(map->l_name, file)) {
			return map;
		}
	}
	return NULL;
}

static void recognises_libc(void)
{
	const struct link_map *map = map_of("/libc.so.6");
	struct kt_elf_object object;
	const ElfW(Sym) * symbol;

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	CU_ASSERT_TRUE_FATAL(kt_elf_object_read(&object, map->l_addr, map->l_ld));
	CU_ASSERT_STRING_EQUAL(object.soname, "libc.so.6");
	CU_ASSERT_FALSE(object.has_rpath);
	symbol = kt_elf_object_find(&object, "getpid");
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbol);
	CU_ASSERT_TRUE(kt_elf_symbol_is_function(symbol));
	CU_ASSERT_EQUAL(object.base + symbol->st_value,
			(uintptr_t)dlsym(RTLD_DEFAULT, "getpid"));
	symbol = kt_elf_object_find(&object, "environ");
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbol);
	CU_ASSERT_FALSE(kt_elf_symbol_is_function(symbol));
	CU_ASSERT(object.n_relocations > 0);
}

static void nothing_is_nothing(void)
{
	static const ElfW(Dyn) empty[] = {{.d_tag = DT_NULL}};
	struct kt_elf_object object;

	CU_ASSERT_FALSE(kt_elf_object_read(&object, 0, NULL));
	CU_ASSERT_FALSE(kt_elf_object_read(&object, 0x1000, empty));
	CU_ASSERT_EQUAL(object.n_jumps, 0);
	CU_ASSERT_EQUAL(kt_elf_object_count(&object), 0);
}

static void segments_have_flags(void)
{
	static const ElfW(Phdr) headers[] = {
		{.p_type = PT_NOTE, .p_vaddr = 0, .p_memsz = 0x9000, .p_flags = PF_W},
		{.p_type = PT_LOAD, .p_vaddr = 0, .p_memsz = 0x1000, .p_flags = PF_R},
		{.p_type = PT_LOAD,
		 .p_vaddr = 0x1000,
		 .p_memsz = 0x800,
		 .p_flags = PF_R | PF_X},
		{.p_type = PT_LOAD,
		 .p_vaddr = 0x2000,
		 .p_memsz = 0x10,
		 .p_flags = PF_R | PF_W},
	};

	CU_ASSERT_EQUAL(kt_elf_flags_at(0x10000, headers, 4, 0x10000), PF_R);
	CU_ASSERT_EQUAL(kt_elf_flags_at(0x10000, headers, 4, 0x117ff), PF_R | PF_X);
	CU_ASSERT_EQUAL(kt_elf_flags_at(0x10000, headers, 4, 0x11800), 0);
	CU_ASSERT_EQUAL(kt_elf_flags_at(0x10000, headers, 4, 0x1200f), PF_R | PF_W);
	CU_ASSERT_EQUAL(kt_elf_flags_at(0x10000, headers, 4, 0x12010), 0);
	CU_ASSERT_EQUAL(kt_elf_flags_at(0x10000, headers, 4, 0xffff), 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds all symbols", finds_all_symbols},
		{"recognises libc", recognises_libc},
		{"nothing is nothing", nothing_is_nothing},
		{"segments have flags", segments_have_flags},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("elf objects", tests);
}
