/* SPDX-License-Identifier: MIT */
/*
 * Stores by 32-bit code: compat SAID. The thread switches to the 32-bit code segment for a
 * few instructions, one of which would be another store as 64-bit code.
 */
#define _GNU_SOURCE
#include "bare.h"

#define STORES 100

/*
 * As 32-bit code: dec %eax; mov %ecx,(%eax); a far jump back. As 64-bit code the first
 * three bytes are mov %rcx,(%rax).
 */
static const unsigned char code32[] = {0x48, 0x89, 0x08, 0xea, 0, 0, 0, 0, 0x33, 0};
static const unsigned char code64[] = {0xc3}; /* ret */

static unsigned char *low(size_t size, int fd, int protection, int flags)
{
	void *at = mmap(NULL, size, protection, flags | MAP_32BIT, fd, 0);

	if (at == MAP_FAILED) {
		fail("mmap low memory: %s", strerror(errno));
	}
	return at;
}

/*
 * Jumps to the 32-bit code, which returns to the `ret` in code64. The stack must be in low
 * memory, because an interrupt of 32-bit code restores only 32 bits of rsp.
 */
static void store(const void *code, char *stack_end, doorbell_reg *at, uint32_t value)
{
	struct {
		uint32_t offset;
		uint16_t segment;
	} __attribute__((packed)) target = {(uint32_t)(uintptr_t)code, 0x23};
	uint32_t eax = (uint32_t)(uintptr_t)at + 1;

	asm volatile("movq %%rsp, %%rdx\n\t"
		     "movq %%rsi, %%rsp\n\t"
		     "pushq %%rdx\n\t"
		     "leaq 1f(%%rip), %%rdx\n\t"
		     "pushq %%rdx\n\t"
		     "ljmpl *(%%rbx)\n"
		     "1:\tpopq %%rsp"
		     : "+a"(eax)
		     : "c"(value), "b"(&target), "S"(stack_end)
		     : "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		       "memory", "cc");
}

int main(int argc, char **argv)
{
	int fd = bare_open();
	struct bare_ring *ring = bare_ring(fd, 0);
	unsigned char *code = low(PAGE, -1, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS);
	doorbell_reg *doorbell =
		bare_doorbell(low(PAGE, fd, PROT_READ | PROT_WRITE, MAP_SHARED));
	char *stack =
		(char *)low(PAGE, -1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
	uint32_t back = (uint32_t)(uintptr_t)code + sizeof(code32);
	struct said said;

	if (argc != 2) {
		fail("usage: compat SAID");
	}
	memcpy(code, code32, sizeof(code32));
	memcpy(code + 4, &back, 4);
	memcpy(code + sizeof(code32), code64, sizeof(code64));
	said_begin(&said, STORES);
	for (uint32_t i = 1; i <= STORES; i++) {
		bare_put(ring, i);
		store(code, stack + PAGE, doorbell, BARE_TOKEN(i, 0));
		said.values[said.n++] = BARE_TOKEN(i, 0);
		bare_await(ring, 0, i);
	}
	said_write(&said, argv[1], "");
	return 0;
}
