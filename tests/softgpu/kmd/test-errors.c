/* SPDX-License-Identifier: MIT */
/*
 * Tests requests that the KMD refuses: their statuses and errnos, and that the state
 * remains unchanged.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/softgpu/kmd/play.h"
#include "tests/suite.h"

#define BASE UINT64_C(0x300000000)

/* Checks that the call returns -1 with this errno. */
#define FAILS(call, number)                                                                \
	do {                                                                               \
		errno = 0;                                                                 \
		CU_ASSERT_EQUAL((long)(call), -1);                                         \
		CU_ASSERT_EQUAL(errno, number);                                            \
	} while (0)

static struct play p;

static uint32_t memory(uint32_t handle, uint64_t size, uint64_t alignment)
{
	struct kt_abi_memory_params m = {.size = size, .alignment = alignment};

	return play_alloc(&p, p.device, handle, KT_ABI_CLASS_MEMORY_LOCAL, &m, sizeof(m));
}

/* --- files --- */

static void paths(void)
{
	struct stat status;
	char text[256] = "";
	char link[64];
	char path[64];
	FILE *file = fopen(KT_ABI_FILE_VERSION, "r");
	int fd = open(KT_ABI_FILE_VERSION, O_RDONLY);

	CU_ASSERT(read(fd, text, sizeof(text) - 1) > 0 && strstr(text, KT_ABI_RELEASE));
	close(fd);
	memset(text, 0, sizeof(text));
	CU_ASSERT(file && fgets(text, sizeof(text), file) && strstr(text, KT_ABI_RELEASE));
	fclose(file);
	FAILS(open(KT_ABI_FILE_VERSION, O_RDWR), EACCES);
	FAILS(open("/dev/nvidia7", O_RDWR), ENOENT);
	FAILS(access("/dev/nvidia-modeset", F_OK), ENOENT);
	CU_ASSERT_EQUAL(access(KT_ABI_FILE_GPU, R_OK | W_OK), 0);
	CU_ASSERT(stat(KT_ABI_FILE_CONTROL, &status) == 0 && S_ISCHR(status.st_mode));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p.gpu);
	CU_ASSERT_EQUAL(readlink(path, link, sizeof(link)), 12);
	CU_ASSERT_EQUAL(memcmp(link, KT_ABI_FILE_GPU, 12), 0);
	CU_ASSERT_EQUAL(readlink(path, link, 4), 4);
	CU_ASSERT(fcntl(p.gpu, F_GETFD) & FD_CLOEXEC);
	fd = open(KT_ABI_FILE_CONTROL, O_RDWR);
	CU_ASSERT(fd >= 0 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC));
	close(fd);
	fd = (int)syscall(SYS_openat, AT_FDCWD, KT_ABI_FILE_UVM, O_RDWR, 0);
	CU_ASSERT(fd >= 0);
	close(fd);
}

/* --- invalid requests --- */

