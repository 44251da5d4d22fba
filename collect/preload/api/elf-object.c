/* SPDX-License-Identifier: MIT */
#include "collect/preload/api/elf-object.h"

bool kt_elf_object_read(struct kt_elf_object *out, uintptr_t base,
			const ElfW(Dyn) * dynamic)
{
	const ElfW(Dyn) *soname = NULL;

	*out = (struct kt_elf_object){.base = base};
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		/*
		 * In the file the values are offsets from the base; the loader turns them
		 * into addresses in most objects, but not in all.
		 */
		const uintptr_t value = dynamic->d_un.d_ptr;
		const void *at = (const void *)(value >= base ? value : base + value);

		switch (dynamic->d_tag) {
		case DT_SYMTAB: out->symbols = at; break;
		case DT_STRTAB: out->strings = at; break;
		case DT_GNU_HASH: out->gnu_hash = at; break;
		case DT_HASH: out->hash = at; break;
		case DT_RELA: out->relocations = at; break;
		case DT_RELASZ:
			out->n_relocations =
				dynamic->d_un.d_val / sizeof(*out->relocations);
			break;
		case DT_JMPREL: out->jumps = at; break;
		case DT_PLTRELSZ:
			out->n_jumps = dynamic->d_un.d_val / sizeof(*out->jumps);
			break;
		case DT_RPATH: out->has_rpath = true; break;
		default: break;
		}
		soname = dynamic->d_tag == DT_SONAME ? dynamic : soname;
	}
	out->n_relocations = out->relocations ? out->n_relocations : 0;
	out->n_jumps = out->jumps ? out->n_jumps : 0;
	if (soname && out->strings) {
		out->soname = out->strings + soname->d_un.d_val;
	}
	return out->symbols && out->strings;
}

/* --- the GNU hash table: buckets of adjacent symbols --- */

struct buckets {
	uint32_t n;
	uint32_t first; /* index of the first symbol in the table */
	const uint32_t *buckets;
	const uint32_t *chain; /* [i]: hash of symbol first + i; bit 0: bucket ends */
};

static struct buckets buckets_of(const uint32_t *table)
{
	/*
	 * The buckets follow a header of 4 dwords and a Bloom filter of table[2] elements
	 * of 8 bytes.
	 */
	const uint32_t *buckets = table + 4 + 2 * (size_t)table[2];

	return (struct buckets){.n = table[0],
				.first = table[1],
				.buckets = buckets,
				.chain = buckets + table[0]};
}

size_t kt_elf_object_count(const struct kt_elf_object *object)
{
	struct buckets b;
	uint32_t last = 0;

	if (!object->gnu_hash) {
		return object->hash ? object->hash[1] : 0;
	}
	b = buckets_of(object->gnu_hash);
	for (uint32_t i = 0; i < b.n; i++) {
		last = b.buckets[i] > last ? b.buckets[i] : last;
	}
	if (last < b.first) {
		return b.first;
	}
	while (!(b.chain[last - b.first] & 1)) {
		last++;
	}
	return (size_t)last + 1;
}

/* --- by name --- */

static const ElfW(Sym) *
	match(const struct kt_elf_object *object, size_t i, const char *name)
{
	const ElfW(Sym) *symbol = &object->symbols[i];
	const char *own = object->strings + symbol->st_name;

	if (symbol->st_shndx == SHN_UNDEF) {
		return NULL;
	}
	while (*own && *own == *name) {
		own++;
		name++;
	}
	return *own == *name ? symbol : NULL;
}

const ElfW(Sym) * kt_elf_object_find(const struct kt_elf_object *object, const char *name)
{
	const ElfW(Sym) *found = NULL;
	uint32_t hash = 5381;
	struct buckets b;
	uint32_t entry;
	uint32_t i;
	size_t n;

	if (!object->gnu_hash) {
		n = kt_elf_object_count(object);
		for (size_t k = 0; k < n && !found; k++) {
			found = match(object, k, name);
		}
		return found;
	}
	b = buckets_of(object->gnu_hash);
	for (const char *c = name; *c; c++) {
		hash = hash * 33 + (unsigned char)*c;
	}
	i = b.n ? b.buckets[hash % b.n] : 0;
	if (i < b.first) {
		return NULL;
	}
	do {
		entry = b.chain[i - b.first];
		found = (entry | 1) == (hash | 1) ? match(object, i, name) : NULL;
		i++;
	} while (!found && !(entry & 1));
	return found;
}

bool kt_elf_symbol_is_function(const ElfW(Sym) * symbol)
{
	return symbol->st_shndx != SHN_UNDEF &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
}

uint32_t kt_elf_flags_at(uintptr_t base, const ElfW(Phdr) * headers, size_t n,
			 uintptr_t address)
{
	for (size_t i = 0; i < n; i++) {
		if (headers[i].p_type == PT_LOAD &&
		    address - base - headers[i].p_vaddr < headers[i].p_memsz) {
			return headers[i].p_flags;
		}
	}
	return 0;
}
