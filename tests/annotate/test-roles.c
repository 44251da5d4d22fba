/* SPDX-License-Identifier: MIT */
/* Tests the roles of mapped memory with synthetic events. */
#include <string.h>

#include <ktail/status.h>

#include "annotate/meaning/roles.h"
#include "tests/suite.h"

#define COMMANDS 0x200800000
#define TRACKING 0x204600000
#define STAGED   0x7f0000000000

static const struct kt_moment moment = {
	.instance = 1, .pid = 5, .tid = 5, .process = "app"};
static const struct kt_submission submission;
static kt_roles *roles;

static void map(uint32_t number, const char *space, uint64_t address, uint64_t length)
{
	const struct kt_map_fields fields = {.device = "nvidiactl",
					     .space = space,
					     .mapping = number,
					     .address = address,
					     .length = length,
					     .class_number = number};

	CU_ASSERT_EQUAL(kt_roles_visitor.map(roles, &moment, &fields), KT_OK);
}

static void access_at(const char *op, uint32_t mapping, uint64_t offset)
{
	const struct kt_access_fields fields = {
		.write = *op == 'W', .space = "sys", .mapping = mapping, .offset = offset};

	CU_ASSERT_EQUAL(kt_roles_visitor.access(roles, &moment, &fields), KT_OK);
}

static void ring(void)
{
	const struct kt_doorbell_fields fields = {.space = "reg", .mapping = 1};

	CU_ASSERT_EQUAL(kt_roles_visitor.doorbell(roles, &moment, &fields), KT_OK);
}

static void submit(uint64_t address, uint32_t words)
{
	const struct kt_submitted_entry entry = {
		.address = address, .words = words, .unread = ""};

	CU_ASSERT_EQUAL(kt_roles_visitor.entry(roles, &moment, &submission, &entry), KT_OK);
}

static void command(struct kt_command what)
{
	const struct kt_submitted_entry entry = {.unread = ""};
	const struct kt_decoded decoded = {.command = what};

	CU_ASSERT_EQUAL(
		kt_roles_visitor.method(roles, &moment, &submission, &entry, &decoded),
		KT_OK);
}

static void expect(enum kt_access_role role, uint32_t mapping, uint64_t offset)
{
	CU_ASSERT_EQUAL(kt_roles_of(roles, 1, mapping, offset), role);
	CU_ASSERT_EQUAL(kt_roles_of(roles, 2, mapping, offset), KT_ACCESS_UNKNOWN);
}

static void make(void)
{
	CU_ASSERT_EQUAL_FATAL(kt_roles_new(&roles), KT_OK);
	map(1, "reg", 0x7e0000000000, 65536);
	map(2, "fb", 0x200600000, 2097152);
	map(3, "sys", COMMANDS, 58720256);
	map(4, "sys", TRACKING, 2097152);
	map(5, "sys", 0x7d0000000000, 4096);
	map(6, "sys", STAGED, 2097152);
	map(0, "sys", 0x1000, 4096); /* a mapping that failed */
}

/*
 * A driver writes commands and a ring entry, polls the notifier, and writes the doorbell.
 */
