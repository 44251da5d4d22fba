/* SPDX-License-Identifier: MIT */
/*
 * Tests how the use of a channel ends: errors that the kernel driver reports after the
 * submission is done, libcuda that uses channel or memory, waits that take too long. The
 * test writes itself what the kernel driver or libcuda would write. Each test has its own
 * process. To be run on the software GPU.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ktail/status.h>

#include "raw/channel/state.h"
#include "raw/run.h"

#define REQUIRE(holds)                                                                     \
	do {                                                                               \
		if (!(holds)) {                                                            \
			printf("line %d: %s: %s\n", __LINE__, #holds, kt_error_message()); \
			exit(1);                                                           \
		}                                                                          \
	} while (0)
#define SAYS(part) REQUIRE(strstr(kt_error_message(), part))

static kt_raw *raw;

static void open_channel(unsigned timeout_ms)
{
	REQUIRE(!kt_raw_open(&raw, &(struct kt_raw_options){.timeout_ms = timeout_ms}));
}

static int submit_nop(void)
{
	static const uint32_t nop[] = {0};
	const struct kt_raw_segment segment = {.words = nop, .n = 1};

	return kt_raw_submit(raw, &segment, 1);
}

/* --- errors that are reported late --- */

static _Thread_local int pauses; /* until the error is reported; 0: never */

static void report_error(void)
{
	const struct kt_observed *o = kt_observed();

	for (size_t i = 0; i < o->n_channels; i++) {
		const struct kt_observed_channel *c = &o->channels[i];
		volatile uint32_t *at =
			kt_observed_memory(c->client, c->error_memory, 0, 16);

		if (at) {
			at[2] = 32;
			__atomic_store_n(at + 3, 0xffff0000, __ATOMIC_RELEASE);
		}
	}
}

/* The library pauses while it waits for an error: a moment that comes after the payload. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (pauses > 0 && --pauses == 0) {
		report_error();
	}
	return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left) ? -1 : 0;
}

static void test_late(void)
{
	open_channel(5000);
	REQUIRE(!submit_nop() && !kt_raw_wait(raw, NULL, NULL) && !kt_raw_settle(raw));
	REQUIRE(!submit_nop() && !kt_raw_wait(raw, NULL, NULL));
	pauses = 3;
	REQUIRE(kt_raw_settle(raw) == KT_E_IO);
	SAYS("is dead: error 32, the host refused");
	kt_error(KT_E_USAGE, "another message");
	REQUIRE(kt_raw_close(raw) == KT_OK);
	SAYS("another message");
}

static void test_late_at_close(void)
{
	open_channel(5000);
	REQUIRE(!submit_nop());
	pauses = 3;
	REQUIRE(kt_raw_close(raw) == KT_E_IO);
	SAYS("is dead: error 32");
}

/* Runs a script at whose first pause an error is reported. Returns what it prints. */
static char *run(const char *text, bool force, int *code)
{
	struct kt_raw_script script = {0};
	char *out = NULL;
	size_t n;
	bool differs;
	const struct kt_raw_run how = {.out = open_memstream(&out, &n), .force = force};

	REQUIRE(how.out);
	REQUIRE(!kt_raw_script_read(&script, "late.raw", text, strlen(text)));
	pauses = 1;
	*code = kt_raw_run(&how, &script, &differs);
	kt_raw_script_free(&script);
	fclose(how.out);
	return out;
}

#define METHOD "1 HOPPER_COMPUTE_A NO_OPERATION = 0\n"

static void test_late_in_script(void)
{
	int code;
	char *out = run("buffer a 64\n" METHOD "doorbell\n" METHOD "print $a 4\n", false,
			&code);

	REQUIRE(code == KT_E_IO);
	REQUIRE(strncmp(kt_error_message(), "late.raw:3: channel ", 20) == 0);
	SAYS("is dead: error 32");
	REQUIRE(!strstr(out, "took"));
	free(out);
}

static void test_late_after_wait(void)
{
	int code;
	char *out = run("buffer a 64\n" METHOD "wait\nprint $a 4\n", false, &code);

	REQUIRE(code == KT_E_IO);
	REQUIRE(strncmp(kt_error_message(), "late.raw:2: channel ", 20) == 0);
	free(out);
}

/* Forced commands are errors more often: each wait watches for them. */
static void test_late_forced(void)
{
	int code;
	char *out = run("buffer a 64\n" METHOD "wait\nprint $a 4\n", true, &code);

	REQUIRE(code == KT_E_IO);
	REQUIRE(strncmp(kt_error_message(), "late.raw:3: channel ", 20) == 0);
	REQUIRE(!strstr(out, "took") && !strstr(out, "$a"));
	free(out);
}

