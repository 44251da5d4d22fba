/* SPDX-License-Identifier: MIT */
/*
 * Executes and emulates each instruction in random encodings and states. Registers, flags,
 * vector registers and memory must be equal afterwards.
 */
#define _GNU_SOURCE
#include <string.h>

#include "tests/collect/instructions/forms.h"
#include "tests/suite.h"

#define TRIES    300
#define COMPARED 0xcd5u /* status flags and the direction flag */

static struct machine before;
static struct machine native;
static struct machine emulated;

/*
 * Returns whether a signal's return can set this stack pointer. It must be canonical: where
 * the kernel returns with iret or eretu, some processors raise #GP for another one.
 */
static bool can_return_to(uint64_t stack)
{
	return (uint64_t)((int64_t)(stack << 16) >> 16) == stack;
}

static void randomize(void)
{
	uint64_t *words = (uint64_t *)before.memory;

	for (unsigned i = 0; i < 16; i++) {
		before.general[i] = machine_random() >> (machine_random() & 63);
	}
	before.general[4] &= ~0ull >> 17;
	before.flags = 0x202 | (machine_random() & 0x8d5);
	for (size_t i = 0; i < sizeof(before.vectors) / 8; i++) {
		((uint64_t *)before.vectors)[i] = machine_random();
	}
	for (size_t i = 0; i < MACHINE_BYTES / 8; i += 1 + machine_random() % 16) {
		words[i] = machine_random() % 4 ? machine_random() : 0;
	}
}

static void print_code(const char *name, const unsigned char *code, size_t n)
{
	printf("%s:", name);
	for (size_t i = 0; i < n; i++) {
		printf(" %02x", code[i]);
	}
	printf("\n");
}

/* Returns whether execution and emulation had the same result; prints the differences. */
static bool is_same(const char *name, const unsigned char *code, size_t n)
{
	size_t shown = (size_t)machine_vector_count() * 64;
	bool same = true;

	for (unsigned i = 0; i < 16; i++) {
		if (native.general[i] != emulated.general[i]) {
			printf("register %u: %llx, emulated %llx, before %llx\n", i,
			       (unsigned long long)native.general[i],
			       (unsigned long long)emulated.general[i],
			       (unsigned long long)before.general[i]);
			same = false;
		}
	}
	if ((native.flags ^ emulated.flags) & COMPARED) {
		printf("flags: %llx, emulated %llx\n", (unsigned long long)native.flags,
		       (unsigned long long)emulated.flags);
		same = false;
	}
	if (native.ip != emulated.ip) {
		printf("ip: %llx, emulated %llx\n", (unsigned long long)native.ip,
		       (unsigned long long)emulated.ip);
		same = false;
	}
	for (size_t i = 0; i < shown; i++) {
		if (((unsigned char *)native.vectors)[i] !=
		    ((unsigned char *)emulated.vectors)[i]) {
			printf("vector register %zu differs from byte %zu on\n", i / 64,
			       i % 64);
			same = false;
			break;
		}
	}
	if (memcmp(native.memory, emulated.memory, MACHINE_BYTES) != 0) {
		printf("memory differs\n");
		same = false;
	}
	if (!same) {
		print_code(name, code, n);
	}
	return same;
}

/*
 * Returns whether exactly this access was reported, and, if its value is reported as known,
 * the value equals the memory's contents.
 */
static bool reports_correctly(uint64_t address, unsigned width)
{
	const struct kt_emulated *e = &machine_log.last;
	const struct kt_emulated_access *access = &e->accesses[0];
	const unsigned char *memory = emulated.memory + (address - MACHINE_MEMORY);

	if (machine_log.calls != 1 || e->n != 1 || access->address != address ||
	    access->size != width ||
	    (!access->write &&
	     memcmp(memory, before.memory + (address - MACHINE_MEMORY), width) != 0)) {
		return false;
	}
	if (access->write && width >= 16) {
		return access->wide * 8 == width &&
		       memcmp(access->eights, memory, width) == 0;
	}
	return access->wide == 0 &&
	       (!access->known || memcmp(&access->value, memory, width) == 0);
}

static uint64_t random_target(void)
{
	uint64_t target =
		MACHINE_WATCHED + 64 + machine_random() % (4 * MACHINE_PAGE - 192);

	if (machine_random() % 8 == 0) {
		target = MACHINE_WATCHED + MACHINE_PAGE - 64 + machine_random() % 72;
	}
	return machine_random() % 2 ? target & ~63ull : target;
}

/* In half of the calls, makes a compare-and-exchange at the address succeed. */
static void make_equal(uint64_t address)
{
	if (machine_random() % 2) {
		memcpy(before.memory + (address - MACHINE_MEMORY), &before.general[0], 8);
	}
}

