/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/kmd/kmd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "corpus/softgpu/device/store.h"
#include "base/kernel-call.h"

/*
 * State that a forked child must not inherit. The kernel clears this page in the child, so
 * no fork handler is needed. After vfork, whose child shares the parent's memory, the page
 * is kept.
 */
struct own_page {
	_Atomic uint32_t lock; /* 0 free, 1 held, 2 held with waiters */
	bool begun;            /* whether `kmd` belongs to this process */
};

static struct own_page *_Atomic own;
static struct kt_kmd *kmd; /* Owned by this; in a forked child, at first the parent's */

static struct own_page *own_page(void)
{
	struct own_page *page = atomic_load(&own);
	struct own_page *other = NULL;
	long created;

	if (page) {
		return page;
	}
	created = KT_KERNEL(SYS_mmap, 0, KT_ABI_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (kt_kernel_failed(created)) {
		/* Used if no page is available: a fork then goes unnoticed. */
		static struct own_page spare;

		page = &spare;
	} else {
		page = (struct own_page *)created;
		KT_KERNEL(SYS_madvise, page, KT_ABI_PAGE, MADV_WIPEONFORK);
	}
	if (!atomic_compare_exchange_strong(&own, &other, page)) {
		KT_KERNEL(SYS_munmap, created, KT_ABI_PAGE);
		page = other;
	}
	return page;
}

void kt_kmd_enter(struct kt_kmd_guard *guard)
{
	/* Signals that an instruction of this thread can raise stay unblocked. */
	const uint64_t kept = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
			      1ull << (SIGTRAP - 1) | 1ull << (SIGFPE - 1) |
			      1ull << (SIGILL - 1);
	const uint64_t all = ~kept;
	struct own_page *page = own_page();
	uint32_t seen = 0;

	guard->signals = 0;
	KT_KERNEL(SYS_rt_sigprocmask, SIG_BLOCK, &all, &guard->signals, sizeof(all));
	if (atomic_compare_exchange_strong(&page->lock, &seen, 1)) {
		return;
	}
	while (atomic_exchange(&page->lock, 2) != 0) {
		KT_KERNEL(SYS_futex, &page->lock, FUTEX_WAIT_PRIVATE, 2, NULL);
	}
}

void kt_kmd_leave(const struct kt_kmd_guard *guard)
{
	struct own_page *page = own_page();

	if (atomic_exchange(&page->lock, 0) == 2) {
		KT_KERNEL(SYS_futex, &page->lock, FUTEX_WAKE_PRIVATE, 1);
	}
	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &guard->signals, NULL,
		  sizeof(guard->signals));
}

struct kt_kmd *kt_kmd_get(void)
{
	return own_page()->begun ? kmd : NULL;
}

int kt_kmd_begin(struct kt_kmd **out)
{
	static const uint8_t uuid[KT_ABI_UUID_SIZE] = "ktail-soft-gpu-0";
	struct kt_kmd *created;
	int error;

	*out = kt_kmd_get();
	if (*out) {
		return 0;
	}
	created = kt_store_pages(sizeof(*created));
	if (!created) {
		return -ENOMEM;
	}
	error = kt_gpu_create(&created->gpu);
	if (error) {
		kt_store_give_pages(created, sizeof(*created));
		return error;
	}
	/*
	 * The id is random, so that it differs from the id of every other process and from
	 * the id that this process had before an exec.
	 */
	if (KT_KERNEL(SYS_getrandom, &created->id, sizeof(created->id), 0) !=
	    (long)sizeof(created->id)) {
		created->id = kt_gpu_time() ^ (uint64_t)KT_KERNEL(SYS_getpid, 0) << 48;
	}
	memcpy(created->uuid, uuid, sizeof(uuid));
	created->inherited = kmd;
	if (kmd) {
		kt_gpu_leave_inherited(kmd->gpu);
	}
	kmd = created;
	own_page()->begun = true;
	*out = created;
	return 0;
}

/* --- entry points --- */

int kt_kmd_open(enum kt_kmd_device device, int flags)
{
	struct kt_kmd_guard guard;
	struct kt_kmd *state;
	int result;

	kt_kmd_enter(&guard);
	result = kt_kmd_begin(&state);
	if (result == 0) {
		result = kt_kmd_file_open(device, state->id, flags);
	}
	kt_kmd_leave(&guard);
	return result;
}

int kt_kmd_call_store(struct kt_kmd_call *call)
{
	return kt_kmd_file_store(call->fd, &call->file);
}

int kt_kmd_ioctl(int fd, unsigned long request, uint64_t argument)
{
	struct kt_kmd_call call = {.fd = fd, .argument = argument};
	struct kt_kmd_guard guard;
	int result;

	kt_kmd_enter(&guard);
	call.kmd = kt_kmd_get();
	call.file = kt_kmd_file_read(fd);
	if (!call.kmd || call.file.owner != call.kmd->id) {
		/* the file belongs to a parent, or to the program before an exec */
		result = -ENODEV;
	} else if (call.file.device == KT_KMD_UVM) {
		result = kt_kmd_uvm_ioctl(&call, request);
	} else {
		result = kt_kmd_rm_ioctl(&call, request);
	}
	kt_kmd_leave(&guard);
	return result;
}

/*
 * mmap of a device file: maps the object that the last MAP_MEMORY request on this file
 * named.
 */
long kt_kmd_mmap(int fd, uint64_t address, uint64_t length, int protection, int flags,
		 uint64_t offset)
{
	struct kt_kmd_guard guard;
	struct kt_kmd_file file;
	struct kt_kmd *state;
	long result;

	kt_kmd_enter(&guard);
	state = kt_kmd_get();
	file = kt_kmd_file_read(fd);
	if (!state || file.owner != state->id) {
		result = -ENODEV;
	} else if (file.device == KT_KMD_UVM) {
		/*
		 * Managed memory: anonymous pages, which the process shares only with
		 * forked children.
		 */
		result = KT_KERNEL(SYS_mmap, address, length, protection,
				   (flags & ~MAP_TYPE) | MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	} else if (file.access == O_WRONLY ||
		   ((protection & PROT_WRITE) && (flags & MAP_TYPE) != MAP_PRIVATE &&
		    file.access != O_RDWR)) {
		result = -EACCES;
	} else if (!file.pending || offset != 0 || length == 0 || length > file.bytes ||
		   !kt_gpu_memory_at(state->gpu, file.physical, file.bytes)) {
		result = -EINVAL;
	} else {
		result = kt_gpu_map(state->gpu, file.physical, address, length, protection,
				    flags);
	}
	kt_kmd_leave(&guard);
	return result;
}