/* --- libcuda uses what it did not use --- */

static void use_channel(void)
{
	*raw->gp_put = (raw->put + 1) % raw->channel.entries;
}

static int write_and_use(uint64_t to, const void *from, size_t bytes)
{
	(void)to;
	(void)from;
	(void)bytes;
	use_channel();
	return 0;
}

static int read_and_use(void *to, uint64_t from, size_t bytes)
{
	(void)to;
	(void)from;
	(void)bytes;
	use_channel();
	return 0;
}

static int allocate_and_use(void **memory, size_t bytes)
{
	*memory = aligned_alloc(256, bytes);
	use_channel();
	return 0;
}

static int free_memory(void *memory)
{
	free(memory);
	return 0;
}

static void test_used_by_write(void)
{
	uint64_t address;

	open_channel(5000);
	REQUIRE(!kt_raw_allocate(raw, KT_RAW_MEMORY_DEVICE, 64, &address));
	raw->cuda.cuMemcpyHtoD = write_and_use;
	REQUIRE(kt_raw_write(raw, address, "abc", 4) == KT_E_IO);
	SAYS("libcuda has submitted to it, too");
}

static void test_used_by_read(void)
{
	uint64_t address;
	uint32_t word;

	open_channel(5000);
	REQUIRE(!kt_raw_allocate(raw, KT_RAW_MEMORY_DEVICE, 64, &address));
	raw->cuda.cuMemcpyDtoH = read_and_use;
	REQUIRE(kt_raw_read(raw, address, &word, 4) == KT_E_IO);
	SAYS("libcuda has submitted to it, too");
}

static void test_used_by_allocation(void)
{
	uint64_t address;

	open_channel(5000);
	raw->cuda.cuMemAllocHost = allocate_and_use;
	raw->cuda.cuMemFreeHost = free_memory;
	REQUIRE(kt_raw_allocate(raw, KT_RAW_MEMORY_HOST, 256, &address) == KT_E_IO);
	SAYS("libcuda has submitted to it, too");
	REQUIRE(kt_raw_close(raw) == KT_OK);
}

static void test_used_at_end(void)
{
	open_channel(5000);
	REQUIRE(!submit_nop() && !kt_raw_wait(raw, NULL, NULL));
	use_channel();
	REQUIRE(kt_raw_close(raw) == KT_E_IO);
	SAYS("libcuda has submitted to it, too");
}

/* libcuda's GP_PUT is that of the library, but the entry before it is another. */
static void test_same_put(void)
{
	open_channel(5000);
	REQUIRE(!submit_nop() && !kt_raw_wait(raw, NULL, NULL));
	raw->ring[2 * (raw->put - 1)] += 64;
	REQUIRE(submit_nop() == KT_E_IO);
	SAYS("libcuda has submitted to it, too");
}

static void test_used_commands(void)
{
	unsigned char *at;

	open_channel(5000);
	at = (unsigned char *)raw->commands.start; /* written before, and next */
	at[3] ^= 1;
	REQUIRE(submit_nop() == KT_E_IO);
	SAYS("libcuda uses the memory");
}

static void test_used_commands_at_end(void)
{
	unsigned char *at;

	open_channel(5000);
	at = (unsigned char *)raw->commands.start + raw->touched - 1;
	*at ^= 1;
	REQUIRE(kt_raw_close(raw) == KT_E_IO);
	SAYS("libcuda uses the memory");
}

/* --- waits that take too long --- */

/*
 * Submits a wait for a semaphore, the first dword of the buffer `a`, and a copy of its
 * bytes 64 to 127 to byte 128.
 */
static void submit_acquire(uint64_t a, uint32_t payload)
{
	const uint32_t low = (uint32_t)a;
	const uint32_t high = (uint32_t)(a >> 32);
	const uint32_t acquire[] = {0x20050017, low, high, payload, 0, 0};
	const uint32_t copy[] = {0x20048100, high, low + 64,   high, low + 128,
				 0x20018106, 64,   0x200180c0, 0x182};
	const struct kt_raw_segment segments[] = {{.words = acquire, .n = 6},
						  {.words = copy, .n = 9}};

	REQUIRE(!kt_raw_submit(raw, segments, 2));
}