/* Tests one form. Returns the number of attempts that could be compared. */
static unsigned try_form(const struct form *form, unsigned *illegal)
{
	unsigned compared = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		unsigned char code[MACHINE_LENGTH];
		bool fresh = machine_random() % 4 == 0;
		enum machine_end end;
		uint64_t address;
		unsigned width;
		size_t n;

		randomize();
		n = form_make(form, &before, random_target(), code, &address, &width);
		if (!n || !can_return_to(before.general[4])) {
			continue;
		}
		make_equal(address);
		end = machine_run(code, n, &before, &native, false, fresh);
		if (end == MACHINE_ILLEGAL) {
			(*illegal)++;
			continue;
		}
		CU_ASSERT(end == MACHINE_DONE || (form->flags & FORM_ALIGNED));
		if (end != MACHINE_DONE) {
			end = machine_run(code, n, &before, &emulated, true, fresh);
			CU_ASSERT_EQUAL(end, MACHINE_REFUSED);
			continue;
		}
		if (!can_return_to(native.general[4])) {
			continue;
		}
		end = machine_run(code, n, &before, &emulated, true, fresh);
		if (end != MACHINE_DONE || !reports_correctly(address, width) ||
		    !is_same(form->name, code, n)) {
			printf("end %d at %llx, %u bytes\n", end,
			       (unsigned long long)address, width);
			print_code(form->name, code, n);
			CU_FAIL("the emulation is another");
			return compared;
		}
		compared++;
	}
	return compared;
}

static void forms_do_what_the_processor_does(void)
{
	unsigned total = 0;

	for (size_t i = 0; i < forms_n; i++) {
		unsigned illegal = 0;
		unsigned compared = try_form(&forms[i], &illegal);

		if (illegal && !compared) {
			printf("  skipped, not on this processor: %s\n", forms[i].name);
		} else {
			CU_ASSERT(compared > TRIES / 8);
		}
		total += compared;
	}
	printf("  %u instructions of %zu forms compared\n", total, forms_n);
}

/* --- strings --- */

/* Returns a random address in watched memory, before or after it, or across its edge. */
static uint64_t random_address(size_t bytes)
{
	uint64_t span = MACHINE_BYTES - bytes;

	return MACHINE_MEMORY + machine_random() % span;
}

/*
 * The test skips ranges that overlap outside watched memory, because there the emulation
 * copies chunks through a buffer.
 */
static bool overlaps(uint64_t a, uint64_t b, size_t bytes)
{
	return a < b + bytes && b < a + bytes;
}

static bool touches_watched(uint64_t at, size_t bytes)
{
	return at < MACHINE_UNTIL && at + bytes > MACHINE_WATCHED;
}

static bool lies_in_watched(uint64_t at, size_t bytes)
{
	return at >= MACHINE_WATCHED && at + bytes <= MACHINE_UNTIL;
}

/*
 * Returns whether an element crosses an edge of watched memory. The emulation leaves such
 * elements to the processor.
 */
static bool splits_element(uint64_t at, size_t bytes, unsigned width)
{
	static const uint64_t edges[] = {MACHINE_WATCHED, MACHINE_UNTIL};

	for (size_t i = 0; i < 2; i++) {
		if (edges[i] > at && edges[i] < at + bytes && (edges[i] - at) % width) {
			return true;
		}
	}
	return false;
}

static const struct string_form {
	const char *name;
	uint8_t opcode; /* of the form for bytes; for larger elements, add 1 */
	bool reads;
	bool writes;
} string_forms[] = {
	{"movs", 0xa4, true, true},
	{"stos", 0xaa, false, true},
	{"lods", 0xac, true, false},
};

static size_t make_string(const struct string_form *form, unsigned char *code,
			  unsigned width, bool repeat)
{
	size_t n = 0;

	if (width == 2) {
		code[n++] = 0x66;
	}
	if (repeat) {
		code[n++] = 0xf3;
	}
	if (width == 8) {
		code[n++] = 0x48;
	}
	code[n++] = form->opcode + (width > 1);
	return n;
}

static void set_string(uint64_t from, uint64_t to, unsigned width, size_t count, bool down)
{
	size_t last = down ? (count - 1) * width : 0;

	before.general[6] = from + last;
	before.general[7] = to + last;
	before.general[1] = count;
	before.flags = (before.flags & ~0x400ull) | (down ? 0x400 : 0);
}