static void finds_all(void)
{
	struct kt_role_mapping mapping;

	make();
	access_at("W", 3, 0x2000);
	access_at("W", 2, 0x18008);
	access_at("R", 5, 0x10);
	ring();
	submit(COMMANDS + 0x2000, 8);
	command((struct kt_command){.kind = KT_COMMAND_RELEASE,
				    .releases = true,
				    .address = TRACKING + 0xff74});
	command((struct kt_command){.kind = KT_COMMAND_COPY,
				    .from = STAGED + 0x100000,
				    .to = 0x7c0000000000,
				    .bytes = 4096,
				    .releases = true,
				    .address = TRACKING + 0xffe0});
	command((struct kt_command){
		.kind = KT_COMMAND_INLINE, .to = TRACKING + 0x27e6c, .bytes = 4});
	command((struct kt_command){
		.kind = KT_COMMAND_INLINE, .to = TRACKING + 0x30000, .bytes = 64});
	kt_roles_settle(roles);
	expect(KT_ACCESS_PUSHBUFFER, 3, 0x2000);
	expect(KT_ACCESS_PUSHBUFFER, 3, 0x201f);
	expect(KT_ACCESS_UNKNOWN, 3, 0x2020);
	expect(KT_ACCESS_UNKNOWN, 3, 0x1ffc);
	expect(KT_ACCESS_RING, 2, 0);
	expect(KT_ACCESS_RING, 2, 2097151);
	expect(KT_ACCESS_NOTIFIER, 5, 0);
	expect(KT_ACCESS_TOKEN, 5, 0x10);
	expect(KT_ACCESS_NOTIFIER, 5, 0x20);
	expect(KT_ACCESS_SEMAPHORE, 4, 0xff70);
	expect(KT_ACCESS_SEMAPHORE, 4, 0xff7f);
	expect(KT_ACCESS_UNKNOWN, 4, 0xff80);
	expect(KT_ACCESS_SEMAPHORE, 4, 0xffe0);
	expect(KT_ACCESS_SEMAPHORE, 4, 0x27e6c);
	expect(KT_ACCESS_UNKNOWN, 4, 0x27e70);
	expect(KT_ACCESS_UNKNOWN, 4, 0x30000);
	expect(KT_ACCESS_STAGING, 6, 0x100fff);
	expect(KT_ACCESS_UNKNOWN, 6, 0xfffff);
	CU_ASSERT_TRUE(kt_roles_release_inline(roles, 1, TRACKING + 0x27e6c));
	CU_ASSERT_FALSE(kt_roles_release_inline(roles, 1, TRACKING + 0x30000));
	CU_ASSERT_FALSE(kt_roles_release_inline(roles, 2, TRACKING + 0x27e6c));
	CU_ASSERT_TRUE(kt_roles_mapping(&mapping, roles, 1, 2));
	CU_ASSERT_STRING_EQUAL(mapping.space, "fb");
	CU_ASSERT_EQUAL(mapping.class_number, 2);
	CU_ASSERT_FALSE(kt_roles_mapping(&mapping, roles, 1, 7));
	kt_roles_free(roles);
}

/* A semaphore within a copied range has the role of a semaphore. */
static void the_narrow_one_counts(void)
{
	make();
	command((struct kt_command){.kind = KT_COMMAND_COPY,
				    .from = TRACKING,
				    .to = TRACKING + 0x1000,
				    .bytes = 0x800,
				    .releases = true,
				    .address = TRACKING + 0x100});
	kt_roles_settle(roles);
	expect(KT_ACCESS_STAGING, 4, 0xff);
	expect(KT_ACCESS_SEMAPHORE, 4, 0x100);
	expect(KT_ACCESS_STAGING, 4, 0x110);
	expect(KT_ACCESS_STAGING, 4, 0x17ff);
	kt_roles_free(roles);
}

/*
 * A store before an ioctl does not belong to the next doorbell, so it gives no role.
 * Neither the read after the ioctl nor a fill gives a role.
 */
static void others_are_nothing(void)
{
	const struct kt_call call = {.device = "nvidiactl"};

	make();
	access_at("W", 6, 0x10);
	CU_ASSERT_EQUAL(kt_roles_visitor.ioctl(roles, &moment, &call), KT_OK);
	access_at("R", 5, 0x10);
	ring();
	ring();
	command((struct kt_command){.kind = KT_COMMAND_COPY, .to = 0x9000, .bytes = 64});
	command((struct kt_command){.kind = KT_COMMAND_ACQUIRE, .address = 0x123400000});
	kt_roles_settle(roles);
	expect(KT_ACCESS_UNKNOWN, 6, 0x10);
	expect(KT_ACCESS_UNKNOWN, 5, 0x10);
	kt_roles_free(roles);
}

/* An address belongs to the mapping that exists when the address is used. */
static void mappings_come_and_go(void)
{
	const struct kt_unmap_fields unmapped = {.space = "sys", .mapping = 3};

	make();
	submit(COMMANDS, 4);
	CU_ASSERT_EQUAL(kt_roles_visitor.unmap(roles, &moment, &unmapped), KT_OK);
	submit(COMMANDS + 0x1000, 4);
	map(8, "sys", COMMANDS, 65536);
	submit(COMMANDS + 0x2000, 1u << 30);
	kt_roles_settle(roles);
	expect(KT_ACCESS_PUSHBUFFER, 3, 0);
	expect(KT_ACCESS_UNKNOWN, 3, 0x1000);
	expect(KT_ACCESS_UNKNOWN, 3, 0x2000);
	expect(KT_ACCESS_UNKNOWN, 8, 0);
	expect(KT_ACCESS_PUSHBUFFER, 8, 0x2000);
	expect(KT_ACCESS_PUSHBUFFER, 8, 65535);
	kt_roles_free(roles);
}

