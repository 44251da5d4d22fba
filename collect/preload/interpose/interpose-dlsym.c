/* SPDX-License-Identifier: MIT */
/*
 * dlsym, dlvsym and dlopen. The loader's result may depend on the caller, through
 * RTLD_NEXT, RTLD_DEFAULT, search paths and the namespace. Calls that do not concern
 * an API therefore jump to the next library's function, with the caller's return address;
 * other calls are handled here only if their result does not depend on the caller.
 *
 * Sanitizers call dlsym before instrumented code can run. The code that runs before
 * kt_dlsym_init() is therefore not instrumented, and calls no library function.
 */
#define _GNU_SOURCE
#include "collect/preload/interpose/process-instance.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collect/preload/api/api-calls.h"
#include "collect/preload/api/api-imports.h"
#include "collect/preload/api/api-libraries.h"
#include "collect/preload/api/api-table.h"
#include "collect/preload/api/elf-object.h"
#include "collect/preload/emit/lock.h"
#include "collect/preload/process/interpose.h"

/* The next library's functions; read by the assembly. */
struct next {
	void *(*find)(void *, const char *);                       /* dlsym */
	void *(*find_version)(void *, const char *, const char *); /* dlvsym */
	void *(*load)(const char *, int);                          /* dlopen */
};
__attribute__((used, visibility("hidden"))) struct next kt_dlsym_next;

/* Set while calls of the API are wrapped. */
__attribute__((used, visibility("hidden"))) uint32_t kt_dlsym_on;

/* Returned in registers: rax, rdx. */
struct answer {
	bool is_given; /* false: jump to the next library's function */
	void *pointer;
};

/* clang-format off */
/*
 * Parts of dlsym, dlvsym and dlopen: SAVE and RESTORE keep the function's three arguments,
 * and GO_ON jumps to the next library's function, which it finds at the first call.
 */
