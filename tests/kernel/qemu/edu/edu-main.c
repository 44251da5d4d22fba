// SPDX-License-Identifier: GPL-2.0
/*
 * A driver for QEMU's `edu`: maps its registers to user space, and counts its interrupts.
 */
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/uaccess.h>

#include "edu-ioctl.h"
#include "tests/kernel/qemu/device-node.h"

#define NAME       "edu"
#define IRQ_STATUS 0x24

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ktail authors");
MODULE_DESCRIPTION("QEMU's edu device, for the test bench");

static void __iomem *registers; /* registers of the only device */
static resource_size_t physical;
static atomic_t interrupts;
static int line;
module_param(line, int, 0444);
MODULE_PARM_DESC(line, "(read only) number of the interrupt line");
/*
 * Page 0 has the registers. Random stores to them can start a DMA that QEMU does not permit,
 * and QEMU then ends; pages 1 to 255 ignore stores.
 */
static unsigned int page;
module_param(page, uint, 0444);
MODULE_PARM_DESC(page, "page of the device's memory that mmap maps, 0 to 255 (default 0)");
static int major;
static struct class *class;

static int show_physical(char *buffer, const struct kernel_param *parameter)
{
	return sysfs_emit(buffer, "0x%llx\n", (unsigned long long)physical);
}

static const struct kernel_param_ops physical_ops = {.get = show_physical};
module_param_cb(physical, &physical_ops, NULL, 0444);
MODULE_PARM_DESC(physical, "(read only) physical address of the registers");

static irqreturn_t handle(int irq, void *data)
{
	u32 status = readl(registers + IRQ_STATUS);

	if (!status) {
		return IRQ_NONE;
	}
	writel(status, registers + EDU_ACK);
	atomic_inc(&interrupts);
	return IRQ_HANDLED;
}

int edu_mmap(struct file *file, struct vm_area_struct *vma);
noinline int edu_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (page > 255 || vma->vm_pgoff || vma_pages(vma) != 1 || !(vma->vm_flags & VM_SHARED)) {
		return -EINVAL;
	}
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return io_remap_pfn_range(vma, vma->vm_start, (physical >> PAGE_SHIFT) + page,
				  PAGE_SIZE, vma->vm_page_prot);
}

static long edu_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct edu_state state = {
		.interrupts = atomic_read(&interrupts),
		.line = line,
	};

	if (request == EDU_INTERRUPT) {
		writel(1, registers + EDU_RAISE);
		return 0;
	}
	if (request != EDU_STATE) {
		return -ENOTTY;
	}
	state.factorial = readl(registers + EDU_FACTORIAL);
	state.status = readl(registers + EDU_STATUS);
	state.liveness = readl(registers + EDU_LIVENESS);
	return copy_to_user((void __user *)argument, &state, sizeof(state)) ? -EFAULT : 0;
}

static const struct file_operations files = {
	.owner = THIS_MODULE,
	.mmap = edu_mmap,
	.unlocked_ioctl = edu_ioctl,
};

static int probe(struct pci_dev *device, const struct pci_device_id *id)
{
	int error = pcim_enable_device(device);

	if (error) {
		return error;
	}
	registers = pcim_iomap(device, 0, 0);
	if (!registers) {
		return -ENOMEM;
	}
	physical = pci_resource_start(device, 0);
	pci_set_master(device);
	error = pci_alloc_irq_vectors(device, 1, 1, PCI_IRQ_ALL_TYPES);
	if (error < 0) {
		return error;
	}
	line = pci_irq_vector(device, 0);
	error = request_irq(line, handle, IRQF_SHARED, NAME, &interrupts);
	if (!error) {
		error = make_device_node(class, MKDEV(major, 0), NAME);
		if (!error) {
			return 0;
		}
		free_irq(line, &interrupts);
	}
	pci_free_irq_vectors(device);
	return error;
}

static void take_away(struct pci_dev *device)
{
	device_destroy(class, MKDEV(major, 0));
	free_irq(line, &interrupts);
	pci_free_irq_vectors(device);
	physical = 0;
}

static const struct pci_device_id ids[] = {{PCI_DEVICE(0x1234, 0x11e8)}, {}};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver driver = {
	.name = NAME,
	.id_table = ids,
	.probe = probe,
	.remove = take_away,
};

static int __init edu_init(void)
{
	int error;

	major = register_chrdev(0, NAME, &files);
	if (major < 0) {
		return major;
	}
	class = make_class(NAME);
	error = PTR_ERR_OR_ZERO(class);
	if (!error) {
		error = pci_register_driver(&driver);
		if (!error) {
			return 0;
		}
		class_destroy(class);
	}
	unregister_chrdev(major, NAME);
	return error;
}

static void __exit edu_exit(void)
{
	pci_unregister_driver(&driver);
	class_destroy(class);
	unregister_chrdev(major, NAME);
}

module_init(edu_init);
module_exit(edu_exit);
