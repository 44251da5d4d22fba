/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/api/api-imports.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "collect/preload/api/api-libraries.h"
#include "collect/preload/api/api-table.h"
#include "collect/preload/api/elf-object.h"
#include "collect/preload/emit/loader-locks.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/process/memory.h"
#include "collect/preload/signals/signal-mask.h"

enum { PATIENCE = 1000, PATIENCE_OF_FORKS = 100000 }; /* limits of sched_yield() calls */

/* An object whose imports have been wrapped. */
struct done {
	uintptr_t base;
	const ElfW(Dyn) * dynamic;
	bool seen; /* the scan in progress has found the object */
};

/* Id of the thread that scans and may hold the loader's list lock; 0: none. */
static _Atomic uint32_t worker;
/*
 * Number of threads that want to fork and wait for the worker. New scans wait for these
 * threads, because repeated scans could otherwise delay a fork without end.
 */
static _Atomic unsigned forks;
static struct done *objects;
static size_t n_objects;
static size_t objects_capacity;

static _Atomic uint64_t looked_at; /* the loader's change count at the last scan */
static _Atomic bool any_rpath;

/* --- one scan at a time --- */

/*
 * Returns false if this thread is scanning already, or if another thread scans for too
 * long.
 */
static bool begin_work(int patience, bool forks_first)
{
	uint32_t self = kt_tid();

	for (int i = 0; i < patience; i++) {
		uint32_t seen = 0;

		if (atomic_load(&worker) == self) {
			return false;
		}
		if (!(forks_first && atomic_load(&forks) > 0) &&
		    atomic_compare_exchange_strong(&worker, &seen, self)) {
			return true;
		}
		sched_yield();
	}
	return false;
}

static void end_work(bool begun)
{
	if (begun) {
		atomic_store(&worker, 0);
	}
}

/*
 * Exclusive right to walk the loader's list, which is locked during the walk. Signals stay
 * blocked, because a handler of the application may jump out of the code that it has
 * interrupted.
 */
struct turn {
	bool begun;
	struct kt_signals_saved before;
};

static struct turn begin_turn(void)
{
	struct turn turn = {.begun = false};

	kt_signals_block(&turn.before);
	turn.begun = begin_work(PATIENCE, true);
	return turn;
}

static void end_turn(const struct turn *turn)
{
	end_work(turn->begun);
	kt_signals_restore(&turn->before);
}

bool kt_api_imports_before_fork(void)
{
	bool begun;

	atomic_fetch_add(&forks, 1);
	begun = begin_work(PATIENCE_OF_FORKS, false);
	atomic_fetch_sub(&forks, 1);
	return begun;
}

void kt_api_imports_in_parent(bool begun)
{
	end_work(begun);
}

void kt_api_imports_in_child(void)
{
	atomic_store(&worker, kt_tid());
	atomic_store(&forks, 0); /* the threads that it counts exist only in the parent */
}

void kt_api_imports_after_fork(void)
{
	atomic_store(&worker, 0);
}

/* --- one object --- */

struct view {
	const struct dl_phdr_info *info;
	const ElfW(Dyn) * dynamic;
	struct kt_elf_object object;
	uintptr_t closed; /* [closed, open): read-only after relocation */
	uintptr_t open;
	bool unfinished; /* some imports seem not to be relocated yet */
};

static bool view_of(struct view *out, const struct dl_phdr_info *info)
{
	*out = (struct view){.info = info};
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_DYNAMIC) {
			out->dynamic = (const ElfW(Dyn) *)at;
		} else if (header->p_type == PT_GNU_RELRO) {
			out->closed = kt_page_of(at);
			out->open = kt_page_of(at + header->p_memsz);
		}
	}
	return kt_elf_object_read(&out->object, info->dlpi_addr, out->dynamic);
}

static const char *kind_of(const struct view *view)
{
	const char *kind = kt_api_library_kind(view->info->dlpi_name);

	return kind ? kind : kt_api_library_kind(view->object.soname);
}

static uint32_t flags_at(const struct view *view, uintptr_t address)
{
	return kt_elf_flags_at(view->info->dlpi_addr, view->info->dlpi_phdr,
			       view->info->dlpi_phnum, address);
}