#define ENTER(name) \
	__asm__(".text\n" \
		".globl " #name "\n" \
		".type " #name ", @function\n" \
		#name ":\n" \
		"	.cfi_startproc\n" \
		"	endbr64\n"
#define SAVE \
		"	pushq %rdi\n" \
		"	.cfi_adjust_cfa_offset 8\n" \
		"	pushq %rsi\n" \
		"	.cfi_adjust_cfa_offset 8\n" \
		"	pushq %rdx\n" \
		"	.cfi_adjust_cfa_offset 8\n"
#define RESTORE \
		"	popq %rdx\n" \
		"	.cfi_adjust_cfa_offset -8\n" \
		"	popq %rsi\n" \
		"	.cfi_adjust_cfa_offset -8\n" \
		"	popq %rdi\n" \
		"	.cfi_adjust_cfa_offset -8\n"
#define GO_ON(name, offset) \
		"7:	cmpq $0, kt_dlsym_next+" #offset "(%rip)\n" \
		"	jne 8f\n" \
		SAVE \
		"	call kt_dlsym_find_next\n" \
		RESTORE \
		"8:	jmp *kt_dlsym_next+" #offset "(%rip)\n" \
		"	.cfi_endproc\n" \
		".size " #name ", .-" #name "\n")
#define ASK(function) \
		SAVE \
		"	call " #function "\n" \
		"	movq %rdx, %rcx\n" \
		RESTORE \
		"	testb %al, %al\n" \
		"	jz 7f\n" \
		"	movq %rcx, %rax\n" \
		"	ret\n"
/* Only names that begin with "cl", "cu", "eg", "gl" or "vk" are of interest. */
#define IF_NAMED \
		"	cmpl $0, kt_dlsym_on(%rip)\n" \
		"	je 7f\n" \
		"	testq %rsi, %rsi\n" \
		"	jz 7f\n" \
		"	cmpb $0, (%rsi)\n" \
		"	je 7f\n" \
		"	movzwl (%rsi), %eax\n" \
		"	cmpl $0x6c63, %eax\n" \
		"	je 9f\n" \
		"	cmpl $0x7563, %eax\n" \
		"	je 9f\n" \
		"	cmpl $0x6765, %eax\n" \
		"	je 9f\n" \
		"	cmpl $0x6c67, %eax\n" \
		"	je 9f\n" \
		"	cmpl $0x6b76, %eax\n" \
		"	jne 7f\n" \
		"9:\n"

ENTER(dlsym) IF_NAMED ASK(kt_dlsym_ask) GO_ON(dlsym, 0);
ENTER(dlvsym) IF_NAMED ASK(kt_dlvsym_ask) GO_ON(dlvsym, 8);
ENTER(dlopen)
		"	cmpl $0, kt_dlsym_on(%rip)\n"
		"	je 7f\n"
ASK(kt_dlopen_ask) GO_ON(dlopen, 16);
/* clang-format on */

static_assert(offsetof(struct next, find_version) == 8 && offsetof(struct next, load) == 16,
	      "see the assembly");

/* --- the next library's functions --- */

static bool is_named(const char *path, const char *file)
{
	const char *name = path;
	size_t i = 0;

	for (const char *c = path; *c; c++) {
		name = *c == '/' ? c + 1 : name;
	}
	while (file[i] && name[i] == file[i]) {
		i++;
	}
	return file[i] == name[i];
}

static void *nothing(void)
{
	return NULL;
}

/* Does not use memcpy, which a sanitizer may interpose. */
#define SET(member, value)                                                                 \
	do {                                                                               \
		union {                                                                    \
			void *pointer;                                                     \
			__typeof__(kt_dlsym_next.member) function;                         \
			void *(*nothing)(void);                                            \
		} as_ = {.pointer = (value)};                                              \
		if (!as_.pointer) {                                                        \
			as_.nothing = nothing;                                             \
		}                                                                          \
		__atomic_store_n(&kt_dlsym_next.member, as_.function, __ATOMIC_SEQ_CST);   \
	} while (0)

__attribute__((used)) void kt_dlsym_find_next(void);

void kt_dlsym_find_next(void)
{
	union {
		void *pointer;
		void *(*find)(void *, const char *);
	} libc = {.pointer = NULL};

	/* Finds the C library's own dlsym, even if other libraries interpose it. */
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		struct kt_elf_object object;
		const ElfW(Sym) *symbol = NULL;

		if ((is_named(map->l_name, "libc.so.6") ||
		     is_named(map->l_name, "libdl.so.2")) &&
		    kt_elf_object_read(&object, map->l_addr, map->l_ld)) {
			symbol = kt_elf_object_find(&object, "dlsym");
		}
		if (symbol) {
			libc.pointer = (void *)(object.base + symbol->st_value);
			break;
		}
	}
	if (!libc.pointer) {
		SET(find, NULL);
		SET(find_version, NULL);
		SET(load, NULL);
		return;
	}
	/*
	 * The caller is this library, so RTLD_NEXT finds the first definition after this
	 * library's.
	 */
	SET(load, libc.find(RTLD_NEXT, "dlopen"));
	SET(find_version, libc.find(RTLD_NEXT, "dlvsym"));
	SET(find, libc.find(RTLD_NEXT, "dlsym"));
}

/* --- lookup by name --- */

/* Notes that the API function of this name, if there is one, bypasses the recorder. */
static void note_past(const char *name, const char *how)
{
	bool of_api;

	kt_api_imports_definers(name, &of_api);
	if (of_api) {
		kt_api_note_past(kt_api_of_name(name), name, how);
	}
}

static struct answer ask(void *handle, const char *name, const char *version)
{
	bool of_api;
	void *found;
	int saved;

	if (!kt_api_of_name(name)) {
		return (struct answer){false, NULL};
	}
	kt_api_imports_scan();
	if (handle == RTLD_NEXT) {
		note_past(name, "dlsym(RTLD_NEXT)");
		return (struct answer){false, NULL};
	}
	/*
	 * With RTLD_DEFAULT, the search order depends on the caller. The order does not
	 * matter if a library of the API has the only definition of the name: if this
	 * library finds the definition, every caller would.
	 */
	if (handle == RTLD_DEFAULT &&
	    !(kt_api_imports_definers(name, &of_api) == 1 && of_api)) {
		note_past(name, "dlsym(RTLD_DEFAULT)");
		return (struct answer){false, NULL};
	}
	found = version ? kt_dlsym_next.find_version(handle, name, version)
			: kt_dlsym_next.find(handle, name);
	saved = errno;
	if (found) {
		found = (void *)kt_api_wrap((uintptr_t)found, name, "dlsym");
	}
	errno = saved;
	/*
	 * With RTLD_DEFAULT, the caller may find a name that this library does not find, so
	 * the call then goes to the next library's function.
	 */
	return (struct answer){found || handle != RTLD_DEFAULT, found};
}