/* The rest of a partly unmapped mapping keeps its role. */
static void parts_go(void)
{
	const struct kt_unmap_fields part = {.space = "sys",
					     .mapping = 3,
					     .address = COMMANDS + 29360128,
					     .length = 29360128};

	make();
	CU_ASSERT_EQUAL(kt_roles_visitor.unmap(roles, &moment, &part), KT_OK);
	submit(COMMANDS, 4);
	CU_ASSERT_EQUAL(kt_roles_visitor.unmap(roles, &moment, &part), KT_OK);
	submit(COMMANDS + 0x1000, 4);
	kt_roles_settle(roles);
	expect(KT_ACCESS_PUSHBUFFER, 3, 0);
	expect(KT_ACCESS_UNKNOWN, 3, 0x1000);
	kt_roles_free(roles);
}

/*
 * Finding the roles of a program that keeps allocating and freeing memory takes seconds,
 * not minutes.
 */
static void mappings_may_be_many(void)
{
	enum { MANY = 200000, KEPT = 1000 };

	make();
	for (uint32_t i = 0; i < MANY; i++) {
		const struct kt_unmap_fields unmapped = {.space = "sys",
							 .mapping = 100 + i - KEPT};

		map(100 + i, "sys", 0x300000000 + (uint64_t)(i % (2 * KEPT)) * 65536,
		    65536);
		if (i >= KEPT) {
			CU_ASSERT_EQUAL(kt_roles_visitor.unmap(roles, &moment, &unmapped),
					KT_OK);
		}
		submit(COMMANDS, 4);
		submit(0x900000000, 4);
		command((struct kt_command){.kind = KT_COMMAND_RELEASE,
					    .address = TRACKING});
	}
	submit(0x300000000 + (uint64_t)((MANY - 1) % (2 * KEPT)) * 65536, 4);
	kt_roles_settle(roles);
	expect(KT_ACCESS_PUSHBUFFER, 100 + MANY - 1, 0);
	expect(KT_ACCESS_UNKNOWN, 100 + MANY - 2, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		CU_ASSERT(!kt_roles_release_inline(roles, moment.instance, STAGED + i));
	}
	kt_roles_free(roles);
}

/* What the recorder knew comes first, then registers, then what was found. */
static void uses_are_known(void)
{
	static const struct {
		uint32_t mapping;
		uint64_t offset;
		const char *recorded;
		enum kt_access_role role;
	} uses[] = {
		{2, 0x18008, "", KT_ACCESS_RING},
		{2, 0x18008, "ring", KT_ACCESS_RING},
		{2, 0x1808c, "GP_PUT", KT_ACCESS_GP_PUT},
		{2, 0x18088, "GP_GET", KT_ACCESS_GP_GET},
		{3, 0x2000, "other", KT_ACCESS_PUSHBUFFER},
		{3, 0x4000, "other", KT_ACCESS_UNKNOWN},
		{5, 0x0, "", KT_ACCESS_NOTIFIER},
		{5, 0xf, "", KT_ACCESS_NOTIFIER},
		{5, 0x10, "", KT_ACCESS_TOKEN},
		{5, 0x1f, "", KT_ACCESS_TOKEN},
		{5, 0x20, "", KT_ACCESS_NOTIFIER},
		{1, 0x80, "", KT_ACCESS_TIMER},
		{1, 0x87, "other", KT_ACCESS_TIMER},
		{1, 0x88, "", KT_ACCESS_UNKNOWN},
		{1, 0x94, "", KT_ACCESS_NOTIFIER},
		{0xde, 0x28, "", KT_ACCESS_NOTIFIER},
		{0xde, 0x30, "", KT_ACCESS_UNKNOWN},
		{99, 0x80, "", KT_ACCESS_UNKNOWN},
		{99, 0x80, "timer", KT_ACCESS_TIMER},
	};

	make();
	map(0xde, "sys", 0x7c0000000000, 4096);
	access_at("W", 3, 0x2000);
	access_at("W", 2, 0x18008);
	access_at("R", 5, 0x10);
	ring();
	submit(COMMANDS + 0x2000, 8);
	kt_roles_settle(roles);
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		CU_ASSERT_EQUAL(kt_roles_use(roles, 1, uses[i].mapping, uses[i].offset,
					     uses[i].recorded),
				uses[i].role);
	}
	kt_roles_free(roles);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"finds all", finds_all},
		{"the narrow one counts", the_narrow_one_counts},
		{"others are nothing", others_are_nothing},
		{"mappings come and go", mappings_come_and_go},
		{"parts go", parts_go},
		{"mappings may be many", mappings_may_be_many},
		{"uses are known", uses_are_known},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("roles", tests);
}
