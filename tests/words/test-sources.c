/* SPDX-License-Identifier: MIT */
/*
 * Tests which source's process instances are used, depending on what each source recorded.
 */
#include <stdio.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/words/split/sources.h"
#include "tests/suite.h"

static struct kt_instance instances[16];
static size_t n_instances;

static void begin(void)
{
	n_instances = 0;
}

/* Adds an instance with driver events and a process_begin. */
static struct kt_instance *add(bool kernel, uint32_t pid, const char *name, int64_t from,
			       int64_t to)
{
	struct kt_instance *instance = &instances[n_instances++];

	*instance = (struct kt_instance){
		.origin = {.pid = pid, .trace = kernel, .kernel = kernel},
		.index = n_instances - 1,
		.name = (char *)(uintptr_t)name,
		.certain = name != NULL,
		.acts = true,
		.first_time = from,
		.last_time = to};
	return instance;
}

static struct kt_instance *user(uint32_t pid, const char *name, int64_t from, int64_t to)
{
	return add(false, pid, name, from, to);
}

/* `vpid` comes from the instance's process_begin. */
static struct kt_instance *kernel(uint32_t pid, uint32_t vpid, const char *name,
				  int64_t from, int64_t to)
{
	struct kt_instance *instance = add(true, pid, name, from, to);

	instance->vpid = vpid;
	return instance;
}

/* Checks which instances are chosen, in order: '+' if chosen, '-' if left out. */
static void expect(const char *with_user, const char *with_kernel)
{
	const char *const expected[] = {with_user, with_kernel};
	static const enum kt_source sources[] = {KT_SOURCE_USER, KT_SOURCE_KERNEL};

	struct kt_instance *chosen[16];

	for (size_t i = 0; i < n_instances; i++) {
		chosen[i] = &instances[i];
	}
	for (size_t i = 0; i < 2; i++) {
		char got[16 + 1] = "";

		CU_ASSERT_EQUAL_FATAL(kt_sources_choose(chosen, n_instances, sources[i]),
				      KT_OK);
		for (size_t j = 0; j < n_instances; j++) {
			got[j] = instances[j].dropped ? '-' : '+';
		}
		if (strcmp(got, expected[i]) != 0) {
			printf("\n    source %zu: got %s, expected %s\n", i, got,
			       expected[i]);
		}
		CU_ASSERT_STRING_EQUAL(got, expected[i]);
	}
}

static void test_both(void)
{
	begin();
	expect("", "");
	user(7, "app", 0, 50);
	kernel(7, 7, "app", 10, 55);
	kernel(8, 8, "app", 10, 55);
	user(9, "app", 0, 50);
	expect("+-++", "-+++");
}

/* In sh -c 'exec ./static', the user-space events of the pid are the shell's. */
static void test_exec(void)
{
	begin();
	user(7, "dash", 0, 10)->acts = false;
	kernel(7, 7, "static", 12, 50);
	expect("++", "++");

	begin(); /* the shell has opened a device itself, and both sources recorded it */
	user(7, "dash", 0, 10);
	kernel(7, 7, "dash", 2, 11);
	kernel(7, 7, "static", 12, 50);
	expect("+-+", "-++");

	begin(); /* times of a program and of the one that replaced it may overlap */
	user(7, "dash", 0, 20);
	kernel(7, 7, "static", 12, 50);
	expect("++", "++");

	begin(); /* a program executes itself, as a static program the second time */
	user(7, "app", 0, 10);
	kernel(7, 7, "app", 2, 11);
	kernel(7, 7, "app", 12, 50);
	expect("+-+", "-++");
}

/* The recorder was loaded, but the program bypasses it. */
static void test_nothing_seen(void)
{
	begin();
	user(7, "app", 0, 50)->acts = false;
	kernel(7, 7, "app", 10, 55);
	expect("++", "-+");

	begin(); /* a child that the kernel recorded only because of its parent */
	user(7, "app", 0, 50);
	kernel(7, 7, "app", 10, 55)->acts = false;
	expect("+-", "++");

	begin(); /* neither source has events of the driver */
	user(7, "app", 0, 50)->acts = false;
	kernel(7, 7, "app", 10, 55)->acts = false;
	expect("+-", "-+");
}

static void test_pid_again(void)
{
	begin();
	user(7, "app", 0, 10);
	kernel(7, 7, "app", 1, 11);
	kernel(7, 7, "app", 20, 30); /* the recorder was not loaded into this instance */
	user(7, "app", 40, 50);
	kernel(7, 7, "app", 41, 51);
	expect("+-++-", "-++-+");
}