static uint64_t submit_stuck(void)
{
	uint64_t a;

	open_channel(100);
	REQUIRE(!kt_raw_allocate(raw, KT_RAW_MEMORY_HOST, 256, &a));
	((volatile uint32_t *)(uintptr_t)a)[16] = 77;
	submit_acquire(a, 1);
	return a;
}

static void wait_in_vain(void)
{
	REQUIRE(kt_raw_wait(raw, NULL, NULL) == KT_E_IO);
	SAYS("not done after 100 ms");
}

static void set_semaphore(uint64_t a, uint32_t payload)
{
	__atomic_store_n((uint32_t *)(uintptr_t)a, payload, __ATOMIC_RELEASE);
}

static _Thread_local uint64_t awaited; /* becomes 2 when a wait yields; 0: nothing does */

int sched_yield(void)
{
	if (awaited) {
		set_semaphore(awaited, 2);
	}
	return 0;
}

/* After a wait that succeeds later, the next submissions are waited for as ever. */
static void test_late_wait(void)
{
	const uint64_t a = submit_stuck();
	const volatile uint32_t *gp_put = raw->gp_put;
	const uint32_t first_put = raw->first_put;
	void *context;

	REQUIRE(raw->cuda.cuDevicePrimaryCtxRetain(&context, 0) == 0);
	wait_in_vain();
	REQUIRE(*gp_put != first_put);
	set_semaphore(a, 1);
	raw->timeout_ms = 5000;
	REQUIRE(!kt_raw_wait(raw, NULL, NULL));
	submit_acquire(a, 2);
	awaited = a;
	REQUIRE(!kt_raw_close(raw));
	REQUIRE(*gp_put == first_put);
}

/* The GPU uses the memory after the channel was closed. */
static void expect_copy(uint64_t a)
{
	const volatile uint32_t *copy = (const volatile uint32_t *)(uintptr_t)a + 32;

	set_semaphore(a, 1);
	for (int i = 0; i < 5000 && *copy != 77; i++) {
		usleep(1000);
	}
	REQUIRE(*copy == 77);
}

static void test_stuck_at_close(void)
{
	const uint64_t a = submit_stuck();
	int (*current)(void **context);
	void *symbol = dlsym(raw->cuda.library, "cuCtxGetCurrent");
	void *context;

	REQUIRE(symbol);
	memcpy(&current, &symbol, sizeof(symbol));
	wait_in_vain();
	REQUIRE(current(&context) == 0 && context);
	REQUIRE(kt_raw_close(raw) == KT_OK);
	REQUIRE(current(&context) == 0 && !context);
	expect_copy(a);
}

/* Nothing waits for the submission, since libcuda has used the channel. */
static void test_used_before_wait(void)
{
	const uint64_t a = submit_stuck();

	use_channel();
	REQUIRE(submit_nop() == KT_E_IO);
	SAYS("libcuda has submitted to it, too");
	REQUIRE(kt_raw_close(raw) == KT_OK);
	expect_copy(a);
}

/* --- sizes --- */

static void test_sizes(void)
{
	uint64_t address;

	open_channel(5000);
	for (int i = 0; i < 3; i++) {
		const enum kt_raw_memory_kind kind = (enum kt_raw_memory_kind)i;

		REQUIRE(kt_raw_allocate(raw, kind, 0, &address) == KT_E_USAGE);
		REQUIRE(kt_raw_allocate(raw, kind, SIZE_MAX - 10, &address) == KT_E_USAGE);
	}
	REQUIRE(kt_raw_close(raw) == KT_OK);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*test)(void);
	} tests[] = {
		{"an error after the wait", test_late},
		{"an error at the end", test_late_at_close},
		{"an error at a script's end", test_late_in_script},
		{"an error after a script's last wait", test_late_after_wait},
		{"an error of a forced script", test_late_forced},
		{"a write uses the channel", test_used_by_write},
		{"a read uses the channel", test_used_by_read},
		{"an allocation uses the channel", test_used_by_allocation},
		{"libcuda uses the channel after the last wait", test_used_at_end},
		{"libcuda's GP_PUT is ours", test_same_put},
		{"libcuda uses old commands", test_used_commands},
		{"libcuda uses old commands at the end", test_used_commands_at_end},
		{"a wait that succeeds later", test_late_wait},
		{"a wait that never succeeds", test_stuck_at_close},
		{"libcuda uses the channel before the wait", test_used_before_wait},
		{"sizes", test_sizes},
	};
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const pid_t child = fork();
		int status;

		if (child == 0) {
			tests[i].test();
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
			printf("%s: failed\n", tests[i].name);
			failed = 1;
		}
	}
	return failed;
}
