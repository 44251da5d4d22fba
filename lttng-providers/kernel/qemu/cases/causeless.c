/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions of which the processor does not tell the cause: causeless SAID. They are
 * a doorbell's if the thread stands after a store to one that is watched.
 */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "bare.h"

#define VALUE 0x5678u /* BARE_TOKEN() of channel 0 */

extern const char behind_store[];
extern const char behind_vector[];
extern const char at_icebp[];
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
    "	nop\n"
    "at_icebp:\n"
    "	.byte 0xf1\n"
    "behind_icebp:\n"
    "	xor %eax, %eax\n"
    "behind_nothing:\n"
    "	ret\n");
void store(door *at);

#define SINGLE_STEP 0x4000u /* of DR6 */
#define TRAP_FLAG   0x100u  /* TF of the flags */

static int fd;
static FILE *said;

/* The thread stands after that instruction, with its registers and these flags besides. */
static bool is_taken(door *at, const char *ip, uint32_t flags, uint64_t dr6)
{
	struct bare_trap trap = {.ip = (uintptr_t)ip, .flags = flags, .dr6 = dr6};
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

/* Whether it is taken; and what is told of it, or NULL: nothing. */
static void check(door *at, const char *ip, uint32_t flags, bool taken, const char *line)
{
	if (is_taken(at, ip, flags, 0) != taken) {
		fail("a trap is %staken, %ld bytes on", taken ? "not " : "",
		     (long)(ip - behind_store));
	}
	if (line) {
		fprintf(said, "%d %s\n", thread_id(), line);
	}
}

/* A watchpoint of somebody else's: a descriptor. */
static int watch(volatile void *at)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)at,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.exclude_kernel = 1,
	};
	int event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (event < 0) {
		fail("perf_event_open: %s", strerror(errno));
	}
	return event;
}

static void with_one_door(door *bell)
{
	static uint32_t word;
	int event;

	check(bell, behind_store, 0, true, "22136");
	check(bell, behind_vector, 0, true, "? movd");
	check(bell, at_icebp, 0, false, NULL);
	check(bell, behind_icebp, 0, false, NULL);
	check(bell, behind_nothing, 0, true, "? anything");
	if (is_taken(bell, behind_store, 0, SINGLE_STEP)) {
		fail("a single step is taken");
	}
	/* Who steps hears of it. */
	check(bell, behind_store, TRAP_FLAG, false, "22136");
	check(bell, behind_nothing, TRAP_FLAG, false, NULL);
	/* So does who watches something: it may be that. */
	event = watch(&word);
	check(bell, behind_store, 0, true, "22136");
	check(bell, behind_nothing, 0, false, NULL);
	close(event);
	event = watch(bell);
	check(bell, behind_store, 0, false, "22136");
	close(event);
}

static void with_two_doors(door *bell, door *second)
{
	check(bell, behind_store, 0, true, "22136");
	check(second, behind_store, 0, true, "22136");
	check(bell, behind_vector, 0, true, "? movd");
	check(second, behind_vector, 0, true, "? movd");
	check(bell, behind_nothing, 0, true, NULL); /* untold */
}

int main(int argc, char **argv)
{
	door *bell;

	said = argc == 2 ? fopen(argv[1], "w") : NULL;
	if (!said) {
		fail("usage: causeless SAID");
	}
	fd = bare_open();
	check(NULL, behind_nothing, 0, false, NULL); /* nothing is watched */
	bell = bare_door(bare_map(fd, 1, 0));
	store(bell);
	fprintf(said, "%d %u\n", thread_id(), VALUE);
	with_one_door(bell);
	with_two_doors(bell, bare_door(bare_map(fd, 1, 1)));
	fclose(said);
	return 0;
}
