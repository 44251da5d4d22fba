// SPDX-License-Identifier: GPL-2.0
#include "watch/access/pages.h"

#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <asm/tlbflush.h>

#include "watch/base/symbols.h"
#include "watch/state/doorbells.h"

#define PAGES_MAX (1ul << 20) /* largest number of pages of a mapping, 4 GiB */
/*
 * Limit of the notes of all mappings together, per page of RAM. A note has 8 bytes, so
 * notes use at most 1/32 of the RAM.
 */
#define NOTES 16

DEFINE_STATIC_CALL_NULL(dw_flush_tlb,
			void(struct mm_struct *mm, unsigned long start, unsigned long end,
			     unsigned int stride_shift, bool freed_tables));

int dw_access_pages_init(void)
{
	DW_FIND(dw_flush_tlb, "flush_tlb_mm_range");
	return static_call_query(dw_flush_tlb) ? 0 : -ENOENT;
}

static void flush_tlb(struct mm_struct *mm, unsigned long start, unsigned long length)
{
	static_call(dw_flush_tlb)(mm, start, start + length, PAGE_SHIFT, false);
}

/*
 * Excludes private mappings, in which a page may be a copy that only its page-table entry
 * refers to, and huge entries, which the driver creates and removes as a whole.
 */
bool dw_access_can_close(const struct dw_mapping *mapping, const struct vm_area_struct *vma)
{
	unsigned long kind = vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP);

	return (kind == VM_PFNMAP || kind == VM_MIXEDMAP) && (vma->vm_flags & VM_SHARED) &&
	       !(vma->vm_flags & VM_HUGETLB) &&
	       !(mapping->inner && mapping->inner->huge_fault);
}

/* --- pages that the driver unmaps --- */

static void forget(struct dw_access *access, unsigned long start, unsigned long end)
{
	unsigned long last = access->base + (access->n << PAGE_SHIFT);

	start = max(start, access->base);
	end = min(end, last);
	for (unsigned long at = start; at < end; at += PAGE_SIZE) {
		WRITE_ONCE(access->entries[(at - access->base) >> PAGE_SHIFT], 0);
	}
}

/*
 * A driver that revokes its mappings (the device goes to sleep) expects the next access to
 * fault into its own handler, so all notes in the range are void. A thread that opens a
 * page meanwhile reads the note under the page-table lock. The driver takes that lock after
 * this notification to remove its entries, and so also removes an entry that the thread has
 * set from a void note. Other events are ignored: after munmap the notes do not matter, and
 * mremap needs them for the new address.
 */
static bool is_revoked(const struct mmu_notifier_range *range)
{
	return range->event == MMU_NOTIFY_CLEAR && !dw_zap_is_ours();
}

static int on_invalidate(struct mmu_notifier *notifier,
			 const struct mmu_notifier_range *range)
{
	struct dw_access_space *space =
		container_of(notifier, struct dw_access_space, notifier);
	struct dw_access *access;

	if (!is_revoked(range)) {
		return 0;
	}
	spin_lock(&space->lock);
	space->revoking++;
	space->revoked++;
	list_for_each_entry(access, &space->all, of_space) {
		forget(access, range->start, range->end);
	}
	spin_unlock(&space->lock);
	return 0;
}

static void on_invalidated(struct mmu_notifier *notifier,
			   const struct mmu_notifier_range *range)
{
	struct dw_access_space *space =
		container_of(notifier, struct dw_access_space, notifier);

	if (is_revoked(range)) {
		spin_lock(&space->lock);
		space->revoking--;
		spin_unlock(&space->lock);
	}
}

u64 dw_access_space_revokes(struct dw_access_space *space)
{
	u64 revoked;

	spin_lock(&space->lock);
	revoked = space->revoked - space->revoking;
	spin_unlock(&space->lock);
	return revoked;
}

void dw_access_pages_forget_since(struct dw_access_space *space, struct dw_access *access,
				  u64 revokes, unsigned long start, unsigned long length)
{
	spin_lock(&space->lock);
	if (space->revoked != revokes) {
		forget(access, start, start + length);
	}
	spin_unlock(&space->lock);
}

