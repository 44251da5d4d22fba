/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "corpus/softgpu/face/face.h"

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
 * What a forked child must not inherit lies in a page that the kernel clears for it: also
 * where no fork handler runs, and not for a vfork, whose child is in our memory.
 */
struct own_page {
	_Atomic uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
	bool begun;            /* `face` is this process's */
};

static struct own_page *_Atomic own;
static struct kt_face *face; /* Owned by this; in a child first the parent's */

static struct own_page *own_page(void)
{
	struct own_page *page = atomic_load(&own);
	struct own_page *other = NULL;
	long made;

	if (page) {
		return page;
	}
	made = KT_KERNEL(SYS_mmap, 0, KT_ABI_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (kt_kernel_failed(made)) {
		/* Without memory: then a fork is not noticed. */
		static struct own_page spare;

		page = &spare;
	} else {
		page = (struct own_page *)made;
		KT_KERNEL(SYS_madvise, page, KT_ABI_PAGE, MADV_WIPEONFORK);
	}
	if (!atomic_compare_exchange_strong(&own, &other, page)) {
		KT_KERNEL(SYS_munmap, made, KT_ABI_PAGE);
		page = other;
	}
	return page;
}

void kt_face_enter(struct kt_face_guard *guard)
{
	/* Signals that an instruction of the thread itself can raise come as ever. */
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

void kt_face_leave(const struct kt_face_guard *guard)
{
	struct own_page *page = own_page();

	if (atomic_exchange(&page->lock, 0) == 2) {
		KT_KERNEL(SYS_futex, &page->lock, FUTEX_WAKE_PRIVATE, 1);
	}
	KT_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &guard->signals, NULL,
		  sizeof(guard->signals));
}

struct kt_face *kt_face_get(void)
{
	return own_page()->begun ? face : NULL;
}

int kt_face_begin(struct kt_face **out)
{
	static const uint8_t uuid[KT_ABI_UUID_SIZE] = "ktail-soft-gpu-0";
	struct kt_face *made;
	int error;

	*out = kt_face_get();
	if (*out) {
		return 0;
	}
	made = kt_store_pages(sizeof(*made));
	if (!made) {
		return -ENOMEM;
	}
	error = kt_gpu_create(&made->gpu);
	if (error) {
		kt_store_give_pages(made, sizeof(*made));
		return error;
	}
	/* Not that of any other process: also not of the one that this process was before
	 * an exec. */
	if (KT_KERNEL(SYS_getrandom, &made->id, sizeof(made->id), 0) !=
	    (long)sizeof(made->id)) {
		made->id = kt_gpu_time() ^ (uint64_t)KT_KERNEL(SYS_getpid, 0) << 48;
	}
	memcpy(made->uuid, uuid, sizeof(uuid));
	made->inherited = face;
	if (face) {
		kt_gpu_leave_inherited(face->gpu);
	}
	face = made;
	own_page()->begun = true;
	*out = made;
	return 0;
}

/* --- calls --- */

int kt_face_open(enum kt_face_device device, int flags)
{
	struct kt_face_guard guard;
	struct kt_face *state;
	int result;

	kt_face_enter(&guard);
	result = kt_face_begin(&state);
	if (result == 0) {
		result = kt_face_file_open(device, state->id, flags);
	}
	kt_face_leave(&guard);
	return result;
}

int kt_face_call_store(struct kt_face_call *call)
{
	return kt_face_file_store(call->fd, &call->file);
}

int kt_face_ioctl(int fd, unsigned long request, uint64_t argument)
{
	struct kt_face_call call = {.fd = fd, .argument = argument};
	struct kt_face_guard guard;
	int result;

	kt_face_enter(&guard);
	call.face = kt_face_get();
	call.file = kt_face_file_look(fd);
	if (!call.face || call.file.owner != call.face->id) {
		result = -ENODEV; /* of a parent, or of the program before an exec */
	} else if (call.file.device == KT_FACE_UVM) {
		result = kt_face_uvm_ioctl(&call, request);
	} else {
		result = kt_face_rm_ioctl(&call, request);
	}
	kt_face_leave(&guard);
	return result;
}

/* mmap of a device file: of what the request before it has named. */
long kt_face_mmap(int fd, uint64_t address, uint64_t length, int protection, int flags,
		  uint64_t offset)
{
	struct kt_face_guard guard;
	struct kt_face_file file;
	struct kt_face *state;
	long result;

	kt_face_enter(&guard);
	state = kt_face_get();
	file = kt_face_file_look(fd);
	if (!state || file.owner != state->id) {
		result = -ENODEV;
	} else if (file.device == KT_FACE_UVM) {
		/* Unified memory: pages that the process alone has, shared with forked
		 * children. */
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
	kt_face_leave(&guard);
	return result;
}
