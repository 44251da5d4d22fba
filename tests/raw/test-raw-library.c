/* SPDX-License-Identifier: MIT */
/*
 * Uses libktail-raw as a C program does: memory, submissions, times, an error of the
 * channel. Prints the first check that fails and exits with 1. To be run on the software
 * GPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/raw.h>
#include <ktail/status.h>

#define ROUNDS 200

#define REQUIRE(holds)                                                                     \
	do {                                                                               \
		if (!(holds)) {                                                            \
			printf("line %d: %s: %s\n", __LINE__, #holds, kt_error_message()); \
			exit(1);                                                           \
		}                                                                          \
	} while (0)

static kt_raw *raw;

/* Copies 64 bytes by the copy engine, in two segments. */
static int copy(uint64_t from, uint64_t to)
{
	const uint32_t addresses[] = {0x20048100, (uint32_t)(from >> 32), (uint32_t)from,
				      (uint32_t)(to >> 32), (uint32_t)to};
	const uint32_t launch[] = {0x20018106, 64, 0x200180c0, 0x182};
	const struct kt_raw_segment segments[] = {
		{.words = addresses, .n = 5},
		{.words = launch, .n = 4, .entry = {0, 1u << 31}}, /* sync: wait */
	};

	return kt_raw_submit(raw, segments, 2);
}

static void test_copies(void)
{
	uint64_t addresses[3];
	uint32_t data[64];
	struct kt_raw_times times[KT_RAW_TIMES];
	uint64_t last = 0;
	size_t n;

	for (int i = 0; i < 3; i++) {
		REQUIRE(!kt_raw_allocate(raw, (enum kt_raw_memory_kind)i, sizeof(data),
					 &addresses[i]));
		REQUIRE(addresses[i] % 256 == 0);
		REQUIRE(!kt_raw_read(raw, addresses[i], data, sizeof(data)));
		REQUIRE(data[0] == 0 && data[63] == 0);
	}
	REQUIRE(addresses[KT_RAW_MEMORY_LOW] >> 40 == 0);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < 64; i++) {
			data[i] = round << 8 | i;
		}
		REQUIRE(!kt_raw_write(raw, addresses[round % 3], data, sizeof(data)));
		REQUIRE(!copy(addresses[round % 3], addresses[(round + 1) % 3] + 64));
		REQUIRE(!copy(addresses[(round + 1) % 3] + 64, addresses[(round + 2) % 3]));
		REQUIRE(!kt_raw_wait(raw, times, &n));
		REQUIRE(n == 2);
		REQUIRE(last < times[0].begin && times[0].begin < times[0].end &&
			times[0].end < times[1].begin && times[1].begin < times[1].end);
		last = times[1].end;
		REQUIRE(!kt_raw_read(raw, addresses[(round + 2) % 3], data, 64));
		REQUIRE(data[0] == round << 8 && data[15] == (round << 8 | 15));
	}
	REQUIRE(!kt_raw_wait(raw, times, &n));
	REQUIRE(n == 0);
	REQUIRE(kt_raw_read(raw, addresses[0] + 252, data, 8) == KT_E_USAGE);
	REQUIRE(kt_raw_read(raw, 4096, data, 4) == KT_E_USAGE);
}

static void test_limits(void)
{
	const struct kt_raw_info info = kt_raw_info(raw);
	const uint32_t nop[] = {0};
	struct kt_raw_segment *segments = calloc(info.segments + 1, sizeof(*segments));
	uint64_t address;

	REQUIRE(segments);
	REQUIRE(info.n_engines == 2 && info.ring_entries > info.segments);
	for (size_t i = 0; i < info.segments + 1; i++) {
		segments[i] = (struct kt_raw_segment){.words = nop, .n = 1};
	}
	for (int i = 0; i < 3; i++) {
		REQUIRE(!kt_raw_submit(raw, segments, info.segments));
	}
	REQUIRE(kt_raw_submit(raw, segments, info.segments + 1) == KT_E_USAGE);
	REQUIRE(!kt_raw_submit(raw, NULL, 0));
	REQUIRE(!kt_raw_wait(raw, NULL, NULL));
	REQUIRE(kt_raw_allocate(raw, KT_RAW_MEMORY_LOW, 1 << 30, &address) == KT_E_IO);
	free(segments);
}

static void open_channel(void)
{
	REQUIRE(!kt_raw_open(&raw, &(struct kt_raw_options){.timeout_ms = 5000}));
}

static void test_error(void)
{
	REQUIRE(!copy(0x1000, 0x2000));
	REQUIRE(kt_raw_wait(raw, NULL, NULL) == KT_E_IO);
	REQUIRE(strstr(kt_error_message(), "is dead: error 31"));
	REQUIRE(kt_raw_submit(raw, NULL, 0) == KT_E_IO);
	REQUIRE(strstr(kt_error_message(), "is dead: error 31"));
}

int main(void)
{
	/* libcuda goes on with the channel after it was given back. */
	for (int i = 0; i < 3; i++) {
		open_channel();
		test_copies();
		test_limits();
		kt_raw_close(raw);
	}
	open_channel();
	test_error();
	kt_raw_close(raw);
	kt_raw_close(NULL);
	REQUIRE(kt_raw_open(&raw, &(struct kt_raw_options){.library = "libnone.so.1"}) ==
		KT_E_IO);
	REQUIRE(!raw);
	return 0;
}