static void requests(void)
{
	struct kt_abi_sys_params sys = {.memblock_size = PLAY_MEMORY_BLOCK};
	struct kt_abi_sys_params other = {.memblock_size = PLAY_MEMORY_BLOCK / 2};
	struct kt_abi_register_fd registered = {.control_fd = p.control};
	struct {
		uint32_t nr;
		uint32_t size;
		uint64_t argument;
	} xfer = {KT_ABI_NR_SYS_PARAMS, sizeof(sys), (uintptr_t)&sys};
	struct kt_abi_card_info cards[2];
	char *bad = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kt_abi_card_info *constant =
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	FAILS(play_rm(p.control, 0x99, &sys, sizeof(sys)), EINVAL);
	FAILS(play_rm(p.control, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys) - 1), EINVAL);
	FAILS(play_rm(p.control, KT_ABI_NR_CARD_INFO, cards, sizeof(cards) - 4), EINVAL);
	FAILS(play_rm(p.gpu, KT_ABI_NR_SYS_PARAMS, &sys, sizeof(sys)), EINVAL);
	FAILS(play_rm(p.control, KT_ABI_NR_REGISTER_FD, &registered, 4), EINVAL);
	registered.control_fd = p.uvm;
	FAILS(play_rm(p.gpu, KT_ABI_NR_REGISTER_FD, &registered, 4), EINVAL);
	FAILS(play_rm(p.control, KT_ABI_NR_SYS_PARAMS, NULL, sizeof(sys)), EFAULT);
	FAILS(play_rm(p.control, KT_ABI_NR_SYS_PARAMS, bad, sizeof(sys)), EFAULT);
	FAILS(play_rm(p.control, KT_ABI_NR_SYS_PARAMS, bad + 4092, sizeof(sys)), EFAULT);
	FAILS(play_rm(p.control, KT_ABI_NR_CARD_INFO, constant, sizeof(cards)), EFAULT);
	FAILS(ioctl(p.uvm, KT_ABI_UVM_FREE, bad), EFAULT);
	FAILS(ioctl(p.uvm, 0x4242, &sys), EINVAL);
	FAILS(ioctl(99, KT_ABI_UVM_FREE, &sys), EBADF);
	CU_ASSERT_EQUAL(play_rm(p.control, 0xd3, &xfer, sizeof(xfer)), 0);
	CU_ASSERT_EQUAL(sys.memblock_size, PLAY_MEMORY_BLOCK);
	FAILS(play_rm(p.control, KT_ABI_NR_SYS_PARAMS, &other, sizeof(other)), EBUSY);
	FAILS(play_rm(p.control, 0xd3, &xfer, sizeof(xfer) - 1), EINVAL);
	xfer.size = 1 << 20;
	FAILS(play_rm(p.control, 0xd3, &xfer, sizeof(xfer)), EINVAL);
	xfer.nr = 0xd3;
	xfer.size = sizeof(xfer);
	FAILS(play_rm(p.control, 0xd3, &xfer, sizeof(xfer)), EINVAL);
	CU_ASSERT_EQUAL(syscall(SYS_ioctl, p.control,
				_IOC(3u, 'F', KT_ABI_NR_SYS_PARAMS, sizeof(sys)), &sys),
			0);
	CU_ASSERT_EQUAL(ioctl(p.control, FIOCLEX), 0);
	munmap(bad, 4096);
	munmap(constant, 4096);
}

/* --- objects --- */

static void allocations(void)
{
	struct kt_abi_memory_params m = {.size = 4096};
	struct kt_abi_alloc a = {.class_number = KT_ABI_CLASS_CLIENT, .object = 5};
	struct kt_abi_channel_params c = {0};
	struct play other = p;
	uint32_t h = p.next_handle;

	other.client = 0x12345678;
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, 0x1234, &m, 0), KT_ABI_INVALID_CLASS);
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_OS_DESCRIPTOR, &m, 0),
			KT_ABI_INVALID_CLASS);
	CU_ASSERT_EQUAL(play_alloc(&p, 0x777, h, KT_ABI_CLASS_MEMORY_LOCAL, &m, 0),
			KT_ABI_OBJECT_NOT_FOUND);
	CU_ASSERT_EQUAL(play_alloc(&p, p.client, h, KT_ABI_CLASS_MEMORY_LOCAL, &m, 0),
			KT_ABI_INVALID_OBJECT_PARENT);
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_MEMORY_LOCAL, &m, 4),
			KT_ABI_INVALID_PARAM_STRUCT);
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_MEMORY_LOCAL, NULL, 0),
			KT_ABI_INVALID_PARAM_STRUCT);
	CU_ASSERT_EQUAL(play_alloc(&other, p.device, h, KT_ABI_CLASS_MEMORY_LOCAL, &m, 0),
			KT_ABI_INVALID_CLIENT);
	FAILS((int)play_alloc(&p, p.device, h, KT_ABI_CLASS_MEMORY_LOCAL, (void *)8, 0),
	      EFAULT);
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, p.space, KT_ABI_CLASS_MEMORY_LOCAL, &m, 0),
			KT_ABI_INSERT_DUPLICATE_NAME);
	CU_ASSERT_EQUAL(memory(h, 0, 0), KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(memory(h, 4096, 3), KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(memory(h, UINT64_C(1) << 40, 0), KT_ABI_NO_MEMORY);
	CU_ASSERT_EQUAL(memory(h, UINT64_MAX, 0), KT_ABI_NO_MEMORY);
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_CHANNEL, &c, 0),
			KT_ABI_INVALID_OBJECT_PARENT);
	CU_ASSERT_EQUAL(play_rm(p.control, KT_ABI_NR_ALLOC, &a, sizeof(a)), 0);
	CU_ASSERT_EQUAL(a.status, KT_ABI_INVALID_ARGUMENT);
	FAILS(play_rm(p.control, KT_ABI_NR_ALLOC, &a, 40), EINVAL);
	CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK); /* there is none */
	CU_ASSERT_EQUAL(play_free(&other, h), KT_ABI_INVALID_CLIENT);
	m.attr = KT_ABI_ATTR_PCI;
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_MEMORY_LOCAL, &m, 0),
			KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_MEMORY_SYSTEM, &m, 0),
			KT_ABI_INVALID_OWNER);
	m.owner = p.client;
	CU_ASSERT_EQUAL(play_alloc(&p, p.subdevice, h, KT_ABI_CLASS_MEMORY_SYSTEM, &m, 0),
			KT_ABI_INVALID_OBJECT_PARENT);
	m.attr = 0;
	CU_ASSERT_EQUAL(play_alloc(&p, p.device, h, KT_ABI_CLASS_MEMORY_SYSTEM, &m, 0),
			KT_ABI_INVALID_ARGUMENT);
	/* The refused requests must have left no object. */
	CU_ASSERT_EQUAL(memory(h, 4096, 0), KT_ABI_OK);
	CU_ASSERT_EQUAL(memory(h, 4096, 0), KT_ABI_INSERT_DUPLICATE_NAME);
	CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK);
}

