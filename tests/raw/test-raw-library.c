/* SPDX-License-Identifier: MIT */
/*
 * Uses libktail-raw as a C program does: memory, submissions, times, an error of the
 * channel. Prints the first check that fails and exits with 1. To be run on the software
 * GPU.
 */
#include <dlfcn.h>
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

/* libcuda goes on with all its channels after the one was given back. */
static void test_given_back(void)
{
	static int (*retain)(void **context, int device);
	static int (*release)(int device);
	static int (*set_current)(void *context);
	static int (*create)(void **stream, unsigned flags);
	static int (*synchronize)(void *stream);
	static int (*allocate)(uint64_t * address, size_t bytes);
	static int (*to_device)(uint64_t to, const void *from, size_t bytes, void *stream);
	static int (*to_host)(void *to, uint64_t from, size_t bytes, void *stream);
	const struct {
		const char *name;
		void *function;
	} functions[] = {
		{"cuDevicePrimaryCtxRetain", &retain},
		{"cuDevicePrimaryCtxRelease_v2", &release},
		{"cuCtxSetCurrent", &set_current},
		{"cuStreamCreate", &create},
		{"cuStreamSynchronize", &synchronize},
		{"cuMemAlloc_v2", &allocate},
		{"cuMemcpyHtoDAsync_v2", &to_device},
		{"cuMemcpyDtoHAsync_v2", &to_host},
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	void *context;
	void *stream;
	uint64_t address;

	REQUIRE(library);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *symbol = dlsym(library, functions[i].name);

		REQUIRE(symbol);
		memcpy(functions[i].function, &symbol, sizeof(symbol));
	}
	open_channel();
	test_copies();
	REQUIRE(retain(&context, 0) == 0);
	REQUIRE(kt_raw_close(raw) == KT_OK);
	REQUIRE(set_current(context) == 0);
	REQUIRE(allocate(&address, 64) == 0);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t data[16] = {i, 1};
		uint32_t back[16];

		if (i % 8 == 0) {
			REQUIRE(create(&stream, 1) == 0);
		}
		REQUIRE(to_device(address, data, 64, stream) == 0);
		REQUIRE(to_host(back, address, 64, stream) == 0);
		REQUIRE(synchronize(stream) == 0);
		REQUIRE(memcmp(data, back, 64) == 0);
	}
	REQUIRE(release(0) == 0);
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
	for (int i = 0; i < 3; i++) {
		open_channel();
		test_copies();
		test_limits();
		REQUIRE(kt_raw_close(raw) == KT_OK);
	}
	test_given_back();
	open_channel();
	test_error();
	REQUIRE(kt_raw_close(raw) == KT_OK && kt_raw_close(NULL) == KT_OK);
	REQUIRE(kt_raw_open(&raw, &(struct kt_raw_options){.library = "libnone.so.1"}) ==
		KT_E_IO);
	REQUIRE(!raw);
	return 0;
}
