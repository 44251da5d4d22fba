/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/access/patch.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/emit/lock.h"
#include "collect/preload/instructions/emulate.h"
#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/patch-sites.h"
#include "collect/preload/instructions/trampoline.h"
#include "collect/preload/mappings/continuing.h"
#include "collect/preload/process/counters.h"
#include "collect/preload/process/memory.h"

/* Executable ranges of the code that the recorder itself runs: this library and libc. */
static struct {
	uintptr_t lo;
	uintptr_t hi;
} own_code[8];
static unsigned n_ours;

/* --- code that is never patched --- */

static bool holds(const struct dl_phdr_info *info, const void *address)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t lo = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (uintptr_t)address - lo < p->p_memsz) {
			return true;
		}
	}
	return false;
}

static int note_ours(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	if (!holds(info, &n_ours) && !holds(info, context)) {
		return 0;
	}
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    n_ours < sizeof(own_code) / sizeof(own_code[0])) {
			own_code[n_ours].lo = info->dlpi_addr + p->p_vaddr;
			own_code[n_ours++].hi = info->dlpi_addr + p->p_vaddr + p->p_memsz;
		}
	}
	return 0;
}

bool kt_patch_is_own_code(uintptr_t address)
{
	for (unsigned i = 0; i < n_ours; i++) {
		if (address >= own_code[i].lo && address < own_code[i].hi) {
			return true;
		}
	}
	return false;
}

void kt_patch_init(void)
{
	void *in_libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");

	kt_trampoline_init();
	kt_patch_entry_init();
	dl_iterate_phdr(note_ours, in_libc);
	if (!in_libc) {
		kt_patch_finished = true;
		kt_count(&kt_counters->setup_failures);
	}
}

/* --- patching --- */

static const char refused_by_kernel[] = "the kernel refuses changes to its code";

/* Returns why the instruction at code[0..n) cannot be made by the recorder, or NULL. */
static const char *decode(struct kt_instruction *in, const uint8_t *code, size_t n)
{
	if (!kt_instruction_decode(in, code, n) || in->segment ||
	    (in->form != KT_FORM_GENERAL && !kt_emulate_is_whole_vector(in))) {
		return "it is not a plain load or store";
	}
	if (in->form == KT_FORM_GENERAL && in->action != KT_STORE &&
	    in->part.number == KT_RSP) {
		return "it changes the stack pointer";
	}
	return NULL;
}

static const char *prepare(struct kt_patch_site *s, uint32_t number, const uint8_t *code,
			   size_t n, bool keeps_next)
{
	const struct kt_trampoline_links links = {
		.number = number,
		.handler = (uintptr_t)kt_patch_entry,
		.site = &s->run,
		.keeps_next = keeps_next,
	};
	const char *why = decode(&s->patch.instruction, code, n);

	if (why) {
		return why;
	}
	s->run.check = kt_continue_check_of(&s->patch.instruction);
	if (!kt_memory_is_private_code(s->patch.site, KT_JUMP_BYTES)) {
		return "its code is writable, or shared with other processes";
	}
	if (!kt_patch_entry_works() || !kt_patch_may_sync_cores()) {
		return "this processor or kernel has no xsave or membarrier";
	}
	why = kt_trampoline_make(&s->trampoline, s->patch.site, code, n, &links);
	if (why) {
		return why;
	}
	s->patch.after_access = s->trampoline.after_access;
	s->patch.again = s->trampoline.again;
	memcpy(s->before, code,
	       s->trampoline.replaced > KT_JUMP_BYTES ? s->trampoline.replaced
						      : KT_JUMP_BYTES);
	return NULL;
}

/*
 * Counts a refusal. For submissions, keeps the reason and the code bytes of the first, for a
 * warning: the user asked for patched doorbells, and does not get them at this site.
 */
static void count_refused(enum kt_patch_for purpose, const char *why, const uint8_t *code,
			  size_t n)
{
	size_t at = 0;

	if (purpose == KT_PATCH_FOR_ACCESSES) {
		kt_count(&kt_counters->access_patches_refused);
		return;
	}
	if (atomic_fetch_add(&kt_counters->patches_refused, 1) != 0) {
		return;
	}
	for (size_t i = 0; i < sizeof(kt_counters->refused_code); i++) {
		kt_counters->refused_code[i] = i < n ? code[i] : 0;
	}
	for (; why[at] && at + 1 < sizeof(kt_counters->refused_why); at++) {
		kt_counters->refused_why[at] = why[at];
	}
	kt_counters->refused_why[at] = '\0';
}