static void short_form(void)
{
	uint32_t a[8] = {p.client, p.device, p.next_handle, KT_ABI_CLASS_MEMORY_SYSTEM};
	struct kt_abi_memory_params m = {
		.owner = p.client, .attr = KT_ABI_ATTR_PCI, .size = 100};
	uint64_t params = (uintptr_t)&m;

	memcpy(a + 4, &params, sizeof(params));
	CU_ASSERT_EQUAL(play_rm(p.control, KT_ABI_NR_ALLOC, a, sizeof(a)), 0);
	CU_ASSERT_EQUAL(a[7], KT_ABI_OK);
	CU_ASSERT(m.size == 4096 && m.limit == 4095);
	CU_ASSERT_EQUAL(play_free(&p, a[2]), KT_ABI_OK);
	a[2] = 0; /* 0: the KMD chooses the handle */
	CU_ASSERT_EQUAL(play_rm(p.control, KT_ABI_NR_ALLOC, a, sizeof(a)), 0);
	CU_ASSERT(a[7] == KT_ABI_OK && a[2] != 0);
	CU_ASSERT_EQUAL(play_free(&p, a[2]), KT_ABI_OK);
}

/* A copy object names one of two engines, by number (version 0) or as an engine type. */
static void copy_engines(uint32_t channel, uint32_t h)
{
	static const struct {
		struct kt_abi_copy_params params;
		uint32_t status;
		uint32_t engine;
	} rows[] = {
		{{0, 0}, KT_ABI_OK, KT_ABI_ENGINE_COPY0},
		{{0, 1}, KT_ABI_OK, KT_ABI_ENGINE_COPY0 + 1},
		{{1, KT_ABI_ENGINE_COPY0 + 1}, KT_ABI_OK, KT_ABI_ENGINE_COPY0 + 1},
		{{0, 2}, KT_ABI_INVALID_ARGUMENT, 0},
		{{1, 1}, KT_ABI_INVALID_ARGUMENT, 0},
		{{1, KT_ABI_ENGINE_COPY0 + 2}, KT_ABI_INVALID_ARGUMENT, 0},
		{{2, 0}, KT_ABI_INVALID_ARGUMENT, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kt_abi_copy_params params = rows[i].params;
		struct kt_abi_class_engine engine = {.object = h};

		CU_ASSERT_EQUAL(play_alloc(&p, channel, h, KT_ABI_CLASS_COPY, &params,
					   sizeof(params)),
				rows[i].status);
		if (rows[i].status == KT_ABI_OK) {
			CU_ASSERT_EQUAL(play_control(&p, channel, KT_ABI_GET_CLASS_ENGINE,
						     &engine, sizeof(engine)),
					KT_ABI_OK);
			CU_ASSERT_EQUAL(engine.engine, rows[i].engine);
			CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK);
		}
	}
}

