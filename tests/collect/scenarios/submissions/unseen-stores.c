/* SPDX-License-Identifier: MIT */
/*
 * A ring and its GP_PUT are also written through a second mapping of their memory. The
 * program created that mapping by a direct system call, so the recorder does not observe
 * its stores, and must not report observed values as the memory's contents (--rings=check).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decode/gpfifo.h"
#include "tests/collect/scenarios/play.h"

#define ENTRIES 8u
#define BYTES   (4ul * PAGE)
#define PUT     ((PAGE + KT_USERD_GP_PUT) / 4)

static volatile uint32_t *seen;
static volatile uint32_t *unseen;

static void *map_unseen(int fd)
{
	register long flags __asm__("r10") = MAP_SHARED;
	register long file __asm__("r8") = fd;
	register long offset __asm__("r9") = 0;
	long result = SYS_mmap;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(0), "S"(BYTES), "d"(PROT_READ | PROT_WRITE), "r"(flags),
			   "r"(file), "r"(offset)
			 : "rcx", "r11", "memory");
	return (void *)result;
}

static void map_twice(void)
{
	struct fake_map m = {
		.client = CLIENT, .device = DEVICE, .memory = FB, .length = BYTES};

	m.fd = open("/dev/nvidiactl", O_RDWR);
	call(0x4e, &m, sizeof(m));
	seen = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
	unseen = map_unseen(m.fd);
	close(m.fd);
}

static void make_channel(void)
{
	unsigned char params[368] = {0};
	uint32_t token = 0;
	struct fake_control control = {.client = CLIENT,
				       .object = CHANNEL,
				       .cmd = 0xc36f0108,
				       .params = (uintptr_t)&token,
				       .params_size = 4};
	const uint64_t address = (uintptr_t)seen;
	const uint64_t offset = PAGE;
	const uint32_t n = ENTRIES;
	const uint32_t userd = FB;

	memcpy(params + 8, &address, 8);
	memcpy(params + 16, &n, 4);
	memcpy(params + 32, &userd, 4);
	memcpy(params + 64, &offset, 8);
	alloc(DEVICE, CHANNEL, 0xc86f, params, 0);
	call(0x2a, &control, sizeof(control));
}

/* Encodes a control entry, which has no segment. */
static void encode(uint32_t words[static 2], uint32_t operand)
{
	const struct kt_gpfifo_entry entry = {.opcode = KT_GPFIFO_SET_EXTENDED_BASE,
					      .operand = operand};

	kt_gpfifo_encode(words, &entry);
}

/* Writes the first two entries by a single store of 16 bytes. */
static void put_two(volatile uint32_t *memory, uint32_t operand)
{
	uint32_t words[4];

	encode(words, operand);
	encode(words + 2, operand);
	__asm__ volatile("movdqu (%0), %%xmm0\n\tmovdqu %%xmm0, (%1)"
			 :
			 : "r"(words), "r"(memory)
			 : "xmm0", "memory");
}

static void put(volatile uint32_t *memory, uint32_t index, uint32_t operand)
{
	uint32_t words[2];

	encode(words, operand);
	memory[2 * index] = words[0];
	memory[2 * index + 1] = words[1];
}

int main(void)
{
	volatile char *doorbell;

	set_up();
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	map_twice();
	make_channel();
	put_two(seen, 1);
	seen[PUT] = 1;
	ring(doorbell, FAKE_TOKEN);
	put(unseen, 1, 2); /* differs from the observed entry */
	seen[PUT] = 2;
	ring(doorbell, FAKE_TOKEN);
	put(seen, 2, 1);
	unseen[PUT] = 3; /* differs from the observed GP_PUT */
	ring(doorbell, FAKE_TOKEN);
	put(seen, 3, 1);
	seen[PUT] = 4;
	ring(doorbell, FAKE_TOKEN);
	printf("GP_PUT %u\n", unseen[PUT]);
	release(CLIENT);
	return 0;
}
