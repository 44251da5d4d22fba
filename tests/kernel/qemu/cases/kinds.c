/* SPDX-License-Identifier: MIT */
/*
 * Stores of every kind: kinds SAID. Before each store an entry is submitted, which the
 * device must take. Writes "TID VALUE NAME" for stores whose instruction reveals the value,
 * "TID ? NAME" for others, and "TID * NAME" for locked stores: QEMU 7.2 misses the debug
 * exception of about one in 150, while real CPUs miss none.
 */
#define _GNU_SOURCE
#include <immintrin.h>

#include "bare.h"

static void by_mov(doorbell_reg *at, uint32_t value)
{
	asm volatile("movl %1, %0" : "=m"(*at) : "r"(value));
}

static void by_mov_high(doorbell_reg *at, uint32_t value)
{
	register uint32_t high asm("r13") = value;

	asm volatile("movl %1, %0" : "=m"(*at) : "r"(high));
}

static void by_index(doorbell_reg *at, uint32_t value)
{
	asm volatile("movl %0, -64(%1,%2,8)" : : "r"(value), "r"(at), "r"(8L) : "memory");
}

static void by_immediate(doorbell_reg *at, uint32_t value)
{
	(void)value;
	asm volatile("movl $0x00012348, %0" : "=m"(*at));
}

static void by_movnti(doorbell_reg *at, uint32_t value)
{
	asm volatile("movnti %1, %0" : "=m"(*at) : "r"(value));
}

static void by_stos(doorbell_reg *at, uint32_t value)
{
	doorbell_reg *next = at;

	asm volatile("stosl" : "+D"(next) : "a"(value) : "memory");
	if (next != at + 1) {
		fail("stos advanced by %td words", next - at);
	}
}

static void by_eight_bytes(doorbell_reg *at, uint32_t value)
{
	uint64_t wide = value | 0x5555555500000000u;

	asm volatile("movq %1, %0" : "=m"(*(volatile uint64_t *)at) : "r"(wide));
}

/* Stores 8 bytes, of which the upper half is the doorbell. */
static void by_eight_bytes_before(doorbell_reg *at, uint32_t value)
{
	uint64_t wide = (uint64_t)value << 32 | 0x66666666;

	asm volatile("movq %0, -4(%1)" : : "r"(wide), "r"(at) : "memory");
}

static void by_xchg(doorbell_reg *at, uint32_t value)
{
	asm volatile("xchgl %0, %1" : "+r"(value), "+m"(*at));
}

static void by_cmpxchg(doorbell_reg *at, uint32_t value)
{
	for (uint32_t old = *at;; old = *at) {
		uint8_t done;

		asm volatile("lock cmpxchgl %3, %1; sete %0"
			     : "=q"(done), "+m"(*at), "+a"(old)
			     : "r"(value)
			     : "cc");
		if (done) {
			break;
		}
	}
}

static void by_lock_or(doorbell_reg *at, uint32_t value)
{
	asm volatile("lock orl %1, %0" : "+m"(*at) : "r"(value));
}

static void by_add(doorbell_reg *at, uint32_t value)
{
	asm volatile("addl %1, %0" : "+m"(*at) : "r"(value));
}

static void by_bytes(doorbell_reg *at, uint32_t value)
{
	asm volatile("movb %b1, %0" : "=m"(*(volatile uint8_t *)at) : "q"(value));
}

static void by_movd(doorbell_reg *at, uint32_t value)
{
	asm volatile("movd %1, %0" : "=m"(*at) : "x"(_mm_cvtsi32_si128((int)value)));
}

static void by_movq(doorbell_reg *at, uint32_t value)
{
	asm volatile("movq %1, %0"
		     : "=m"(*(volatile uint64_t *)at)
		     : "x"(_mm_cvtsi32_si128((int)value)));
}

static void by_vector(doorbell_reg *at, uint32_t value)
{
	asm volatile("movups %1, %0"
		     : "=m"(*(volatile __m128i *)at)
		     : "x"(_mm_cvtsi32_si128((int)value)));
}