static void channels(void)
{
	struct kt_abi_channel_params c = {.gpfifo_entries = 64, .gpfifo_address = BASE};
	struct kt_abi_channel_params ok;
	struct kt_abi_channel_group_params bad_group = {.address_space = 0x9999};
	struct kt_abi_class_engine engine = {.object = p.device};
	struct kt_abi_ctx_buffer_size state = {.channel = p.device};
	struct kt_abi_uvm_register_channel registered = {
		.control_fd = p.control,
		.client = p.client,
		.base = BASE,
	};
	uint32_t h = p.next_handle + 100;
	uint32_t group;
	uint32_t share;
	uint32_t token;

	CU_ASSERT_EQUAL(
		play_alloc(&p, p.device, h, KT_ABI_CLASS_CHANNEL_GROUP, &bad_group, 0),
		KT_ABI_OBJECT_NOT_FOUND);
	CU_ASSERT_FATAL(play_group_create(&p, &group, &share));
	CU_ASSERT_EQUAL(memory(h, 8192, 0), KT_ABI_OK);
	c.userd_memory[0] = h;
	c.userd_offset[0] = 512;
	c.context_share = share;
	ok = c;
#define TRY(change, status)                                                                \
	do {                                                                               \
		c = ok;                                                                    \
		change;                                                                    \
		CU_ASSERT_EQUAL(play_alloc(&p, group, h + 1, KT_ABI_CLASS_CHANNEL, &c, 0), \
				status);                                                   \
	} while (0)
	TRY(c.gpfifo_entries = 63, KT_ABI_INVALID_ARGUMENT);
	TRY(c.gpfifo_entries = 0, KT_ABI_INVALID_ARGUMENT);
	TRY(c.gpfifo_address++, KT_ABI_INVALID_ARGUMENT);
	TRY(c.userd_memory[0] = p.device, KT_ABI_INVALID_OBJECT_HANDLE);
	TRY(c.userd_offset[0] = 100, KT_ABI_INVALID_OFFSET);
	TRY(c.userd_offset[0] = 8192, KT_ABI_INVALID_OFFSET);
	TRY(c.userd_offset[0] = UINT64_MAX - 511, KT_ABI_INVALID_OFFSET);
	TRY(c.error_memory = 0x4444, KT_ABI_INVALID_OBJECT_HANDLE);
	TRY(c.context_share = group, KT_ABI_INVALID_OBJECT_HANDLE);
	TRY(c.address_space = group, KT_ABI_INVALID_OBJECT_HANDLE);
	TRY((void)0, KT_ABI_OK);
#undef TRY
	CU_ASSERT_EQUAL(play_control(&p, p.subdevice, KT_ABI_GET_CTX_BUFFER_SIZE, &state,
				     sizeof(state)),
			KT_ABI_INVALID_CHANNEL);
	state.channel = h + 1;
	CU_ASSERT_EQUAL(play_control(&p, p.subdevice, KT_ABI_GET_CTX_BUFFER_SIZE, &state,
				     sizeof(state)),
			KT_ABI_OK);
	memcpy(registered.uuid, p.uuid, sizeof(registered.uuid));
	registered.channel = h + 1;
	registered.length = state.bytes - KT_ABI_PAGE;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_CHANNEL, &registered), 0);
	CU_ASSERT_EQUAL(registered.status, KT_ABI_INVALID_ADDRESS); /* too small */
	registered.length = state.bytes;
	CU_ASSERT_EQUAL(
		play_create_external(&p, BASE + state.bytes - KT_ABI_PAGE, 2 * KT_ABI_PAGE),
		KT_ABI_OK);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_CHANNEL, &registered), 0);
	CU_ASSERT_EQUAL(registered.status, KT_ABI_UVM_ADDRESS_IN_USE);
	CU_ASSERT_EQUAL(
		play_free_external(&p, BASE + state.bytes - KT_ABI_PAGE, 2 * KT_ABI_PAGE),
		KT_ABI_OK);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_CHANNEL, &registered), 0);
	CU_ASSERT_EQUAL(registered.status, KT_ABI_OK);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_CHANNEL, &registered), 0);
	CU_ASSERT_EQUAL(registered.status, KT_ABI_STATE_IN_USE);
	CU_ASSERT_EQUAL(play_alloc(&p, h + 1, h + 2, KT_ABI_CLASS_COPY, NULL, 0), 0);
	copy_engines(h + 1, h + 4);
	CU_ASSERT_EQUAL(play_alloc(&p, group, h + 3, KT_ABI_CLASS_COPY, NULL, 0),
			KT_ABI_INVALID_OBJECT_PARENT);
	CU_ASSERT_EQUAL(
		play_control(&p, h + 1, KT_ABI_GET_CLASS_ENGINE, &engine, sizeof(engine)),
		KT_ABI_INVALID_OBJECT_HANDLE);
	CU_ASSERT_EQUAL(play_control(&p, group, KT_ABI_GET_TOKEN, &token, 4),
			KT_ABI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(play_free(&p, group), KT_ABI_OK); /* with all objects below it */
	CU_ASSERT(play_is_absent(&p, h + 2));
	CU_ASSERT(play_is_absent(&p, share));
	CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK);
}

