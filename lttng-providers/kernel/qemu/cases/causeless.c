/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions of which the processor does not tell the cause: causeless SAID. They are
 * a doorbell's if the thread stands behind a store to one that is watched.
 */
#define _GNU_SOURCE
#include "bare.h"

#define VALUE 0x5678u /* BARE_TOKEN() of channel 0 */

extern const char behind_store[];
extern const char behind_vector[];
extern const char behind_icebp[];
extern const char behind_nothing[];

/* Is never run, but for its first store; %r12 is the doorbell. */
asm(".text\n"
    "store:\n"
    "	push %r12\n"
    "	mov %rdi, %r12\n"
    "	movl $0x5678, (%r12)\n"
    "behind_store:\n"
    "	pop %r12\n"
    "	ret\n"
    "	movd %xmm0, (%r12)\n"
    "behind_vector:\n"
    "	.byte 0xf1\n"
    "behind_icebp:\n"
    "	xor %eax, %eax\n"
    "behind_nothing:\n"
    "	ret\n");
void store(door *at);

static int fd;

/* Whether somebody takes it, with the registers as they are behind such a store. */
static bool is_taken(door *at, const char *ip, uint64_t dr6)
{
	struct bare_trap trap = {.ip = (uintptr_t)ip, .dr6 = dr6};
	long result = SYS_ioctl;
	register door *to asm("r12") = at;

	asm volatile("syscall"
		     : "+a"(result)
		     : "D"((long)fd), "S"(BARE_TRAP), "d"(&trap), "r"(to)
		     : "rcx", "r11", "memory");
	if (result != 0) {
		fail("ask for a trap: error %ld", -result);
	}
	return trap.taken;
}

static void check(FILE *said, door *at, const char *ip, const char *line)
{
	bool taken = is_taken(at, ip, 0);

	if (taken != (line != NULL)) {
		fail("a trap is %staken, %ld bytes on", taken ? "" : "not ",
		     (long)(ip - behind_store));
	}
	if (line) {
		fprintf(said, "%d %s\n", thread_id(), line);
	}
}

int main(int argc, char **argv)
{
	FILE *said = argc == 2 ? fopen(argv[1], "w") : NULL;
	door *bell;
	door *second;

	if (!said) {
		fail("usage: causeless SAID");
	}
	fd = bare_open();
	check(said, NULL, behind_nothing, NULL); /* nothing is watched */
	bell = bare_door(bare_map(fd, 1, 0));
	store(bell);
	fprintf(said, "%d %u\n", thread_id(), VALUE);
	check(said, bell, behind_store, "22136");
	check(said, bell, behind_vector, "? movd");
	check(said, bell, behind_icebp, NULL);
	check(said, bell, behind_nothing, "? anything");
	if (is_taken(bell, behind_store, 0x4000)) {
		fail("a single step is taken");
	}
	second = bare_door(bare_map(fd, 1, 1));
	check(said, bell, behind_store, "22136");
	check(said, second, behind_store, "22136");
	check(said, second, behind_vector, "? movd");
	fclose(said);
	return 0;
}