static void test_containers(void)
{
	begin(); /* the process has the pid 7 in its container */
	user(7, "app", 0, 50);
	kernel(901, 7, "app", 10, 55);
	expect("+-", "-+");

	begin(); /* another program has that pid in another container, or on the host */
	user(7, "app", 0, 50);
	kernel(900, 7, "other", 0, 50);
	kernel(7, 7, "host", 0, 50);
	expect("+++", "+++");

	begin(); /* the same program at another time */
	user(7, "app", 0, 50);
	kernel(901, 7, "app", 60, 90);
	expect("++", "++");

	/* A process in a container has the pid that another process has on the host. */
	begin();
	user(901, "app", 0, 50);
	kernel(901, 7, "app", 0, 50);
	expect("++", "++");

	begin(); /* three processes run a program; user space recorded two of them */
	user(7, "app", 0, 50);
	kernel(901, 7, "app", 1, 51);
	kernel(902, 7, "app", 2, 90);
	kernel(903, 7, "app", 30, 101);
	user(7, "app", 25, 100);
	expect("+-+-+", "-+++-");
}

/* Tests the order of preference among possible pairs. */
static void test_preference(void)
{
	begin(); /* an equal pid on the host counts more than the time */
	user(7, "app", 0, 100);
	kernel(901, 7, "app", 0, 100);
	kernel(7, 7, "app", 40, 60);
	expect("++-", "-++");

	begin(); /* an uncertain name counts more than the time, and excludes no pair */
	user(7, "app", 0, 100)->certain = false;
	kernel(901, 7, "worker", 0, 100);
	kernel(902, 7, "app", 40, 60);
	expect("++-", "-++");
	begin();
	user(7, "app", 0, 100);
	kernel(901, 7, "worker", 0, 100)->certain = false;
	kernel(902, 7, NULL, 40, 60);
	expect("+-+", "-++");

	/*
	 * The overlap counts as a part of the time that either covers, so a long instance
	 * does not match all others.
	 */
	begin();
	user(7, "app", 10, 20);
	kernel(901, 7, "app", 0, 1000);
	kernel(902, 7, "app", 12, 19);
	expect("++-", "-++");

	begin(); /* all else is equal, so the older instance is chosen */
	user(7, "app", 0, 100);
	kernel(901, 7, "app", 0, 100);
	kernel(902, 7, "app", 0, 100);
	expect("+-+", "-++");
}

/*
 * One process is in several traces: of two sessions, or of modules that were loaded twice.
 */
static void test_twice(void)
{
	begin();
	user(7, "app", 0, 100);
	kernel(7, 7, "app", 10, 40);
	kernel(7, 7, "app", 50, 100);
	expect("+--", "-++");

	begin();
	user(7, "app", 0, 100);
	user(7, "app", 0, 100)->origin.trace = 2;
	kernel(7, 7, "app", 10, 100);
	expect("++-", "--+");

	begin(); /* two pids on the host are two processes */
	user(7, "app", 0, 100);
	kernel(901, 7, "app", 10, 40);
	kernel(902, 7, "app", 50, 100);
	expect("++-", "-++");
}

static void test_hosts(void)
{
	begin();
	user(7, "app", 0, 100)->origin.host = 1;
	kernel(7, 7, "app", 0, 100)->origin.host = 2;
	expect("++", "++");
	instances[1].origin.host = 1;
	expect("+-", "-+");
	instances[1].origin.host = 0;
	expect("+-", "-+");
}

/* Without its process_begin, an instance has neither a name nor a pid in its namespace. */
static void test_lost(void)
{
	begin();
	user(7, NULL, 5, 50);
	kernel(7, 0, NULL, 10, 55);
	kernel(8, 0, NULL, 10, 55);
	expect("+-+", "-++");

	begin(); /* one event each; without a clock, all overlap */
	user(7, "app", 0, 0);
	kernel(7, 7, "app", 0, 0);
	expect("+-", "-+");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"recorded from both sources", test_both},
		{"exec", test_exec},
		{"no events of the driver", test_nothing_seen},
		{"a pid used again", test_pid_again},
		{"containers", test_containers},
		{"order of preference", test_preference},
		{"recorded twice", test_twice},
		{"hosts", test_hosts},
		{"a lost beginning", test_lost},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("sources", tests);
}