static const struct mmu_notifier_ops notifier_ops = {
	.invalidate_range_start = on_invalidate,
	.invalidate_range_end = on_invalidated,
};

int dw_access_space_begin(struct dw_access_space *space, struct mm_struct *mm)
{
	int code;

	space->mm = mm;
	space->notifier.ops = &notifier_ops;
	INIT_LIST_HEAD(&space->all);
	spin_lock_init(&space->lock);
	code = __mmu_notifier_register(&space->notifier, mm);
	space->mm = code ? NULL : mm;
	return code;
}

void dw_access_space_end(struct dw_access_space *space)
{
	if (space->mm) {
		mmu_notifier_unregister(&space->notifier, space->mm);
		space->mm = NULL;
	}
}

/* --- state of one mapping --- */

static atomic_long_t n_notes;

/*
 * Counts n more notes, even beyond the limit; returns false if the sum exceeds the limit.
 */
static bool charge(unsigned long n)
{
	return atomic_long_add_return(n, &n_notes) <= totalram_pages() * NOTES;
}

static void uncharge(unsigned long n)
{
	atomic_long_sub(n, &n_notes);
}

struct dw_access *dw_access_pages_new(struct dw_mapping *mapping, bool is_copy)
{
	struct dw_access *access;
	unsigned long n = mapping->length >> PAGE_SHIFT;

	if (n == 0 || n > PAGES_MAX) {
		return NULL;
	}
	if (!charge(n) && !is_copy) {
		uncharge(n);
		return NULL;
	}
	access = kzalloc(sizeof(*access), GFP_KERNEL_ACCOUNT);
	if (!access) {
		uncharge(n);
		return NULL;
	}
	INIT_LIST_HEAD(&access->of_space);
	access->mapping = mapping;
	access->base = mapping->base;
	access->n = n;
	access->entries = kvcalloc(n, sizeof(*access->entries), GFP_KERNEL_ACCOUNT);
	if (!access->entries) {
		uncharge(n);
		kfree(access);
		return NULL;
	}
	return access;
}

void dw_access_pages_free(struct dw_access *access)
{
	for (unsigned long i = 0; access->pages && i < access->n; i++) {
		if (access->pages[i]) {
			put_page(access->pages[i]);
		}
	}
	uncharge(access->pages ? 2 * access->n : access->n);
	kvfree(access->pages);
	kvfree(access->entries);
	kfree(access);
}

void dw_access_pages_add(struct dw_access_space *space, struct dw_access *access)
{
	spin_lock(&space->lock);
	list_move(&access->of_space, &space->all);
	spin_unlock(&space->lock);
}

void dw_access_pages_remove(struct dw_access_space *space, struct dw_access *access)
{
	spin_lock(&space->lock);
	list_del_init(&access->of_space);
	spin_unlock(&space->lock);
}

static int reserve_pages(struct dw_access *access)
{
	if (!access->pages) {
		access->pages =
			kvcalloc(access->n, sizeof(struct page *), GFP_KERNEL_ACCOUNT);
		charge(access->pages ? access->n : 0);
	}
	return access->pages ? 0 : -ENOMEM;
}

void dw_access_pages_copy(struct dw_access *to, const struct dw_access *from,
			  unsigned long first_of_from)
{
	if (from->pages && reserve_pages(to)) {
		return;
	}
	for (unsigned long i = 0; i < to->n && first_of_from + i < from->n; i++) {
		to->entries[i] = READ_ONCE(from->entries[first_of_from + i]);
		if (from->pages && from->pages[first_of_from + i]) {
			to->pages[i] = from->pages[first_of_from + i];
			get_page(to->pages[i]);
		}
	}
}

/* --- entries --- */

/* A walk over page-table entries; each page table is locked in turn. */
struct walk {
	struct dw_access *access;
	struct vm_area_struct *vma;
	bool writable;
	/* the walk sets only the touched page, or restores all entries of the driver */
	bool alone;
	bool others;  /* an entry that holds a reference was seen */
	bool changed; /* an entry was removed */
};

static unsigned long index_of(const struct walk *walk, unsigned long address)
{
	return (address - walk->access->base) >> PAGE_SHIFT;
}