static void controls(void)
{
	struct kt_abi_channel_list list = {.n = 1000};
	struct kt_abi_addr_space_type type = {.object = p.device};
	struct kt_abi_attach_ids attach = {.ids = {7, 0xffffffff}};
	struct kt_abi_id_info info = {.gpu_id = 7};
	struct kt_abi_fb_info fb = {.n = 129};
	struct kt_abi_name name = {.flags = 1};
	struct play other = p;

	other.client = 1;
	CU_ASSERT_EQUAL(play_control(&p, p.client, 0x4711, NULL, 0), KT_ABI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(play_control(&other, 1, KT_ABI_GET_ID_INFO, &info, sizeof(info)),
			KT_ABI_INVALID_CLIENT);
	CU_ASSERT_EQUAL(play_control(&p, 1, KT_ABI_GET_ID_INFO, &info, sizeof(info)),
			KT_ABI_OBJECT_NOT_FOUND);
	CU_ASSERT_EQUAL(play_control(&p, p.device, KT_ABI_GET_ID_INFO, &info, sizeof(info)),
			KT_ABI_NOT_SUPPORTED);
	CU_ASSERT_EQUAL(play_control(&p, p.client, KT_ABI_GET_ID_INFO, &info, 4),
			KT_ABI_INVALID_ARGUMENT);
	FAILS((int)play_control(&p, p.client, KT_ABI_GET_ID_INFO, NULL, sizeof(info)),
	      EFAULT);
	CU_ASSERT_EQUAL(play_control(&p, p.client, KT_ABI_GET_ID_INFO, &info, sizeof(info)),
			KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(
		play_control(&p, p.client, KT_ABI_ATTACH_IDS, &attach, sizeof(attach)),
		KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(attach.failed, 7);
	CU_ASSERT_EQUAL(
		play_control(&p, p.client, KT_ABI_GET_ADDR_SPACE_TYPE, &type, sizeof(type)),
		KT_ABI_INVALID_OBJECT);
	CU_ASSERT_EQUAL(
		play_control(&p, p.device, KT_ABI_GET_CHANNEL_LIST, &list, sizeof(list)),
		KT_ABI_INVALID_ARGUMENT);
	list.n = 1;
	CU_ASSERT_EQUAL(
		play_control(&p, p.device, KT_ABI_GET_CHANNEL_LIST, &list, sizeof(list)),
		KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_control(&p, p.subdevice, KT_ABI_GET_FB_INFO, &fb, sizeof(fb)),
			KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(play_control(&p, p.subdevice, KT_ABI_GET_NAME, &name, sizeof(name)),
			KT_ABI_NOT_SUPPORTED);
}

/* --- mappings --- */

static void mappings(void)
{
	uint32_t h = p.next_handle + 50;
	struct kt_abi_map m = {.client = p.client, .device = p.device, .memory = h};
	char *whole;
	char *part;
	char *again;
	int fd;

	CU_ASSERT_EQUAL(memory(h, 16384, 0), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_unmap(&p, h, NULL), KT_ABI_INVALID_ADDRESS);
#define TRY(file, device, memory, offset, length, status)                                  \
	do {                                                                               \
		CU_ASSERT_EQUAL(play_map(&p, file, device, memory, offset, length, &fd),   \
				status);                                                   \
		FAILS(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), EINVAL);             \
		close(fd);                                                                 \
	} while (0)
	TRY(KT_ABI_FILE_GPU, p.client, h, 0, 4096, KT_ABI_INVALID_OBJECT_PARENT);
	TRY(KT_ABI_FILE_GPU, p.device, h + 1, 0, 4096, KT_ABI_INVALID_OBJECT_HANDLE);
	TRY(KT_ABI_FILE_GPU, p.device, p.space, 0, 4096, KT_ABI_INVALID_OBJECT);
	TRY(KT_ABI_FILE_GPU, p.device, p.subdevice, 0, 4096, KT_ABI_INVALID_OBJECT);
	TRY(KT_ABI_FILE_GPU, p.device, h, 100, 4096, KT_ABI_INVALID_OFFSET);
	TRY(KT_ABI_FILE_GPU, p.device, h, 16384, 4096, KT_ABI_INVALID_OFFSET);
	TRY(KT_ABI_FILE_GPU, p.device, h, 4096, 16384, KT_ABI_INVALID_LIMIT);
	TRY(KT_ABI_FILE_GPU, p.device, h, 0, 0, KT_ABI_INVALID_LIMIT);
	TRY(KT_ABI_FILE_GPU, p.device, h, 0, UINT64_MAX, KT_ABI_INVALID_LIMIT);
	TRY(KT_ABI_FILE_CONTROL, p.device, h, 0, 4096, KT_ABI_INVALID_ARGUMENT);
#undef TRY
	m.length = 4096;
	m.fd = 0;
	CU_ASSERT_EQUAL(play_rm(p.control, KT_ABI_NR_MAP_MEMORY, &m, sizeof(m)), 0);
	CU_ASSERT_EQUAL(m.status, KT_ABI_INVALID_ARGUMENT);

	CU_ASSERT_EQUAL(play_map(&p, KT_ABI_FILE_GPU, p.device, h, 0, 16384, &fd), 0);
	FAILS(mmap(NULL, 20480, PROT_READ, MAP_SHARED, fd, 0), EINVAL);
	FAILS(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096), EINVAL);
	whole = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	again = (char *)syscall(SYS_mmap, NULL, 16384L, (long)PROT_READ, (long)MAP_SHARED,
				(long)fd, 0L);
	CU_ASSERT_FATAL(whole != MAP_FAILED && again != MAP_FAILED);
	close(fd);
	CU_ASSERT_EQUAL(play_map(&p, KT_ABI_FILE_GPU, p.subdevice, h, 8192, 4096, &fd), 0);
	part = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CU_ASSERT_FATAL(part != MAP_FAILED);
	close(fd);
	CU_ASSERT(whole[8192] == 0 && part[0] == 0);
	*(volatile char *)(whole + 8192) = 42;
	CU_ASSERT(*(volatile char *)part == 42 && *(volatile char *)(again + 8192) == 42);
	CU_ASSERT_EQUAL(play_unmap(&p, h, whole), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_unmap(&p, h, part), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_unmap(&p, h, part), KT_ABI_INVALID_ADDRESS);
	munmap(whole, 16384);
	munmap(again, 16384);
	munmap(part, 4096);
	CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK);
	FAILS(mmap(NULL, 4096, PROT_READ, MAP_SHARED, p.control, 0), EINVAL);
	part = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, p.uvm, 0);
	CU_ASSERT(part != MAP_FAILED && part[8191] == 0);
	munmap(part, 8192);
}

