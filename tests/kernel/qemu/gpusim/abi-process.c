// SPDX-License-Identifier: GPL-2.0
/*
 * State of a process. It begins when the process opens its first file and ends when its
 * last file is closed; each mapping of a file also keeps that file open. A forked child, or
 * a process after exec, has another mm: it cannot use the files that it inherited, but
 * those files keep the parent's state alive.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "abi.h"
#include "corpus/softgpu/device/store.h"

static DEFINE_MUTEX(processes_lock);
static LIST_HEAD(processes);

static struct abi_process *make(void)
{
	static const u8 uuid[KT_ABI_UUID_SIZE] __nonstring = "ktail-soft-gpu-0";
	static atomic64_t last_id = ATOMIC64_INIT(0);
	struct abi_process *process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);
	struct kt_kmd *kmd;
	int error;

	if (!process) {
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&process->lock);
	kmd = kt_store_pages(sizeof(*kmd));
	if (!kmd) {
		kfree(process);
		return ERR_PTR(-ENOMEM);
	}
	error = kt_gpu_create(&kmd->gpu);
	if (error) {
		kt_store_give_pages(kmd, sizeof(*kmd));
		kfree(process);
		return ERR_PTR(error);
	}
	kmd->id = atomic64_inc_return(&last_id);
	memcpy(kmd->uuid, uuid, sizeof(uuid));
	process->kmd = kmd;
	process->mm = current->mm;
	mmgrab(process->mm); /* keeps the address of the mm from being reused */
	return process;
}

struct abi_process *abi_process_get(void)
{
	struct abi_process *process = NULL;
	struct abi_process *other;

	if (!current->mm) {
		return ERR_PTR(-ENODEV);
	}
	mutex_lock(&processes_lock);
	list_for_each_entry(other, &processes, list) {
		if (other->mm == current->mm) {
			process = other;
			break;
		}
	}
	if (!process) {
		process = make();
		if (!IS_ERR(process)) {
			list_add(&process->list, &processes);
		}
	}
	if (!IS_ERR(process)) {
		process->files++;
	}
	mutex_unlock(&processes_lock);
	return process;
}

void abi_process_put(struct abi_process *process)
{
	bool last;

	mutex_lock(&processes_lock);
	last = --process->files == 0;
	if (last) {
		list_del(&process->list);
	}
	mutex_unlock(&processes_lock);
	if (!last) {
		return;
	}
	kt_kmd_end(process->kmd);
	kt_gpu_free(process->kmd->gpu);
	kt_store_give_pages(process->kmd, sizeof(*process->kmd));
	mmdrop(process->mm);
	mutex_destroy(&process->lock);
	kfree(process);
}

/* --- files; the KMD names them by descriptor --- */

struct kt_kmd_file abi_file_read(struct abi_file *file)
{
	struct kt_kmd_file state;

	spin_lock(&file->lock);
	state = file->state;
	spin_unlock(&file->lock);
	return state;
}

void abi_file_store(struct abi_file *file, const struct kt_kmd_file *state)
{
	spin_lock(&file->lock);
	file->state = *state;
	spin_unlock(&file->lock);
}

struct kt_kmd_file kt_kmd_file_read(int fd)
{
	struct kt_kmd_file state = {.device = KT_KMD_NONE};
	struct file *opened = fget(fd);
	struct abi_file *file = opened ? abi_file_of(opened) : NULL;

	if (file) {
		state = abi_file_read(file);
	}
	if (opened) {
		fput(opened);
	}
	return state;
}

/*
 * Stores the state if `fd` still names the file whose state was read. Returns -EBADF if
 * another thread has replaced the file. The caller has held the lock of the file's process
 * since it read the state.
 */
int kt_kmd_file_store(int fd, const struct kt_kmd_file *state)
{
	struct file *opened = fget(fd);
	struct abi_file *file = opened ? abi_file_of(opened) : NULL;
	int error = -EBADF;

	if (file && file->state.number == state->number) {
		abi_file_store(file, state);
		error = 0;
	}
	if (opened) {
		fput(opened);
	}
	return error;
}

/* --- the caller's memory --- */

int kt_kmd_read_user(int fd, void *to, uint64_t from, size_t n)
{
	return n > KT_KMD_COPY_MAX || copy_from_user(to, u64_to_user_ptr(from), n) ? -EFAULT
										   : 0;
}

int kt_kmd_write_user(int fd, uint64_t to, const void *from, size_t n)
{
	return n > KT_KMD_COPY_MAX || copy_to_user(u64_to_user_ptr(to), from, n) ? -EFAULT
										 : 0;
}
