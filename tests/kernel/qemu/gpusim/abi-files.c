// SPDX-License-Identifier: GPL-2.0
/* The character devices, with the driver's names and numbers, and /proc/driver/nvidia. */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "abi.h"
#include "tests/kernel/qemu/device-node.h"

#define MAJOR_OF_NVIDIA  195
#define MINOR_OF_GPU     0
#define MINOR_OF_CONTROL 255

struct device_file {
	const char *name;    /* name in /dev */
	const char *numbers; /* name in /proc/devices */
	enum kt_kmd_device device;
	unsigned int major; /* 0: chosen by the kernel */
	unsigned int minor;
	const struct file_operations *operations;
	dev_t number;
	struct cdev cdev;
	bool added;
};

static const struct file_operations nvidia_operations;
static const struct file_operations uvm_operations;

static struct device_file files[] = {
	{.name = "nvidiactl",
	 .numbers = "nvidiactl",
	 .device = KT_KMD_CONTROL,
	 .major = MAJOR_OF_NVIDIA,
	 .minor = MINOR_OF_CONTROL,
	 .operations = &nvidia_operations},
	{.name = "nvidia0",
	 .numbers = "nvidia",
	 .device = KT_KMD_GPU,
	 .major = MAJOR_OF_NVIDIA,
	 .minor = MINOR_OF_GPU,
	 .operations = &nvidia_operations},
	{.name = "nvidia-uvm",
	 .numbers = "nvidia-uvm",
	 .device = KT_KMD_UVM,
	 .operations = &uvm_operations},
};

static struct class *class_of_files;
static struct proc_dir_entry *proc_folder;

/* --- open and close --- */

struct abi_file *abi_file_of(struct file *file)
{
	return file->f_op == &nvidia_operations || file->f_op == &uvm_operations
		       ? file->private_data
		       : NULL;
}

static int nvidia_open(struct inode *inode, struct file *opened)
{
	struct device_file *kind = container_of(inode->i_cdev, struct device_file, cdev);
	static atomic64_t last_number = ATOMIC64_INIT(0);
	struct abi_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file) {
		return -ENOMEM;
	}
	file->process = abi_process_get();
	if (IS_ERR(file->process)) {
		int error = PTR_ERR(file->process);

		kfree(file);
		return error;
	}
	spin_lock_init(&file->lock);
	file->state.number = atomic64_inc_return(&last_number);
	file->state.owner = file->process->kmd->id;
	file->state.device = kind->device;
	file->state.access = opened->f_flags & O_ACCMODE;
	opened->private_data = file;
	return nonseekable_open(inode, opened);
}

/* Closing a file ends the objects that were created through it. */
static int nvidia_release(struct inode *inode, struct file *opened)
{
	struct abi_file *file = opened->private_data;
	struct abi_process *process = file->process;

	mutex_lock(&process->lock);
	if (file->state.device != KT_KMD_UVM) {
		kt_kmd_end_file(process->kmd, file->state.number);
	} else if (file->state.initialized && --process->uvm_files == 0) {
		kt_kmd_end_uvm(process->kmd);
	}
	mutex_unlock(&process->lock);
	abi_process_put(process);
	kfree(file);
	return 0;
}

/* --- ioctl --- */

struct abi_call {
	struct kt_kmd_call call;
	struct abi_file *file;
};

int kt_kmd_call_store(struct kt_kmd_call *call)
{
	struct abi_file *file = container_of(call, struct abi_call, call)->file;

	if (call->file.initialized && !file->state.initialized) {
		file->process->uvm_files++;
	}
	abi_file_store(file, &call->file);
	return 0;
}

static long ioctl(struct file *opened, unsigned int request, unsigned long argument)
{
	struct abi_file *file = opened->private_data;
	struct abi_process *process = file->process;
	struct abi_call call = {.call = {.fd = -1, .argument = argument}, .file = file};
	long result;

	if (process->mm != current->mm) {
		return -ENODEV;
	}
	if (mutex_lock_killable(&process->lock)) {
		return -EINTR;
	}
	call.call.kmd = process->kmd;
	call.call.file = abi_file_read(file);
	result = file->state.device == KT_KMD_UVM ? kt_kmd_uvm_ioctl(&call.call, request)
						  : kt_kmd_rm_ioctl(&call.call, request);
	mutex_unlock(&process->lock);
	return result;
}