/* The software GPU's own registers, mapped through the subdevice. */
static void transfer_page(void)
{
	const struct kt_abi_transfer_registers *registers;
	char *page;
	int fd;

	CU_ASSERT_EQUAL(play_map(&p, KT_ABI_FILE_GPU, p.device, p.subdevice,
				 KT_ABI_TRANSFER_OFFSET, KT_ABI_TRANSFER_BYTES, &fd),
			0);
	page = mmap(NULL, KT_ABI_TRANSFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	CU_ASSERT_FATAL(page != MAP_FAILED);
	registers = (const void *)(page + KT_ABI_WINDOW_BYTES);
	CU_ASSERT_EQUAL(registers->window_done, registers->window_request);
	CU_ASSERT_EQUAL(play_unmap(&p, p.subdevice, page), 0);
	munmap(page, KT_ABI_TRANSFER_BYTES);
}

/* --- unified memory --- */

static void ranges(void)
{
	uint32_t h = p.next_handle + 60;
	struct play strange = p;

	CU_ASSERT_EQUAL(memory(h, 65536, 0), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE + 1, 4096), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE, 0), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE, 100), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_create_external(&p, UINT64_C(1) << 57, 4096),
			KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_create_external(&p, UINT64_MAX - 4095, 8192),
			KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE, 65536), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE + 61440, 8192),
			KT_ABI_UVM_ADDRESS_IN_USE);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE - 4096, 8192),
			KT_ABI_UVM_ADDRESS_IN_USE);
	CU_ASSERT_EQUAL(play_create_external(&p, BASE + 65536, 4096), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 65536, h + 1, 0),
			KT_ABI_OBJECT_NOT_FOUND);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 65536, p.device, 0),
			KT_ABI_OBJECT_NOT_FOUND);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 69632, h, 0), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE - 4096, 4096, h, 0),
			KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 65536, h, 4096), KT_ABI_INVALID_LIMIT);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 4096, h, 65536), KT_ABI_INVALID_OFFSET);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 4096, h, 5), KT_ABI_INVALID_OFFSET);
	strange.uuid[0] ^= 1;
	CU_ASSERT_EQUAL(play_map_external(&strange, BASE, 4096, h, 0),
			KT_ABI_INVALID_DEVICE);
	strange = p;
	strange.control = p.gpu;
	CU_ASSERT_EQUAL(play_map_external(&strange, BASE, 4096, h, 0),
			KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 65536, h, 0), KT_ABI_OK);
	/*
	 * Maps over the middle of a mapping, then over both its ends, then over all of it.
	 */
	CU_ASSERT_EQUAL(play_map_external(&p, BASE + 8192, 4096, h, 0), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 4096, h, 8192), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE + 61440, 4096, h, 8192), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE, 65536, h, 0), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_map_external(&p, BASE + 65536, 4096, h, 0), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_free_external(&p, BASE + 4096, 0), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_free_external(&p, BASE, 4096), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_free_external(&p, BASE, 65536), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_free_external(&p, BASE, 65536), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_free_external(&p, BASE + 65536, 4096), KT_ABI_OK);
}