/*
 * --- definitions of a name; these functions run within dl_iterate_phdr(), which keeps the
 * loader's list unchanged ---
 */

/*
 * Returns the address of the function `name` in the last library of the API that defines
 * it, or 0. Sets *definers to the number of objects, of any kind, that define the name.
 */
static uintptr_t find_definition(const char *name, unsigned *definers)
{
	uintptr_t found = 0;

	*definers = 0;
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		struct kt_elf_object object;
		const ElfW(Sym) * symbol;

		if (!kt_elf_object_read(&object, map->l_addr, map->l_ld)) {
			continue;
		}
		symbol = kt_elf_object_find(&object, name);
		*definers += symbol != NULL;
		if (symbol && kt_elf_symbol_is_function(symbol) &&
		    (kt_api_library_kind(map->l_name) ||
		     kt_api_library_kind(object.soname))) {
			found = object.base + symbol->st_value;
		}
	}
	return found;
}

struct question {
	const char *name;
	unsigned definers;
	bool of_api;
};

static int answer(struct dl_phdr_info *info, size_t size, void *context)
{
	struct question *question = context;

	(void)info;
	(void)size;
	question->of_api = find_definition(question->name, &question->definers) != 0;
	return 1;
}

unsigned kt_api_imports_definers(const char *name, bool *of_api)
{
	struct question question = {.name = name};
	struct turn turn = begin_turn();

	/*
	 * Does not lock the loader's list during a fork, because the forked child would
	 * find the lock taken.
	 */
	if (turn.begun) {
		dl_iterate_phdr(answer, &question);
	}
	end_turn(&turn);
	*of_api = question.of_api;
	return question.definers;
}

/* --- one import --- */

/*
 * Overwrites the value that the loader has put into the slot, which may be in a page that
 * the loader makes read-only after relocation.
 */
static bool put(const struct view *view, uintptr_t slot, uintptr_t value)
{
	uintptr_t page = kt_page_of(slot);

	return kt_memory_put_pointer(slot, value,
				     page >= view->closed && page < view->open);
}

/*
 * Returns the API function to which the slot's value leads, or 0 if there is none. If the
 * slot is still unresolved (lazy binding), returns the API function `name`, provided that
 * only one object defines the name. If several objects define it, notes the function as
 * bypassed and returns 0.
 */
static uintptr_t function_of(struct view *view, uint64_t type, uintptr_t value,
			     const char *name)
{
	unsigned definers;
	uintptr_t function;

	if (kt_api_library_of(value)) {
		return value;
	}
	if (value == 0 || value < view->info->dlpi_addr) {
		view->unfinished = true;
		return 0;
	}
	if (type != R_X86_64_JUMP_SLOT || !(flags_at(view, value) & PF_X)) {
		return 0;
	}
	function = find_definition(name, &definers);
	if (function && definers != 1) {
		kt_api_note_past(kt_api_of_name(name), name, "import");
	}
	return definers == 1 ? function : 0;
}

static void read_table(struct view *view, const ElfW(Rela) * table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t type = ELF64_R_TYPE(table[i].r_info);
		const ElfW(Sym) * symbol;
		const char *name;
		uintptr_t *slot;
		uintptr_t function;
		uintptr_t wrapped;

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
		    type != R_X86_64_64) {
			continue;
		}
		symbol = &view->object.symbols[ELF64_R_SYM(table[i].r_info)];
		name = view->object.strings + symbol->st_name;
		slot = (uintptr_t *)(view->info->dlpi_addr + table[i].r_offset);
		if (symbol->st_shndx != SHN_UNDEF || !kt_api_of_name(name) ||
		    (uintptr_t)slot % sizeof(*slot) ||
		    !(flags_at(view, (uintptr_t)slot) & PF_W)) {
			continue;
		}
		function = function_of(view, type, __atomic_load_n(slot, __ATOMIC_SEQ_CST),
				       name);
		wrapped = function ? kt_api_wrap(function, name, "import") : 0;
		if (wrapped != function && !put(view, (uintptr_t)slot, wrapped)) {
			kt_api_note_past(kt_api_of_name(name), name, "import");
		}
	}
}