/*
 * Notes an entry as it will be while the page is open for writing. Page frame, cache mode
 * and encryption are those of the driver's entry.
 */
static int note_entry(pte_t *at, unsigned long address, void *context)
{
	struct walk *walk = context;
	struct dw_access *access = walk->access;
	unsigned long i = index_of(walk, address);
	pgprot_t protection;
	pteval_t kept;

	/* The entry of a shadow page is not the driver's, so it is not noted. */
	if (i >= access->n || !pte_present(*at) ||
	    dw_doorbell_is_shadow(access->mapping, address)) {
		return 0;
	}
	if (!pte_special(*at)) {
		if (!access->pages || !pfn_valid(pte_pfn(*at))) {
			return -EOPNOTSUPP;
		}
		/*
		 * If the driver has mapped another page here since the last note, that page
		 * replaces the noted one.
		 */
		get_page(pfn_to_page(pte_pfn(*at)));
		if (access->pages[i]) {
			put_page(access->pages[i]);
		}
		access->pages[i] = pfn_to_page(pte_pfn(*at));
		walk->others = true;
	}
	kept = pte_flags(*at) & (_PAGE_CACHE_MASK | _PAGE_ENC);
	protection = __pgprot((pgprot_val(PAGE_SHARED) & ~_PAGE_CACHE_MASK) | kept);
	WRITE_ONCE(access->entries[i],
		   pte_val(pte_set_flags(pte_mkspecial(pfn_pte(pte_pfn(*at), protection)),
					 _PAGE_DIRTY)));
	return 0;
}

static int clear_entry(pte_t *at, unsigned long address, void *context)
{
	struct walk *walk = context;

	if (pte_present(*at) && pte_special(*at)) {
		ptep_get_and_clear(walk->vma->vm_mm, address, at);
		walk->changed = true;
	}
	return 0;
}

/*
 * Sets a noted entry with the rights that the VMA has now. The accessed bit is clear; the
 * processor sets it when the page is touched. The page of a doorbell that is not ready is
 * mapped only if walk->alone, after dw_watch_fault() has allowed it.
 */
static int set_entry(pte_t *at, unsigned long address, void *context)
{
	struct walk *walk = context;
	const struct dw_mapping *mapping = walk->access->mapping;
	const struct vm_area_struct *vma = walk->vma;
	unsigned long i = index_of(walk, address);
	pteval_t known = i < walk->access->n ? READ_ONCE(walk->access->entries[i]) : 0;
	pte_t entry;

	if (!known || dw_doorbell_is_shadow(mapping, address) ||
	    (!walk->alone && dw_doorbell_keeps_closed(mapping, address)) ||
	    !(pte_none(*at) || (pte_special(*at) && walk->writable))) {
		return 0;
	}
	entry = __pte(known | (pgprot_val(vma->vm_page_prot) & _PAGE_PKEY_MASK));
	entry = pte_clear_flags(entry, _PAGE_ACCESSED);
	if (!walk->writable || !(vma->vm_flags & VM_WRITE)) {
		entry = pte_clear_flags(entry, _PAGE_RW | _PAGE_DIRTY);
	}
	if (vma->vm_flags & VM_EXEC) {
		entry = pte_clear_flags(entry, _PAGE_NX);
	}
	if (!(vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC))) {
		/* Present but inaccessible; mprotect may allow accesses again. */
		entry = pfn_pte(
			pte_pfn(entry),
			__pgprot((pte_flags(entry) & ~_PAGE_PRESENT) | _PAGE_PROTNONE));
	}
	set_pte_at(vma->vm_mm, address, at, entry);
	return 0;
}

static void clear_range(struct walk *walk, unsigned long start, unsigned long length)
{
	struct mm_struct *mm = walk->vma->vm_mm;

	walk->changed = false;
	apply_to_existing_page_range(mm, start, length, clear_entry, walk);
	if (walk->changed) {
		flush_tlb(mm, start, length);
	}
}

