/* SPDX-License-Identifier: MIT */
/*
 * Reads symbols and relocations of a loaded object from its dynamic section in memory
 * (System V gABI, chapter 5, and its x86-64 supplement; the GNU hash table as binutils
 * writes it). These functions call no other library, because they run before all other
 * code, even before a sanitizer is initialised. The object must stay loaded while its
 * struct is in use.
 */
#ifndef KTAIL_COLLECT_ELF_OBJECT_H
#define KTAIL_COLLECT_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pointers into the object, not owned; NULL for a table that the object does not have. */
struct kt_elf_object {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash;
	const uint32_t *hash;
	const ElfW(Rela) * relocations;
	size_t n_relocations;
	const ElfW(Rela) * jumps; /* relocations of the procedure linkage table */
	size_t n_jumps;
	const char *soname;
	bool has_rpath; /* has DT_RPATH, which also applies to indirect dependencies */
};

/*
 * Reads the object with the dynamic section at `dynamic`, which may be NULL. Returns false
 * if the object has no symbols.
 */
bool kt_elf_object_read(struct kt_elf_object *out, uintptr_t base,
			const ElfW(Dyn) * dynamic);

/*
 * Returns the number of symbols in the object's table, including undefined symbols. Linear.
 */
size_t kt_elf_object_count(const struct kt_elf_object *object);

/*
 * Returns the object's definition of the function or variable `name`, or NULL. Ignores
 * symbol versions.
 */
const ElfW(Sym) * kt_elf_object_find(const struct kt_elf_object *object, const char *name);

/* Returns whether the symbol is a function that the object defines for other objects. */
bool kt_elf_symbol_is_function(const ElfW(Sym) * symbol);

/* Returns the flags PF_* of the segment that contains the address, 0 if none does. */
uint32_t kt_elf_flags_at(uintptr_t base, const ElfW(Phdr) * headers, size_t n,
			 uintptr_t address);

#endif
