/* SPDX-License-Identifier: MIT */
/*
 * Accesses to mappings of the device, and the events that end runs of accesses. Writes the
 * expected letters of this process to WORD and those of its child to WORD.child. HOW is
 * remap, mixed (pages whose mappings are counted), or lazy (page faults map the pages).
 * Usage: accesses HOW WORD
 */
#define _GNU_SOURCE
#include "bare.h"

#define RINGS 8

static int fd;
static FILE *word;
static const char *registers = "reg"; /* space of a mapping that contains a doorbell */

static void expect(const char *letters)
{
	fprintf(word, "%s\n", letters);
}

static void expect_registers(const char *what)
{
	fprintf(word, "%s:%s\n", what, registers);
}

static uint32_t load(const void *page, size_t offset)
{
	return *(const volatile uint32_t *)((const char *)page + offset);
}

static void store(void *page, size_t offset, uint32_t value)
{
	*(volatile uint32_t *)((char *)page + offset) = value;
}

static uint32_t *page_of(void *base, size_t i)
{
	return (uint32_t *)((char *)base + i * PAGE);
}

static void check(bool holds, const char *what)
{
	if (!holds) {
		fail("%s", what);
	}
}

/* A run covers all pages of its mapping, and ends where a run in another mapping begins. */
static void runs(void *all, void *one)
{
	load(page_of(all, 0), 8);
	load(page_of(all, 5), 8);
	load(page_of(all, 7), 8);
	expect("R:other");
	store(page_of(all, 3), 8, 33);
	expect("W:other");
	store(page_of(all, 6), 8, 66);
	check(load(page_of(all, 3), 8) == 33 && load(page_of(all, 6), 8) == 66,
	      "a stored value is missing");
	check(load(one, 8) == 0, "a mapping shows another page");
	expect("R:other");
	store(page_of(all, 2), 8, 22);
	expect("W:other");
	check(load(page_of(all, 3), 8) == 33, "a stored value was lost");
	check(load(one, 8) == 22, "two mappings of one page differ");
	expect("R:other");
	store(one, 12, 1);
	expect("W:other");
}

static void calls_end_runs(void *all, void *one)
{
	bare_state(fd);
	expect("ioctl:0x1");
	load(one, 8);
	expect("R:other");
	check(ioctl(fd, 0x4711) < 0 && errno == ENOTTY, "an unknown ioctl did not fail");
	expect("ioctl:0x11");
	store(page_of(all, 4), 8, 44);
	expect("W:other");
}

/* The kernel's accesses during a system call must not count as the program's. */
static void kernel_accesses(void *all, void *one)
{
	int ends[2];
	uint32_t value = 0;

	check(pipe(ends) == 0, "pipe");
	load(one, 8);
	expect("R:other");
	check(bare_kernel_store(fd, (doorbell_reg *)(page_of(all, 1) + 4), 77) == 0,
	      "the kernel cannot store there");
	expect("ioctl:0x2");
	check(write(ends[1], page_of(all, 1) + 4, 4) == 4, "the kernel cannot read there");
	check(read(ends[0], &value, 4) == 4 && value == 77,
	      "the kernel reads another page");
	check(write(ends[1], &value, 4) == 4 && read(ends[0], page_of(all, 1) + 5, 4) == 4,
	      "the kernel cannot write there");
	check(load(page_of(all, 1), 20) == 77, "the kernel writes to another page");
	expect("R:other");
	close(ends[0]);
	close(ends[1]);
}

static void doorbells(void *doorbell)
{
	double end = seconds() + PATIENCE;

	/* The device sets the timer's upper half to the upper half of the clock. */
	while (load(doorbell, BARE_TIMER_HIGH) != (uint64_t)(seconds() * 1e9) >> 32) {
		check(seconds() < end, "the timer does not follow the clock");
	}
	expect_registers("R");
	*bare_doorbell(doorbell) = BARE_TOKEN(1, 0);
	expect("W:reg");
	load(doorbell, BARE_TIMER_LOW);
	load(doorbell, BARE_TIMER_LOW);
	expect_registers("R");
	*bare_doorbell(doorbell) = BARE_TOKEN(2, 0);
	expect("W:reg");
	*bare_doorbell(doorbell) = BARE_TOKEN(3, 0);
	expect("W:reg");
}