static void registrations(void)
{
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	uint32_t h = p.next_handle + 70;

	munmap(two + 4096, 4096);
	CU_ASSERT_EQUAL(play_register(&p, h, two, 8192), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_register(&p, h, two + 1, 4096), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_register(&p, h, two, 100), KT_ABI_INVALID_LIMIT);
	CU_ASSERT_EQUAL(play_register(&p, h, two, 0), KT_ABI_INVALID_LIMIT);
	CU_ASSERT_EQUAL(play_register(&p, h, (void *)UINTPTR_MAX, 4096),
			KT_ABI_INVALID_LIMIT);
	CU_ASSERT_EQUAL(play_register(&p, h, NULL, 4096), KT_ABI_INVALID_ADDRESS);
	CU_ASSERT_EQUAL(play_register(&p, p.device, two, 4096),
			KT_ABI_INSERT_DUPLICATE_NAME);
	CU_ASSERT_EQUAL(play_register(&p, h, two, 4096), KT_ABI_OK);
	CU_ASSERT_EQUAL(play_free(&p, h), KT_ABI_OK);
	CU_ASSERT(play_is_absent(&p, h));
	munmap(two, 4096);
}

static void unified_memory_states(void)
{
	struct kt_abi_uvm_register_space space = {.control_fd = p.control};
	struct kt_abi_uvm_gpu gpu = {.status = 0};
	struct kt_abi_uvm_register_channel channel = {.client = p.client};
	struct kt_abi_uvm_range_group group = {.id = 0};
	struct kt_abi_uvm_mm mm = {.fd = p.control};
	struct kt_abi_share_policy policy = {.target = p.client};

	memcpy(space.uuid, p.uuid, sizeof(space.uuid));
	memcpy(gpu.uuid, p.uuid, sizeof(gpu.uuid));
	memcpy(channel.uuid, p.uuid, sizeof(channel.uuid));
	space.client = p.client;
	space.address_space = p.space;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_SPACE, &space), 0);
	CU_ASSERT_EQUAL(space.status, KT_ABI_STATE_IN_USE);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_UNREGISTER_SPACE, &gpu), 0);
	CU_ASSERT_EQUAL(gpu.status, KT_ABI_OK);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_UNREGISTER_SPACE, &gpu), 0);
	CU_ASSERT_EQUAL(gpu.status, KT_ABI_INVALID_DEVICE);
	/* A client that nothing may duplicate */
	CU_ASSERT_EQUAL(play_control(&p, p.client, KT_ABI_SET_SHARE_POLICY, &policy,
				     sizeof(policy)),
			KT_ABI_OK);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_SPACE, &space), 0);
	CU_ASSERT_EQUAL(space.status, KT_ABI_INSUFFICIENT_PERMISSIONS);
	policy.type = KT_ABI_SHARE_PID;
	policy.access = KT_ABI_ACCESS_DUPLICATE;
	CU_ASSERT_EQUAL(play_control(&p, p.client, KT_ABI_SET_SHARE_POLICY, &policy,
				     sizeof(policy)),
			KT_ABI_OK);
	space.address_space = p.device;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_SPACE, &space), 0);
	CU_ASSERT_EQUAL(space.status, KT_ABI_OBJECT_NOT_FOUND);
	space.address_space = p.space;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_SPACE, &space), 0);
	CU_ASSERT_EQUAL(space.status, KT_ABI_OK);
	channel.channel = p.device;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_CHANNEL, &channel), 0);
	CU_ASSERT_EQUAL(channel.status, KT_ABI_INVALID_CHANNEL);
	CU_ASSERT_EQUAL(ioctl(p.uvm_mm, KT_ABI_UVM_MM_INITIALIZE, &mm), 0);
	CU_ASSERT_EQUAL(mm.status, KT_ABI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_CREATE_RANGE_GROUP, &group), 0);
	CU_ASSERT(group.status == KT_ABI_OK && group.id != 0);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_DESTROY_RANGE_GROUP, &group), 0);
	CU_ASSERT_EQUAL(group.status, KT_ABI_OK);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_DESTROY_RANGE_GROUP, &group), 0);
	CU_ASSERT_EQUAL(group.status, KT_ABI_OBJECT_NOT_FOUND);
}