/* Global and noinline, so that tracers find these functions by name, like the driver's. */
long gpusim_nvidia_unlocked_ioctl(struct file *file, unsigned int request,
				  unsigned long argument);
long gpusim_uvm_unlocked_ioctl(struct file *file, unsigned int request,
			       unsigned long argument);

noinline long gpusim_nvidia_unlocked_ioctl(struct file *file, unsigned int request,
					   unsigned long argument)
{
	return ioctl(file, request, argument);
}

noinline long gpusim_uvm_unlocked_ioctl(struct file *file, unsigned int request,
					unsigned long argument)
{
	return ioctl(file, request, argument);
}

static const struct file_operations nvidia_operations = {
	.owner = THIS_MODULE,
	.open = nvidia_open,
	.release = nvidia_release,
	.unlocked_ioctl = gpusim_nvidia_unlocked_ioctl,
	.mmap = gpusim_nvidia_mmap,
};

static const struct file_operations uvm_operations = {
	.owner = THIS_MODULE,
	.open = nvidia_open,
	.release = nvidia_release,
	.unlocked_ioctl = gpusim_uvm_unlocked_ioctl,
	.mmap = gpusim_uvm_mmap,
};

/* --- init and exit --- */

static int add_file(struct device_file *file)
{
	int error;

	if (file->major) {
		file->number = MKDEV(file->major, file->minor);
		error = register_chrdev_region(file->number, 1, file->numbers);
	} else {
		error = alloc_chrdev_region(&file->number, 0, 1, file->numbers);
	}
	if (error) {
		return error;
	}
	cdev_init(&file->cdev, file->operations);
	file->cdev.owner = THIS_MODULE;
	error = cdev_add(&file->cdev, file->number, 1);
	if (error) {
		goto no_cdev;
	}
	error = make_device_node(class_of_files, file->number, file->name);
	if (error) {
		goto no_device;
	}
	file->added = true;
	return 0;
no_device:
	cdev_del(&file->cdev);
no_cdev:
	unregister_chrdev_region(file->number, 1);
	return error;
}

static void remove_files(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i].added) {
			device_destroy(class_of_files, files[i].number);
			cdev_del(&files[i].cdev);
			unregister_chrdev_region(files[i].number, 1);
			files[i].added = false;
		}
	}
}

/* All users may open the files, as with NVIDIA's driver. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
static char *name_file(const struct device *device, umode_t *mode)
#else
static char *name_file(struct device *device, umode_t *mode)
#endif
{
	if (mode) {
		*mode = 0666;
	}
	return NULL;
}

static int show_version(struct seq_file *out, void *unused)
{
	seq_puts(out, KT_ABI_VERSION_TEXT);
	return 0;
}

int gpusim_abi_init(void)
{
	int error = abi_arena_init();

	if (error) {
		return error;
	}
	class_of_files = make_class("gpusim_nvidia");
	if (IS_ERR(class_of_files)) {
		error = PTR_ERR(class_of_files);
		goto no_class;
	}
	class_of_files->devnode = name_file;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		error = add_file(&files[i]);
		if (error) {
			pr_err("gpusim: /dev/%s: error %d (is NVIDIA's driver loaded?)\n",
			       files[i].name, error);
			goto no_files;
		}
	}
	/* Failure is ignored, because programs work without /proc/driver/nvidia. */
	proc_folder = proc_mkdir("driver/nvidia", NULL);
	if (proc_folder) {
		proc_create_single("version", 0444, proc_folder, show_version);
	}
	return 0;
no_files:
	remove_files();
	class_destroy(class_of_files);
no_class:
	abi_arena_exit();
	return error;
}

void gpusim_abi_exit(void)
{
	proc_remove(proc_folder);
	remove_files();
	class_destroy(class_of_files);
	abi_arena_exit();
}