static void *moved_parts(char *all, void *one)
{
	void *at = mremap(one, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, all + 7 * PAGE);

	check(at == all + 7 * PAGE, "mremap");
	expect("unmap:other\nunmap:other\nmap:other"); /* replaces the last page of `all` */
	check(load(at, 8) == 22, "mremap moved another page");
	expect("R:other");
	check(munmap(all + 4 * PAGE, 2 * PAGE) == 0, "munmap");
	expect("unmap:other");
	check(load(page_of(all, 3), 8) == 33 && load(page_of(all, 6), 8) == 66,
	      "the remaining parts show other pages");
	expect("R:other");
	store(at, 16, 5);
	expect("W:other");
	return at;
}

static void protections(char *all)
{
	store(page_of(all, 0), 32, 1);
	expect("W:other");
	check(mprotect(all, 2L * PAGE, PROT_READ) == 0, "mprotect");
	check(load(page_of(all, 0), 32) == 1 && load(page_of(all, 1), 20) == 77,
	      "a read-only mapping shows another page");
	check(mprotect(all, 2L * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
	store(page_of(all, 1), 32, 2);
	check(load(page_of(all, 1), 32) == 2, "a stored value is missing");
}

static void lose_pages(void *all)
{
	bare_ask(fd, BARE_REVOKE, NULL, "revoke");
	expect("ioctl:0x3");
	check(load(page_of(all, 3), 8) == 33, "other pages are mapped after a revocation");
	expect("R:other");
	store(page_of(all, 2), 40, 3);
	expect("W:other");
}

/* Parent and child continue with pages that are open, without an effect on each other. */
static void family(char *all, const char *path)
{
	pid_t child;
	char name[256];

	load(page_of(all, 0), 8);
	fflush(word);
	child = fork();
	if (child == 0) {
		snprintf(name, sizeof(name), "%s.child", path);
		word = fopen(name, "w");
		check(load(page_of(all, 3), 8) == 33, "a child sees other pages");
		expect("R:other");
		store(page_of(all, 2), 44, 9);
		expect("W:other");
		bare_state(fd);
		expect("ioctl:0x1");
		check(load(page_of(all, 2), 44) == 9, "a child's store was lost");
		expect("R:other");
		fclose(word);
		exit(0);
	}
	wait_for(child);
	check(load(page_of(all, 2), 44) == 9, "the parent does not see its child's store");
}

/*
 * The moved mapping and the one that it replaces both disappear. Their unmap letters are in
 * the order of their addresses.
 */
static void move_over(void *doorbell, void *one)
{
	void *at = mremap(doorbell, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, one);

	check(at == one, "mremap of the doorbell");
	if (doorbell < one) {
		expect_registers("unmap");
		expect("unmap:other");
	} else {
		expect("unmap:other");
		expect_registers("unmap");
	}
	expect_registers("map");
	*bare_doorbell(at) = BARE_TOKEN(4, 0);
	expect("W:reg");
	load(at, BARE_TIMER_LOW);
	expect_registers("R");
	munmap(at, PAGE);
	expect_registers("unmap");
}

int main(int argc, char **argv)
{
	void *one;
	void *doorbell;
	char *all;

	if (argc != 3 || !(word = fopen(argv[2], "w"))) {
		fail("usage: accesses HOW WORD");
	}
	if (strcmp(argv[1], "lazy") == 0) {
		registers = "other"; /* no doorbell is mapped yet when mmap returns */
	}
	fd = bare_open();
	all = bare_map(fd, RINGS, BARE_PAGES);
	one = bare_map(fd, 1, BARE_PAGES + 2);
	expect("map:other\nmap:other");
	runs(all, one);
	calls_end_runs(all, one);
	kernel_accesses(all, one);
	doorbell = bare_map(fd, 1, 0);
	expect_registers("map");
	doorbells(doorbell);
	one = moved_parts(all, one);
	protections(all);
	if (strcmp(argv[1], "lazy") == 0) {
		lose_pages(all);
	}
	family(all, argv[2]);
	move_over(doorbell, one);
	fclose(word);
	return 0;
}