/* A client that has set no policy shares nothing: nvidia-uvm cannot take its space. */
static void closed_client(void)
{
	struct kt_abi_alloc client = {.class_number = KT_ABI_CLASS_CLIENT};
	struct kt_abi_device_params device = {0};
	struct kt_abi_address_space_params params = {0};
	struct kt_abi_uvm_gpu gpu = {.status = 0};
	struct kt_abi_uvm_register_space space = {.control_fd = p.control};
	struct play other = p;

	CU_ASSERT_EQUAL(play_rm(p.control, KT_ABI_NR_ALLOC, &client, sizeof(client)), 0);
	other.client = client.object;
	CU_ASSERT_EQUAL(play_alloc(&other, other.client, 1, KT_ABI_CLASS_DEVICE, &device,
				   sizeof(device)),
			KT_ABI_OK);
	CU_ASSERT_EQUAL(play_alloc(&other, 1, 2, KT_ABI_CLASS_ADDRESS_SPACE, &params,
				   sizeof(params)),
			KT_ABI_OK);
	memcpy(gpu.uuid, p.uuid, sizeof(gpu.uuid));
	memcpy(space.uuid, p.uuid, sizeof(space.uuid));
	space.client = other.client;
	space.address_space = 2;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_UNREGISTER_SPACE, &gpu), 0);
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_SPACE, &space), 0);
	CU_ASSERT_EQUAL(space.status, KT_ABI_INSUFFICIENT_PERMISSIONS);
	space.client = p.client;
	space.address_space = p.space;
	CU_ASSERT_EQUAL(ioctl(p.uvm, KT_ABI_UVM_REGISTER_SPACE, &space), 0);
	CU_ASSERT_EQUAL(space.status, KT_ABI_OK);
	CU_ASSERT_EQUAL(play_free(&other, other.client), KT_ABI_OK);
}

/* Runs as the first test, while no file of nvidia-uvm is initialized. */
static void order(void)
{
	struct kt_abi_uvm_range range = {.base = BASE, .length = 4096};
	int fd = open(KT_ABI_FILE_UVM, O_RDWR);

	CU_ASSERT_EQUAL(ioctl(fd, KT_ABI_UVM_CREATE_EXTERNAL, &range), 0);
	CU_ASSERT_EQUAL(range.status, KT_ABI_ILLEGAL_ACTION);
	close(fd);
	CU_ASSERT_FATAL(play_open(&p));
}

static void end(void)
{
	play_close(&p);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"nothing before nvidia-uvm is initialised", order},
		{"paths", paths},
		{"requests", requests},
		{"allocations", allocations},
		{"the short form of an allocation", short_form},
		{"channels", channels},
		{"controls", controls},
		{"mappings", mappings},
		{"the transfer page", transfer_page},
		{"ranges of the GPU's addresses", ranges},
		{"registered memory", registrations},
		{"states of unified memory", unified_memory_states},
		{"a client without a policy", closed_client},
		{"the end", end},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("KMD: what is refused", tests);
}