/*
 * If entries hold references, or the cache mode of the range is reserved (VM_PAT), the
 * kernel's own function removes the entries, because it also drops the references and the
 * reservation. If this module only cleared the entries, the kernel could not find the
 * reservation when it unmaps the range later, because it needs the entry of the first page
 * to find the reservation.
 */
int dw_access_pages_take(struct dw_access *access, struct vm_area_struct *vma,
			 unsigned long start, unsigned long length)
{
	struct walk walk = {.access = access, .vma = vma};
	bool has_reservation = false;
	int code = 0;

#ifdef VM_PAT
	has_reservation = vma->vm_flags & VM_PAT;
#endif
	if (vma->vm_flags & VM_MIXEDMAP) {
		code = reserve_pages(access);
	}
	if (!code) {
		code = apply_to_existing_page_range(vma->vm_mm, start, length, note_entry,
						    &walk);
	}
	if (code) {
		return code;
	}
	if (!walk.others && !has_reservation) {
		clear_range(&walk, start, length);
		return 0;
	}
	dw_zap(vma, start, length);
	return 0;
}

int dw_access_pages_open(struct dw_access *access, struct vm_area_struct *vma,
			 unsigned long start, unsigned long length, bool writable)
{
	struct walk walk = {
		.access = access,
		.vma = vma,
		.writable = writable,
		.alone = length <= PAGE_SIZE,
	};

	return apply_to_page_range(vma->vm_mm, start, length, set_entry, &walk);
}

void dw_access_pages_flush(struct vm_area_struct *vma, unsigned long address)
{
	flush_tlb(vma->vm_mm, address, PAGE_SIZE);
}

struct entry_state {
	bool is_mapped;
	bool is_used;
};

static int read_entry(pte_t *at, unsigned long address, void *context)
{
	struct entry_state *entry_state = context;

	entry_state->is_mapped = pte_present(*at);
	entry_state->is_used = !entry_state->is_mapped || pte_young(*at);
	return 0;
}

bool dw_access_page_is_mapped(struct vm_area_struct *vma, unsigned long address)
{
	struct entry_state entry_state = {.is_mapped = false};

	apply_to_existing_page_range(vma->vm_mm, address & PAGE_MASK, PAGE_SIZE, read_entry,
				     &entry_state);
	return entry_state.is_mapped;
}

bool dw_access_page_is_used(struct dw_access *access, unsigned long address)
{
	struct entry_state entry_state = {.is_used = true};

	if (dw_mapping_vma(access->mapping, address)) {
		apply_to_existing_page_range(access->mapping->mm, address & PAGE_MASK,
					     PAGE_SIZE, read_entry, &entry_state);
	}
	return entry_state.is_used;
}

void dw_access_pages_close(struct dw_access *access, unsigned long start,
			   unsigned long length)
{
	unsigned long end = start + length;
	struct vm_area_struct *vma;

	while (start < end && (vma = find_vma(access->mapping->mm, start)) != NULL &&
	       vma->vm_start < end) {
		struct walk walk = {.access = access, .vma = vma};

		start = max(start, vma->vm_start);
		if (dw_mapping_of(vma) == access->mapping) {
			clear_range(&walk, start, min(end, vma->vm_end) - start);
		}
		start = vma->vm_end;
	}
}

void dw_access_pages_restore(struct dw_access *access, struct vm_area_struct *vma)
{
	struct walk walk = {.access = access, .vma = vma, .writable = true, .alone = true};

	if (!access->pages) {
		apply_to_page_range(vma->vm_mm, vma->vm_start, vma->vm_end - vma->vm_start,
				    set_entry, &walk);
		return;
	}
	/* Entries that hold references must be set by the kernel (vm_insert_page()). */
	clear_range(&walk, vma->vm_start, vma->vm_end - vma->vm_start);
	for (unsigned long at = vma->vm_start; at < vma->vm_end; at += PAGE_SIZE) {
		unsigned long i = index_of(&walk, at);

		if (i >= access->n || !access->entries[i]) {
			continue;
		}
		if (access->pages[i]) {
			vm_insert_page(vma, at, access->pages[i]);
		} else {
			dw_access_pages_open(access, vma, at, PAGE_SIZE, true);
		}
	}
}
