/* SPDX-License-Identifier: MIT */
/*
 * What a loaded object says of itself: symbols and relocations, from its dynamic section as
 * the loader has left it in memory (System V gABI, chapter 5, and its x86-64 supplement;
 * the GNU hash table as binutils writes it). Only reads, calls nothing: it runs before
 * anything else does, in a sanitizer's start too. The object must stay loaded meanwhile.
 */
#ifndef KTAIL_COLLECT_ELF_OBJECT_H
#define KTAIL_COLLECT_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All pointers are weak: they point into the object. NULL: it has none. */
struct kt_elf_object {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash;
	const uint32_t *hash;
	const ElfW(Rela) * relocations;
	size_t n_relocations;
	const ElfW(Rela) * jumps; /* of its procedure linkage table */
	size_t n_jumps;
	const char *soname;
	bool has_rpath; /* DT_RPATH, which its libraries' libraries are looked for in too */
};

/* `dynamic` is where its dynamic section lies. false: there are no symbols in it. */
bool kt_elf_object_read(struct kt_elf_object *out, uintptr_t base,
			const ElfW(Dyn) * dynamic);

/* Symbols in its table, undefined ones included. Linear. */
size_t kt_elf_object_count(const struct kt_elf_object *object);

/* The function or variable of that name that it defines, or NULL. Versions do not count. */
const ElfW(Sym) * kt_elf_object_find(const struct kt_elf_object *object, const char *name);

/* Whether that symbol is a function which others can call. */
bool kt_elf_symbol_is_function(const ElfW(Sym) * symbol);

/* PF_* of the segment that holds the address, 0 if none does. */
uint32_t kt_elf_flags_at(uintptr_t base, const ElfW(Phdr) * headers, size_t n,
			 uintptr_t address);

#endif
