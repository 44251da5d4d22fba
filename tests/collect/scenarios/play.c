/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/collect/scenarios/play.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int control_fd;

int call(int nr, void *argument, size_t size)
{
	return ioctl(control_fd, _IOC(_IOC_READ | _IOC_WRITE, 'F', nr, size), argument);
}

void alloc(uint32_t parent, uint32_t object, uint32_t class_, void *params, uint32_t size)
{
	struct fake_alloc a = {.root = CLIENT,
			       .parent = parent,
			       .object = object,
			       .class_ = class_,
			       .params = (uintptr_t)params,
			       .params_size = size};

	call(0x2b, &a, sizeof(a));
}

void release(uint32_t object)
{
	struct fake_free f = {.root = CLIENT, .parent = DEVICE, .object = object};

	call(0x29, &f, sizeof(f));
}

void *map_as(uint32_t memory, size_t length, int protection, int flags)
{
	struct fake_map m = {
		.client = CLIENT, .device = DEVICE, .memory = memory, .length = length};
	void *address;

	m.fd = open("/dev/nvidiactl", O_RDWR);
	call(0x4e, &m, sizeof(m));
	address = mmap(NULL, length, protection, flags, m.fd, 0);
	close(m.fd);
	return address;
}

void *map(uint32_t memory, size_t length, int protection)
{
	return map_as(memory, length, protection, MAP_SHARED);
}

void set_up(void)
{
	control_fd = open("/dev/nvidiactl", O_RDWR);
	alloc(0, CLIENT, 0x41, NULL, 0);
	alloc(CLIENT, DEVICE, 0x80, NULL, 0);
}

__attribute__((noinline)) void ring(volatile char *doorbell, uint32_t token)
{
	__asm__ volatile("addq $0x90, %0\n\tmovl %1, (%0)"
			 : "+r"(doorbell)
			 : "r"(token)
			 : "memory");
}

void submit(unsigned n)
{
	unsigned char params[368] = {0};
	volatile uint32_t *fb;
	volatile uint32_t *sys;
	volatile char *doorbell;
	uint32_t token = 0;
	struct fake_control control = {.client = CLIENT,
				       .object = CHANNEL,
				       .cmd = 0xc36f0108,
				       .params = (uintptr_t)&token,
				       .params_size = 4};
	uint32_t sum = 0;

	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	fb = map(FB, 4 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	sys = map(SYS, 4 * PAGE, PROT_READ | PROT_WRITE);
	*(uint32_t *)(params + 32) = FB;
	*(uint64_t *)(params + 64) = PAGE;
	alloc(DEVICE, CHANNEL, 0xc86f, params, 0);
	call(0x2a, &control, sizeof(control));
	for (unsigned i = 0; i < n; i++) {
		for (unsigned word = 0; word < 3 * PAGE / 4; word += 64) {
			sys[word] = i; /* the pushbuffer, over three pages: one run */
		}
		fb[0] = i;                     /* the ring */
		fb[(PAGE + 0x8c) / 4] = i + 1; /* GP_PUT, in the same run */
		ring(doorbell, token);
		sum += sys[3 * PAGE / 4] + sys[0]; /* polls memory, as the driver does */
	}
	printf("%u submissions, sum %u, token 0x%x\n", n, sum, token);
	munmap((void *)(uintptr_t)sys, 4 * PAGE);
	release(CHANNEL);
	munmap((void *)(uintptr_t)fb, 4 * PAGE);
	munmap((void *)(uintptr_t)doorbell, 16 * PAGE);
}

void run_submit(void)
{
	set_up();
	submit(3);
	release(CLIENT);
	close(control_fd);
}