static void by_movntdq(doorbell_reg *at, uint32_t value)
{
	asm volatile("movntdq %1, %0"
		     : "=m"(*(volatile __m128i *)at)
		     : "x"(_mm_cvtsi32_si128((int)value)));
}

static void by_movs(doorbell_reg *at, uint32_t value)
{
	const uint32_t *from = &value;

	asm volatile("movsl" : "+D"(at), "+S"(from) : : "memory");
}

/* Stores to the two dwords before the doorbell, the doorbell and the dword after it. */
static void by_rep_stos(doorbell_reg *at, uint32_t value)
{
	volatile uint32_t *to = at - 2;
	unsigned long n = 4;

	asm volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}

static void by_rep_movs(doorbell_reg *at, uint32_t value)
{
	uint32_t from[4] = {value, value, value, value};
	const uint32_t *source = from;
	volatile uint32_t *to = at - 2;
	unsigned long n = 4;

	asm volatile("rep movsl" : "+D"(to), "+S"(source), "+c"(n) : : "memory");
}

#define LOCKED_TIMES 20

enum how {
	ENCODES, /* the instruction reveals the value */
	HIDES,   /* the value can only be read from memory */
	LOCKED,  /* like HIDES; comes last, LOCKED_TIMES times, as QEMU may miss some */
};

static const struct {
	const char *name;
	void (*store)(doorbell_reg *at, uint32_t value);
	enum how how;
} kinds[] = {
	{"mov", by_mov, ENCODES},
	{"mov-r13", by_mov_high, ENCODES},
	{"mov-index", by_index, ENCODES},
	{"mov-immediate", by_immediate, ENCODES},
	{"movnti", by_movnti, ENCODES},
	{"stos", by_stos, ENCODES},
	{"mov-8", by_eight_bytes, ENCODES},
	{"mov-8-before", by_eight_bytes_before, ENCODES},
	{"add", by_add, HIDES},
	{"mov-1", by_bytes, HIDES},
	{"movd", by_movd, HIDES},
	{"movq", by_movq, HIDES},
	{"movups", by_vector, HIDES},
	{"movntdq", by_movntdq, HIDES},
	{"movs", by_movs, HIDES},
	{"rep-stos", by_rep_stos, ENCODES},
	{"rep-movs", by_rep_movs, HIDES},
	{"xchg", by_xchg, LOCKED},
	{"cmpxchg", by_cmpxchg, LOCKED},
	{"lock-or", by_lock_or, LOCKED},
};

static void ring_by(unsigned kind, doorbell_reg *doorbell, struct bare_ring *ring,
		    FILE *said)
{
	uint32_t value = BARE_TOKEN(0x1234 + kind, 0);

	bare_put(ring, kind);
	kinds[kind].store(doorbell, value);
	if (!bare_wait(ring, PATIENCE)) {
		fail("%s: the kick was lost", kinds[kind].name);
	}
	if (kinds[kind].store == by_immediate) {
		value = 0x00012348;
	}
	if (kinds[kind].how == ENCODES) {
		fprintf(said, "%d %u %s\n", thread_id(), value, kinds[kind].name);
	} else {
		fprintf(said, "%d %c %s\n", thread_id(),
			kinds[kind].how == HIDES ? '?' : '*', kinds[kind].name);
	}
}

int main(int argc, char **argv)
{
	int fd = bare_open();
	doorbell_reg *doorbell = bare_doorbell(bare_map(fd, 1, 0));
	struct bare_ring *ring = bare_ring(fd, 0);
	FILE *said = argc > 1 ? fopen(argv[1], "a") : NULL;
	unsigned n = 0;

	if (!said) {
		fail("usage: kinds SAID");
	}
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int times = kinds[i].how == LOCKED ? LOCKED_TIMES : 1;

		for (; times > 0; times--, n++) {
			ring_by(i, doorbell, ring, said);
		}
	}
	fclose(said);
	if (ring->taken != n) {
		fail("the device took %llu entries", (unsigned long long)ring->taken);
	}
	return 0;
}