static unsigned try_string(const struct string_form *form, size_t limit)
{
	unsigned width = 1u << machine_random() % 4;
	bool repeat = machine_random() % 4;
	bool down = machine_random() % 3 == 0;
	size_t count = repeat ? 1 + machine_random() % limit : 1;
	size_t bytes = count * width;
	uint64_t from = random_address(bytes);
	uint64_t to = random_address(bytes);
	unsigned char code[MACHINE_LENGTH];
	size_t n;

	if (!(form->reads && touches_watched(from, bytes)) &&
	    !(form->writes && touches_watched(to, bytes))) {
		return 0;
	}
	if (form->reads && form->writes && overlaps(from, to, bytes) &&
	    !(lies_in_watched(from, bytes) && lies_in_watched(to, bytes))) {
		return 0;
	}
	randomize();
	n = make_string(form, code, width, repeat);
	set_string(from, to, width, count, down);
	CU_ASSERT_EQUAL(machine_run(code, n, &before, &native, false, false), MACHINE_DONE);
	switch (machine_run(code, n, &before, &emulated, true, false)) {
	case MACHINE_DONE: break;
	case MACHINE_REFUSED:
		CU_ASSERT((form->reads && splits_element(from, bytes, width)) ||
			  (form->writes && splits_element(to, bytes, width)));
		return 0;
	default: CU_FAIL("an unexpected fault"); return 0;
	}
	if (!is_same(form->name, code, n)) {
		printf("width %u, %zu elements, %s\n", width, count, down ? "down" : "up");
		CU_FAIL("the emulation is another");
	}
	return 1;
}

static void strings_do_what_the_processor_does(void)
{
	static const size_t limits[] = {1, 5, 600, 4000};
	unsigned compared = 0;
	unsigned tried = 0;

	for (size_t i = 0; i < sizeof(string_forms) / sizeof(string_forms[0]); i++) {
		for (unsigned k = 0; k < 2000; k++) {
			compared += try_string(&string_forms[i], limits[k % 4]);
			tried++;
		}
	}
	printf("  %u string instructions compared, of %u\n", compared, tried);
	CU_ASSERT(compared > tried / 4);
}

/* Accesses to watched memory are reported exactly. */
static void strings_report_their_accesses(void)
{
	unsigned char code[MACHINE_LENGTH];
	size_t n = make_string(&string_forms[0], code, 4, true);
	const struct kt_emulated *e = &machine_log.last;

	randomize();
	set_string(MACHINE_WATCHED + 8, MACHINE_WATCHED + 2 * MACHINE_PAGE, 4, 1000, true);
	CU_ASSERT_EQUAL(machine_run(code, n, &before, &emulated, true, false),
			MACHINE_DONE);
	CU_ASSERT_EQUAL(machine_log.calls, 1);
	CU_ASSERT_EQUAL(e->n, 2);
	CU_ASSERT_EQUAL(e->accesses[0].address, MACHINE_WATCHED + 8);
	CU_ASSERT_EQUAL(e->accesses[0].size, 4000);
	CU_ASSERT_FALSE(e->accesses[0].write);
	CU_ASSERT_EQUAL(e->accesses[1].address, MACHINE_WATCHED + 2 * MACHINE_PAGE);
	CU_ASSERT_EQUAL(e->accesses[1].size, 4000);
	CU_ASSERT_TRUE(e->accesses[1].write);
	CU_ASSERT_FALSE(e->accesses[1].known);
	n = make_string(&string_forms[1], code, 4, false);
	set_string(0, MACHINE_WATCHED + 8, 4, 1, false);
	CU_ASSERT_EQUAL(machine_run(code, n, &before, &emulated, true, false),
			MACHINE_DONE);
	CU_ASSERT_EQUAL(e->n, 1);
	CU_ASSERT_TRUE(e->accesses[0].known);
	CU_ASSERT_EQUAL(e->accesses[0].value, (uint32_t)before.general[0]);
}

/* The emulation leaves the part of a range outside watched memory to the processor. */
static void strings_are_done_in_part(void)
{
	unsigned char code[MACHINE_LENGTH];
	size_t n = make_string(&string_forms[1], code, 2, true);

	randomize();
	set_string(0, MACHINE_UNTIL - 100, 2, 200, false);
	CU_ASSERT_EQUAL(machine_run(code, n, &before, &native, false, false), MACHINE_DONE);
	CU_ASSERT_EQUAL(machine_run(code, n, &before, &emulated, true, false),
			MACHINE_DONE);
	CU_ASSERT_TRUE(is_same("stos", code, n));
	CU_ASSERT_EQUAL(machine_log.calls, 1);
	CU_ASSERT_EQUAL(machine_log.bytes, 100);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"forms do what the processor does", forms_do_what_the_processor_does},
		{"strings do what the processor does", strings_do_what_the_processor_does},
		{"strings report their accesses", strings_report_their_accesses},
		{"strings are done in part", strings_are_done_in_part},
		CU_TEST_INFO_NULL,
	};

	machine_init();
	return kt_run_suite("emulate", tests);
}