static void count_patched(enum kt_patch_for purpose)
{
	kt_count(purpose == KT_PATCH_FOR_ACCESSES ? &kt_counters->access_patches
						  : &kt_counters->patches);
}

/*
 * Handles a patch whose jump disappeared when its library was unloaded. If the library was
 * loaded again with the same code at the same address, writes the jump to the same
 * trampoline again and returns true. Otherwise marks the site as gone.
 */
static bool put_in_again(struct kt_patch_site *s, enum kt_patch_for purpose)
{
	if (!kt_patch_has_original(s)) {
		return false;
	}
	if (kt_patch_replace_code(s, s->trampoline.jump)) {
		count_patched(purpose);
	}
	return true;
}

/* Patches an instruction that another patch has moved to its trampoline. */
static void consider_moved(uintptr_t ip, enum kt_patch_for purpose)
{
	const struct kt_inner *inner;
	const struct kt_patch_site *outer = kt_patch_moved_at(ip, &inner);
	struct kt_patch_site *s;
	const struct kt_continue_site *run;
	const uint8_t *code;
	const char *why;
	uint32_t number;
	size_t n;

	if (!outer) {
		return;
	}
	s = kt_patch_site_at(inner->copy);
	if (s) {
		kt_patch_resume(s);
		return;
	}
	s = kt_patch_site_new(outer->patch.site + inner->offset, inner->copy, &number);
	if (!s) {
		return;
	}
	run = &s->run;
	code = outer->before + inner->offset;
	n = outer->trampoline.replaced - inner->offset;
	s->patch.after_access = inner->after_access;
	s->patch.again = inner->again;
	s->trampoline = (struct kt_trampoline){.entry = inner->entry,
					       .way = inner->way,
					       .pages = outer->trampoline.pages,
					       .replaced = KT_JUMP_BYTES,
					       .starts = 1};
	memcpy(s->trampoline.jump, inner->jump, KT_JUMP_BYTES);
	memcpy(s->before, kt_trampoline_nop, KT_JUMP_BYTES);
	why = decode(&s->patch.instruction, code, n);
	s->run.check = kt_continue_check_of(&s->patch.instruction);
	if (!why && (!kt_patch_write_code(inner->number, &number, sizeof(number)) ||
		     (inner->way.site &&
		      !kt_patch_write_code(inner->way.site, &run, sizeof(run))))) {
		why = refused_by_kernel;
	}
	atomic_store(&s->state, why ? KT_PATCH_REFUSED : KT_PATCH_IN);
	if (!why && !kt_patch_replace_code(s, s->trampoline.jump)) {
		atomic_store(&s->state, KT_PATCH_REFUSED);
		why = refused_by_kernel;
	}
	if (why) {
		count_refused(purpose, why, code, n);
	} else {
		count_patched(purpose);
	}
}

void kt_patch_consider(uintptr_t ip, enum kt_patch_for purpose)
{
	struct kt_patch_site *s;
	uint8_t code[KT_SITE_BYTES];
	const char *why;
	uint32_t number;
	bool is_entered;
	size_t n;

	if (kt_patch_finished) {
		return;
	}
	if (kt_patch_is_own_code(ip)) {
		return;
	}
	if (kt_patch_original(ip) != ip) {
		consider_moved(ip, purpose);
		return;
	}
	s = kt_patch_site_at(ip);
	if (s && kt_patch_resume(s)) {
		return;
	}
	is_entered = s && s->is_entered;
	if (s && !is_entered &&
	    (atomic_load(&s->state) != KT_PATCH_IN || kt_patch_has_jump(s) ||
	     put_in_again(s, purpose))) {
		return; /* nothing more to do for this site */
	}
	s = kt_patch_site_new(ip, ip, &number);
	if (!s) {
		return;
	}
	why = kt_patch_shares(ip)     ? "the jump of another patch ends there"
	      : !kt_patch_uncover(ip) ? refused_by_kernel
				      : NULL;
	n = kt_memory_read(code, ip, sizeof(code));
	why = why ? why : prepare(s, number, code, n, is_entered);
	if (why) {
		atomic_store(&s->state, KT_PATCH_REFUSED);
		count_refused(purpose, why, code, n);
		return;
	}
	atomic_store(&s->state, KT_PATCH_IN);
	if (!kt_patch_replace_code(s, s->trampoline.jump)) {
		atomic_store(&s->state, KT_PATCH_REFUSED);
		kt_trampoline_free(&s->trampoline);
		count_refused(purpose, refused_by_kernel, code, n);
		return;
	}
	count_patched(purpose);
}
