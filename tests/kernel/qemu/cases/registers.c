/* SPDX-License-Identifier: MIT */
/*
 * Stores to other registers of the doorbell page, in each width of a plain store: registers
 * MODE SAID. Each store must reach the device and be readable afterwards. After each store,
 * the doorbell is written. The last stores are wider than the doorbell.
 */
#include "bare.h"

#define FREE 0x200 /* offset from which the device has no registers */

static int fd;
static volatile uint8_t *page;
static struct bare_ring *ring;
static struct said said;

static void submit(void)
{
	static uint32_t number;

	bare_submit(ring, &said, bare_doorbell((void *)page), 0, ++number);
}

static void expect(uint32_t offset, uint32_t value)
{
	uint32_t read = *(volatile uint32_t *)(page + offset);
	uint32_t there = bare_word(fd, offset);

	if (there != value || read != value) {
		fail("0x%x: stored 0x%x, the device has 0x%x, the program reads 0x%x",
		     offset, value, there, read);
	}
}

static void store_two_bytes(uint32_t at)
{
	uint16_t low = 0x1122;
	uint16_t high = 0x3344;

	asm volatile("movw %1, %0" : "=m"(*(volatile uint16_t *)(page + at)) : "r"(low));
	asm volatile("movw %1, %0"
		     : "=m"(*(volatile uint16_t *)(page + at + 2))
		     : "r"(high));
	expect(at, 0x33441122);
}

static void store_four_bytes(uint32_t at)
{
	asm volatile("movl %1, %0"
		     : "=m"(*(volatile uint32_t *)(page + at))
		     : "r"(0x89abcdefu));
	expect(at, 0x89abcdefu);
	asm volatile("movl $0x7654321, %0" : "=m"(*(volatile uint32_t *)(page + at)));
	expect(at, 0x7654321);
}

static void store_eight_bytes(uint32_t at)
{
	uint64_t value = 0x1020304050607080u + at;

	asm volatile("movq %1, %0" : "=m"(*(volatile uint64_t *)(page + at)) : "r"(value));
	expect(at, (uint32_t)value);
	expect(at + 4, (uint32_t)(value >> 32));
}

/* Executes stos in both directions; %rdi must change as on the CPU. */
static void store_strings(uint32_t at)
{
	volatile uint8_t *to = page + at;

	asm volatile("stosl" : "+D"(to) : "a"(0xaaaa5555u) : "memory");
	asm volatile("stosw" : "+D"(to) : "a"(0x6666u) : "memory");
	asm volatile("std; stosw; cld" : "+D"(to) : "a"(0x7777u) : "memory");
	if (to != page + at + 4) {
		fail("stos advanced to 0x%tx", to - page);
	}
	expect(at, 0xaaaa5555u);
	expect(at + 4, 0x77776666);
}

/*
 * Makes two stores of 8 bytes, to the doorbell and the register after or before it. That
 * register must get the other half.
 */
static void store_around(void)
{
	uint32_t token = BARE_TOKEN(0x1111, 0);
	uint64_t following = (uint64_t)0xcafe0001 << 32 | token;
	uint64_t before = (uint64_t)token << 32 | 0xcafe0002;

	asm volatile("movq %1, %0"
		     : "=m"(*(volatile uint64_t *)(page + BARE_DOORBELL))
		     : "r"(following));
	asm volatile("movq %1, %0"
		     : "=m"(*(volatile uint64_t *)(page + BARE_DOORBELL - 4))
		     : "r"(before));
	said.values[said.n++] = token;
	said.values[said.n++] = token;
	if (bare_word(fd, BARE_DOORBELL + 4) != 0xcafe0001 ||
	    bare_word(fd, BARE_DOORBELL - 4) != 0xcafe0002) {
		fail("the other half of a wide store was lost");
	}
}

int main(int argc, char **argv)
{
	bool misaligned = argc == 3 && strcmp(argv[1], "shadow") == 0;

	if (argc != 3) {
		fail("usage: registers MODE SAID");
	}
	fd = bare_open();
	ring = bare_ring(fd, 0);
	page = bare_map(fd, 1, 0);
	said_begin(&said, 100);
	for (uint32_t i = 0; i < 10; i++) {
		store_two_bytes(FREE + 32 * i);
		submit();
		store_four_bytes(FREE + 32 * i + 4);
		submit();
		store_eight_bytes(FREE + 32 * i + 8);
		/*
		 * The store is misaligned, so it is made only in mode shadow: in mode watch
		 * QEMU 7.2 would trap for any watched dword of the page.
		 */
		if (misaligned) {
			store_eight_bytes(FREE + 32 * i + 20);
		}
		submit();
		store_strings(FREE + 32 * i + 8);
		submit();
	}
	store_around();
	submit();
	said_write(&said, argv[2], "");
	return 0;
}