/* --- all objects --- */

static uint64_t changes_of(const struct dl_phdr_info *info)
{
	return (uint64_t)info->dlpi_adds + (uint64_t)info->dlpi_subs;
}

struct scan {
	size_t n;
	uint64_t changes;
	uint64_t subs;
	bool is_new; /* a new library of the API */
	bool has_rpath;
};

/* First pass: finds the API's libraries. The first object is the program. */
static int find_libraries(struct dl_phdr_info *info, size_t size, void *context)
{
	struct scan *scan = context;
	bool is_program = scan->n++ == 0;
	struct view view;
	const char *kind;
	struct kt_api_library library;
	bool locked;
	size_t n = 0;

	(void)size;
	scan->changes = changes_of(info);
	scan->subs = info->dlpi_subs;
	if (!view_of(&view, info)) {
		return 0;
	}
	scan->has_rpath = scan->has_rpath || (view.object.has_rpath && !is_program);
	kind = kind_of(&view);
	if (!kind) {
		return 0;
	}
	library = (struct kt_api_library){.api = kind, .object = view.object};
	for (size_t i = 0; i < view.info->dlpi_phnum && n < KT_API_CODE; i++) {
		const ElfW(Phdr) *header = &view.info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
			library.code[n].begin = view.object.base + header->p_vaddr;
			library.code[n].end = library.code[n].begin + header->p_memsz;
			n++;
		}
	}
	locked = kt_lock();
	scan->is_new = kt_api_library_add(&library) || scan->is_new;
	kt_unlock(locked);
	return 0;
}

/* Second pass: wraps the imports of all other objects. */
static int find_imports(struct dl_phdr_info *info, size_t size, void *context)
{
	struct view view;
	bool locked;

	(void)size;
	(void)context;
	if (!view_of(&view, info) || kind_of(&view)) {
		return 0;
	}
	for (size_t i = 0; i < n_objects; i++) {
		if (objects[i].base == info->dlpi_addr &&
		    objects[i].dynamic == view.dynamic) {
			objects[i].seen = true;
			return 0; /* done already */
		}
	}
	locked = kt_lock();
	read_table(&view, view.object.jumps, view.object.n_jumps);
	read_table(&view, view.object.relocations, view.object.n_relocations);
	kt_unlock(locked);
	if (!view.unfinished && kt_table_reserve((void **)&objects, &objects_capacity,
						 n_objects + 1, sizeof(*objects))) {
		objects[n_objects++] = (struct done){info->dlpi_addr, view.dynamic, true};
	}
	return 0;
}

void kt_api_imports_scan(void)
{
	static uint64_t last_subs;
	int saved = errno;
	struct turn turn = begin_turn();
	uint64_t changes = 0;
	struct scan scan = {0};
	size_t kept = 0;
	bool locked;

	if (turn.begun) {
		changes = kt_loader_changes();
	}
	if (!turn.begun || changes == atomic_load(&looked_at)) {
		goto end;
	}
	locked = kt_lock();
	kt_api_libraries_begin();
	kt_unlock(locked);
	dl_iterate_phdr(find_libraries, &scan);
	locked = kt_lock();
	kt_api_libraries_end();
	if (scan.subs != last_subs) {
		kt_api_forget_unloaded();
	}
	kt_unlock(locked);
	if (scan.is_new) {
		n_objects = 0;
	}
	last_subs = scan.subs;
	atomic_store(&any_rpath, scan.has_rpath);
	if (kt_api_libraries() > 0) {
		dl_iterate_phdr(find_imports, NULL);
		/*
		 * Forgets unloaded objects, because other objects may be loaded at their
		 * addresses. The recorder scans before each dlopen(), so an unloaded object
		 * is forgotten before its address is reused.
		 */
		for (size_t i = 0; i < n_objects; i++) {
			if (objects[i].seen) {
				objects[kept] = objects[i];
				objects[kept++].seen = false;
			}
		}
		n_objects = kept;
	}
	atomic_store(&looked_at, scan.changes);
end:
	end_turn(&turn);
	errno = saved;
}

bool kt_api_imports_any_rpath(void)
{
	return atomic_load(&any_rpath);
}
