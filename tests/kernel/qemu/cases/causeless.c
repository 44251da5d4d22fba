/* SPDX-License-Identifier: MIT */
/*
 * Debug exceptions for which the CPU reports no cause: causeless SAID. Such an exception is
 * attributed to a doorbell if the thread has just stored to a watched one.
 */
#define _GNU_SOURCE
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "bare.h"

#define VALUE 0x5678u /* BARE_TOKEN() of channel 0 */

extern const char after_store[];
extern const char after_vector[];
extern const char at_icebp[];
extern const char after_icebp[];
extern const char after_nothing[];

/*
 * Only the first store is executed; the module only decodes the rest. %r12 holds the
 * doorbell's address.
 */
asm(".text\n"
    "store:\n"
    "	push %r12\n"
    "	mov %rdi, %r12\n"
    "	movl $0x5678, (%r12)\n"
    "after_store:\n"
    "	pop %r12\n"
    "	ret\n"
    "	movd %xmm0, (%r12)\n"
    "after_vector:\n"
    "	nop\n"
    "at_icebp:\n"
    "	.byte 0xf1\n"
    "after_icebp:\n"
    "	xor %eax, %eax\n"
    "after_nothing:\n"
    "	ret\n");
void store(doorbell_reg *at);

#define SINGLE_STEP 0x4000u /* in DR6 */
#define TRAP_FLAG   0x100u  /* TF in the flags register */

static int fd;
static FILE *said;

/*
 * Raises a debug exception as if after the instruction that ends at `ip`. Returns whether
 * the module handled it.
 */
static bool is_taken(doorbell_reg *at, const char *ip, uint32_t flags, uint64_t dr6)
{
	struct bare_trap trap = {.ip = (uintptr_t)ip, .flags = flags, .dr6 = dr6};
	long result = SYS_ioctl;
	register doorbell_reg *to asm("r12") = at;

	asm volatile("syscall"
		     : "+a"(result)
		     : "D"((long)fd), "S"(BARE_TRAP), "d"(&trap), "r"(to)
		     : "rcx", "r11", "memory");
	if (result != 0) {
		fail("raise a trap: error %ld", -result);
	}
	return trap.taken;
}

/*
 * Raises a trap at `ip` with `flags`, and checks that the module handles it if `taken`, and
 * does not handle it if not. `line` is the expected doorbell; NULL: none.
 */
static void check(doorbell_reg *at, const char *ip, uint32_t flags, bool taken,
		  const char *line)
{
	if (is_taken(at, ip, flags, 0) != taken) {
		fail("a trap was %shandled, %ld bytes after after_store",
		     taken ? "not " : "", (long)(ip - after_store));
	}
	if (line) {
		fprintf(said, "%d %s\n", thread_id(), line);
	}
}

/* Sets a watchpoint, as another tracer would. Returns its descriptor. */
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

static void with_one_doorbell(doorbell_reg *doorbell)
{
	static uint32_t word;
	int event;

	check(doorbell, after_store, 0, true, "22136");
	check(doorbell, after_vector, 0, true, "? movd");
	check(doorbell, at_icebp, 0, false, NULL);
	check(doorbell, after_icebp, 0, false, NULL);
	check(doorbell, after_nothing, 0, true, "? anything");
	if (is_taken(doorbell, after_store, 0, SINGLE_STEP)) {
		fail("a single step was handled");
	}
	/*
	 * With TF set, the exception may be another tracer's single-step, so it is passed
	 * on.
	 */
	check(doorbell, after_store, TRAP_FLAG, false, "22136");
	check(doorbell, after_nothing, TRAP_FLAG, false, NULL);
	/* With another watchpoint, the exception may belong to that one. */
	event = watch(&word);
	check(doorbell, after_store, 0, true, "22136");
	check(doorbell, after_nothing, 0, false, NULL);
	close(event);
	event = watch(doorbell);
	check(doorbell, after_store, 0, false, "22136");
	close(event);
}

static void with_two_doorbells(doorbell_reg *doorbell, doorbell_reg *second)
{
	check(doorbell, after_store, 0, true, "22136");
	check(second, after_store, 0, true, "22136");
	check(doorbell, after_vector, 0, true, "? movd");
	check(second, after_vector, 0, true, "? movd");
	/* The exception is not attributed, because two doorbells are watched. */
	check(doorbell, after_nothing, 0, true, NULL);
}

int main(int argc, char **argv)
{
	doorbell_reg *doorbell;

	said = argc == 2 ? fopen(argv[1], "w") : NULL;
	if (!said) {
		fail("usage: causeless SAID");
	}
	fd = bare_open();
	check(NULL, after_nothing, 0, false, NULL); /* no doorbell is watched */
	doorbell = bare_doorbell(bare_map(fd, 1, 0));
	store(doorbell);
	fprintf(said, "%d %u\n", thread_id(), VALUE);
	with_one_doorbell(doorbell);
	with_two_doorbells(doorbell, bare_doorbell(bare_map(fd, 1, 1)));
	fclose(said);
	return 0;
}