__attribute__((used)) struct answer kt_dlsym_ask(void *handle, const char *name);
__attribute__((used)) struct answer kt_dlvsym_ask(void *handle, const char *name,
						  const char *version);
__attribute__((used)) struct answer kt_dlopen_ask(const char *path, int mode);

struct answer kt_dlsym_ask(void *handle, const char *name)
{
	return ask(handle, name, NULL);
}

struct answer kt_dlvsym_ask(void *handle, const char *name, const char *version)
{
	return version ? ask(handle, name, version) : (struct answer){false, NULL};
}

/* --- loading of libraries --- */

struct answer kt_dlopen_ask(const char *path, int mode)
{
	void *handle;

	kt_api_imports_scan();
	/*
	 * The result may depend on the caller if `path` has no slash, if it has a token
	 * such as $ORIGIN for the caller's folder, or if a library has DT_RPATH, which also
	 * applies to the libraries that it loads. In any such case, the next library's
	 * dlopen is called, and the next scan finds what it has loaded. Otherwise, loads
	 * the library here and scans it before the program can use it.
	 */
	if (!path || !strchr(path, '/') || strchr(path, '$') ||
	    kt_api_imports_any_rpath()) {
		return (struct answer){false, NULL};
	}
	handle = kt_dlsym_next.load(path, mode);
	kt_api_imports_scan();
	return (struct answer){true, handle};
}

void kt_dlsym_scan(void)
{
	if (__atomic_load_n(&kt_dlsym_on, __ATOMIC_RELAXED)) {
		kt_api_imports_scan();
	}
}

void kt_dlsym_init(void)
{
	if (kt_api_mode != KT_API_WRAP) {
		return;
	}
	kt_dlsym_find_next();
	kt_api_imports_scan();
	__atomic_store_n(&kt_dlsym_on, 1, __ATOMIC_SEQ_CST);
}

/*
 * --- dladdr and dladdr1: for the address of a stub, they report the name and library of
 * the wrapped function. Their results do not depend on the caller. ---
 */

static struct {
	int (*find)(const void *, Dl_info *);
	int (*find_more)(const void *, Dl_info *, void **, int);
} dladdr_next;

__attribute__((constructor)) static void find_dladdr(void)
{
	void *more = dlsym(RTLD_NEXT, "dladdr1");
	void *symbol = dlsym(RTLD_NEXT, "dladdr");

	memcpy(&dladdr_next.find_more, &more, sizeof(more));
	memcpy(&dladdr_next.find, &symbol,
	       sizeof(symbol)); /* set last: if it is not NULL, both are set */
}

/*
 * If `asked` is a stub, replaces the wrapped function's address in dli_saddr by the stub's.
 */
static void name_as_asked(Dl_info *info, const void *asked, uintptr_t function)
{
	if ((uintptr_t)asked != function && (uintptr_t)info->dli_saddr == function) {
		info->dli_saddr = (void *)(uintptr_t)asked;
	}
}

KT_INTERPOSE int(dladdr)(const void *address, Dl_info *info)
{
	uintptr_t function = kt_api_function_of((uintptr_t)address);
	int found;

	if (!dladdr_next.find) {
		find_dladdr();
	}
	found = dladdr_next.find ? dladdr_next.find((void *)function, info) : 0;
	if (found) {
		name_as_asked(info, address, function);
	}
	return found;
}

KT_INTERPOSE int dladdr1(const void *address, Dl_info *info, void **more, int flags)
{
	uintptr_t function = kt_api_function_of((uintptr_t)address);
	int found;

	if (!dladdr_next.find_more) {
		find_dladdr();
	}
	found = dladdr_next.find_more
			? dladdr_next.find_more((void *)function, info, more, flags)
			: 0;
	if (found) {
		name_as_asked(info, address, function);
	}
	return found;
}
