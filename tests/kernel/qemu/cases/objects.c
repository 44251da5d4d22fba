/* SPDX-License-Identifier: MIT */
/*
 * Objects of the resource manager: objects N AGAIN. Creates N objects including the client,
 * forks, frees AGAIN of them, creates as many new ones, and frees the client.
 */
#include "bare.h"
#include "corpus/softgpu/abi.h"

#define DEVICE 0x5c000001u

static int fd;
static uint32_t client;

static void make_call(unsigned nr, size_t size, void *argument, const uint32_t *status)
{
	if (ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, KT_ABI_TYPE, nr, size), argument) != 0 ||
	    *status != KT_ABI_OK) {
		fail("request %#x: %s, status %#x", nr, strerror(errno), *status);
	}
}

static uint32_t make(uint32_t parent, uint32_t object, uint32_t class_number)
{
	struct kt_abi_alloc alloc = {
		.client = client,
		.parent = parent,
		.object = object,
		.class_number = class_number,
	};

	make_call(KT_ABI_NR_ALLOC, sizeof(alloc), &alloc, &alloc.status);
	return alloc.object;
}

static void take_away(uint32_t parent, uint32_t object)
{
	struct kt_abi_free freed = {.client = client, .parent = parent, .object = object};

	make_call(KT_ABI_NR_FREE, sizeof(freed), &freed, &freed.status);
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)atoi(argv[1]) : 0;
	uint32_t again = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	pid_t child;

	fd = open(KT_ABI_FILE_CONTROL, O_RDWR);
	if (n < again || fd < 0) {
		fail("usage: objects N AGAIN: " KT_ABI_FILE_CONTROL ": %s",
		     strerror(errno));
	}
	client = make(0, 0, KT_ABI_CLASS_CLIENT);
	make(client, DEVICE, KT_ABI_CLASS_DEVICE);
	for (uint32_t i = 1; i < n - 1; i++) {
		make(DEVICE, DEVICE + i, KT_ABI_CLASS_SUBDEVICE);
	}
	child = fork();
	if (child == 0) {
		_exit(0);
	}
	wait_for(child);
	for (uint32_t i = 1; i <= again; i++) {
		take_away(DEVICE, DEVICE + i);
		make(DEVICE, DEVICE + n + i, KT_ABI_CLASS_SUBDEVICE);
	}
	take_away(client, client);
	return 0;
}
