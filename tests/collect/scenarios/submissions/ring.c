/* SPDX-License-Identifier: MIT */
/*
 * Covers the contents of rings. Segments are short and long, at a GPU address of their own,
 * at the CPU's address and in registered memory; other cases are control entries, the
 * extended base, wrapping, an unreadable segment, a GP_PUT beyond the ring, and a doorbell
 * written before the channel's USERD was mapped.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/gpfifo.h"
#include "tests/collect/scenarios/play.h"

#define ENTRIES  8u
#define UVM_BASE 0x10000000u /* GPU address of the pushbuffer */
#define DMA_BASE 0x20000000u
#define LONG     ((1u << 20) / 4) /* in dwords */
#define USERD    (PAGE / 4)       /* index in the ring's memory, in dwords */

static volatile uint32_t *fb;
static uint32_t *pushbuffer;
static volatile char *doorbell;
static uint32_t at; /* next entry of the ring */

static void map_by_uvm(uint64_t base, uint64_t length, uint32_t memory)
{
	static unsigned char params[9264]; /* UVM_MAP_EXTERNAL_ALLOCATION_PARAMS */
	const uint32_t client = CLIENT;
	int fd = open("/dev/nvidia-uvm", O_RDWR);

	memcpy(params, &base, 8);
	memcpy(params + 8, &length, 8);
	memcpy(params + 9252, &client, 4);
	memcpy(params + 9256, &memory, 4);
	ioctl(fd, 0x21, params);
	close(fd);
}

static void map_by_dma(uint64_t base, uint64_t length, uint32_t memory)
{
	struct {
		uint32_t client, device, dma, memory;
		uint64_t offset, length;
		uint32_t flags, flags2, kind, pad;
		uint64_t dma_offset;
		uint32_t status, pad2;
	} params = {.client = CLIENT,
		    .device = DEVICE,
		    .memory = memory,
		    .length = length,
		    .dma_offset = base};

	call(0x57, &params, sizeof(params));
}

static void make_channel(uint32_t handle, uint32_t userd, const volatile uint32_t *entries)
{
	unsigned char params[368] = {0};
	uint32_t token = 0;
	struct fake_control control = {.client = CLIENT,
				       .object = handle,
				       .cmd = 0xc36f0108,
				       .params = (uintptr_t)&token,
				       .params_size = 4};
	const uint64_t address = (uintptr_t)entries;
	const uint64_t offset = PAGE;
	const uint32_t n = ENTRIES;

	memcpy(params + 8, &address, 8);
	memcpy(params + 16, &n, 4);
	memcpy(params + 32, &userd, 4);
	memcpy(params + 64, &offset, 8);
	alloc(DEVICE, handle, 0xc86f, params, 0);
	call(0x2a, &control, sizeof(control));
}

static void put(const struct kt_gpfifo_entry *entry)
{
	uint32_t words[2];

	kt_gpfifo_encode(words, entry);
	fb[2 * at] = words[0];
	fb[2 * at + 1] = words[1];
	at = (at + 1) % ENTRIES;
}

static void put_segment(uint64_t address, uint32_t words)
{
	const struct kt_gpfifo_entry entry = {.address = address, .words = words};

	put(&entry);
}

static void put_control(uint8_t opcode, uint64_t operand)
{
	const struct kt_gpfifo_entry entry = {.opcode = opcode,
					      .operand = (uint32_t)operand};

	put(&entry);
}

static void go(void)
{
	fb[USERD + KT_USERD_GP_PUT / 4] = at;
	ring(doorbell, FAKE_TOKEN);
}

static void submit_segments(void)
{
	static const uint32_t sizes[] = {1, 15, 400, 6144, LONG};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		put_segment(UVM_BASE + 4 * i, sizes[i]);
		go();
	}
	for (uint32_t i = 0; i < 5; i++) { /* entries per round: 3, so they wrap */
		put_segment(UVM_BASE + 4 * i, 2);
		put_segment(UVM_BASE + 8 * i, 3);
		put_control(KT_GPFIFO_NOP, 0);
		go();
	}
}

/*
 * Submits memory at its CPU address. The address needs more than an entry's 40 bits, so the
 * extended base holds the rest.
 */
static void submit_at_base(const void *where, uint32_t words)
{
	put_control(KT_GPFIFO_SET_EXTENDED_BASE, (uintptr_t)where >> 40);
	put_segment((uintptr_t)where & ((1ull << 40) - 1), words);
	put_control(KT_GPFIFO_SET_EXTENDED_BASE, 0);
	go();
}

static void submit_bad_ones(void)
{
	put_segment(0x3000, 4); /* not mapped */
	/* Only half of the segment is mapped. */
	put_segment(UVM_BASE + 4 * (LONG + PAGE / 4) - 8, 4);
	put_segment(UVM_BASE, 1);
	go();
	fb[USERD + KT_USERD_GP_PUT / 4] = 1000;
	ring(doorbell, FAKE_TOKEN);
	put_segment(UVM_BASE, 2);
	go();
}

/*
 * A second channel, with the same token as the first, is submitted before its USERD is
 * mapped.
 */
static void submit_late(void)
{
	volatile uint32_t *memory;

	make_channel(CHANNEL + 1, FB + 1, fb);
	put_segment(UVM_BASE, 3);
	go();
	alloc(DEVICE, FB + 1, 0x40, NULL, 0);
	memory = map(FB + 1, 4 * PAGE, PROT_READ | PROT_WRITE);
	memory[USERD + KT_USERD_GP_PUT / 4] = 2;
	put_segment(UVM_BASE, 4);
	go();
	memory[USERD + KT_USERD_GP_PUT / 4] = 3;
	ring(doorbell, FAKE_TOKEN);
}

int main(void)
{
	static uint32_t registered[3 * PAGE / 4] __attribute__((aligned(PAGE)));
	struct fake_register pin = {.root = CLIENT,
				    .parent = DEVICE,
				    .object = PIN,
				    .class_ = 0x71,
				    .address = (uintptr_t)registered,
				    .limit = sizeof(registered) - 1,
				    .fd = -1};
	const size_t bytes = LONG * 4 + PAGE;

	set_up();
	alloc(DEVICE, USERMODE, 0xc661, NULL, 0);
	doorbell = map(USERMODE, 16 * PAGE, PROT_WRITE);
	alloc(DEVICE, FB, 0x40, NULL, 0);
	fb = map(FB, 4 * PAGE, PROT_READ | PROT_WRITE);
	alloc(DEVICE, SYS, 0x3e, NULL, 0);
	pushbuffer = map(SYS, bytes, PROT_READ | PROT_WRITE);
	map_by_uvm(UVM_BASE, bytes, SYS);
	map_by_dma(DMA_BASE, bytes, SYS);
	make_channel(CHANNEL, FB, fb);
	for (uint32_t i = 0; i < bytes / 4; i++) {
		pushbuffer[i] = i + 1;
	}
	for (uint32_t i = 0; i < sizeof(registered) / 4; i++) {
		registered[i] = 7 * i + 1;
	}
	call(0x27, &pin, sizeof(pin));
	submit_segments();
	submit_at_base(pushbuffer + 100, 5);
	submit_at_base((const char *)registered + 2 * PAGE - 8, 20);
	put_segment(DMA_BASE + 40, 6);
	go();
	submit_bad_ones();
	submit_late();
	printf("at %u of the ring\n", at);
	release(CLIENT);
	return 0;
}
